/** Line ends, of which text fields know one kind: those of the text are kept beside it, and told, since they are tokens, too. */

import { byId } from "./page.js";

const NAMES: Record<string, string> = { "\n": "LF", "\r\n": "CRLF", "\r": "CR" };
/** No field can hold both. */
const SEVERAL = "several";

export class LineEnds {
  #row = byId("line-ends");
  #told = byId("line-ends-told");
  #other = byId<HTMLButtonElement>("line-ends-other");
  /** As the text is read. */
  #end = "\n";
  /** As they came: told until the text is edited. */
  #came = "\n";
  /** They came with an edit that is still to come. */
  #isComing = false;
  #last = { shown: "", end: "", read: "" };

  constructor(onChange: () => void) {
    this.#other.addEventListener("click", () => {
      if (this.#end !== "\n") [this.#end, this.#came] = ["\n", this.#end];
      else this.#end = this.#came;
      this.#draw();
      onChange();
    });
  }

  /** Another text, as a field shows it; read with the line ends that it has. */
  take(text: string): string {
    this.#came = endsOf(text);
    this.#end = this.#came === SEVERAL ? "\n" : this.#came;
    this.#isComing = true;
    return withLineFeeds(text);
  }

  /** What was pasted has line ends of the clipboard's kind, which on Windows says nothing of the text: they become the text's. */
  pasted(text: string): void {
    const ends = endsOf(text);
    if (ends === "\n" || ends === this.#end) return;
    this.#came = ends;
    this.#isComing = true;
  }

  edited(isEmpty: boolean): void {
    if (!this.#isComing || isEmpty) this.#came = "\n";
    if (isEmpty) this.#end = "\n";
    this.#isComing = false;
    this.#draw();
  }

  /** The text that a field shows, as it is read. */
  read(shown: string): string {
    const end = this.#end;
    if (end === "\n") return shown;
    if (this.#last.shown !== shown || this.#last.end !== end) this.#last = { shown, end, read: shown.replaceAll("\n", end) };
    return this.#last.read;
  }

  /** Where a place of the text is in the field. */
  placeIn(text: string, place: number): number {
    return this.#end === "\r\n" ? place - text.slice(0, place).split("\r").length + 1 : place;
  }

  #draw(): void {
    const [end, came] = [this.#end, this.#came];
    this.#row.hidden = end === "\n" && came === "\n";
    this.#other.hidden = came === SEVERAL && end === "\n";
    this.#other.textContent = `Read them as ${end === "\n" ? NAMES[came] : "LF"}`;
    this.#told.textContent =
      end !== "\n"
        ? `The line ends are ${NAMES[end]}, and are read so.`
        : `The line ends were ${NAMES[came] ?? "of several kinds"}; here they are LF, which may be other tokens.`;
  }
}

/** As text fields have line ends. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, "\n");

function endsOf(text: string): string {
  if (!text.includes("\r")) return "\n";
  const ends = new Set(text.match(/\r\n|\r|\n/g));
  return ends.size > 1 ? SEVERAL : [...ends][0]!;
}
