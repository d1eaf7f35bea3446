/** The row of tokenizers: loaded ones with their facts, and those that come with the page. */

import type { Tokenizer, VocabularyInfo } from "bpeek";
import { button, element, isolated } from "./elements.js";
import { size, whole } from "./format.js";

export interface ShelfEvents {
  onPick(tokenizer: Tokenizer): void;
  onRemove(tokenizer: Tokenizer): void;
  onBuiltIn(name: string): void;
  /** A tokenizer, or the name of one that is not loaded yet, is to be compared, or no longer. */
  onCompare(which: Tokenizer | string): void;
  isCompared(tokenizer: Tokenizer): boolean;
}

export class Shelf {
  readonly tokenizers: Tokenizer[] = [];
  current: Tokenizer | undefined;
  #list: HTMLElement;
  #builtIn: readonly string[];
  #events: ShelfEvents;

  constructor(list: HTMLElement, builtIn: readonly string[], events: ShelfEvents) {
    this.#list = list;
    this.#builtIn = builtIn;
    this.#events = events;
    this.draw();
  }

  add(tokenizer: Tokenizer, isCurrent = true): void {
    this.tokenizers.push(tokenizer);
    if (isCurrent) this.current = tokenizer;
    this.draw();
  }

  choose(tokenizer: Tokenizer): void {
    this.current = tokenizer;
    this.draw();
  }

  remove(tokenizer: Tokenizer): void {
    this.tokenizers.splice(this.tokenizers.indexOf(tokenizer), 1);
    if (this.current === tokenizer) this.current = this.tokenizers.at(-1);
    this.draw();
  }

  /** One that gives the same tokens for every text. */
  twin({ info }: Tokenizer): Tokenizer | undefined {
    const kind = ({ sha256, patterns, special_tokens }: VocabularyInfo) => JSON.stringify([sha256, patterns, special_tokens]);
    return this.tokenizers.find((each) => kind(each.info) === kind(info));
  }

  focus(): void {
    this.#list.querySelector<HTMLElement>(".pick[aria-pressed=true]")?.focus();
  }

  /** The focus stays on its button, or goes to a neighbour if that is gone. */
  draw(): void {
    const focused = this.#buttons().find((each) => each === document.activeElement);
    const place = focused ? this.#buttons().filter(({ className }) => className === focused.className).indexOf(focused) : 0;
    this.#drawAll();
    if (!focused) return;
    const alike = this.#buttons().filter(({ classList }) => classList[0] === focused.classList[0]);
    const same = alike.find(({ dataset }) => dataset.of === focused.dataset.of);
    (same ?? alike[Math.min(place, alike.length - 1)] ?? this.#buttons()[0])?.focus();
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.#list.querySelectorAll("button")];
  }

  #drawAll(): void {
    const loaded = new Set(this.tokenizers.map(({ info }) => info.name));
    const waiting = this.#builtIn.filter((name) => !loaded.has(name));
    this.#list.replaceChildren(
      ...this.tokenizers.map((tokenizer) => this.#loaded(tokenizer)),
      ...waiting.map((name) => this.#waiting(name)),
    );
  }

  #loaded(tokenizer: Tokenizer): HTMLElement {
    const { info } = tokenizer;
    const name = displayName(info);
    const pick = button("pick", () => this.#events.onPick(tokenizer), isolated("name", name), isolated("meta", facts(info)));
    pick.ariaPressed = String(tokenizer === this.current);
    pick.title = `${size(info.bytes)}, SHA-256 ${info.sha256}`;
    const remove = button("remove", () => this.#events.onRemove(tokenizer), "×");
    remove.ariaLabel = `Remove ${name}`;
    const item = element("li", "", pick, remove);
    if (tokenizer !== this.current) item.append(this.#compare(name, tokenizer));
    for (const each of item.querySelectorAll("button")) each.dataset.of = info.name || info.sha256;
    return item;
  }

  #compare(name: string, which: Tokenizer | string): HTMLElement {
    const isOn = typeof which !== "string" && this.#events.isCompared(which);
    const compare = button("versus", () => this.#events.onCompare(which), "Compare");
    compare.ariaPressed = String(isOn);
    compare.ariaLabel = `Compare ${name}`;
    return compare;
  }

  #waiting(name: string): HTMLElement {
    const pick = button("pick waiting", () => this.#events.onBuiltIn(name), isolated("name", name), isolated("meta", "Load"));
    const item = element("li", "", pick);
    if (this.current) item.append(this.#compare(name, name));
    for (const each of item.querySelectorAll("button")) each.dataset.of = name;
    return item;
  }
}

export const displayName = ({ name, sha256 }: VocabularyInfo): string => name || sha256.slice(0, 8);

const facts = ({ format, vocab_size, sha256 }: VocabularyInfo): string =>
  [format, `${whole(vocab_size)} tokens`, sha256.slice(0, 8)].join(" · ");
