/** Dialogs: closed with their button, with Escape, and by a click beside them. */

import { byId } from "./page.js";

export function dialog(id: string): HTMLDialogElement {
  const box = byId<HTMLDialogElement>(id);
  byId(`${id}-close`).addEventListener("click", () => box.close());
  box.addEventListener("click", ({ target }) => target === box && box.close());
  return box;
}
