/** The page's elements, its status, and files dropped on it. */

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element as T;
}

/** `waiting`: nothing is wrong, but somebody has to do something first. */
export type State = "loading" | "ready" | "waiting" | "error";

export function setStatus(state: State, message: string): void {
  const status = byId("status");
  if (status.dataset.state === state && status.textContent === message) return; // not to be read out again
  status.dataset.state = state;
  status.textContent = message;
}

/** Files chosen with a button. */
export function onChosen(input: HTMLInputElement, handle: (files: File[]) => void): void {
  input.addEventListener("change", () => {
    handle([...(input.files ?? [])]);
    input.value = ""; // so that the same file can be chosen again
  });
}

/** Files dropped anywhere; whether on `target`. */
export function onDropped(target: HTMLElement, handle: (files: File[], onTarget: boolean) => void): void {
  const hint = byId("drop-hint");
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    hint.hidden = false;
    hint.firstElementChild!.textContent = isOn(target, event) ? "Drop a text, or tokenizer files" : "Drop tokenizer files, or a text";
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    handle([...event.dataTransfer!.files], isOn(target, event));
  });
}

const isOn = (target: HTMLElement, { target: place }: DragEvent): boolean => place instanceof Node && target.contains(place);

/** No further than needed, and at once for whoever wants nothing to move. */
export function scrollToShow(element: Element): void {
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  element.scrollIntoView({ behavior, block: "nearest" });
}

/** Says on the button itself that something was done. */
export function confirmOn(button: HTMLElement, done: string): void {
  const label = button.textContent;
  button.textContent = done;
  setTimeout(() => (button.textContent = label), 1500);
}
