/// <reference lib="esnext.disposable" preserve="true" />

/** A text that is edited and stays encoded: only edits go to the worker, and only changed tokens come back. */

import { asText, asWholeNumber } from "./arguments.js";
import type { Connection } from "./connection.js";
import { Encoding, isHigh, isLow } from "./encoding.js";
import { WorkerError } from "./errors.js";
import type { AllowedSpecial, Policy, SpecialPolicy } from "./protocol.js";

/** What an edit did. */
export interface Change {
  /** `removed` tokens, from `index` on, gave way to `added` others. */
  readonly index: number;
  readonly removed: number;
  readonly added: number;
  /** The text from `start` to `end` gave way to `length` units; all in UTF-16, `end` in the text before. */
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

export interface OpenOptions {
  /** How special tokens in the text are read; `"text"` unless given. An edit cannot be refused for them. */
  policy?: Exclude<SpecialPolicy, "error">;
  /** Special tokens that are read as such with the policy `"text"`, all or some by name. */
  allowedSpecial?: AllowedSpecial;
}

/** The tokenizer of a document: its living worker, and its number there. */
export interface Home {
  specialTokens: ReadonlyMap<number, string>;
  /** Where the tokenizer is loaded: in the worker of `last`, if it lives. */
  reach(last?: Connection): Promise<{ connection: Connection; handle: number }>;
}

export class Document {
  #home: Home;
  #policy: Policy;
  #encoding = new Encoding("", new Uint32Array());
  #opened: { connection: Connection; number: number } | undefined;
  /** Edits are made one after the other, each to what the one before left. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Use `Tokenizer.open`. */
  constructor(home: Home, policy: Policy) {
    this.#home = home;
    this.#policy = policy;
  }

  /** The tokens of the text as it is now; every edit makes a new one. */
  get encoding(): Encoding {
    return this.#encoding;
  }

  get text(): string {
    return this.#encoding.text;
  }

  /**
   * Puts `text` in the place of what is from `start` to `end`, in UTF-16 units of the text that earlier edits leave.
   * If it fails, the document is as it was.
   */
  async replace(start: number, end: number, text: string): Promise<Change> {
    asWholeNumber(start, "start");
    asWholeNumber(end, "end");
    asText(text);
    const change = this.#last.then(() => this.#replace(start, end, text));
    this.#last = change.catch(() => {});
    return change;
  }

  /** Frees the document's memory in the worker. */
  close(): void {
    this.#closed = true;
    this.#forget();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Reads a whole text. For `Tokenizer`. */
  async open(text: string): Promise<void> {
    const { connection, handle } = await this.#home.reach();
    this.#forget();
    const { document, columns } = await connection.call("open", [handle, text, this.#policy]);
    this.#opened = { connection, number: document };
    this.#encoding = new Encoding(text, columns, this.#home.specialTokens);
    if (this.#closed) this.#forget();
  }

  async #replace(start: number, end: number, text: string): Promise<Change> {
    if (this.#closed) throw new WorkerError("The document was closed", "closed");
    const before = this.#encoding;
    const after = before.text.slice(0, start) + text + before.text.slice(end);
    const edit = wholeCharacters(before.text, start, end, text.length);
    const { connection } = await this.#home.reach(this.#opened?.connection);
    if (this.#opened?.connection !== connection) {
      // Its worker died, or an edit failed there: it is read anew.
      await this.open(after);
      return { index: 0, removed: before.length, added: this.#encoding.length, ...edit };
    }
    const changed = after.slice(edit.start, edit.start + edit.length);
    const answer = connection.call("replace", [this.#opened.number, edit.start, edit.end, changed]);
    const columns = await answer.catch((error: unknown) => {
      this.#forget(); // who knows how far it came
      throw error;
    });
    const [index, removed] = columns as unknown as [number, number];
    const added = (columns.length - 2) / 5;
    const change: Change = { index, removed, added, ...edit };
    this.#encoding = before.replaced(after, change, columns.subarray(2));
    return change;
  }

  #forget(): void {
    const { connection, number } = this.#opened ?? {};
    this.#opened = undefined;
    if (connection && !connection.dead) connection.call("close", [number!]).catch(() => {});
  }
}

/** The edit that turned one text into another, found by what they begin and end with in common. */
export function editBetween(before: string, after: string): { start: number; end: number; text: string } {
  asText(before);
  asText(after);
  const most = Math.min(before.length, after.length);
  const start = longest(most, (from, to) => before.slice(from, to) === after.slice(from, to));
  const [left, right] = [before.length, after.length];
  const tail = longest(most - start, (from, to) => before.slice(left - to, left - from) === after.slice(right - to, right - from));
  return { start, end: left - tail, text: after.slice(start, right - tail) };
}

/** How far two sequences agree. Slices are compared at memory's speed, so a megabyte takes no time. */
function longest(most: number, agree: (from: number, to: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (agree(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** An edit must not part a surrogate pair, neither one that was there nor one that it makes. */
function wholeCharacters(before: string, start: number, end: number, length: number) {
  if (!(start >= 0 && start <= end && end <= before.length)) {
    throw new RangeError(`From ${start} to ${end} is no part of a text of ${before.length} units`);
  }
  const left = start > 0 && isHigh(before.charCodeAt(start - 1)) ? 1 : 0;
  const right = end < before.length && isLow(before.charCodeAt(end)) ? 1 : 0;
  return { start: start - left, end: end + right, length: length + left + right };
}
