/** `<token-compare>`: one text as several tokenizers cut it, side by side, with what they disagree on in frames. */

import type { Comparison } from "./compare.js";
import { COMPARE_STYLE } from "./compare-style.js";
import { drawPieces, spoken } from "./draw.js";
import { toPieces } from "./pieces.js";
import { toRows, type Row } from "./rows.js";
import { STYLE } from "./token-style.js";

/** Which segment an event is about; null when it is none. */
export interface SegmentEventDetail {
  segment: number | null;
}
export type SegmentEvent = CustomEvent<SegmentEventDetail>;

/** Rows that are drawn together, once they come so near the visible part. */
const BLOCK = 24;
const MARGIN = 600;
/** A longer segment is not drawn token by token. */
const LONGEST = 2000;
const TAGS = "ABCDEFGH";

interface Block {
  element: HTMLElement;
  rows: Row[];
  drawn: boolean;
}

/**
 * Shows one text as several tokenizers cut it, side by side. Tokens look as in `<token-view>`.
 *
 * @tagname token-compare
 * @attr {boolean} whitespace - Also marks spaces; line ends, tabs and control characters always are.
 * @attr {boolean} differences - Leaves out lines that all cut in the same way.
 * @attr {string} label - What screen readers call the whole; "Comparison" unless given.
 * @fires {SegmentEvent} segment-hover - The pointer or the focus came to a segment, or left it.
 * @fires {SegmentEvent} segment-select - A segment was clicked, or chosen with Enter.
 * @csspart head - Names and counts above the columns.
 * @csspart rows - The lines.
 * @cssprop --compare-line - Underlines of what all cut in the same way.
 * @cssprop --compare-background - Behind the names and counts.
 * @cssprop --compare-rule - Lines between columns and rows.
 * @cssprop --compare-soft - Text of counts and facts.
 * @cssprop --compare-active - Around the segment under pointer or focus.
 */
export class TokenCompare extends HTMLElement {
  static observedAttributes = ["whitespace", "differences", "label"];

  #head = document.createElement("div");
  #list = document.createElement("div");
  #comparison: Comparison | null = null;
  #names: readonly string[] = [];
  #blocks: Block[] = [];
  #of = new WeakMap<Element, Block>();
  #observer: IntersectionObserver | undefined;
  #differing = new Set<number>();
  #active: number | null = null;
  /** Which of the differences the Tab key reaches. */
  #tabStop = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE + COMPARE_STYLE);
    root.adoptedStyleSheets = [sheet];
    this.#head.className = "head";
    this.#head.setAttribute("part", "head");
    this.#list.className = "rows";
    this.#list.setAttribute("part", "rows");
    this.#list.role = "group";
    root.append(this.#head, this.#list);
    this.#listen();
  }

  /** Registers the element, under another name if one is given. */
  static define(tag = "token-compare"): void {
    if (!customElements.get(tag)) customElements.define(tag, TokenCompare);
  }

  connectedCallback(): void {
    const margins = { root: this, rootMargin: `${MARGIN}px` };
    this.#observer = new IntersectionObserver((entries) => this.#onVisible(entries), margins);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
  }

  attributeChangedCallback(): void {
    this.#draw();
  }

  /** What `show` was given. */
  get comparison(): Comparison | null {
    return this.#comparison;
  }

