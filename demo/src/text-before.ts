/** The way back to a text that a file, an example or a link took the place of. */

import { byId } from "./page.js";
import { SAMPLES } from "./samples.js";

export class TextBefore {
  #text = "";
  #button = byId<HTMLButtonElement>("text-before");

  constructor(onBack: (text: string) => void) {
    this.#button.addEventListener("click", () => onBack(this.#text));
  }

  /** Another text comes in the place of this one. What can be chosen again, or is nothing, is not kept. */
  keep(text: string): void {
    if (text.trim() === "" || Object.values(SAMPLES).includes(text)) return;
    this.#text = text;
    this.#button.hidden = false;
  }
}
