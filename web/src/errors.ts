/** The engine's errors, revived: the same names and facts as in Python (`bpeek.errors`). */

import type { ErrorData } from "./protocol.js";

/** Base of every error that bpeek raises on purpose. */
export class BpeekError extends Error {
  override name = "BpeekError";
}

/** A vocabulary file is broken, or is not a file that bpeek reads. */
export class FormatError extends BpeekError {
  override name = "FormatError";
  declare readonly file?: string;
  declare readonly line?: number;
  declare readonly byte?: number;
  declare readonly field?: string;
}

/** A split pattern cannot be compiled; `pos` indexes `source`. */
export class PatternError extends BpeekError {
  override name = "PatternError";
  declare readonly source: string;
  declare readonly pos: number;
}

/** A text holds a special token that the call did not allow; `pos` is in code points. */
export class SpecialTokenError extends BpeekError {
  override name = "SpecialTokenError";
  declare readonly token: string;
  declare readonly pos: number;
}

/** The vocabulary has no such id or token. */
export class UnknownTokenError extends BpeekError {
  override name = "UnknownTokenError";
  declare readonly token: number | string;
}

/** The file is sound but asks for something that bpeek does not do. */
export class UnsupportedError extends BpeekError {
  override name = "UnsupportedError";
  declare readonly feature: string;
  declare readonly where?: string;
}

/** A file or URL could not be read; `cause` is the reason, if it is no `status` of HTTP. */
export class SourceError extends BpeekError {
  override name = "SourceError";
  declare readonly url: string;
  declare readonly status?: number;
}

/** There is no worker that could answer. Unless you closed what you called, the next call starts another. */
export class WorkerError extends BpeekError {
  override name = "WorkerError";
  /** It could not `"start"`, it died at `"work"` or idle, or you `"closed"` it: the engine, the tokenizer, the document. */
  readonly when: "start" | "work" | "closed";

  constructor(message: string, when: WorkerError["when"] = "work") {
    super(message);
    this.when = when;
  }
}

const CLASSES: Record<string, new (message: string) => BpeekError> = {
  FormatError,
  PatternError,
  SpecialTokenError,
  UnknownTokenError,
  UnsupportedError,
  WorkerError,
};

export function revive({ name, message, ...facts }: ErrorData): BpeekError {
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return Object.assign(new (known ?? BpeekError)(message), facts);
}
