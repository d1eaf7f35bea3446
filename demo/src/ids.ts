/** The ids as a list that lights up together with the tokens. */

import type { Change, Encoding } from "bpeek";
import { element } from "./elements.js";
import { whole } from "./format.js";

const SHOWN = 2000;

export class Ids {
  #list: HTMLElement;
  #rest = new Text();
  #ids: Uint32Array = new Uint32Array();
  #lit: Element | undefined;

  constructor(list: HTMLElement, onHover: (index: number | null) => void, onChoose: (index: number) => void) {
    this.#list = list;
    const at = (target: EventTarget | null) => [...list.children].indexOf(target as HTMLElement);
    list.addEventListener("pointerover", ({ target }) => onHover(at(target) < 0 ? null : at(target)));
    list.addEventListener("click", ({ target }) => {
      if (at(target) >= 0) onChoose(at(target));
    });
    list.addEventListener("pointerleave", () => onHover(null));
  }

  show({ ids }: Encoding): void {
    this.#ids = ids;
    this.#list.replaceChildren(...items(ids.subarray(0, SHOWN)), this.#rest);
    this.#tellRest();
  }

  /** Only the ids that an edit changed become others. */
  update({ ids }: Encoding, { index, removed, added }: Change): void {
    this.#ids = ids;
    const { children } = this.#list;
    for (const child of [...children].slice(index, index + removed)) remove(child);
    if (index < SHOWN) {
      const before: ChildNode = children[index] ?? this.#rest;
      before.before(...items(ids.subarray(index, Math.min(index + added, SHOWN))));
    }
    for (const child of [...children].slice(SHOWN)) remove(child);
    this.#rest.before(...items(ids.subarray(children.length, SHOWN)));
    this.#tellRest();
  }

  light(index: number | null): void {
    this.#lit?.classList.remove("lit");
    this.#lit = index === null ? undefined : this.#list.children[index];
    this.#lit?.classList.add("lit");
  }

  async copy(): Promise<void> {
    await navigator.clipboard.writeText(`[${this.#ids.join(", ")}]`);
  }

  #tellRest(): void {
    const rest = this.#ids.length - this.#list.children.length;
    this.#rest.data = rest > 0 ? `… and ${whole(rest)} more` : "";
  }
}

/** Each with the space behind it. */
function items(ids: Uint32Array): Node[] {
  return Array.from(ids).flatMap((id) => [element("span", "", String(id)), new Text(" ")]);
}

function remove(item: Element): void {
  item.nextSibling?.remove();
  item.remove();
}
