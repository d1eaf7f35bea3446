/** The page's side: an engine, and the tokenizers loaded in it. */

import { Connection, type WorkerLike } from "./connection.js";
import { Document, type Home, type OpenOptions } from "./document.js";
import { Encoding, specialTokensById } from "./encoding.js";
import { WorkerError } from "./errors.js";
import { explainToken, type TokenExplanation } from "./explain.js";
import type {
  Arguments, Explanation, Inspection, Method, Progress, Result, SpecialPolicy, TokenInfo, VocabularyInfo,
} from "./protocol.js";
import { decoderStream, encoderStream } from "./streams.js";

export interface EngineOptions {
  /** Where `worker.js` is, if a bundler does not find it by itself. */
  workerURL?: string | URL;
  /** The folder of `pyodide.asm.wasm`, `stdlib.zip` and `bpeek.whl`, if they are not beside `worker.js`. */
  assetsURL?: string | URL;
  onProgress?: (progress: Progress) => void;
  /** Makes the worker; for tests. */
  spawn?: () => WorkerLike;
}

export interface LoadOptions {
  /** A file name; its stem can tell which known encoding a `.tiktoken` file is. */
  name?: string;
  /** The split pattern of a `.tiktoken` file that is not known. */
  pattern?: string;
  /** Special tokens of such a file, and their ids. */
  specialTokens?: Record<string, number>;
  signal?: AbortSignal;
}

export interface EncodeOptions {
  /** How special tokens in the text are read; `"error"` unless given. */
  policy?: SpecialPolicy;
  signal?: AbortSignal;
}

export type Source = File | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | URL;

