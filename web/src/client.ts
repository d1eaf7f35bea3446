/// <reference lib="esnext.disposable" preserve="true" />

/** The page's side: an engine, and the tokenizers loaded in it. */

import { asCount, asEncoding, asId, asIds, asOptions, asReading, asSource, asText, asTexts, asWholeNumber } from "./arguments.js";
import { Connection, unlessAborted, type WorkerLike } from "./connection.js";
import { Document, type Home, type OpenOptions } from "./document.js";
import { Encoding, specialTokensById } from "./encoding.js";
import { SourceError, WorkerError } from "./errors.js";
import { explainToken, type TokenExplanation } from "./explain.js";
import { absolute, get, spawn, type WorkerURL } from "./host.js";
import type {
  Arguments, Explanation, Inspection, Method, Progress, Result, SpecialPolicy, TokenInfo, VocabularyInfo,
} from "./protocol.js";
import { decoderStream, encoderStream } from "./streams.js";

export interface EngineOptions {
  /** How many workers there may be; 1 unless given. Another starts only when a call finds all of them busy. */
  workers?: number;
  /** Where `worker.js` is, if a bundler does not find it by itself; may be a `TrustedScriptURL`. */
  workerURL?: WorkerURL;
  /** The folder of `pyodide.asm.wasm`, `stdlib.zip` and `bpeek.whl`, if they are not beside `worker.js`. */
  assetsURL?: string | URL;
  onProgress?: (progress: Progress) => void;
  /** Makes a worker; for tests. */
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

export interface TruncateOptions extends EncodeOptions {
  /** Where the text is cut off; `"right"` unless given. */
  side?: "left" | "right";
}

export interface ChunkOptions extends EncodeOptions {
  /** How many tokens at most a chunk repeats of the one before; 0 unless given. */
  overlap?: number;
}

/** A part of a text, in UTF-16 units, and how many tokens it has by itself. */
export interface Slice {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/** What a string names is relative to the page in a browser, and a path in Node. */
export type Source = File | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | URL | string;

/** Starts a worker and resolves when it can load vocabularies. */
export async function createEngine(all: EngineOptions & { signal?: AbortSignal } = {}): Promise<Engine> {
  const { signal, ...options } = asOptions(all, "signal", ...ENGINE_OPTIONS);
  signal?.throwIfAborted();
  const engine = new Engine(options);
  await unlessAborted(engine.ready, signal, () => void engine.terminate());
  return engine;
}

const ENGINE_OPTIONS = ["workers", "workerURL", "assetsURL", "onProgress", "spawn"] as const;

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
    return (this.#connections.find(({ dead }) => !dead) ?? this.connection()).ready;
  }

