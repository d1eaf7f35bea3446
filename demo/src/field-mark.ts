/** Marks a part of a text field, which has no marks of its own: a copy of its text, laid out alike and never seen, tells where the part is. */

import { element } from "./elements.js";

/** So long the text must rest before it is copied: whoever types pays nothing. */
const REST_MS = 120;
/** So much of what is around a part is seen with it. */
const MARGIN = 40;
/** A line end has no width, and is seen all the same. */
const LEAST_WIDTH = 7;

interface Part {
  start: number;
  end: number;
  /** The field scrolls to it. */
  reveal: boolean;
}

export class FieldMark {
  #field: HTMLTextAreaElement;
  #boxes = element("div", "");
  #copy = element("div", "field-copy");
  #isCopied = false;
  #part: Part | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(field: HTMLTextAreaElement) {
    this.#field = field;
    const layer = element("div", "field-marks", this.#copy, this.#boxes);
    layer.ariaHidden = "true";
    field.before(layer);
    field.addEventListener("scroll", () => this.#follow(), { passive: true });
    new ResizeObserver(() => this.#isCopied && this.#draw()).observe(field);
  }

  show(part: Part): void {
    this.#part = part;
    clearTimeout(this.#timer);
    if (this.#isCopied) this.#draw();
    else this.#timer = setTimeout(() => this.#draw(), REST_MS);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#part = undefined;
    this.#boxes.replaceChildren();
  }

  /** The text is another one. */
  forget(): void {
    this.clear();
    if (this.#isCopied) this.#copy.replaceChildren();
    this.#isCopied = false;
  }

  #draw(): void {
    if (!this.#part) return;
    const { start, end, reveal } = this.#part;
    this.#copy.style.inlineSize = `${this.#field.clientWidth}px`; // a scroll bar takes room
    if (!this.#isCopied) this.#copy.textContent = this.#field.value;
    this.#isCopied = true;
    const text = this.#copy.firstChild;
    if (!(text instanceof Text) || text.length < end) return; // a script has changed the field, and has not said so yet
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, end);
    const origin = this.#copy.getBoundingClientRect();
    const rects = Array.from(range.getClientRects(), ({ x, y, width, height }) => new DOMRect(x - origin.x, y - origin.y, Math.max(LEAST_WIDTH, width), height));
    this.#boxes.replaceChildren(...rects.map(box));
    if (reveal && rects[0]) this.#reveal(rects[0]);
    this.#follow();
  }

  #reveal({ top, bottom }: DOMRect): void {
    const field = this.#field;
    field.scrollTop = Math.max(Math.min(field.scrollTop, top - MARGIN), bottom + MARGIN - field.clientHeight);
  }

  #follow(): void {
    if (this.#part) this.#boxes.style.transform = `translateY(${-this.#field.scrollTop}px)`;
  }
}

function box({ x, y, width, height }: DOMRect): HTMLElement {
  const made = element("div", "field-box");
  Object.assign(made.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  return made;
}
