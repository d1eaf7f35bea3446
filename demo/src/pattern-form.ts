/** Asks for what a `.tiktoken` file does not say: how text is split, and which tokens are special. */

import { PatternError, type LoadOptions, type Tokenizer } from "bpeek";
import { element } from "./elements.js";
import { sentence } from "./format.js";
import { byId } from "./page.js";
import { displayName } from "./shelf.js";
import { parseSpecialTokens } from "./special-tokens.js";

/** So much of a pattern is shown to either side of what is wrong. */
const EXCERPT = 30;

export type Hints = Required<Pick<LoadOptions, "pattern" | "specialTokens">>;

export class PatternForm {
  #form = byId<HTMLFormElement>("pattern-form");
  #like = byId<HTMLSelectElement>("pattern-like");
  #pattern = byId<HTMLTextAreaElement>("pattern");
  #special = byId<HTMLTextAreaElement>("pattern-special");
  #told = byId("pattern-told");
  #known: Tokenizer[] = [];
  #onHints: (hints: Hints) => void = () => {};

  constructor() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    byId("pattern-cancel").addEventListener("click", () => this.close());
    this.#special.addEventListener("input", () => this.#special.setCustomValidity(""));
    this.#pattern.addEventListener("input", () => this.#forgive());
    this.#like.addEventListener("change", () => this.#fillFrom(this.#known[Number(this.#like.value || Number.NaN)]));
  }

  /** Shows the form for a file; `models` are tokenizers whose pattern may be copied. */
  ask(file: string, models: readonly Tokenizer[], onHints: (hints: Hints) => void): void {
    this.#onHints = onHints;
    this.#form.reset();
    this.#forgive();
    byId("pattern-file").textContent = file;
    this.offer(models);
    this.#form.hidden = false;
    this.#pattern.focus();
  }

  /** Others may be loaded while it is open, to copy from them. */
  offer(models: readonly Tokenizer[]): void {
    const { value } = this.#like;
    this.#known = models.filter(({ info }) => info.format === "tiktoken");
    this.#like.replaceChildren(
      new Option("none of these", ""),
      ...this.#known.map(({ info }, i) => new Option(displayName(info), String(i))),
    );
    this.#like.value = value;
  }

  /** What was written does not do: it stays, with the reason, and the place in the pattern. */
  refuse(error: unknown): void {
    this.#told.replaceChildren(sentence(error));
    this.#told.hidden = false;
    if (!(error instanceof PatternError)) return;
    const [before, at, after] = around(error);
    this.#told.append(element("code", "", before.slice(-EXCERPT), element("mark", "", at || "\u00a0"), after.slice(0, EXCERPT)));
    this.#pattern.ariaInvalid = "true";
    this.#pattern.focus();
    if (error.source === this.#pattern.value) this.#pattern.setSelectionRange(before.length, before.length + at.length);
  }

  close(): void {
    this.#form.hidden = true;
  }

  #forgive(): void {
    this.#told.hidden = true;
    this.#pattern.ariaInvalid = null;
  }

  #fillFrom(model: Tokenizer | undefined): void {
    if (!model) return;
    this.#pattern.value = model.info.patterns[0] ?? "";
    this.#forgive();
  }

  #submit(): void {
    const specialTokens = parseSpecialTokens(this.#special.value);
    if (typeof specialTokens === "string") {
      this.#special.setCustomValidity(`“${specialTokens}” is not a token, a space and its id.`);
      this.#special.reportValidity();
      return;
    }
    this.#onHints({ pattern: this.#pattern.value, specialTokens: Object.fromEntries(specialTokens) });
  }
}

/** What is before the place, the character there, and what follows. */
function around({ source, pos }: PatternError): [string, string, string] {
  const characters = [...source];
  return [characters.slice(0, pos).join(""), characters[pos] ?? "", characters.slice(pos + 1).join("")];
}