  /** Shows what `compare` found; `names` are those of the tokenizers. */
  show(comparison: Comparison | null, names: readonly string[] = []): void {
    const focused = this.shadowRoot!.activeElement !== null;
    this.#comparison = comparison;
    this.#names = names;
    this.#differing = new Set(comparison?.differing);
    this.#active = null;
    this.#tabStop = Math.max(0, Math.min(this.#tabStop, this.#differing.size - 1));
    this.#draw();
    if (focused) this.focusDifference(this.#tabStop);
  }

  /** Draws spaces and tabs as marks; line ends and control characters always are. */
  get whitespace(): boolean {
    return this.hasAttribute("whitespace");
  }

  set whitespace(on: boolean) {
    this.toggleAttribute("whitespace", on);
  }

  /** Leaves out lines that all cut in the same way. */
  get differences(): boolean {
    return this.hasAttribute("differences");
  }

  set differences(only: boolean) {
    this.toggleAttribute("differences", only);
  }

  /** Lights up a segment in every column. */
  get active(): number | null {
    return this.#active;
  }

  set active(segment: number | null) {
    for (const element of this.#elements(this.#active)) element.classList.remove("active");
    for (const element of this.#elements(segment)) element.classList.add("active");
    this.#active = segment;
  }

  /** Which of the differences the keys are at. */
  get difference(): number {
    return this.#tabStop;
  }

  /** Brings one of the differences into view and gives it the focus. */
  focusDifference(index: number): void {
    const segment = this.#comparison?.differing[index];
    if (segment === undefined) return;
    const block = this.#blocks.find(({ rows }) => segment < rows.at(-1)!.last);
    if (block) this.#drawBlock(block);
    this.#moveTabStop(index);
    const [element] = this.#elements(segment);
    element?.focus({ preventScroll: true });
    if (!element) return;
    this.#reveal(element);
    element.scrollIntoView({ block: "nearest" }); // and the view into the page
  }

  // Drawing

  #draw(): void {
    this.#observer?.disconnect();
    const comparison = this.#comparison;
    const columns = comparison?.encodings.length ?? 0;
    this.#list.ariaLabel = this.getAttribute("label") ?? "Comparison";
    this.style.setProperty("--_columns", String(columns));
    this.#head.replaceChildren(...(comparison ? heads(comparison, this.#names) : []));
    const rows = comparison ? toRows(comparison).filter(({ differs }) => differs || !this.differences) : [];
    const width = this.clientWidth / Math.max(1, columns);
    this.#blocks = Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, i) => {
      const block = { element: document.createElement("div"), rows: rows.slice(i * BLOCK, (i + 1) * BLOCK), drawn: false };
      block.element.className = "block";
      block.element.style.minBlockSize = `${block.rows.reduce((sum, row) => sum + heightOf(row, width), 0)}px`;
      this.#of.set(block.element, block);
      return block;
    });
    const top = this.scrollTop;
    this.#list.replaceChildren(...this.#blocks.map(({ element }) => element));
    this.scrollTop = top;
    this.#drawVisible();
    for (const { element } of this.#blocks) this.#observer?.observe(element);
  }

  /** At once, so that no frame is empty; the observer does the rest. */
  #drawVisible(): void {
    const { top, bottom } = this.getBoundingClientRect();
    const first = this.#blocks[0];
    if (first) this.#drawBlock(first); // the Tab key needs a place to go
    for (const block of this.#blocks) {
      const box = block.element.getBoundingClientRect();
      if (box.top > bottom) break;
      if (box.bottom >= top) this.#drawBlock(block);
    }
  }

