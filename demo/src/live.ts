/** Keeps the shown tokens up with the text: a whole text is encoded once, and from then on only edits go to the worker. */

import { editBetween, WorkerError, type Change, type Document, type Encoding } from "bpeek";

/** So long a text must rest before it is encoded as a whole. Edits do not wait. */
const PAUSE_MS = 40;
/** Of an edit that is larger, the tokens come sooner by encoding the whole text. */
const LARGE = 50_000;
/** So much is read at a time of a long text: its first tokens come soon, no step takes long, and it can be stopped. */
const PART = 1 << 17;

export interface LiveOptions {
  text(): string;
  encode(text: string, signal: AbortSignal): Promise<Encoding>;
  /** Opens the text that was just encoded, if it can be edited in place. */
  open(encoding: Encoding): Promise<Document | undefined>;
  onStale(): void;
  onWhole(encoding: Encoding): void;
  onChange(encoding: Encoding, change: Change): void;
  /** What is shown is the text's: nothing is waited for. */
  onSettled(): void;
  onError(error: unknown): void;
  /** How far a text is read that takes more than one step. */
  onProgress?(done: number, total: number): void;
}

export class Live {
  #options: LiveOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #current = new AbortController();
  #running = false;
  #document: Document | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** The text has changed. If an answer is awaited, the change is found when it comes. */
  soon(): void {
    this.#options.onStale();
    if (this.#running) return;
    clearTimeout(this.#timer);
    if (this.#document) void this.#run();
    else this.#timer = setTimeout(() => void this.#run(), PAUSE_MS);
  }

  /** All is different: another tokenizer, or another reading of special tokens. */
  async now(): Promise<void> {
    this.stop();
    await this.#run();
  }

  /** The engine was interrupted for the sake of something else: what was awaited is asked for again. */
  resume(): void {
    if (this.#running) void this.now();
  }

  /** Whatever is awaited, nobody wants any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#current.abort();
    this.#current = new AbortController();
    this.#document?.close();
    this.#document = undefined;
    this.#running = false;
  }

  async #run(): Promise<void> {
    const { text, onSettled, onError, onProgress } = this.#options;
    const { signal } = this.#current;
    let asked: string;
    let reached: string;
    this.#running = true;
    try {
      do {
        asked = text();
        reached = await this.#step(asked, signal);
        if (!signal.aborted && reached !== asked) onProgress?.(reached.length, asked.length);
      } while (!signal.aborted && reached !== text());
      if (!signal.aborted) onSettled();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (signal.aborted) return;
    this.#running = false;
    if (asked! !== text()) this.soon();
  }

  /** Comes nearer to `text`; gives the text whose tokens are shown then. */
  async #step(text: string, signal: AbortSignal): Promise<string> {
    const document = this.#document;
    const edit = document && editBetween(document.text, text);
    if (document && edit && (edit.text.length < LARGE || text.length > PART)) {
      const change = await twice(() => document.replace(edit.start, edit.end, firstPart(edit.text)));
      if (!signal.aborted) this.#options.onChange(document.encoding, change);
      return document.text;
    }
    this.#document = undefined;
    document?.close();
    const first = firstPart(text);
    if (await this.#whole(first, signal)) return first;
    if (first !== text && !signal.aborted) await this.#whole(text, signal); // it cannot be edited, so it is all or nothing
    return text;
  }

  /** Encodes all of a text, and opens it if it can be edited; whether it could. */
  async #whole(text: string, signal: AbortSignal): Promise<boolean> {
    const encoding = await twice(() => this.#options.encode(text, signal));
    if (signal.aborted) return false;
    this.#options.onWhole(encoding);
    if (this.#options.text() === text) this.#options.onSettled();
    const opened = await this.#options.open(encoding);
    if (signal.aborted) opened?.close();
    else this.#document = opened;
    return opened !== undefined;
  }
}

/** A worker that died is replaced by the next call. */
function twice<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    if (error instanceof WorkerError && error.when === "work") return call();
    throw error;
  });
}

/** No surrogate pair is parted. */
function firstPart(text: string): string {
  const part = text.slice(0, PART);
  return part.length < text.length && /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
}
