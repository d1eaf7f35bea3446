/** Texts that nobody typed, from a file, an example or a link; and the way back to what they took the place of. */

import type { Editor } from "./editor.js";
import { byId } from "./page.js";
import { SAMPLES } from "./samples.js";

export class TextBefore {
  #editor: Editor;
  #onReplaced: () => void;
  #text = "";
  #button = byId<HTMLButtonElement>("text-before");

  constructor(editor: Editor, onReplaced: () => void) {
    this.#editor = editor;
    this.#onReplaced = onReplaced;
    this.#button.addEventListener("click", () => {
      this.replace(this.#text);
      editor.focus();
    });
  }

  replace(text: string): void {
    if (text !== this.#editor.value) this.#keep(this.#editor.value);
    this.#editor.write(text);
    this.#onReplaced();
  }

  /** What can be chosen again, or is nothing, is not kept. */
  #keep(text: string): void {
    if (text.trim() === "" || Object.values(SAMPLES).includes(text)) return;
    this.#text = text;
    this.#button.hidden = false;
  }
}
