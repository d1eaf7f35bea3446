/** What crosses between the page and the worker. Both sides import this file and nothing of each other. */

/** How special tokens that stand in a text are read. */
export type SpecialPolicy =
  /** `<|endoftext|>` becomes its id; a `tokenizer.json` also adds its own (`<s>`, `</s>`…). */
  | "special"
  /** `<|endoftext|>` is text like any other. */
  | "text"
  /** `<|endoftext|>` raises a `SpecialTokenError`: tiktoken's default, safe for text that you did not write. */
  | "error";

/** Special tokens that are allowed: all, or some by name. */
export type AllowedSpecial = "all" | ReadonlySet<string> | readonly string[];

/** A policy as it crosses: also one that allows some special tokens, and says how the others are read. */
export type Policy = SpecialPolicy | { others: Exclude<SpecialPolicy, "special">; allowed: "all" | string[] };

export interface VocabularyInfo {
  format: string;
  name: string;
  vocab_size: number;
  n_special: number;
  special_tokens: [text: string, id: number][];
  patterns: string[];
  /** What long texts are encoded in: `"WebAssembly"`, or `undefined` where Python does everything. */
  kernel: string | undefined;
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

/** How a text became tokens. Places in the text are UTF-16 units; those of merges count the piece's start symbols. */
export interface Explanation {
  text: string;
  /** Where special and other added tokens are written, and whether they were taken for such. */
  notices: { token: string; id: number; start: number; end: number; taken: boolean; why: string }[];
  stretches: Stretch[];
  tokens: { id: number; token: string; start: number; end: number; piece: number | undefined }[];
}

/** Text between added tokens: normalized by itself, then cut into pieces. */
export interface Stretch {
  start: number;
  end: number;
  text: string;
  changes: { step: string; before: string; after: string }[];
  pieces: Piece[];
}

/** What is merged by itself. */
export interface Piece {
  text: string;
  start: number;
  end: number;
  ids: number[];
  tokens: string[];
  /** By which step it was cut out, and which alternative (from 0) of the step's pattern. */
  cuts: { step: string; pattern: string | undefined; alternative: number | undefined; written: string | undefined }[];
  symbols: string[];
  merges: Merge[];
  /** It is in the vocabulary as it stands, and nothing was merged; `merges` are what merging would do. */
  whole: boolean;
  /** It is an added token. */
  added: boolean;
}

export interface Merge {
  rank: number;
  start: number;
  middle: number;
  end: number;
  left: string;
  right: string;
  made: string;
}

/** What a vocabulary is like; see `docs/theory.md` for the words. */
export interface Inspection {
  name: string | undefined;
  format: string;
  rule: "by_rank" | "by_pair" | "by_score";
  vocab_size: number;
  added_tokens: number;
  rules: {
    count: number;
    implied: boolean;
    useful: number;
    useless: [string, string][];
    twice: number;
    weakly_proper: boolean | undefined;
    proper: boolean | undefined;
    useful_proper: boolean;
    improper_uses: [string, string, string][];
    falling: number;
    ranks_are_shared: boolean;
  };
  same_semantics: boolean | undefined;
  witness: { text: string; sentencepiece: string[]; hugging_face: string[] } | undefined;
  texts_compared: number;
  lookahead: { unit: string; longest: number; paper_bound: number | undefined; chain_bound: number | undefined };
  unreachable: { id: number; token: string; reason: string; detail: string; proved: boolean; ids: number[] }[];
  only_whole: number[];
  only_in_context: [id: number, text: string][];
  partial: number[];
  same_bytes: number[][];
  same_id: string[][];
  longest: [id: number, token: string, bytes: number][];
  patterns: { step: string; source: string; dialect: string; engine: string; covers: boolean; alternatives: number }[];
  /** The same as text. */
  report: string;
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
  encode(handle: number, texts: string[], policy: Policy): Uint32Array[];
  /** Ids alone, special tokens being text. */
  ids(handle: number, text: string): Uint32Array;
  count(handle: number, text: string, policy: Policy): number;
  fits(handle: number, text: string, n: number, policy: Policy): boolean;
  /** `start · end · count` of what is kept. */
  truncate(handle: number, text: string, n: number, side: "left" | "right", policy: Policy): Uint32Array;
  /** Three columns: starts · ends · counts. */
  chunks(handle: number, text: string, n: number, overlap: number, policy: Policy): Uint32Array;
  decode(handle: number, ids: Uint32Array, skipSpecialTokens: boolean): string;
  token(handle: number, id: number): TokenInfo;
  /** Of no vocabulary: Unicode's name of each character. */
  names(text: string): string[];
  explain(handle: number, text: string, policy: Policy): Explanation;
  /** Where the part of `text` begins and ends that is enough to explain what is from `start` to `end`. */
  around(handle: number, text: string, start: number, end: number): Uint32Array;
  inspect(handle: number): Inspection;
  unload(handle: number): undefined;
  /** A text to be edited, and the columns that `encode` gives for it. */
  open(handle: number, text: string, policy: Policy): { document: number; columns: Uint32Array };
  /** `index · removed`, then five columns of the tokens that came instead. */
  replace(document: number, start: number, end: number, text: string): Uint32Array;
  close(document: number): undefined;
  /** Streams of text to ids, and of ids to text; their numbers. */
  encoder(handle: number, policy: Policy): number;
  decoder(handle: number, skipSpecialTokens: boolean): number;
  /** What has become certain; the rest of it and the end of the stream, if this chunk is the `last`. */
  feed(stream: number, chunk: string | Uint32Array, last: boolean): Uint32Array | string;
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
  /** `life` is the name of a lock that the worker holds as long as it lives; `keep` asks for a snapshot. */
  | { type: "start"; assets: string | undefined; keep: boolean; life: string | undefined }
  | { type: "call"; id: number; method: Method; args: unknown[] };

export type FromWorker =
  | ({ type: "progress" } & Progress)
  /** The lock is held. */
  | { type: "alive" }
  /** The worker is of no more use. */
  | { type: "failed"; error: ErrorData }
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; error: ErrorData };
