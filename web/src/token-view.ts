/** `<token-view>`: shows an encoding as coloured text. Knows nothing of workers. */

import { Blocks } from "./blocks.js";
import type { Change } from "./document.js";
import type { Style } from "./draw.js";
import type { Encoding } from "./encoding.js";
import { STYLE } from "./token-style.js";

/** Which token an event is about; null when it is none. */
export interface TokenEventDetail {
  index: number | null;
}
export type TokenEvent = CustomEvent<TokenEventDetail>;

/**
 * Shows an encoding as coloured text.
 *
 * @tagname token-view
 * @attr {boolean} whitespace - Also marks spaces; line ends, tabs and control characters always are.
 * @attr {"position" | "id"} colors - What the colour of a token follows: its place, or its id.
 * @attr {number} limit - Tokens beyond so many are marked.
 * @attr {string} label - What screen readers call the list; "Tokens" unless given.
 * @fires {TokenEvent} token-hover - The pointer or the focus came to a token, or left it.
 * @fires {TokenEvent} token-select - A token was clicked, or chosen with Enter; or none any more.
 * @csspart tokens - The list of all tokens.
 * @csspart token - A token.
 * @csspart special - A special token, which is a `token` as well.
 * @csspart lookalike - Text that is written like a special token, and was read as text.
 * @csspart character - A character that several tokens share.
 * @cssprop --token-1 - Fill of the first of five colours; up to `--token-5`.
 * @cssprop --token-2 - Fill of the second colour.
 * @cssprop --token-3 - Fill of the third colour.
 * @cssprop --token-4 - Fill of the fourth colour.
 * @cssprop --token-5 - Fill of the fifth colour.
 * @cssprop --token-line-1 - Underline of the first of five colours; up to `--token-line-5`.
 * @cssprop --token-line-2 - Underline of the second colour.
 * @cssprop --token-line-3 - Underline of the third colour.
 * @cssprop --token-line-4 - Underline of the fourth colour.
 * @cssprop --token-line-5 - Underline of the fifth colour.
 * @cssprop --token-ring - Around the token under pointer or focus, and the selected one.
 * @cssprop --token-mark - Marks of whitespace.
 * @cssprop --token-special - Fill of special tokens.
 * @cssprop --token-special-text - Text of special tokens.
 * @cssprop --token-lookalike - Frame of look-alikes.
 * @cssprop --token-over - Tokens beyond the limit.
 */
export class TokenView extends HTMLElement {
  static observedAttributes = ["whitespace", "colors", "limit", "label"];

  #list = document.createElement("div");
  #encoding: Encoding | null = null;
  #blocks = new Blocks(this, this.#list, () => this.#markDrawn());
  #active: number | null = null;
  #selected: number | null = null;
  /** The one token that the Tab key reaches. */
  #tabStop = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("part", "tokens");
    root.append(this.#list);
    this.#listen();
  }

  /** Registers the element, under another name if one is given. */
  static define(tag = "token-view"): void {
    if (!customElements.get(tag)) customElements.define(tag, TokenView);
  }

  connectedCallback(): void {
    this.#label();
    this.#blocks.connect();
  }

  disconnectedCallback(): void {
    this.#blocks.disconnect();
  }

  attributeChangedCallback(name: string): void {
    if (name === "label") this.#label();
    else if (name === "limit") this.#blocks.limit = this.#style.limit;
    else this.#blocks.show(this.#encoding, this.#style);
  }

  /** What to show; `null` for nothing. */
  get encoding(): Encoding | null {
    return this.#encoding;
  }

  set encoding(encoding: Encoding | null) {
    this.#encoding = encoding;
    this.#active = null;
    this.#selected = null;
    this.#tabStop = 0;
    this.#blocks.show(encoding, this.#style);
  }

