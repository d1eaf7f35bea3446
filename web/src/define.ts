/** Registers `<token-view>` and `<token-compare>`; import for its effect. */

import { TokenCompare } from "./token-compare.js";
import { TokenView } from "./token-view.js";

TokenView.define();
TokenCompare.define();

declare global {
  interface HTMLElementTagNameMap {
    "token-view": TokenView;
    "token-compare": TokenCompare;
  }
  interface HTMLElementEventMap {
    "token-hover": import("./token-view.js").TokenEvent;
    "token-select": import("./token-view.js").TokenEvent;
    "segment-hover": import("./token-compare.js").SegmentEvent;
    "segment-select": import("./token-compare.js").SegmentEvent;
  }
}
