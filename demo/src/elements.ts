/** Elements in one line. What is text stays text: nothing here reads HTML. */

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

export function button(className: string, onClick: () => void, ...content: (Node | string)[]): HTMLButtonElement {
  const made = element("button", className, ...content);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/** For what is not ours, as file names: isolated from the direction of what is around it. */
export const isolated = (className: string, text: string): HTMLElement => element("bdi", className, text);