  /**
   * Shows what `encoding` has become by an edit: `document.encoding` after `document.replace`. Only the tokens around
   * the edit are drawn again. A selected token stays so, unless the edit took it away.
   */
  update(encoding: Encoding, change: Change): void {
    const { index, removed, added } = change;
    const before = this.#encoding;
    if (!before || before.length - removed + added !== encoding.length) {
      this.encoding = encoding; // not the next one, as it seems
      return;
    }
    const moved = (at: number | null) => {
      if (at === null || at < index) return at;
      return at < index + removed ? null : at - removed + added;
    };
    const selected = moved(this.#selected);
    const tabStop = moved(this.#tabStop) ?? Math.min(index, encoding.length - 1);
    this.active = null;
    this.selected = null;
    this.#encoding = encoding;
    this.#blocks.update(encoding, change);
    this.#moveTabStop(Math.max(0, tabStop));
    this.selected = selected;
  }

  /** Draws spaces and tabs as marks; line ends and control characters always are. */
  get whitespace(): boolean {
    return this.hasAttribute("whitespace");
  }

  set whitespace(on: boolean) {
    this.toggleAttribute("whitespace", on);
  }

  /** By `"position"`, so that neighbours differ, or by `"id"`, so that the same token looks the same everywhere. */
  get colors(): "position" | "id" {
    return this.getAttribute("colors") === "id" ? "id" : "position";
  }

  set colors(by: "position" | "id") {
    this.setAttribute("colors", by);
  }

  /** Tokens beyond so many are marked; `null` for no limit. */
  get limit(): number | null {
    const limit = Number.parseInt(this.getAttribute("limit") ?? "", 10);
    return limit >= 0 ? limit : null;
  }

  set limit(limit: number | null) {
    if (limit === null) this.removeAttribute("limit");
    else this.setAttribute("limit", String(limit));
  }

  get #style(): Style {
    return { whitespace: this.whitespace, byId: this.colors === "id", limit: this.limit ?? Infinity };
  }

  /** The token under the pointer or focus; set it to light up a token from elsewhere. */
  get active(): number | null {
    return this.#active;
  }

  set active(index: number | null) {
    this.#mark("active", this.#active, index);
    this.#active = index;
  }

  /** The token that was clicked, or chosen with Enter. */
  get selected(): number | null {
    return this.#selected;
  }

  set selected(index: number | null) {
    this.#mark("selected", this.#selected, index);
    for (const element of this.#elements(this.#selected)) element.setAttribute("aria-selected", "false");
    for (const element of this.#elements(index)) element.setAttribute("aria-selected", "true");
    this.#selected = index;
  }

  /** Brings a token into view and gives it the focus. */
  focusToken(index: number): void {
    if (!this.#blocks.drawAt(index)) return;
    this.#moveTabStop(index);
    const [element] = this.#elements(index);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  /** Scrolls the view itself, and nothing around it, so that a token shows. */
  reveal(index: number): void {
    if (!this.#blocks.drawAt(index)) return;
    const [element] = this.#elements(index);
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const frame = this.getBoundingClientRect();
    if (top < frame.top) this.scrollTop += top - frame.top - frame.height / 4;
    else if (bottom > frame.bottom) this.scrollTop += bottom - frame.bottom + frame.height / 4;
  }

  #label(): void {
    this.#list.setAttribute("aria-label", this.getAttribute("label") ?? "Tokens");
  }

  #markDrawn(): void {
    this.#moveTabStop(this.#tabStop);
    this.active = this.#active;
    this.selected = this.#selected;
  }

  /** All that is drawn of a token: its own element first, then its share of characters that others share. */
  #elements(index: number | null): HTMLElement[] {
    if (index === null) return [];
    return [...this.#list.querySelectorAll<HTMLElement>(`[data-index="${index}"]`)];
  }

  #mark(name: "active" | "selected", before: number | null, after: number | null): void {
    for (const element of this.#elements(before)) element.classList.remove(name);
    for (const element of this.#elements(after)) element.classList.add(name);
  }

  #moveTabStop(index: number): void {
    this.#list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    this.#elements(index)[0]?.setAttribute("tabindex", "0");
    this.#tabStop = index;
  }

  #listen(): void {
    const list = this.#list;
    list.addEventListener("pointerover", (event) => this.#hover(indexAt(event.target)));
    list.addEventListener("pointerleave", () => this.#hover(null));
    list.addEventListener("focusin", (event) => this.#hover(indexAt(event.target)));
    list.addEventListener("focusout", () => this.#hover(null));
    list.addEventListener("click", (event) => this.#click(indexAt(event.target)));
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  #hover(index: number | null): void {
    if (index === this.#active) return;
    this.active = index;
    this.#tell("token-hover", index);
  }

  #click(index: number | null): void {
    if (!getSelection()?.isCollapsed) return; // text is being selected
    if (index !== null) this.#moveTabStop(index);
    this.#select(index);
  }

  #select(index: number | null): void {
    this.selected = index;
    this.#tell("token-select", index);
  }

  #tell(type: "token-hover" | "token-select", index: number | null): void {
    const detail: TokenEventDetail = { index };
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #key(event: KeyboardEvent): void {
    const index = indexAt(event.target);
    if (index === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#encoding!.length - 1;
    const moves: Record<string, () => number> = {
      ArrowLeft: () => index - 1,
      ArrowRight: () => index + 1,
      ArrowUp: () => this.#lineAway(index, -1),
      ArrowDown: () => this.#lineAway(index, 1),
      Home: () => 0,
      End: () => last,
    };
    const move = moves[event.key];
    if (move) this.focusToken(Math.max(0, Math.min(last, move())));
    else if (event.key === "Enter" || event.key === " ") this.#select(index);
    else if (event.key === "Escape") this.#select(null);
    else return;
    event.preventDefault();
  }

  /** The token a line above or below, where the eye expects it. */
  #lineAway(index: number, direction: -1 | 1): number {
    const box = this.#elements(index)[0]!.getClientRects()[0]!;
    const line = box.height;
    for (let steps = 1; steps <= 3; steps++) {
      const y = box.top + line / 2 + direction * steps * line;
      for (let x = box.left + Math.min(4, box.width / 2); x > this.getBoundingClientRect().left; x -= 12) {
        const found = indexAt(this.shadowRoot!.elementFromPoint(x, y));
        if (found !== null && found !== index) return found;
      }
    }
    return index + direction;
  }
}

function indexAt(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return element ? Number(element.dataset.index) : null;
}
