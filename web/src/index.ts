export { compare } from "./compare.js";
export type { Comparison } from "./compare.js";
export { Document, editBetween } from "./document.js";
export type { Change, OpenOptions } from "./document.js";
export { Encoding } from "./encoding.js";
export type { EncodingJSON, Span } from "./encoding.js";
export { createEngine, Engine } from "./engine.js";
export type { EngineOptions, LoadOptions } from "./engine.js";
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
export type { AllowedSpecial, Explanation, Inspection, Merge, Piece, Progress, SpecialPolicy, Stretch, TokenInfo, VocabularyInfo } from "./protocol.js";
export { forgetSnapshot } from "./snapshot.js";
export type { Source } from "./source.js";
export { Tokenizer } from "./tokenizer.js";
export type { ChunkOptions, DecodeOptions, EncodeOptions, Slice, TruncateOptions } from "./tokenizer.js";
