/** Keeps the shown tokens up with the text: a whole text is encoded once, and from then on only edits go to the worker. */

import { editBetween, WorkerError, type Change, type Document, type Encoding } from "bpeek";

/** So long a text must rest before it is encoded as a whole. Edits do not wait. */
const PAUSE_MS = 40;
/** Of an edit that is larger, the tokens come sooner by encoding the whole text. */
const LARGE = 50_000;

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
    const { text, onSettled, onError } = this.#options;
    const { signal } = this.#current;
    let asked: string;
    this.#running = true;
    try {
      do {
        asked = text();
        await this.#step(asked, signal);
      } while (!signal.aborted && asked !== text());
      if (!signal.aborted) onSettled();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (signal.aborted) return;
    this.#running = false;
    if (asked! !== text()) this.soon();
  }

  async #step(text: string, signal: AbortSignal): Promise<void> {
    const document = this.#document;
    const edit = document && editBetween(document.text, text);
    if (document && edit && edit.text.length < LARGE) {
      const change = await twice(() => document.replace(edit.start, edit.end, edit.text));
      if (!signal.aborted) this.#options.onChange(document.encoding, change);
      return;
    }
    this.#document = undefined;
    document?.close();
    const encoding = await twice(() => this.#options.encode(text, signal));
    if (signal.aborted) return;
    this.#options.onWhole(encoding);
    if (this.#options.text() === text) this.#options.onSettled();
    const opened = await this.#options.open(encoding);
    if (signal.aborted) opened?.close();
    else this.#document = opened;
  }
}

/** A worker that died is replaced by the next call. */
function twice<T>(call: () => Promise<T>): Promise<T> {
  return call().catch((error: unknown) => {
    if (error instanceof WorkerError) return call();
    throw error;
  });
}
