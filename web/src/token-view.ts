/** `<token-view>`: shows an encoding as coloured text. Knows nothing of workers. */

import type { Encoding } from "./encoding.js";
import { drawPieces } from "./draw.js";
import { toBlocks, toPieces, type Block } from "./pieces.js";
import { STYLE } from "./token-style.js";

/** Which token an event is about; null when it is none. */
export interface TokenEventDetail {
  index: number | null;
}
export type TokenEvent = CustomEvent<TokenEventDetail>;

/** How far beyond the visible part tokens are drawn. */
const MARGIN = 600;

interface DrawnBlock extends Block {
  element: HTMLElement;
  drawn: boolean;
}

export class TokenView extends HTMLElement {
  static observedAttributes = ["whitespace", "label"];

  #list = document.createElement("div");
  #encoding: Encoding | null = null;
  #blocks: DrawnBlock[] = [];
  #blockOf = new WeakMap<Element, DrawnBlock>();
  #observer: IntersectionObserver | undefined;
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

  static define(tag = "token-view"): void {
    if (!customElements.get(tag)) customElements.define(tag, TokenView);
  }

  connectedCallback(): void {
    this.#label();
    // `scrollMargin` reaches into the element that scrolls; browsers without it draw a little later.
    const margins = { rootMargin: `${MARGIN}px`, scrollMargin: `${MARGIN}px` };
    this.#observer = new IntersectionObserver((entries) => this.#onVisible(entries), margins);
    for (const { element } of this.#blocks) this.#observer.observe(element);
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
  }

  attributeChangedCallback(name: string): void {
    if (name === "label") this.#label();
    else this.#rebuild();
  }

  get encoding(): Encoding | null {
    return this.#encoding;
  }

  set encoding(encoding: Encoding | null) {
    this.#encoding = encoding;
    this.#active = null;
    this.#selected = null;
    this.#tabStop = 0;
    this.#rebuild();
  }

  /** Draws spaces and tabs as marks; line ends and control characters always are. */
  get whitespace(): boolean {
    return this.hasAttribute("whitespace");
  }

  set whitespace(on: boolean) {
    this.toggleAttribute("whitespace", on);
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
    const block = this.#blocks.find(({ last }) => index < last);
    if (!block || index < 0) return;
    this.#draw(block);
    this.#moveTabStop(index);
    const [element] = this.#elements(index);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  #label(): void {
    this.#list.setAttribute("aria-label", this.getAttribute("label") ?? "Tokens");
  }

  #rebuild(): void {
    this.#observer?.disconnect();
    this.#blocks = this.#encoding ? toBlocks(this.#encoding).map((block) => this.#makeBlock(block)) : [];
    this.#list.replaceChildren(...this.#blocks.map(({ element }) => element));
    this.#drawVisible();
    for (const { element } of this.#blocks) this.#observer?.observe(element);
  }

  #makeBlock(block: Block): DrawnBlock {
    const element = document.createElement("div");
    element.className = "block";
    element.role = "none";
    element.textContent = this.#encoding!.text.slice(block.start, block.end);
    const made = { ...block, element, drawn: false };
    this.#blockOf.set(element, made);
    return made;
  }

  /** At once, so that no frame shows text without its tokens; the observer does the rest. */
  #drawVisible(): void {
    const [first] = this.#blocks;
    if (first) this.#draw(first);
    const { top, bottom } = this.getBoundingClientRect();
    const lower = Math.min(bottom, innerHeight);
    for (const block of this.#blocks.slice(1)) {
      const box = block.element.getBoundingClientRect();
      if (box.top > lower) break;
      if (box.bottom >= Math.max(top, 0)) this.#draw(block);
    }
  }

  #onVisible(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const block = this.#blockOf.get(target)!;
      if (isIntersecting) this.#draw(block);
      else if (!target.contains(this.shadowRoot!.activeElement)) this.#undraw(block);
    }
  }

  #draw(block: DrawnBlock): void {
    if (block.drawn) return;
    block.drawn = true;
    const encoding = this.#encoding!;
    block.element.replaceChildren(drawPieces(encoding, toPieces(encoding, block), this.whitespace));
    this.#moveTabStop(this.#tabStop);
    this.active = this.#active;
    this.selected = this.#selected;
  }

  #undraw(block: DrawnBlock): void {
    if (!block.drawn || block.element === this.#blocks[0]?.element) return;
    block.drawn = false;
    block.element.textContent = this.#encoding!.text.slice(block.start, block.end);
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
