/** An encoding as tokens, as ids and as a table, and the card of one token: what is pointed at in one lights up in the others. */

import { Encoding, type Change, type Span, type SpecialPolicy, type Tokenizer } from "bpeek";
import type { TokenEvent } from "bpeek/token-view";
import { Card } from "./card.js";
import { sentence } from "./format.js";
import { Ids } from "./ids.js";
import { byId, confirmOn, setStatus } from "./page.js";
import { remember, remembered } from "./settings.js";
import { TokenTable } from "./token-table.js";

export interface TokensPage {
  policy(): SpecialPolicy;
  /** Unicode's names of characters. */
  names(text: string): Promise<string[]>;
  /** A token is pointed at or chosen, or none: its place in the text of the encoding. */
  onLit(place: Span | undefined): void;
}

export class Tokens {
  readonly view = document.querySelector("token-view")!;
  #page: TokensPage;
  #tokenizer: Tokenizer | undefined;
  #card: Card;
  #ids = new Ids(byId("ids"), (index) => this.#hover(index), (index) => this.pin(index));
  #table = new TokenTable({ onHover: (index) => this.#hover(index), onChoose: (index) => this.pin(index, false) });
  #asTable = byId<HTMLInputElement>("as-table");

  constructor(page: TokensPage) {
    this.#page = page;
    this.#card = new Card(byId("card-body"), page.names);
    this.#asTable.checked = remembered("table") !== null;
    this.#showTable();
    this.#listen();
  }

  /** Whose tokens are shown: not always the current one, while its answer is awaited. */
  get tokenizer(): Tokenizer | undefined {
    return this.#tokenizer;
  }

  get encoding(): Encoding {
    return this.view.encoding!;
  }

  show(encoding: Encoding, tokenizer?: Tokenizer): void {
    this.#tokenizer = tokenizer;
    this.view.encoding = encoding;
    this.#ids.show(encoding);
    this.#table.show(encoding);
    this.pin(null);
  }

  /** A text alone, until there are tokens. */
  showText(text: string): void {
    this.view.encoding = new Encoding(text, new Uint32Array());
  }

  /** Only what the edit changed is drawn again. */
  update(encoding: Encoding, change: Change): void {
    this.view.update(encoding, change);
    this.#ids.update(encoding, change);
    this.#table.show(encoding);
    this.pin(this.view.selected, false);
  }

  /** Keeps the card of a token open, or lets go of it. */
  pin(index: number | null, focus = true): void {
    this.view.selected = index;
    byId("card").classList.toggle("pinned", index !== null);
    if (index !== null && focus) this.#showAboveSheet(index);
    this.#light(index, true);
    byId("card-close").hidden = index === null;
    this.#showToken(index);
  }

  /** Lets go of the token whose card is kept, and goes back to it. */
  release(): void {
    const { selected } = this.view;
    if (selected === null) return;
    this.pin(null);
    this.view.focusToken(selected);
  }

  #listen(): void {
    this.view.addEventListener("token-hover", ({ detail }: TokenEvent) => {
      this.#light(detail.index ?? this.view.selected);
      if (this.view.selected === null) this.#showToken(detail.index);
    });
    this.view.addEventListener("token-select", ({ detail }: TokenEvent) => this.pin(detail.index));
    this.#asTable.addEventListener("change", () => {
      remember("table", this.#asTable.checked ? "shown" : "");
      this.#showTable();
    });
    byId("card-close").addEventListener("click", () => this.pin(null));
    byId("copy-ids").addEventListener("click", ({ currentTarget }) => {
      void this.#ids.copy().then(() => confirmOn(currentTarget as HTMLElement, "Copied"));
    });
  }

  #showTable(): void {
    this.#table.isShown = this.#asTable.checked;
    byId("ids").hidden = this.#asTable.checked;
    this.#table.light(this.view.selected, true);
  }

  /** On a phone, the card is a sheet over the page, which must not hide the token. */
  #showAboveSheet(index: number): void {
    this.view.focusToken(index);
    const token = this.view.shadowRoot!.activeElement;
    if (!token || getComputedStyle(byId("card")).position !== "fixed") return;
    const tallest = 0.46 * innerHeight + 64; // it grows when the answers come
    const hidden = token.getBoundingClientRect().bottom - (innerHeight - tallest);
    if (hidden > 0) scrollBy(0, hidden);
  }

  /** From an id or a row to the token. */
  #hover(index: number | null): void {
    this.view.active = index;
    this.#light(index ?? this.view.selected);
    if (this.view.selected === null) this.#showToken(index);
  }

  /** From a token to its id or row, to which `turn` goes, and to its place in the text. */
  #light(index: number | null, turn = false): void {
    this.#ids.light(index);
    this.#table.light(index, turn);
    this.#page.onLit(index === null ? undefined : this.encoding.span(index));
  }

  /** A token that was chosen stays, whatever the pointer passes on the way to its card. */
  #showToken(index: number | null): void {
    const { selected, encoding } = this.view;
    const shown = selected ?? index;
    if (shown === null || !encoding || !this.#tokenizer) return this.#card.clear();
    const done = shown === selected
      ? this.#card.explain(this.#tokenizer, encoding, shown, this.#page.policy())
      : this.#card.show(this.#tokenizer, encoding, shown);
    done.catch((error: unknown) => setStatus("error", sentence(error)));
  }
}
