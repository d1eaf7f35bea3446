/** The dialog that makes a link. */

import { dialog } from "./dialog.js";
import { whole } from "./format.js";
import { byId, confirmOn } from "./page.js";
import { MOST_TEXT, toFragment, type Shared } from "./share.js";

/** Some programs cut a longer link. */
const LONG_LINK = 8000;

export class Sharer {
  #dialog = dialog("share");
  #withText = byId<HTMLInputElement>("share-text");
  #link = byId<HTMLInputElement>("share-link");
  #told = byId("share-told");
  #shared: Shared = {};

  constructor() {
    this.#withText.addEventListener("change", () => void this.#draw());
    this.#link.addEventListener("focus", () => this.#link.select());
    byId("share-copy").addEventListener("click", ({ currentTarget }) => {
      void navigator.clipboard.writeText(this.#link.value).then(() => confirmOn(currentTarget as HTMLElement, "Copied"));
    });
  }

  /** The text goes into a link only when somebody says so, each time. */
  open(shared: Shared): void {
    this.#shared = shared;
    this.#withText.checked = false;
    const length = shared.text?.length ?? 0;
    this.#withText.disabled = length > MOST_TEXT;
    byId("share-text-told").textContent = length > MOST_TEXT ? `It is too long for a link: ${whole(length)} characters.` : "";
    void this.#draw();
    this.#dialog.showModal();
  }

  async #draw(): Promise<void> {
    const { text, ...others } = this.#shared;
    const url = new URL(location.href);
    url.hash = await toFragment(this.#withText.checked && text !== undefined ? { ...others, text } : others);
    this.#link.value = url.href;
    this.#told.textContent = [
      `${whole(url.href.length)} characters.`,
      this.#withText.checked ? "Whoever has the link can read the text." : "It does not hold your text.",
      url.href.length > LONG_LINK ? "Some programs cut links of this length." : "",
    ].join(" ");
  }
}
