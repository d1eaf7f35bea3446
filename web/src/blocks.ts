/** The blocks of a `<token-view>`: text at first, and tokens once they come near its visible part. */

import type { Change } from "./document.js";
import { drawPieces, type Style } from "./draw.js";
import type { Encoding } from "./encoding.js";
import { writtenSpecials } from "./lookalikes.js";
import { toBlocks, toPieces, type Block } from "./pieces.js";

/** How far beyond the visible part tokens are drawn. */
const MARGIN = 600;

interface DrawnBlock extends Block {
  element: HTMLElement;
  drawn: boolean;
  /** The colour of the first token; counted from here, so that an edit changes no colours elsewhere. */
  hue: number;
}

export class Blocks {
  #host: HTMLElement;
  #list: HTMLElement;
  /** Called when tokens have been drawn, for what the view marks on them. */
  #onDrawn: () => void;
  #all: DrawnBlock[] = [];
  #of = new WeakMap<Element, DrawnBlock>();
  #observer: IntersectionObserver | undefined;
  #encoding: Encoding | null = null;
  #style: Style = { whitespace: false, byId: false, limit: Infinity };

  constructor(host: HTMLElement, list: HTMLElement, onDrawn: () => void) {
    this.#host = host;
    this.#list = list;
    this.#onDrawn = onDrawn;
  }

  connect(): void {
    // `scrollMargin` reaches into the element that scrolls; browsers without it draw a little later.
    const margins = { rootMargin: `${MARGIN}px`, scrollMargin: `${MARGIN}px` };
    this.#observer = new IntersectionObserver((entries) => this.#onVisible(entries), margins);
    for (const { element } of this.#all) this.#observer.observe(element);
  }

  disconnect(): void {
    this.#observer?.disconnect();
  }

  show(encoding: Encoding | null, style: Style): void {
    this.#observer?.disconnect();
    this.#encoding = encoding;
    this.#style = style;
    this.#all = encoding ? this.#make(toBlocks(encoding), 0) : [];
    this.#list.replaceChildren(...this.#all.map(({ element }) => element));
    this.#drawVisible();
    for (const { element } of this.#all) this.#observer?.observe(element);
  }

  /** Goes from one encoding to the next; only blocks that the change touches are made anew. */
  update(encoding: Encoding, change: Change): void {
    if (!this.#encoding || this.#all.length === 0) return this.show(encoding, this.#style);
    const tokens = change.added - change.removed;
    const units = change.start + change.length - change.end;
    const [from, to] = this.#touched(change);
    const old = this.#all.slice(from, to + 1);
    const [top, bottom] = [old[0]!, old.at(-1)!];
    const range = { first: top.first, last: bottom.last + tokens, start: top.start, end: bottom.end + units };
    this.#encoding = encoding;
    const made = this.#make(toBlocks(encoding, range), top.hue, top);
    this.#all.splice(from, old.length, ...made);
    for (const block of this.#all.slice(from + made.length)) move(block, tokens, units);
    this.#replaceElements(old, made);
    if (old.some(({ drawn }) => drawn)) this.#drawVisible(made);
    if (tokens !== 0) this.limit = this.#style.limit;
  }

  /** What is drawn changes its mark; nothing else does. */
  set limit(limit: number) {
    if (limit === Infinity && this.#style.limit === Infinity) return;
    this.#style = { ...this.#style, limit };
    for (const element of this.#list.querySelectorAll<HTMLElement>("[data-index]")) {
      element.classList.toggle("over", Number(element.dataset.index) >= limit);
    }
  }

  /** Draws the block of a token; whether there is one. */
  drawAt(index: number): boolean {
    const block = this.#all.find(({ last }) => index < last);
    if (!block || index < 0) return false;
    this.#draw(block);
    return true;
  }

  /** The first and the last block that hold changed tokens or changed text, or end where it begins. */
  #touched({ index, removed, start, end }: Change): [number, number] {
    const all = this.#all;
    const last = all.length - 1;
    const from = all.findIndex((block) => block.last > index || block.end >= start);
    const to = all.findLastIndex((block) => block.first < index + removed || block.start <= end);
    const least = from < 0 ? last : from;
    return [least, Math.max(least, to)];
  }

  /** Elements for blocks; the first may stay where one was, so that nothing around it moves. */
  #make(blocks: Block[], hue: number, place?: DrawnBlock): DrawnBlock[] {
    const firstToken = blocks[0]?.first ?? 0;
    return blocks.map((block, i) => {
      const element = (i === 0 && place?.element) || document.createElement("div");
      element.className = "block";
      element.role = "none";
      element.textContent = this.#encoding!.text.slice(block.start, block.end);
      const made = { ...block, element, drawn: false, hue: hue + block.first - firstToken };
      this.#of.set(element, made);
      return made;
    });
  }

  #replaceElements(old: DrawnBlock[], made: DrawnBlock[]): void {
    const kept = made[0]?.element;
    for (const { element } of old) {
      if (element === kept) continue;
      this.#observer?.unobserve(element);
      element.remove();
    }
    const others = made.slice(1).map(({ element }) => element);
    kept?.after(...others);
    for (const element of others) this.#observer?.observe(element);
  }

  /** At once, so that no frame shows text without its tokens; the observer does the rest. */
  #drawVisible(blocks = this.#all): void {
    const [first] = blocks;
    if (first) this.#draw(first);
    if (blocks.length < 2) return;
    const { top, bottom } = this.#host.getBoundingClientRect();
    const lower = Math.min(bottom, innerHeight);
    for (const block of blocks.slice(1)) {
      const box = block.element.getBoundingClientRect();
      if (box.top > lower) break;
      if (box.bottom >= Math.max(top, 0)) this.#draw(block);
    }
  }

  #onVisible(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const block = this.#of.get(target)!;
      if (isIntersecting) this.#draw(block);
      else if (!target.contains(this.#host.shadowRoot!.activeElement)) this.#undraw(block);
    }
  }

  #draw(block: DrawnBlock): void {
    if (block.drawn) return;
    block.drawn = true;
    const encoding = this.#encoding!;
    const look = { ...this.#style, hue: block.hue - block.first, written: writtenSpecials(encoding, block) };
    block.element.replaceChildren(drawPieces(encoding, toPieces(encoding, block), look));
    this.#onDrawn();
  }

  #undraw(block: DrawnBlock): void {
    if (!block.drawn || block === this.#all[0]) return;
    block.drawn = false;
    block.element.textContent = this.#encoding!.text.slice(block.start, block.end);
  }
}

/** What stands behind an edit keeps its elements; only their numbers change. */
function move(block: DrawnBlock, tokens: number, units: number): void {
  block.first += tokens;
  block.last += tokens;
  block.start += units;
  block.end += units;
  if (!block.drawn || (tokens === 0 && units === 0)) return;
  for (const { dataset } of block.element.querySelectorAll<HTMLElement>("[data-index]")) {
    dataset.index = String(Number(dataset.index) + tokens);
    if (dataset.start === undefined || dataset.end === "0") continue;
    dataset.start = String(Number(dataset.start) + units);
    dataset.end = String(Number(dataset.end) + units);
  }
}