  #onVisible(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const block = this.#of.get(target);
      if (!block) continue;
      if (isIntersecting) this.#drawBlock(block);
      else if (!target.contains(this.shadowRoot!.activeElement) && block !== this.#blocks[0]) this.#undrawBlock(block);
    }
  }

  #drawBlock(block: Block): void {
    if (block.drawn) return;
    block.drawn = true;
    block.element.replaceChildren(...block.rows.map((row) => this.#rowOf(row)));
    block.element.style.minBlockSize = "";
    this.#moveTabStop(this.#tabStop);
    this.active = this.#active;
  }

  #undrawBlock(block: Block): void {
    if (!block.drawn) return;
    block.drawn = false;
    block.element.style.minBlockSize = `${block.element.offsetHeight}px`;
    block.element.replaceChildren();
  }

  #rowOf(row: Row): HTMLElement {
    const cells = this.#comparison!.encodings.map((_, column) => this.#cellOf(row, column));
    return made("row", ...cells);
  }

  #cellOf(row: Row, column: number): HTMLElement {
    const text = made("text");
    const cell = made("cell", text);
    cell.dataset.tag = TAGS[column] ?? "";
    if (column > 0) cell.ariaHidden = "true"; // what the first says of a difference tells it for all
    for (let i = row.first; i < row.last; i++) text.append(this.#segmentOf(i, column));
    return cell;
  }

  #segmentOf(i: number, column: number): HTMLElement {
    const { encodings, starts, ends, firsts } = this.#comparison!;
    const encoding = encodings[column]!;
    const block = { first: firsts[column]![i]!, last: firsts[column]![i + 1]!, start: starts[i]!, end: ends[i]! };
    const element = made(this.#differing.has(i) ? "segment differs" : "segment");
    element.dataset.segment = String(i);
    const text = encoding.text.slice(block.start, block.end);
    if (text.length > LONGEST) {
      element.append(`${text.slice(0, 200)}… (${block.last - block.first} tokens)`);
    } else {
      const look = { whitespace: this.whitespace, byId: false, limit: Infinity, hue: -block.first, written: [], quiet: true };
      element.append(drawPieces(encoding, toPieces(encoding, block), look));
    }
    if (this.#differing.has(i) && column === 0) {
      element.role = "button";
      element.tabIndex = -1;
      element.ariaLabel = this.#inWords(i, text);
    }
    return element;
  }

  #inWords(i: number, text: string): string {
    const { encodings, firsts } = this.#comparison!;
    const each = encodings.map((encoding, column) => {
      const [first, last] = [firsts[column]![i]!, firsts[column]![i + 1]!];
      const parts = Array.from({ length: Math.min(last - first, 20) }, (_, at) => spoken(encoding.slice(first + at)));
      return `${this.#names[column] ?? TAGS[column]}, ${last - first}: ${parts.join(" | ")}`;
    });
    return [spoken(text.slice(0, 200)), ...each].join("; ");
  }

  // Keys and pointer

  #listen(): void {
    const list = this.#list;
    list.addEventListener("pointerover", (event) => this.#hover(segmentAt(event.target)));
    list.addEventListener("pointerleave", () => this.#hover(null));
    list.addEventListener("focusin", (event) => this.#hover(segmentAt(event.target)));
    list.addEventListener("click", (event) => this.#choose(segmentAt(event.target)));
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  #hover(segment: number | null): void {
    if (segment === this.#active) return;
    this.active = segment;
    this.#tell("segment-hover", segment);
  }

  #choose(segment: number | null): void {
    const index = segment === null ? -1 : this.#comparison!.differing.indexOf(segment);
    if (index >= 0) this.#moveTabStop(index);
    this.#tell("segment-select", segment);
  }

  #tell(type: "segment-hover" | "segment-select", segment: number | null): void {
    const detail: SegmentEventDetail = { segment };
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#differing.size - 1;
    const moves: Record<string, number> = {
      ArrowRight: this.#tabStop + 1,
      ArrowDown: this.#tabStop + 1,
      ArrowLeft: this.#tabStop - 1,
      ArrowUp: this.#tabStop - 1,
      Home: 0,
      End: last,
    };
    const move = moves[event.key];
    if (move !== undefined) this.focusDifference(Math.max(0, Math.min(last, move)));
    else if (event.key === "Enter" || event.key === " ") this.#choose(segmentAt(event.target));
    else return;
    event.preventDefault();
  }

  /** Scrolls the view itself, below its sticky head, and nothing around it. */
  #reveal(element: HTMLElement): void {
    const { top, bottom } = element.getBoundingClientRect();
    const frame = this.getBoundingClientRect();
    const upper = Math.max(frame.top, this.#head.getBoundingClientRect().bottom);
    if (top < upper || bottom > frame.bottom) this.scrollTop += top - upper - (frame.bottom - upper) / 3;
  }

  #moveTabStop(index: number): void {
    this.#list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    const segment = this.#comparison?.differing[index];
    this.#tabStop = index;
    if (segment !== undefined) this.#elements(segment)[0]?.setAttribute("tabindex", "0");
  }

  #elements(segment: number | null): HTMLElement[] {
    return segment === null ? [] : [...this.#list.querySelectorAll<HTMLElement>(`[data-segment="${segment}"]`)];
  }
}

/** The name of each tokenizer over its column, with its count, and by how much that is more than the least. */
function heads({ encodings }: Comparison, names: readonly string[]): HTMLElement[] {
  const counts = encodings.map(({ length }) => length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return encodings.map(({ length, bytes }, i) => {
    const name = document.createElement("bdi");
    name.className = "name";
    name.textContent = names[i] ?? "";
    const more = `+${(((length - least) / Math.max(1, least)) * 100).toFixed(1)} %`;
    const spread = least === most ? [] : [length === least ? "fewest" : more];
    const ratio = length > 0 ? [`${(bytes / length).toFixed(2)} bytes each`] : [];
    const title = made("title", made("tag", TAGS[i] ?? ""), name);
    const count = made("count", made("number", length.toLocaleString("en")), ` ${length === 1 ? "token" : "tokens"}`);
    const facts = made("facts", [...spread, ...ratio].join(" · "));
    return made("column", title, count, facts);
  });
}

/** About what a row will need, until it is drawn. */
const heightOf = ({ start, end }: Row, width: number): number => 10 + 27 * Math.ceil(((end - start) * 9) / Math.max(80, width - 24));

function made(className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(className === "segment" || className === "segment differs" ? "span" : "div");
  element.className = className;
  element.append(...children);
  return element;
}

function segmentAt(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-segment]") : null;
  return element ? Number(element.dataset.segment) : null;
}
