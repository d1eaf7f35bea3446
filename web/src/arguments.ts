/**
 * What callers pass, checked where it comes in, so that an error says what was wanted: what JavaScript would quietly
 * make of a wrong argument is some other text or number. The sentences are those of `bpeek.arguments` in Python.
 */

import type { Encoding } from "./encoding.js";
import { UnknownTokenError } from "./errors.js";
import type { AllowedSpecial, Policy, SpecialPolicy } from "./protocol.js";

export function asText(text: string, what = "a text"): string {
  if (typeof text !== "string") throw wrong(what, "a string", text);
  return text;
}

/** Several texts, and not one, whose characters would pass for them. */
export function asTexts(texts: Iterable<string>): readonly string[] {
  const list = Array.isArray(texts) ? (texts as string[]) : [...many(texts, "texts")];
  for (const text of list) asText(text);
  return list;
}

/** A copy. `TypeError` for what is no whole number, `UnknownTokenError` for one that no id can be. */
export function asIds(ids: Iterable<number>): Uint32Array {
  return ids instanceof Uint32Array ? ids.slice() : Uint32Array.from(many(ids, "ids"), asId);
}

export function asId(id: number): number {
  asWholeNumber(id, "an id");
  if (id >>> 0 === id) return id;
  throw Object.assign(new UnknownTokenError(`${id} is no id: ids are from 0 to ${2 ** 32 - 1}`), { token: id });
}

export function asWholeNumber(value: number, what: string): number {
  if (!Number.isInteger(value)) throw wrong(what, "a whole number", value);
  return value;
}

/** A number that is not negative, and that Python can be given. */
export function asCount(value: number, what: string): number {
  if (asWholeNumber(value, what) < 0 || value > Number.MAX_SAFE_INTEGER) throw new RangeError(`${what} must be 0 or more, not ${value}`);
  return value;
}

/** A number of tokens that a text may have; `Infinity` for any. */
export function asRoom(value: number): number {
  return value === Infinity ? Number.MAX_SAFE_INTEGER : asCount(value, "a number of tokens");
}

export function asFunction<T>(value: T, what: string): T {
  if (value !== undefined && typeof value !== "function") throw wrong(what, "a function", value);
  return value;
}

/** Also one of another copy of this package. */
export function isEncoding(value: unknown): value is Encoding {
  const columns = (value as { ids?: unknown; text?: unknown } | null | undefined) ?? {};
  return typeof columns.text === "string" && ArrayBuffer.isView(columns.ids);
}

export function asEncoding<T>(value: T): T {
  if (!isEncoding(value)) throw wrong("an encoding", "what encode() gave", value);
  return value;
}

export function asEncodings<T>(values: readonly T[]): readonly T[] {
  if (!Array.isArray(values)) throw wrong("encodings", "in an array", values);
  values.forEach(asEncoding);
  return values;
}

const CHECKS: Record<string, (value: never) => unknown> = {
  signal: (value: AbortSignal) => {
    if (typeof value !== "object" || value === null || !("aborted" in value)) throw wrong("signal", "an AbortSignal", value);
  },
  policy: (value: SpecialPolicy) => oneOf(value, "policy", ["error", "text", "special"]),
  allowedSpecial: () => {}, // `asPolicy` reads it, and some iterables can be read only once
  skipSpecialTokens: (value: boolean) => {
    if (typeof value !== "boolean") throw wrong("skipSpecialTokens", "true or false", value);
  },
  side: (value: string) => oneOf(value, "side", ["left", "right"]),
  overlap: (value: number) => asCount(value, "overlap"),
  name: (value: string) => asText(value, "name"),
  pattern: (value: string) => asText(value, "pattern"),
  specialTokens: (value: Record<string, number>) => {
    const isPlain = typeof value === "object" && value !== null && !(Symbol.iterator in value);
    if (!isPlain) throw wrong("specialTokens", "an object of ids by token", value);
    for (const [token, id] of Object.entries(value)) asWholeNumber(id, `the id of the special token ${JSON.stringify(token)}`);
  },
  workers: (value: number) => {
    if (!(Number.isSafeInteger(value) && value > 0)) throw new RangeError(`An engine has one worker or more, not ${shown(value)}`);
  },
  workerURL: (value: unknown) => address(value, "workerURL"),
  assetsURL: (value: unknown) => address(value, "assetsURL"),
  snapshot: (value: boolean) => {
    if (typeof value !== "boolean") throw wrong("snapshot", "true or false", value);
  },
  onProgress: (value: () => void) => asFunction(value, "onProgress"),
  spawn: (value: () => void) => asFunction(value, "spawn"),
};

