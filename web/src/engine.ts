/// <reference lib="esnext.disposable" preserve="true" />

/** The page's side: an engine, whose workers answer. */

import { asOptions, asSource, asText } from "./arguments.js";
import { Connection, unlessAborted, type WorkerLike } from "./connection.js";
import { WorkerError } from "./errors.js";
import { absolute, spawn, type WorkerURL } from "./host.js";
import type { Progress } from "./protocol.js";
import { nameOf, toBlob, type Source } from "./source.js";
import { Tokenizer, type Hints } from "./tokenizer.js";

export interface EngineOptions {
  /** How many workers there may be; 1 unless given. Another starts only when a call finds all of them busy. */
  workers?: number;
  /** Where `worker.js` is, if a bundler does not find it by itself; may be a `TrustedScriptURL`. */
  workerURL?: WorkerURL;
  /** The folder of `pyodide.asm.js`, `pyodide.asm.wasm`, `stdlib.zip` and `bpeek.whl`, if they are not beside `worker.js`. */
  assetsURL?: string | URL;
  /** Keeps the memory of a started engine on this device, some 28 MB, for later starts. `forgetSnapshot` removes it. */
  snapshot?: boolean;
  onProgress?: (progress: Progress) => void;
  /** Makes a worker; for tests. */
  spawn?: () => WorkerLike;
}

export interface LoadOptions extends Hints {
  signal?: AbortSignal;
}

/** Starts a worker and resolves when it can load vocabularies. */
export async function createEngine(all: EngineOptions & { signal?: AbortSignal } = {}): Promise<Engine> {
  const { signal, ...options } = asOptions(all, "signal", ...ENGINE_OPTIONS);
  signal?.throwIfAborted();
  const engine = new Engine(options);
  await unlessAborted(engine.ready, signal, () => void engine.terminate());
  return engine;
}

const ENGINE_OPTIONS = ["workers", "workerURL", "assetsURL", "snapshot", "onProgress", "spawn"] as const;

export class Engine {
  /** How many workers there may be. */
  readonly workers: number;
  #options: EngineOptions;
  #connections: Connection[] = [];
  #report: (progress: Progress) => void;
  #terminated = false;

  /** Starts at once; calls made before it is ready wait for it. */
  constructor(options: EngineOptions = {}) {
    this.#options = asOptions(options, ...ENGINE_OPTIONS);
    this.#report = options.onProgress ?? (() => {});
    this.workers = options.workers ?? 1;
    this.connection();
  }

  /** Resolves when a worker can answer; rejects if it could not start. */
  get ready(): Promise<void> {
    if (this.#terminated) return Promise.reject(terminated());
    return (this.#connections.find(({ dead }) => !dead) ?? this.connection()).ready;
  }

  /**
   * Reads a vocabulary file; or several that belong together: a `vocab.json` and its `merges.txt`, or a `tokenizer.json` and what lies
   * beside it. Of a GGUF, only the header is read. Nothing is fetched unless a source is a URL or a string.
   */
  async load(source: Source | Source[], options: LoadOptions = {}): Promise<Tokenizer> {
    asOptions(options, "name", "pattern", "specialTokens", "signal");
    const sources = (Array.isArray(source) ? source : [source]).map(asSource);
    const blobs = await Promise.all(sources.map((each) => toBlob(each, this.#report, options.signal)));
    const names = sources.map(nameOf);
    const { signal, ...rest } = { name: names.find((name) => name === "tokenizer.json") ?? names[0], ...options };
    const tokenizer = new Tokenizer(this, blobs, rest);
    await tokenizer.load(undefined, signal);
    return tokenizer;
  }

  /** Unicode's name of each code point of a text; empty for those that have none, as control characters. */
  async characterNames(text: string, options: { signal?: AbortSignal } = {}): Promise<string[]> {
    const { signal } = asOptions(options, "signal");
    return this.connection().call("names", [asText(text)], { signal });
  }

  /**
   * Stops whatever is being done, in the only way in which Python can be stopped: its worker ends. Pending calls reject with
   * an `AbortError`. The next call starts another worker, which reads its vocabulary anew; documents stay as they were.
   */
  interrupt(): void {
    const reason = new DOMException("The engine was interrupted", "AbortError");
    for (const connection of this.#connections) void connection.close(reason);
  }

  /** Ends the workers, and resolves when they have ended. Pending calls are rejected, and later ones too. */
  async terminate(): Promise<void> {
    this.#terminated = true;
    await Promise.all(this.#connections.map((connection) => connection.close(terminated())));
  }

  [Symbol.dispose](): void {
    void this.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate();
  }

  /** The worker that has least to do; a new one if all are busy or dead. For `Tokenizer`. */
  connection(): Connection {
    if (this.#terminated) throw terminated();
    this.#connections = this.#connections.filter(({ dead }) => !dead);
    const [idlest] = [...this.#connections].sort((one, other) => one.busy - other.busy);
    if (idlest && (idlest.busy === 0 || this.#connections.length === this.workers)) return idlest;
    const connection = this.#connect();
    this.#connections.push(connection);
    return connection;
  }

  #connect(): Connection {
    const { spawn: make, workerURL, assetsURL, snapshot = false } = this.#options;
    const assets = assetsURL === undefined ? undefined : folder(absolute(assetsURL));
    return new Connection(make?.() ?? spawn(workerURL), assets, snapshot, this.#report);
  }
}

const terminated = () => new WorkerError("The engine was terminated", "closed");

function folder(url: URL): string {
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
