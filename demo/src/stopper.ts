/** The button that stops what takes long. It comes after a moment, and stays while anything is at work. */

/** What takes less is over before one could stop it. */
const AFTER_MS = 600;

export class Stopper {
  #button: HTMLButtonElement;
  #work = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(button: HTMLButtonElement, stop: () => void) {
    this.#button = button;
    button.addEventListener("click", stop);
  }

  begin(work: string): void {
    this.#work.add(work);
    this.#timer ??= setTimeout(() => (this.#button.hidden = false), AFTER_MS);
  }

  end(work: string): void {
    this.#work.delete(work);
    if (this.#work.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#button.hidden = true;
  }
}

/** Whether it was stopped by whoever uses the page. */
export const wasStopped = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
