/** Keeps the shown encoding up with the text: waits for a pause, asks the worker, drops answers that are out of date. */

import { WorkerError } from "bpeek";

const PAUSE_MS = 40;

export interface LiveOptions<Result> {
  encode(signal: AbortSignal): Promise<Result>;
  onStale(): void;
  onResult(result: Result): void;
  onError(error: unknown): void;
}

export class Live<Result> {
  #options: LiveOptions<Result>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #current: AbortController | undefined;

  constructor(options: LiveOptions<Result>) {
    this.#options = options;
  }

  /** The text has changed. */
  soon(): void {
    this.#options.onStale();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), PAUSE_MS);
  }

  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#current?.abort();
    const { signal } = (this.#current = new AbortController());
    const { encode, onResult, onError } = this.#options;
    try {
      // A worker that died is replaced by the next call: this one.
      const result = await encode(signal).catch((error: unknown) => {
        if (error instanceof WorkerError) return encode(signal);
        throw error;
      });
      if (!signal.aborted) onResult(result);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
  }
}