  /** Reads a vocabulary file, or a `vocab.json` and its `merges.txt`. Nothing is fetched unless a source is a URL or a string. */
  async load(source: Source | Source[], options: LoadOptions = {}): Promise<Tokenizer> {
    asOptions(options, "name", "pattern", "specialTokens", "signal");
    const sources = (Array.isArray(source) ? source : [source]).map(asSource);
    const blobs = await Promise.all(sources.map((each) => toBlob(each, this.#report, options.signal)));
    const { signal, ...rest } = { name: nameOf(sources[0]), ...options };
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
    const reason = new WorkerError("The engine was terminated");
    await Promise.all(this.#connections.map((connection) => connection.close(reason)));
  }

  [Symbol.dispose](): void {
    void this.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate();
  }

  /** The worker that has least to do; a new one if all are busy or dead. For `Tokenizer`. */
  connection(): Connection {
    if (this.#terminated) return this.#connections[0]!;
    this.#connections = this.#connections.filter(({ dead }) => !dead);
    const [idlest] = [...this.#connections].sort((one, other) => one.busy - other.busy);
    if (idlest && (idlest.busy === 0 || this.#connections.length === this.workers)) return idlest;
    const connection = this.#connect();
    this.#connections.push(connection);
    return connection;
  }

  #connect(): Connection {
    const { spawn: make, workerURL, assetsURL } = this.#options;
    const assets = assetsURL === undefined ? undefined : folder(absolute(assetsURL));
    return new Connection(make?.() ?? spawn(workerURL), assets, this.#report);
  }
}

export class Tokenizer {
  #engine: Engine;
  // Kept so that a worker that replaces a dead one can be given the vocabulary again.
  #blobs: Blob[];
  #options: Hints;
  /** Its number in each worker that has had a use for it. */
  #handles = new Map<Connection, Promise<number>>();
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
    const [encoding] = await this.encodeBatch([asText(text)], options);
    return encoding!;
  }

  /** Encodes texts in order; if the engine has several workers, they share them. */
  async encodeBatch(given: Iterable<string>, options: EncodeOptions = {}): Promise<Encoding[]> {
    const { policy = "error", signal } = asEncodeOptions(options);
    const texts = asTexts(given);
    const parts = inParts(texts, this.#engine.workers);
    const columns: Uint32Array[][] = [];
    const failed = new AbortController();
    const either = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
    const left = parts.entries(); // each worker takes the next one
    const work = async () => {
      for (const [i, part] of left) columns[i] = await this.#call("encode", [part, policy], either);
    };
    try {
      await Promise.all(Array.from({ length: this.#engine.workers }, work));
    } catch (error) {
      failed.abort(error);
      throw error;
    }
    return columns.flat().map((column, i) => new Encoding(texts[i]!, column, this.#specialTokens));
  }

  /** A text that is going to be edited: after that, an edit costs what it changes and not what the text has. */
  async open(text: string, options: OpenOptions & { signal?: AbortSignal } = {}): Promise<Document> {
    const { policy = "text", signal } = asOptions(options, "policy", "signal");
    asText(text);
    signal?.throwIfAborted();
    const document = new Document(this.#home(), asReading(policy));
    await unlessAborted(document.open(text), signal, () => document.close());
    return document;
  }

  /** Text to ids while it comes: the chunks of a response, say. Special tokens are text unless `policy` says otherwise. */
  encoderStream(options: OpenOptions = {}): TransformStream<string, Uint32Array> {
    const { policy = "text" } = asOptions(options, "policy");
    return encoderStream(this.#home(), asReading(policy));
  }

  /** Ids to text while they come, as from a model; never a part of a character. */
  decoderStream(): TransformStream<number | Iterable<number>, string> {
    return decoderStream(this.#home());
  }

  /** Ids alone, special tokens being text like any other: the fastest way. */
  async encodeOrdinary(text: string, options: { signal?: AbortSignal } = {}): Promise<Uint32Array> {
    const { signal } = asOptions(options, "signal");
    return this.#call("ids", [asText(text)], signal);
  }

  /** How many tokens `text` has: cheaper than encoding it. */
  async count(text: string, options: EncodeOptions = {}): Promise<number> {
    const { policy = "error", signal } = asEncodeOptions(options);
    return this.#call("count", [asText(text), policy], signal);
  }

  /** Has `text` at most `n` tokens? Stops counting when it has more. */
  async fits(text: string, n: number, options: EncodeOptions = {}): Promise<boolean> {
    const { policy = "error", signal } = asEncodeOptions(options);
    return this.#call("fits", [asText(text), asCount(n, "a number of tokens"), policy], signal);
  }

  /**
   * As much of `text` as has at most `n` tokens when it is encoded again. It is cut off at `side`, between two of its
   * tokens and never inside a character. Nothing is left where `n` is less than what a template adds to every text.
   */
  async truncate(text: string, n: number, options: TruncateOptions = {}): Promise<Slice> {
    const { side = "right", policy = "error", signal } = asOptions(options, "side", "policy", "signal");
    const columns = await this.#call("truncate", [asText(text), asCount(n, "a number of tokens"), side, policy], signal);
    return slices(text, columns)[0]!;
  }

  /** The text in parts of at most `n` tokens each, in order. Rejects if one of its characters has more. */
  async chunks(text: string, n: number, options: ChunkOptions = {}): Promise<Slice[]> {
    const { overlap = 0, policy = "error", signal } = asOptions(options, "overlap", "policy", "signal");
    return slices(text, await this.#call("chunks", [asText(text), asCount(n, "a number of tokens"), overlap, policy], signal));
  }

  async decode(ids: Iterable<number>, options: { signal?: AbortSignal } = {}): Promise<string> {
    const { signal } = asOptions(options, "signal");
    return this.#call("decode", [asIds(ids)], signal);
  }

  /** Bytes and spelling of one entry of the vocabulary. */
  async token(id: number, options: { signal?: AbortSignal } = {}): Promise<TokenInfo> {
    const { signal } = asOptions(options, "signal");
    return this.#call("token", [asId(id)], signal);
  }

  /** How a text becomes tokens: normalization, pieces, every merge in order. */
  async explain(text: string, options: EncodeOptions = {}): Promise<Explanation> {
    const { policy = "error", signal } = asEncodeOptions(options);
    return this.#call("explain", [asText(text), policy], signal);
  }

  /**
   * The same for one token of an encoding, at the cost of the text around it. `policy` is that of the encoding.
   * `undefined` where so much text is merged together that nobody could follow it.
   */
  async explainToken(encoding: Encoding, index: number, options: EncodeOptions = {}): Promise<TokenExplanation | undefined> {
    const { policy = "error", signal } = asEncodeOptions(options);
    return explainToken(asEncoding(encoding), asWholeNumber(index, "an index"), {
      around: (text, start, end) => this.#call("around", [text, start, end], signal),
      explain: (text) => this.explain(text, { policy, ...(signal && { signal }) }),
    });
  }

  /** What the vocabulary is like. Takes seconds, and other calls wait meanwhile. */
  async inspect(options: { signal?: AbortSignal } = {}): Promise<Inspection> {
    const { signal } = asOptions(options, "signal");
    return this.#call("inspect", [], signal);
  }

  /** Frees the vocabulary's memory in the workers. */
  dispose(): void {
    this.#disposed = true;
    for (const [connection, handle] of this.#handles) {
      // Whoever disposes does not wait, and a worker that dies meanwhile has freed it as well.
      if (!connection.dead) handle.then((handle) => connection.call("unload", [handle])).catch(() => {});
    }
    this.#handles.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Loads the vocabulary into a worker, unless it is there; `last` if it lives. For `Engine`. */
  async load(last?: Connection, signal?: AbortSignal): Promise<{ connection: Connection; handle: number }> {
    const connection = last && !last.dead ? last : this.#engine.connection();
    return { connection, handle: await this.#handleIn(connection, signal) };
  }

  #handleIn(connection: Connection, signal?: AbortSignal): Promise<number> {
    for (const other of this.#handles.keys()) if (other.dead) this.#handles.delete(other);
    const handle = this.#handles.get(connection) ?? this.#read(connection, signal);
    handle.catch(() => {}); // each call that waits for it is told
    this.#handles.set(connection, handle);
    return handle;
  }

  async #read(connection: Connection, signal: AbortSignal | undefined): Promise<number> {
    const { name, pattern, specialTokens } = this.#options;
    const args = async (): Promise<Arguments<"load">> => {
      return [await Promise.all(this.#blobs.map((blob) => blob.arrayBuffer())), name, pattern, specialTokens];
    };
    const tooLate = ({ handle }: Result<"load">) => void connection.call("unload", [handle]).catch(() => {});
    const { handle, ...info } = await connection.call("load", args, { signal, tooLate });
    this.#info = info;
    this.#specialTokens = specialTokensById(info);
    return handle;
  }

  async #call<M extends CallWithHandle>(method: M, args: Rest<Arguments<M>>, signal?: AbortSignal): Promise<Result<M>> {
    signal?.throwIfAborted();
    if (this.#disposed) throw new WorkerError("The tokenizer was disposed");
    const connection = this.#engine.connection();
    const handle = this.#handleIn(connection);
    return connection.call(method, async () => [await handle, ...args] as unknown as Arguments<M>, { signal });
  }

  #home(): Home {
    return {
      specialTokens: this.#specialTokens,
      reach: async (last) => {
        if (this.#disposed) throw new WorkerError("The tokenizer was disposed");
        return this.load(last);
      },
    };
  }
}

type Hints = { name?: string | undefined; pattern?: string; specialTokens?: Record<string, number> };
type CallWithHandle = Exclude<Method, "load" | "open" | "replace" | "close" | "encoder" | "decoder" | "feed" | "names">;
type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never;

const asEncodeOptions = (options: EncodeOptions): EncodeOptions => asOptions(options, "policy", "signal");

/** Parts of a text, of three columns: where they start and end, and how many tokens they have. */
function slices(text: string, columns: Uint32Array): Slice[] {
  const size = columns.length / 3;
  return Array.from(columns.subarray(0, size), (start, i) => {
    const end = columns[size + i]!;
    return { text: text.slice(start, end), start, end, count: columns[2 * size + i]! };
  });
}

/** So few characters are not worth a crossing. */
const SMALLEST_PART = 20_000;
/** For each worker, so that none waits long for the last one. */
const PARTS = 4;

/** Texts in groups of about the same size, for several workers. */
function inParts(texts: readonly string[], workers: number): string[][] {
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  const size = workers === 1 ? Infinity : Math.max(SMALLEST_PART, total / (workers * PARTS));
  const parts: string[][] = [];
  let room = 0;
  for (const text of texts) {
    if (room <= 0) {
      parts.push([]);
      room = size;
    }
    parts.at(-1)!.push(text);
    room -= text.length;
  }
  return parts;
}

async function toBlob(source: Source, report: (progress: Progress) => void, signal?: AbortSignal): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (!(source instanceof URL || typeof source === "string")) return new Blob([source]);
  const url = absolute(source);
  const fail = (why: string, facts: object) => Object.assign(new SourceError(`${url.href} could not be read: ${why}`), { url: url.href, ...facts });
  try {
    const response = await get(url, signal);
    if (!response.ok) throw fail(`${response.status} ${response.statusText}`, { status: response.status });
    return await new Response(response.body!.pipeThrough(counted(report))).blob();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw cause instanceof SourceError ? cause : fail((cause as Error).message, { cause });
  }
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
  return source instanceof URL || typeof source === "string" ? absolute(source).pathname.split("/").at(-1) : undefined;
}

function folder(url: URL): string {
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
