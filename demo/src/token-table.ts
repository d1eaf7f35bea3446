/** The tokens as a table that can be read row by row: so many of them at a time as one may read. */

import type { Encoding } from "bpeek";
import { element, isolated } from "./elements.js";
import { escaped, place, whole } from "./format.js";
import { byId } from "./page.js";

const ROWS = 100;
const MOST_TEXT = 60;
const COLUMNS = ["Token", "Id", "Text", "UTF-16 units", "Characters", "Bytes"];

interface TokenTableOptions {
  onHover: (index: number | null) => void;
  onChoose: (index: number) => void;
}

export class TokenTable {
  #panel = byId("token-table");
  #body = byId<HTMLTableElement>("token-table-rows").createTBody();
  #told = byId("token-table-told");
  #ways = { previous: byId<HTMLButtonElement>("previous-tokens"), next: byId<HTMLButtonElement>("next-tokens") };
  #encoding: Encoding | undefined;
  /** The token of the first row. */
  #first = 0;
  #lit: Element | undefined;

  constructor({ onHover, onChoose }: TokenTableOptions) {
    const head = byId<HTMLTableElement>("token-table-rows").createTHead().insertRow();
    for (const name of COLUMNS) head.append(Object.assign(element("th", "", name), { scope: "col" }));
    const over = ({ target }: Event) => onHover(this.#at(target));
    for (const kind of ["pointerover", "focusin"]) this.#body.addEventListener(kind, over);
    this.#body.addEventListener("pointerleave", () => onHover(null));
    this.#body.addEventListener("click", ({ target }) => {
      const index = this.#at(target);
      if (index !== null) onChoose(index);
    });
    this.#ways.previous.addEventListener("click", () => this.#turn(-ROWS));
    this.#ways.next.addEventListener("click", () => this.#turn(ROWS));
  }

  get isShown(): boolean {
    return !this.#panel.hidden;
  }

  set isShown(isShown: boolean) {
    this.#panel.hidden = !isShown;
    this.#draw();
  }

  show(encoding: Encoding): void {
    this.#encoding = encoding;
    this.#draw();
  }

  /** With `turn`, also if its row is not among those that are shown. */
  light(index: number | null, turn = false): void {
    this.#lit?.classList.remove("lit");
    this.#lit = undefined;
    if (index === null || !this.isShown) return;
    if (turn && (index < this.#first || index >= this.#first + ROWS)) {
      this.#first = index - (index % ROWS);
      this.#draw();
    }
    this.#lit = this.#body.rows[index - this.#first];
    this.#lit?.classList.add("lit");
    if (turn) this.#lit?.scrollIntoView({ block: "nearest" });
  }

  #turn(by: number): void {
    this.#first += by;
    this.#draw();
    this.#panel.scrollTop = 0;
  }

  #at(target: EventTarget | null): number | null {
    const row = (target as Element).closest("tr");
    return row ? this.#first + row.sectionRowIndex : null;
  }

  /** Nothing while it is hidden: it is drawn at every key. */
  #draw(): void {
    const encoding = this.#encoding;
    if (!encoding || !this.isShown) return this.#body.replaceChildren();
    const { length } = encoding;
    this.#first = Math.max(0, Math.min(this.#first, length - 1 - ((length - 1) % ROWS)));
    const last = Math.min(this.#first + ROWS, length);
    this.#body.replaceChildren(...Array.from({ length: last - this.#first }, (_, i) => row(encoding, this.#first + i)));
    this.#told.textContent = length === 0 ? "No tokens" : `${whole(this.#first + 1)} to ${whole(last)} of ${whole(length)}`;
    this.#ways.previous.disabled = this.#first === 0;
    this.#ways.next.disabled = last === length;
  }
}

function row(encoding: Encoding, index: number): HTMLTableRowElement {
  const made = element("tr", "");
  const button = Object.assign(element("button", "", whole(index + 1)), { type: "button" });
  button.ariaLabel = `Token ${whole(index + 1)}: how it came about`;
  const spans = [encoding.span(index), encoding.codePointSpan(index), encoding.byteSpan(index)];
  const cells = [button, String(encoding.ids[index]), textOf(encoding, index), ...spans.map(place)];
  for (const [i, content] of cells.entries()) {
    const cell = made.insertCell();
    cell.dataset.head = COLUMNS[i]!;
    cell.append(content);
  }
  return made;
}

function textOf(encoding: Encoding, index: number): HTMLElement {
  const text = [...encoding.slice(index)];
  const shown = escaped(text.slice(0, MOST_TEXT).join("")) + (text.length > MOST_TEXT ? "…" : "");
  return isolated(encoding.isSpecial(index) ? "chip" : "", shown);
}
