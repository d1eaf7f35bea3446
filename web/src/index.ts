export { createEngine, Engine, Tokenizer } from "./client.js";
export type { ChunkOptions, EncodeOptions, EngineOptions, LoadOptions, Slice, Source, TruncateOptions } from "./client.js";
export { compare } from "./compare.js";
export type { Comparison } from "./compare.js";
export { Document, editBetween } from "./document.js";
export type { Change, OpenOptions } from "./document.js";
export { Encoding } from "./encoding.js";
export type { Span } from "./encoding.js";
export {
  BpeekError,
  FormatError,
  PatternError,
  SourceError,
  SpecialTokenError,
  UnknownTokenError,
  UnsupportedError,
  WorkerError,
} from "./errors.js";
export type { TokenExplanation } from "./explain.js";
export { toPieces } from "./pieces.js";
export type { Block, Piece as TextPiece } from "./pieces.js";
export type { Explanation, Inspection, Merge, Piece, Progress, SpecialPolicy, Stretch, TokenInfo, VocabularyInfo } from "./protocol.js";