/** Starts a worker and resolves when it can load vocabularies. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const engine = new Engine(options);
  await engine.ready;
  return engine;
}

export class Engine {
  #options: EngineOptions;
  #connection: Connection;
  #report: (progress: Progress) => void;
  #terminated = false;

  /** Starts at once; calls made before it is ready wait for it. */
  constructor(options: EngineOptions = {}) {
    this.#options = options;
    this.#report = options.onProgress ?? (() => {});
    this.#connection = this.#connect();
  }

  get ready(): Promise<void> {
    return this.connection().ready;
  }

  /** Reads a vocabulary file, or a `vocab.json` and its `merges.txt`. Nothing is fetched unless a source is a URL. */
  async load(source: Source | Source[], options: LoadOptions = {}): Promise<Tokenizer> {
    const sources = Array.isArray(source) ? source : [source];
    const blobs = await Promise.all(sources.map((each) => toBlob(each, this.#report, options.signal)));
    const { signal, ...rest } = { name: nameOf(sources[0]), ...options };
    const tokenizer = new Tokenizer(this, blobs, rest);
    await tokenizer.load(signal);
    return tokenizer;
  }

  /** Ends the worker. Pending calls are rejected, and later ones too. */
  terminate(): void {
    this.#terminated = true;
    this.#connection.close(new WorkerError("The engine was terminated"));
  }

  [Symbol.dispose](): void {
    this.terminate();
  }

  /** The living worker; a new one if the last died. For `Tokenizer`. */
  connection(): Connection {
    if (this.#connection.dead && !this.#terminated) this.#connection = this.#connect();
    return this.#connection;
  }

  #connect(): Connection {
    const { spawn, workerURL, assetsURL } = this.#options;
    const assets = assetsURL === undefined ? undefined : new URL(assetsURL, document.baseURI).href;
    return new Connection((spawn ?? (() => spawnWorker(workerURL)))(), assets, this.#report);
  }
}

export class Tokenizer {
  #engine: Engine;
  // Kept so that a worker that replaces a dead one can be given the vocabulary again.
  #blobs: Blob[];
  #options: Hints;
  #opened: { connection: Connection; handle: Promise<number> } | undefined;
  #info!: VocabularyInfo;
  #specialTokens!: ReadonlyMap<number, string>;
  #disposed = false;

  /** Use `Engine.load`. */
  constructor(engine: Engine, blobs: Blob[], options: Hints) {
    this.#engine = engine;
    this.#blobs = blobs;
    this.#options = options;
  }

  /** What the vocabulary is: format, name, sizes, special tokens, split patterns, checksum. */
  get info(): VocabularyInfo {
    return this.#info;
  }

  async encode(text: string, options: EncodeOptions = {}): Promise<Encoding> {
    const [encoding] = await this.encodeBatch([text], options);
    return encoding!;
  }

  async encodeBatch(texts: string[], { policy = "error", signal }: EncodeOptions = {}): Promise<Encoding[]> {
    const columns = await this.#call("encode", [texts, policy], signal);
    return columns.map((column, i) => new Encoding(texts[i]!, column, this.#specialTokens));
  }

  /** A text that is going to be edited: after that, an edit costs what it changes and not what the text has. */
  async open(text: string, { policy = "text" }: OpenOptions = {}): Promise<Document> {
    const document = new Document(this.#home(), policy);
    await document.open(text);
    return document;
  }

  /** Text to ids while it comes: the chunks of a response, say. Special tokens are text unless `policy` says otherwise. */
  encoderStream({ policy = "text" }: OpenOptions = {}): TransformStream<string, Uint32Array> {
    return encoderStream(this.#home(), policy);
  }

  /** Ids to text while they come, as from a model; never a part of a character. */
  decoderStream(): TransformStream<number | Iterable<number>, string> {
    return decoderStream(this.#home());
  }

  /** Ids alone, special tokens being text like any other: the fastest way. */
  encodeOrdinary(text: string, { signal }: { signal?: AbortSignal } = {}): Promise<Uint32Array> {
    return this.#call("ids", [text], signal);
  }

  /** How many tokens `text` has: cheaper than encoding it. */
  count(text: string, { policy = "error", signal }: EncodeOptions = {}): Promise<number> {
    return this.#call("count", [text, policy], signal);
  }

  decode(ids: Uint32Array | readonly number[], { signal }: { signal?: AbortSignal } = {}): Promise<string> {
    return this.#call("decode", [Uint32Array.from(ids)], signal);
  }

  /** Bytes and spelling of one entry of the vocabulary. */
  token(id: number, { signal }: { signal?: AbortSignal } = {}): Promise<TokenInfo> {
    return this.#call("token", [id], signal);
  }

  /** How a text becomes tokens: normalization, pieces, every merge in order. */
  explain(text: string, { policy = "error", signal }: EncodeOptions = {}): Promise<Explanation> {
    return this.#call("explain", [text, policy], signal);
  }

  /**
   * The same for one token of an encoding, at the cost of the text around it. `policy` is that of the encoding.
   * `undefined` where so much text is merged together that nobody could follow it.
   */
  explainToken(encoding: Encoding, index: number, { policy = "error", signal }: EncodeOptions = {}): Promise<TokenExplanation | undefined> {
    return explainToken(encoding, index, {
      around: (text, start, end) => this.#call("around", [text, start, end], signal),
      explain: (text) => this.explain(text, { policy, ...(signal && { signal }) }),
    });
  }

  /** What the vocabulary is like. Takes seconds, and other calls wait meanwhile. */
  inspect({ signal }: { signal?: AbortSignal } = {}): Promise<Inspection> {
    return this.#call("inspect", [], signal);
  }

  /** Frees the vocabulary's memory in the worker. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const { connection, handle } = this.#opened ?? {};
    if (!connection || connection.dead) return;
    // Whoever disposes does not wait, and a worker that dies meanwhile has freed it as well.
    handle!.then((handle) => connection.call("unload", [handle])).catch(() => {});
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Loads the vocabulary into the living worker, unless it is there. For `Engine`. */
  async load(signal?: AbortSignal): Promise<{ connection: Connection; handle: number }> {
    const connection = this.#engine.connection();
    if (this.#opened?.connection !== connection) this.#opened = { connection, handle: this.#read(connection, signal) };
    return { connection, handle: await this.#opened.handle };
  }

  async #read(connection: Connection, signal: AbortSignal | undefined): Promise<number> {
    const { name, pattern, specialTokens } = this.#options;
    const files = await Promise.all(this.#blobs.map((blob) => blob.arrayBuffer()));
    const args: Arguments<"load"> = [files, name, pattern, specialTokens];
    const { handle, ...info } = await connection.call("load", args, { signal, transfer: files });
    this.#info = info;
    this.#specialTokens = specialTokensById(info);
    return handle;
  }

  async #call<M extends CallWithHandle>(method: M, args: Rest<Arguments<M>>, signal?: AbortSignal): Promise<Result<M>> {
    signal?.throwIfAborted();
    const { connection, handle } = await this.#reach();
    return connection.call(method, [handle, ...args] as unknown as Arguments<M>, { signal });
  }

  #home(): Home {
    return { specialTokens: this.#specialTokens, reach: () => this.#reach() };
  }

  #reach(): Promise<{ connection: Connection; handle: number }> {
    if (this.#disposed) return Promise.reject(new WorkerError("The tokenizer was disposed"));
    return this.load();
  }
}

type Hints = { name?: string | undefined; pattern?: string; specialTokens?: Record<string, number> };
type CallWithHandle = Exclude<Method, "load" | "open" | "replace" | "close" | "encoder" | "decoder" | "feed">;
type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never;

function spawnWorker(workerURL: string | URL | undefined): Worker {
  // The literal form is what bundlers look for.
  return workerURL === undefined
    ? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bpeek" })
    : new Worker(workerURL, { type: "module", name: "bpeek" });
}

async function toBlob(source: Source, report: (progress: Progress) => void, signal?: AbortSignal): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (!(source instanceof URL)) return new Blob([source]);
  const response = await fetch(source, signal ? { signal } : {});
  if (!response.ok) throw new Error(`${source.href} could not be fetched: ${response.status} ${response.statusText}`);
  return new Response(response.body!.pipeThrough(counted(report))).blob();
}

function counted(report: (progress: Progress) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let loaded = 0;
  return new TransformStream({
    transform(part, controller) {
      loaded += part.byteLength;
      report({ phase: "vocabulary", loaded, total: 0 });
      controller.enqueue(part);
    },
  });
}

function nameOf(source: Source | undefined): string | undefined {
  if (source instanceof File) return source.name;
  return source instanceof URL ? source.pathname.split("/").at(-1) : undefined;
}
