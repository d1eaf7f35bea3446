/** What crosses between the page and the worker. Both sides import this file and nothing of each other. */

/** How special tokens that stand in a text are read. */
export type SpecialPolicy =
  /** `<|endoftext|>` becomes its id; a `tokenizer.json` also adds its own (`<s>`, `</s>`…). */
  | "special"
  /** `<|endoftext|>` is text like any other. */
  | "text"
  /** `<|endoftext|>` raises a `SpecialTokenError`: tiktoken's default, safe for text that you did not write. */
  | "error";

export interface VocabularyInfo {
  format: string;
  name: string;
  vocab_size: number;
  n_special: number;
  special_tokens: [text: string, id: number][];
  patterns: string[];
  /** Size of the file. */
  bytes: number;
  sha256: string;
}

export interface TokenInfo {
  id: number;
  bytes: Uint8Array;
  /** The vocabulary's own spelling: may hold `Ġ`, `▁` or `<0x0A>`. */
  text: string;
  special: boolean;
}

/** Methods of `bpeek.bridge`, as a worker's client sees them. */
export interface Methods {
  load(
    files: ArrayBuffer[],
    name: string | undefined,
    pattern: string | undefined,
    specialTokens: Record<string, number> | undefined,
  ): VocabularyInfo & { handle: number };
  /** Per text, five columns in one array: ids · starts · ends · byte starts · byte ends. */
  encode(handle: number, texts: string[], policy: SpecialPolicy): Uint32Array[];
  /** Ids alone, special tokens being text. */
  ids(handle: number, text: string): Uint32Array;
  count(handle: number, text: string, policy: SpecialPolicy): number;
  decode(handle: number, ids: Uint32Array): string;
  token(handle: number, id: number): TokenInfo;
  unload(handle: number): undefined;
  /** A text to be edited, and the columns that `encode` gives for it. */
  open(handle: number, text: string, policy: SpecialPolicy): { document: number; columns: Uint32Array };
  /** `index · removed`, then five columns of the tokens that came instead. */
  replace(document: number, start: number, end: number, text: string): Uint32Array;
  close(document: number): undefined;
}

export type Method = keyof Methods;
export type Arguments<M extends Method> = Parameters<Methods[M]>;
export type Result<M extends Method> = ReturnType<Methods[M]>;

/** An error as data: its class, its sentence, and facts such as `line` or `field`. */
export interface ErrorData {
  name: string;
  message: string;
  [fact: string]: unknown;
}

export interface Progress {
  /** `runtime` and `vocabulary` count bytes; `engine` is the import of bpeek; `ready` comes once for each worker. */
  phase: "runtime" | "engine" | "ready" | "vocabulary";
  loaded: number;
  /** 0 if it is not known. */
  total: number;
}

export type ToWorker =
  | { type: "start"; assets: string | undefined }
  | { type: "call"; id: number; method: Method; args: unknown[] };

export type FromWorker =
  | ({ type: "progress" } & Progress)
  /** The worker is of no more use. */
  | { type: "failed"; error: ErrorData }
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; error: ErrorData };
