/** The text as other tokenizers cut it, beside the one that is shown. */

import { compare, type Comparison, type Document, type Encoding, type Tokenizer } from "bpeek";
import type { SegmentEvent } from "bpeek/token-compare";
import { element, isolated } from "./elements.js";
import { escaped, hex, whole } from "./format.js";
import { Live } from "./live.js";
import { byId, scrollToShow } from "./page.js";
import { displayName } from "./shelf.js";

export const MOST_COLUMNS = 4;
/** Typing goes first: a comparison is drawn when the text has rested so long. */
const REST_MS = 120;
const REST_LONG_MS = 600;
const LONG_TEXT = 100_000;
const MOST_CHIPS = 24;

export interface Source {
  text(): string;
  encode(tokenizer: Tokenizer, text: string, signal: AbortSignal): Promise<Encoding>;
  open(tokenizer: Tokenizer, encoding: Encoding): Promise<Document | undefined>;
  onChange(): void;
  onError(error: unknown): void;
}

interface Column {
  tokenizer: Tokenizer;
  live: Live;
  encoding: Encoding | undefined;
}

export class Compare {
  #source: Source;
  #panel = byId("comparison");
  #view = document.querySelector("token-compare")!;
  #detail = byId("difference");
  #columns: Column[] = [];
  #first: { tokenizer: Tokenizer; encoding: Encoding } | undefined;
  #reveal = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: Source) {
    this.#source = source;
    this.#view.addEventListener("segment-hover", ({ detail }: SegmentEvent) => this.#tellOf(detail.segment));
    byId("previous-difference").addEventListener("click", () => this.#go(-1));
    byId("next-difference").addEventListener("click", () => this.#go(1));
    byId<HTMLInputElement>("only-differences").addEventListener("change", ({ target }) => {
      this.#view.differences = (target as HTMLInputElement).checked;
    });
    byId("comparison-close").addEventListener("click", () => this.clear());
  }

  get tokenizers(): Tokenizer[] {
    return this.#columns.map(({ tokenizer }) => tokenizer);
  }

  has(tokenizer: Tokenizer): boolean {
    return this.tokenizers.includes(tokenizer);
  }

  /** No column is left: one is the tokenizer that is shown. */
  get isFull(): boolean {
    return this.#columns.length >= MOST_COLUMNS - 1;
  }

  set whitespace(on: boolean) {
    this.#view.whitespace = on;
  }

  /** `reveal` scrolls to the panel when it opens. */
  add(tokenizer: Tokenizer, reveal = false): void {
    if (this.has(tokenizer) || this.isFull) return;
    this.#reveal = reveal && this.#columns.length === 0;
    const got = (encoding: Encoding) => {
      column.encoding = encoding;
      this.#soon();
    };
    const live = new Live({
      text: this.#source.text,
      encode: (text, signal) => this.#source.encode(tokenizer, text, signal),
      open: (encoding) => this.#source.open(tokenizer, encoding),
      onStale: () => this.#view.classList.add("stale"),
      onWhole: got,
      onChange: got,
      onSettled: () => {},
      onError: this.#source.onError,
    });
    const column: Column = { tokenizer, live, encoding: undefined };
    this.#columns.push(column);
    this.#source.onChange();
    void live.now();
  }

  remove(tokenizer: Tokenizer): void {
    const column = this.#columns.find((each) => each.tokenizer === tokenizer);
    if (!column) return;
    column.live.stop();
    this.#columns.splice(this.#columns.indexOf(column), 1);
    this.#source.onChange();
    this.#soon();
  }

  clear(): void {
    for (const tokenizer of this.tokenizers) this.remove(tokenizer);
    this.#draw();
  }

  /** The text has changed. */
  soon(): void {
    for (const { live } of this.#columns) live.soon();
  }

  /** All is different. */
  restart(): void {
    for (const { live } of this.#columns) void live.now();
  }

  /** See `Live.resume`. */
  resume(): void {
    for (const { live } of this.#columns) live.resume();
  }

  /** What the tokenizer that is shown says of the text. */
  show(tokenizer: Tokenizer | undefined, encoding: Encoding): void {
    if (tokenizer && this.has(tokenizer)) this.remove(tokenizer); // it is the first column now
    this.#first = tokenizer && { tokenizer, encoding };
    if (this.#columns.length > 0) this.#soon();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    const isLong = this.#source.text().length > LONG_TEXT;
    const isEmpty = this.#columns.length === 0 || this.#panel.hidden;
    this.#timer = setTimeout(() => this.#draw(), isEmpty ? 0 : isLong ? REST_LONG_MS : REST_MS);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#panel.hidden = this.#columns.length === 0 || !this.#first;
    if (this.#panel.hidden) return this.#view.show(null);
    const all = [this.#first!, ...this.#columns];
    const encodings = all.map(({ encoding }) => encoding).filter((each) => each !== undefined);
    // Some answers are still awaited: the last of them draws.
    if (encodings.length < all.length || encodings.some(({ text }) => text !== encodings[0]!.text)) return;
    const found = compare(encodings);
    this.#view.show(found, all.map(({ tokenizer }) => displayName(tokenizer.info)));
    this.#view.classList.remove("stale");
    // What scrolls must be reached by keys: by its differences, or by itself.
    if (found.differing.length > 0) this.#view.removeAttribute("tabindex");
    else this.#view.tabIndex = 0;
    byId("comparison-told").textContent = tell(found);
    for (const id of ["previous-difference", "next-difference"]) byId<HTMLButtonElement>(id).disabled = found.differing.length === 0;
    this.#detail.style.setProperty("--columns", "1");
    this.#detail.replaceChildren(element("p", "hint", "Point at a piece to see its ids, or go from one difference to the next with the arrow keys."));
    if (!this.#reveal) return;
    this.#reveal = false;
    scrollToShow(this.#panel);
  }

  #go(step: 1 | -1): void {
    const count = this.#view.comparison?.differing.length ?? 0;
    if (count === 0) return;
    const isThere = this.#view.active === this.#view.comparison!.differing[this.#view.difference];
    this.#view.focusDifference(isThere ? (this.#view.difference + step + count) % count : this.#view.difference);
  }

  /** The tokens of a segment with their ids, each under its column. */
  #tellOf(segment: number | null): void {
    const found = this.#view.comparison;
    if (!found || segment === null) return; // what was looked at stays
    this.#detail.style.setProperty("--columns", String(found.encodings.length));
    this.#detail.replaceChildren(...found.encodings.map((encoding, i) => chips(encoding, found.firsts[i]![segment]!, found.firsts[i]![segment + 1]!)));
  }
}

function chips(encoding: Encoding, first: number, last: number): HTMLElement {
  const list = element("p", "");
  for (let i = first; i < Math.min(last, first + MOST_CHIPS); i++) {
    const chip = element("span", "", isolated("", spelledOut(encoding, i)), " ", element("span", "", String(encoding.ids[i])));
    list.append(chip, " ");
  }
  if (last - first > MOST_CHIPS) list.append(`… and ${whole(last - first - MOST_CHIPS)} more`);
  if (last === first) list.append("no token");
  return list;
}

/** Of a character that several tokens make up, each one's own bytes. */
function spelledOut(encoding: Encoding, i: number): string {
  const text = encoding.slice(i);
  if (text === "") return encoding.specialTokens.get(encoding.ids[i]!) ?? "∅";
  const [start, end] = encoding.byteSpan(i);
  const bytes = new TextEncoder().encode(text);
  if (end - start >= bytes.length) return escaped(text).replaceAll(" ", "␣");
  let first = i;
  while (first > 0 && encoding.starts[first - 1] === encoding.starts[i]) first--;
  const from = start - encoding.byteStarts[first]!;
  return hex(bytes.subarray(from, from + end - start));
}

export function tell({ differing, disagreement, encodings }: Comparison): string {
  const count = differing.length;
  if (encodings[0]!.text === "") return "No text";
  if (count === 0) return "All cut the text in the same way";
  const share = disagreement < 0.001 ? "under 0.1" : (100 * disagreement).toFixed(1);
  return `${whole(count)} ${count === 1 ? "place differs" : "places differ"}, ${share} % of the text`;
}