/** Options by name: only those that there are, and each as it must be. What is `undefined` is not given. */
export function asOptions<T extends object>(options: T, ...names: (keyof T & string)[]): T {
  if (typeof options !== "object" || options === null) throw wrong("options", `an object such as { ${names[0]}: … }`, options);
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name as never)) throw new TypeError(`there is no option ${JSON.stringify(name)}; there is ${names.join(", ")}`);
    if (value !== undefined) CHECKS[name]!(value as never);
  }
  return options;
}

/** Both options on special tokens as one. With `"special"`, which allows them all, none can be allowed by name. */
export function asPolicy(policy: SpecialPolicy, allowedSpecial: AllowedSpecial | undefined): Policy {
  if (allowedSpecial === undefined) return policy;
  const allowed = asAllowed(allowedSpecial);
  if (policy === "special") throw new TypeError('policy "special" allows all special tokens: leave allowedSpecial out, or take "error" or "text" for the others');
  return { others: policy, allowed };
}

/** For what has no answer to a special token but to read it in some way. */
export function asReading(policy: SpecialPolicy, allowedSpecial: AllowedSpecial | undefined): Policy {
  oneOf(policy, "policy", ["text", "special"]);
  return asPolicy(policy, allowedSpecial);
}

function asAllowed(value: AllowedSpecial): "all" | string[] {
  if (value === "all") return "all";
  const isMany = typeof value === "object" && value !== null && Symbol.iterator in value;
  const tokens: unknown[] = isMany ? [...value] : [value];
  const isWrong = (token: unknown) => !isMany || typeof token !== "string";
  if (!tokens.some(isWrong)) return tokens as string[];
  throw wrong("allowedSpecial", '"all" or special tokens in a set, such as new Set(["<|endoftext|>"])', tokens.find(isWrong));
}

/** What a vocabulary can be read from. */
export function asSource<T>(source: T): T {
  const kind = Object.prototype.toString.call(source).slice("[object ".length, -1); // also of another window
  const isSource = typeof source === "string" || ArrayBuffer.isView(source) || ["File", "Blob", "ArrayBuffer", "URL"].includes(kind);
  if (!isSource) throw wrong("a vocabulary", "a File, Blob, ArrayBuffer, typed array, URL or string", source);
  return source;
}

function address(value: unknown, what: string): void {
  if (typeof value !== "string" && typeof (value as { toJSON?: unknown } | null)?.toJSON !== "function") throw wrong(what, "a string or URL", value);
}

function oneOf(value: string, what: string, known: string[]): string {
  if (known.includes(value)) return value;
  throw wrong(what, known.map((each) => `"${each}"`).join(" or "), value);
}

function many<T>(values: Iterable<T>, what: string): Iterable<T> {
  const isMany = typeof values === "object" && values !== null && Symbol.iterator in values;
  if (!isMany) throw wrong(what, "in a list or another iterable", values);
  return values;
}

const wrong = (what: string, wanted: string, value: unknown) => new TypeError(`${what} must be ${wanted}, not ${shown(value)}`);

function shown(value: unknown): string {
  if (typeof value === "string") return value.length > 40 ? `a string of ${value.length} units` : JSON.stringify(value);
  if (typeof value === "number" || value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : typeof value;
}
