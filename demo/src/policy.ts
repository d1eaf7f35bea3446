/** How special tokens in the text are read: one of three buttons, each with a line on what it does. */

import type { SpecialPolicy } from "bpeek";
import { byId } from "./page.js";

export class PolicyChoice {
  #radios = [...byId("policy").querySelectorAll<HTMLInputElement>("input")];

  constructor(onChange: () => void) {
    byId("policy").addEventListener("change", onChange);
  }

  get value(): SpecialPolicy {
    return this.#chosen.value as SpecialPolicy;
  }

  set value(policy: SpecialPolicy) {
    for (const radio of this.#radios) radio.checked = radio.value === policy;
  }

  focus(): void {
    this.#chosen.focus();
  }

  get #chosen(): HTMLInputElement {
    return this.#radios.find(({ checked }) => checked)!;
  }
}
