/** The text: in a text field, or, while it is long, in an editor that lays out only what is seen. */

import { FieldMark } from "./field-mark.js";
import { LineEnds, withLineFeeds } from "./line-ends.js";
import type { LongText } from "./long-text.js";
import { byId } from "./page.js";

/** So many UTF-16 units a text field takes: of a megabyte, Chromium lays out all for every key, which takes half a second. */
const LONG = 100_000;

export class Editor {
  #field = byId<HTMLTextAreaElement>("text");
  #mark = new FieldMark(this.#field);
  #host = byId("long-text");
  #onInput: () => void;
  #lineEnds: LineEnds;
  /** The text while it is long; otherwise the field has it. */
  #kept: string | undefined;
  #long: LongText | undefined;
  /** Where the long text is written on, until its editor is there. */
  #caret = 0;
  #most = LONG;

  constructor(onInput: () => void) {
    this.#onInput = onInput;
    this.#lineEnds = new LineEnds(() => {
      this.#mark.forget();
      onInput();
    });
    for (const field of [this.#field, this.#host]) {
      field.addEventListener("paste", ({ clipboardData }) => this.#lineEnds.pasted(clipboardData?.getData("text/plain") ?? ""));
      field.addEventListener("drop", ({ dataTransfer }) => this.#lineEnds.pasted(dataTransfer?.getData("text/plain") ?? ""), { capture: true });
    }
    this.#field.addEventListener("beforeinput", (event) => this.#beforeInput(event));
    this.#field.addEventListener("input", () => this.#isWaiting || this.#set(this.#field.value, this.#field.selectionEnd));
    this.#host.addEventListener("focusout", () => this.#rest());
    // A label finds nothing in a shadow tree.
    document.querySelector(`label[for=${this.#field.id}]`)!.addEventListener("click", () => this.focus());
  }

  /** With the line ends that it has; the field itself knows one kind. */
  get value(): string {
    return this.#lineEnds.read(this.#shown);
  }

  get #shown(): string {
    return this.#kept ?? this.#field.value;
  }

  /** Its editor is being fetched: the field is empty, and takes what is typed meanwhile. */
  get #isWaiting(): boolean {
    return this.#kept !== undefined && !this.#long;
  }

  get hasFocus(): boolean {
    return [this.#field, this.#host].includes(document.activeElement as HTMLElement);
  }

  focus(): void {
    if (this.#long) this.#long.focus();
    else this.#field.focus();
  }

  /** As if it had been typed. */
  write(text: string): void {
    const before = this.#shown;
    this.#set(this.#lineEnds.take(text), 0, before);
  }

  /** Selects a part, in UTF-16 units, and goes there. */
  select(...place: [start: number, end: number]): void {
    const [start, end] = this.#inField(place);
    if (this.#long) return this.#long.select(start, end);
    this.#field.focus();
    this.#field.setSelectionRange(start, end);
  }

  /** Marks a part, in UTF-16 units; none if it is empty. Goes there, unless somebody types. */
  mark(...place: [start: number, end: number]): void {
    const [start, end] = this.#inField(place);
    const reveal = !this.hasFocus;
    this.#long?.mark(start, end, reveal);
    if (this.#isWaiting || this.#long || start === end) this.#mark.clear();
    else this.#mark.show({ start, end, reveal });
  }

  #inField(place: [number, number]): [number, number] {
    const text = this.value;
    return place.map((at) => this.#lineEnds.placeIn(text, at)) as [number, number];
  }

  /** What would make the text long never comes into the field. */
  #beforeInput(event: InputEvent): void {
    const { value, selectionStart: start, selectionEnd: end } = this.#field;
    const data = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    const isLong = value.length - (end - start) + data.length > this.#most;
    const isElsewhere = event.inputType === "insertFromDrop"; // not where the caret is
    if (!isLong || isElsewhere || this.#isWaiting || !event.cancelable) return;
    event.preventDefault();
    const text = withLineFeeds(data);
    this.#set(value.slice(0, start) + text + value.slice(end), start + text.length, value);
  }

  /** `before` is what an undo gives back. */
  #set(text: string, caret: number, before = text): void {
    this.#mark.forget();
    this.#lineEnds.edited(text === "");
    if (text.length > this.#most) this.#lengthen(text, caret, before);
    else this.#shorten(text, caret);
    this.#onInput();
  }

  #lengthen(text: string, caret: number, before: string): void {
    const isFirst = this.#kept === undefined;
    this.#kept = text;
    this.#caret = caret;
    this.#long?.write(text, caret);
    if (!isFirst) return;
    this.#field.value = "";
    import("./long-text.js").then(
      ({ LongText }) => this.#isWaiting && this.#open(LongText, before),
      () => this.#isWaiting && this.#doWithout(),
    );
  }

  #open(Type: typeof LongText, before: string): void {
    const { hasFocus } = this;
    const text = this.#withTyped();
    this.#field.value = "";
    this.#field.hidden = true;
    this.#host.hidden = false;
    this.#long = new Type(this.#host, before, (changed) => {
      this.#kept = changed;
      this.#lineEnds.edited(changed === "");
      this.#onInput();
    });
    this.#long.write(text, this.#caret);
    if (hasFocus) this.#long.focus();
  }

  /** The long text, and in it what was typed while it waited. */
  #withTyped(): string {
    const { value } = this.#field;
    const [text, at] = [this.#kept!, this.#caret];
    this.#caret += value.length;
    return (this.#kept = text.slice(0, at) + value + text.slice(at));
  }

  #shorten(text: string, caret: number): void {
    const long = this.#long;
    this.#kept = this.#long = undefined;
    long?.close();
    this.#host.hidden = true;
    this.#field.hidden = false;
    if (this.#field.value === text) return;
    this.#field.value = text;
    this.#field.setSelectionRange(caret, caret);
  }

  /** Under the hands no editor changes, and what was deleted can be had back. */
  #rest(): void {
    if (this.#long && document.hasFocus() && this.#shown.length < LONG / 2) this.#shorten(this.#shown, 0);
  }

  /** Without a network, on a visit that kept nothing: slow, but it works. */
  #doWithout(): void {
    this.#most = Infinity;
    this.#set(this.#withTyped(), this.#caret);
  }
}
