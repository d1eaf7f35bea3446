/** Registers `<token-view>`; import for its effect. */

import { TokenView } from "./token-view.js";

TokenView.define();

declare global {
  interface HTMLElementTagNameMap {
    "token-view": TokenView;
  }
  interface HTMLElementEventMap {
    "token-hover": import("./token-view.js").TokenEvent;
    "token-select": import("./token-view.js").TokenEvent;
  }
}
