/** Asks for what a `.tiktoken` file does not say: how text is split, and which tokens are special. */

import type { LoadOptions, Tokenizer } from "bpeek";
import { byId } from "./page.js";
import { displayName } from "./shelf.js";
import { parseSpecialTokens } from "./special-tokens.js";

export type Hints = Required<Pick<LoadOptions, "pattern" | "specialTokens">>;

export class PatternForm {
  #form = byId<HTMLFormElement>("pattern-form");
  #like = byId<HTMLSelectElement>("pattern-like");
  #pattern = byId<HTMLTextAreaElement>("pattern");
  #special = byId<HTMLTextAreaElement>("pattern-special");
  #onHints: (hints: Hints) => void = () => {};

  constructor() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    byId("pattern-cancel").addEventListener("click", () => this.close());
    this.#special.addEventListener("input", () => this.#special.setCustomValidity(""));
  }

  /** Shows the form; `models` are tokenizers whose pattern may be copied. */
  ask(models: readonly Tokenizer[], onHints: (hints: Hints) => void): void {
    this.#onHints = onHints;
    const known = models.filter(({ info }) => info.format === "tiktoken");
    this.#like.replaceChildren(
      new Option("none of these", ""),
      ...known.map(({ info }, i) => new Option(displayName(info), String(i))),
    );
    this.#like.onchange = () => this.#fillFrom(known[Number(this.#like.value || Number.NaN)]);
    this.#form.hidden = false;
    this.#pattern.focus();
  }

  close(): void {
    this.#form.hidden = true;
  }

  #fillFrom(model: Tokenizer | undefined): void {
    if (model) this.#pattern.value = model.info.patterns[0] ?? "";
  }

  #submit(): void {
    const specialTokens = parseSpecialTokens(this.#special.value);
    if (typeof specialTokens === "string") {
      this.#special.setCustomValidity(`“${specialTokens}” is not a token, a space and its id.`);
      this.#special.reportValidity();
      return;
    }
    this.close();
    this.#onHints({ pattern: this.#pattern.value, specialTokens: Object.fromEntries(specialTokens) });
  }
}
