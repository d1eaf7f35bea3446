/// <reference lib="esnext.disposable" preserve="true" />

/** A vocabulary that is loaded, and all that it can be asked. */

import { asEncoding, asId, asIds, asOptions, asPolicy, asReading, asRoom, asText, asTexts, asWholeNumber, isEncoding } from "./arguments.js";
import { unlessAborted, type Connection } from "./connection.js";
import { Document, type Home, type OpenOptions } from "./document.js";
import { Encoding, specialTokensById } from "./encoding.js";
import type { Engine } from "./engine.js";
import { WorkerError } from "./errors.js";
import { explainToken, type TokenExplanation } from "./explain.js";
import type { AllowedSpecial, Arguments, Explanation, Inspection, Method, Result, SpecialPolicy, TokenInfo, VocabularyInfo } from "./protocol.js";
import { content } from "./source.js";
import { decoderStream, encoderStream } from "./streams.js";

/** What a file may not tell by itself. */
export interface Hints {
  /** A file name; its stem can tell which known encoding a `.tiktoken` file is. */
  name?: string | undefined;
  /** The split pattern of a `.tiktoken` file that is not known. */
  pattern?: string;
  /** Special tokens of such a file, and their ids; or some more than a `tokenizer.json` has. */
  specialTokens?: Record<string, number>;
}

export interface EncodeOptions {
  /** How special tokens in the text are read; `"error"` unless given. */
  policy?: SpecialPolicy;
  /** Special tokens that are read as such, all or some by name; `policy` says how the others are read, and must not be `"special"`. */
  allowedSpecial?: AllowedSpecial;
  signal?: AbortSignal;
}

export interface DecodeOptions {
  /** Are special tokens left out of the text? They are unless this is `false`. */
  skipSpecialTokens?: boolean;
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
    const { policy, signal } = asEncodeOptions(options);
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
    const { policy = "text", allowedSpecial, signal } = asOptions(options, "policy", "allowedSpecial", "signal");
    asText(text);
    signal?.throwIfAborted();
    const document = new Document(this.#home(), asReading(policy, allowedSpecial));
    await unlessAborted(document.open(text), signal, () => document.close());
    return document;
  }

