/** The ids as a list that lights up together with the tokens. */

import type { Encoding } from "bpeek";
import { whole } from "./format.js";

const SHOWN = 2000;

export class Ids {
  #list: HTMLElement;
  #ids: Uint32Array = new Uint32Array();
  #lit: Element | undefined;

  constructor(list: HTMLElement, onHover: (index: number | null) => void) {
    this.#list = list;
    list.addEventListener("pointerover", ({ target }) => {
      const index = (target as HTMLElement).dataset.index;
      onHover(index === undefined ? null : Number(index));
    });
    list.addEventListener("pointerleave", () => onHover(null));
  }

  show({ ids }: Encoding): void {
    this.#ids = ids;
    const shown = Array.from(ids.subarray(0, SHOWN), (id, index) => {
      const item = document.createElement("span");
      item.dataset.index = String(index);
      item.textContent = String(id);
      return item;
    });
    const rest = ids.length - shown.length;
    this.#list.replaceChildren(...shown.flatMap((item) => [item, " "]), rest > 0 ? `… and ${whole(rest)} more` : "");
  }

  light(index: number | null): void {
    this.#lit?.classList.remove("lit");
    this.#lit = index === null ? undefined : this.#list.children[index];
    this.#lit?.classList.add("lit");
  }

  async copy(): Promise<void> {
    await navigator.clipboard.writeText(`[${this.#ids.join(", ")}]`);
  }
}
