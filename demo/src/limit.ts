/** A number of tokens that the text should keep within: a bar, and where it would be left. */

import type { Encoding } from "bpeek";
import { whole } from "./format.js";
import { byId } from "./page.js";
import { remember, remembered } from "./settings.js";

export const MOST = 1_000_000_000;

export class Limit {
  #input = byId<HTMLInputElement>("limit");
  #bar = byId("limit-bar");
  #told = byId("limit-told");
  #show = byId<HTMLButtonElement>("limit-show");
  #encoding: Encoding | undefined;

  /** `onChange` is told of another limit, `onShow` of the first token beyond it. */
  constructor(onChange: () => void, onShow: (token: number) => void) {
    this.value = parseLimit(remembered("limit"));
    this.#input.addEventListener("input", () => {
      remember("limit", this.value === null ? "" : String(this.value));
      this.#draw();
      onChange();
    });
    this.#show.addEventListener("click", () => onShow(cutAt(this.#encoding!, this.value!).token));
  }

  get value(): number | null {
    return parseLimit(this.#input.value);
  }

  set value(limit: number | null) {
    this.#input.value = limit === null ? "" : String(limit);
  }

  show(encoding: Encoding): void {
    this.#encoding = encoding;
    this.#draw();
  }

  /** In words, for whoever cannot see the bar. */
  get inWords(): string {
    return this.#told.textContent;
  }

  #draw(): void {
    const [limit, encoding] = [this.value, this.#encoding];
    this.#bar.hidden = this.#show.hidden = limit === null || !encoding;
    const isWrong = limit === null && (this.#input.value.trim() !== "" || this.#input.validity.badInput);
    this.#input.ariaInvalid = isWrong ? "true" : null;
    this.#told.textContent = isWrong ? `A limit is a whole number from 1 to ${whole(MOST)}` : limit === null || !encoding ? "" : tell(encoding, limit);
    if (limit === null || !encoding) return;
    const over = encoding.length > limit;
    this.#show.hidden = !over;
    this.#bar.classList.toggle("over", over);
    // Beyond the limit, the bar is all that there is, and the limit a mark in it.
    this.#bar.style.setProperty("--part", String(over ? limit / encoding.length : encoding.length / limit));
  }
}

function tell(encoding: Encoding, limit: number): string {
  const { length } = encoding;
  if (length <= limit) return `${whole(limit - length)} of ${whole(limit)} left`;
  return `${whole(length - limit)} over: the limit falls after character ${whole(cutAt(encoding, limit).character)}`;
}

/** Where the text could be left so that it keeps within the limit: between two tokens, and never inside a character. */
export function cutAt(encoding: Encoding, limit: number): { token: number; character: number } {
  const { starts, ends } = encoding;
  let token = limit;
  while (token > 0 && starts[token]! < ends[token - 1]! && starts[token] !== ends[token]) token--;
  let last = token - 1;
  while (last >= 0 && starts[last] === ends[last]) last--; // what a template adds has no place
  return { token, character: last < 0 ? 0 : encoding.codePointAt(ends[last]!) };
}

export function parseLimit(text: string | null): number | null {
  const limit = Number(text?.trim() || Number.NaN);
  return Number.isInteger(limit) && limit > 0 && limit <= MOST ? limit : null;
}