  /** Text to ids while it comes: the chunks of a response, say. Special tokens are text unless `policy` says otherwise. */
  encoderStream(options: OpenOptions = {}): TransformStream<string, Uint32Array> {
    const { policy = "text", allowedSpecial } = asOptions(options, "policy", "allowedSpecial");
    return encoderStream(this.#home(), asReading(policy, allowedSpecial));
  }

  /** Ids to text while they come, as from a model; never a part of a character. */
  decoderStream(options: DecodeOptions = {}): TransformStream<number | Iterable<number>, string> {
    const { skipSpecialTokens = true } = asOptions(options, "skipSpecialTokens");
    return decoderStream(this.#home(), skipSpecialTokens);
  }

  /** Ids alone, special tokens being text like any other: the fastest way. */
  async encodeOrdinary(text: string, options: { signal?: AbortSignal } = {}): Promise<Uint32Array> {
    const { signal } = asOptions(options, "signal");
    return this.#call("ids", [asText(text)], signal);
  }

  /** How many tokens `text` has: cheaper than encoding it. */
  async count(text: string, options: EncodeOptions = {}): Promise<number> {
    const { policy, signal } = asEncodeOptions(options);
    return this.#call("count", [asText(text), policy], signal);
  }

  /** Has `text` at most `n` tokens? Stops counting when it has more. `n` may be `Infinity`, as in `truncate` and `chunks`. */
  async fits(text: string, n: number, options: EncodeOptions = {}): Promise<boolean> {
    const { policy, signal } = asEncodeOptions(options);
    return this.#call("fits", [asText(text), asRoom(n), policy], signal);
  }

  /**
   * As much of `text` as has at most `n` tokens when it is encoded again. It is cut off at `side`, between two of its
   * tokens and never inside a character. Nothing is left where `n` is less than what a template adds to every text.
   */
  async truncate(text: string, n: number, options: TruncateOptions = {}): Promise<Slice> {
    const { side = "right", policy, signal } = asEncodeOptions(options, "side");
    const columns = await this.#call("truncate", [asText(text), asRoom(n), side, policy], signal);
    return slices(text, columns)[0]!;
  }

  /** The text in parts of at most `n` tokens each, in order. Rejects if one of its characters has more. */
  async chunks(text: string, n: number, options: ChunkOptions = {}): Promise<Slice[]> {
    const { overlap = 0, policy, signal } = asEncodeOptions(options, "overlap");
    return slices(text, await this.#call("chunks", [asText(text), asRoom(n), overlap, policy], signal));
  }

  /** Ids to text, also those of an encoding. */
  async decode(ids: Iterable<number> | Encoding, options: DecodeOptions & { signal?: AbortSignal } = {}): Promise<string> {
    const { skipSpecialTokens = true, signal } = asOptions(options, "skipSpecialTokens", "signal");
    return this.#call("decode", [asIds(isEncoding(ids) ? ids.ids : ids), skipSpecialTokens], signal);
  }

  /** Bytes and spelling of one entry of the vocabulary. */
  async token(id: number, options: { signal?: AbortSignal } = {}): Promise<TokenInfo> {
    const { signal } = asOptions(options, "signal");
    return this.#call("token", [asId(id)], signal);
  }

  /** How a text becomes tokens: normalization, pieces, every merge in order. */
  async explain(text: string, options: EncodeOptions = {}): Promise<Explanation> {
    const { policy, signal } = asEncodeOptions(options);
    return this.#call("explain", [asText(text), policy], signal);
  }

  /**
   * The same for one token of an encoding, at the cost of the text around it. `policy` is that of the encoding.
   * `undefined` where so much text is merged together that nobody could follow it.
   */
  async explainToken(encoding: Encoding, index: number, options: EncodeOptions = {}): Promise<TokenExplanation | undefined> {
    const { policy, signal } = asEncodeOptions(options);
    return explainToken(asEncoding(encoding), asWholeNumber(index, "an index"), {
      around: (text, start, end) => this.#call("around", [text, start, end], signal),
      explain: (text) => this.#call("explain", [text, policy], signal),
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
      return [await Promise.all(this.#blobs.map(content)), name, pattern, specialTokens];
    };
    const tooLate = ({ handle }: Result<"load">) => void connection.call("unload", [handle]).catch(() => {});
    const { handle, ...info } = await connection.call("load", args, { signal, tooLate });
    this.#info = info;
    this.#specialTokens = specialTokensById(info);
    return handle;
  }

  async #call<M extends CallWithHandle>(method: M, args: Rest<Arguments<M>>, signal?: AbortSignal): Promise<Result<M>> {
    signal?.throwIfAborted();
    if (this.#disposed) throw new WorkerError("The tokenizer was disposed", "closed");
    const connection = this.#engine.connection();
    const handle = this.#handleIn(connection);
    return connection.call(method, async () => [await handle, ...args] as unknown as Arguments<M>, { signal });
  }

  #home(): Home {
    return {
      specialTokens: this.#specialTokens,
      reach: async (last) => {
        if (this.#disposed) throw new WorkerError("The tokenizer was disposed", "closed");
        return this.load(last);
      },
    };
  }
}

type CallWithHandle = Exclude<Method, "load" | "open" | "replace" | "close" | "encoder" | "decoder" | "feed" | "names">;
type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never;

/** Options of a call; those on special tokens become one. */
function asEncodeOptions<T extends EncodeOptions>(options: T, ...more: (keyof T & string)[]) {
  const { policy = "error", allowedSpecial, ...others } = asOptions(options, ...more, "policy", "allowedSpecial", "signal");
  return { ...others, policy: asPolicy(policy, allowedSpecial) };
}

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
