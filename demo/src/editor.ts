/** The text: in a text field, or, while it is long, in an editor that lays out only what is seen. */

import type { LongText } from "./long-text.js";
import { byId } from "./page.js";

/** So many UTF-16 units a text field takes: of a megabyte, Chromium lays out all for every key, which takes half a second. */
const LONG = 100_000;

export class Editor {
  #field = byId<HTMLTextAreaElement>("text");
  #host = byId("long-text");
  #onInput: () => void;
  /** The text while it is long; otherwise the field has it. */
  #kept: string | undefined;
  #long: LongText | undefined;
  #most = LONG;

  constructor(onInput: () => void) {
    this.#onInput = onInput;
    this.#field.addEventListener("beforeinput", (event) => this.#beforeInput(event));
    this.#field.addEventListener("input", () => this.#set(this.#field.value, this.#field.selectionEnd));
    this.#host.addEventListener("focusout", () => this.#rest());
    // A label finds nothing in a shadow tree.
    document.querySelector(`label[for=${this.#field.id}]`)!.addEventListener("click", () => this.#long?.focus());
  }

  get value(): string {
    return this.#kept ?? this.#field.value;
  }

  get hasFocus(): boolean {
    return [this.#field, this.#host].includes(document.activeElement as HTMLElement);
  }

  /** As if it had been typed. */
  write(text: string): void {
    this.#set(withLineFeeds(text), 0);
  }

  /** Selects a part, in UTF-16 units, and goes there. */
  select(start: number, end: number): void {
    if (this.#long) return this.#long.select(start, end);
    this.#field.focus();
    this.#field.setSelectionRange(start, end);
  }

  /** What would make the text long never comes into the field. */
  #beforeInput(event: InputEvent): void {
    const { value, selectionStart: start, selectionEnd: end } = this.#field;
    const data = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    const isLong = value.length - (end - start) + data.length > this.#most;
    if (!isLong || !event.cancelable || event.inputType === "insertFromDrop") return; // which falls elsewhere
    event.preventDefault();
    const text = withLineFeeds(data);
    this.#set(value.slice(0, start) + text + value.slice(end), start + text.length, value);
  }

  /** `before` is what an undo gives back. */
  #set(text: string, caret: number, before = text): void {
    if (text.length > this.#most) this.#lengthen(text, caret, before);
    else this.#shorten(text, caret);
    this.#onInput();
  }

  #lengthen(text: string, caret: number, before: string): void {
    this.#kept = text;
    if (this.#long) return this.#long.write(text, caret);
    const hadFocus = this.hasFocus;
    this.#field.value = "";
    this.#field.hidden = true;
    this.#host.hidden = false;
    import("./long-text.js").then(
      ({ LongText }) => this.#open(LongText, caret, before, hadFocus),
      () => this.#doWithout(caret),
    );
  }

  #open(Type: typeof LongText, caret: number, before: string, hadFocus: boolean): void {
    if (this.#kept === undefined || this.#long) return; // it has changed meanwhile
    this.#long = new Type(this.#host, before, (text) => {
      this.#kept = text;
      this.#onInput();
    });
    this.#long.write(this.#kept, caret);
    if (hadFocus) this.#long.focus();
  }

  #shorten(text: string, caret: number): void {
    this.#kept = undefined;
    this.#long?.close();
    this.#long = undefined;
    this.#host.hidden = true;
    this.#field.hidden = false;
    if (this.#field.value === text) return;
    this.#field.value = text;
    this.#field.setSelectionRange(caret, caret);
  }

  /** Under the hands no editor changes, and what was deleted can be had back. */
  #rest(): void {
    if (document.hasFocus() && this.value.length < LONG / 2) this.#shorten(this.value, 0);
  }

  /** Without a network, on a visit that kept nothing: slow, but it works. */
  #doWithout(caret: number): void {
    this.#most = Infinity;
    if (this.#kept !== undefined) this.#shorten(this.#kept, caret);
  }
}

/** As text fields have line ends. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, "\n");
