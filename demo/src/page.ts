/** The page's elements, its status, and files dropped on it. */

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}`);
  return element as T;
}

export type State = "loading" | "ready" | "error";

export function setStatus(state: State, message: string): void {
  const status = byId("status");
  if (status.dataset.state === state && status.textContent === message) return; // not to be read out again
  status.dataset.state = state;
  status.textContent = message;
}

/** Files chosen with the button or dropped anywhere. */
export function onFiles(handle: (files: File[]) => void): void {
  const input = byId<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    handle([...(input.files ?? [])]);
    input.value = ""; // so that the same file can be chosen again
  });

  const hint = byId("drop-hint");
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    handle([...event.dataTransfer!.files]);
  });
}

/** Says on the button itself that something was done. */
export function confirmOn(button: HTMLElement, done: string): void {
  const label = button.textContent;
  button.textContent = done;
  setTimeout(() => (button.textContent = label), 1500);
}
