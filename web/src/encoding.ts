/** The result of encoding one text: columns, one row per token. */

import type { Change } from "./document.js";
import type { VocabularyInfo } from "./protocol.js";

export type Span = readonly [start: number, end: number];

/** Of an encoding, what JSON can hold. */
export interface EncodingJSON {
  text: string;
  ids: number[];
  starts: number[];
  ends: number[];
  byteStarts: number[];
  byteEnds: number[];
  specialTokens: [id: number, text: string][];
}

const COLUMNS = 5;

export class Encoding {
  readonly ids: Uint32Array;
  /** In UTF-16 units, as JavaScript strings are indexed: `text.slice(starts[i], ends[i])`. A token that is part of a character has the whole character's span. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** In bytes of the text's UTF-8: every byte belongs to one token. */
  readonly byteStarts: Uint32Array;
  readonly byteEnds: Uint32Array;
  #astral: Uint32Array | undefined;
  #bytes: number | undefined;
  #codePoints: number | undefined;

  constructor(
    readonly text: string,
    columns: Uint32Array,
    /** Special tokens of the vocabulary, by id. */
    readonly specialTokens: ReadonlyMap<number, string> = new Map(),
  ) {
    const length = columns.length / COLUMNS;
    const column = (i: number) => columns.subarray(i * length, (i + 1) * length);
    this.ids = column(0);
    this.starts = column(1);
    this.ends = column(2);
    this.byteStarts = column(3);
    this.byteEnds = column(4);
  }

  get length(): number {
    return this.ids.length;
  }

  /** The text that token `i` covers. */
  slice(i: number): string {
    return this.text.slice(this.starts[i], this.ends[i]);
  }

  span(i: number): Span {
    return [at(this.starts, i), at(this.ends, i)];
  }

  byteSpan(i: number): Span {
    return [at(this.byteStarts, i), at(this.byteEnds, i)];
  }

  /** In code points, as Python strings are indexed. */
  codePointSpan(i: number): Span {
    return [this.codePointAt(at(this.starts, i)), this.codePointAt(at(this.ends, i))];
  }

  isSpecial(i: number): boolean {
    return this.specialTokens.has(at(this.ids, i));
  }

  /** For `JSON.stringify`: the fields, in plain arrays, and special tokens as pairs of an id and its text. */
  toJSON(): EncodingJSON {
    const { text, ids, starts, ends, byteStarts, byteEnds, specialTokens } = this;
    const plain = { ids: [...ids], starts: [...starts], ends: [...ends], byteStarts: [...byteStarts], byteEnds: [...byteEnds] };
    return { text, ...plain, specialTokens: [...specialTokens] };
  }

  /** How many code points the text has. */
  get codePoints(): number {
    return (this.#codePoints ??= this.text.length - pairs(this.text));
  }

  /** How many bytes the text's UTF-8 has. */
  get bytes(): number {
    return (this.#bytes ??= utf8Length(this.text));
  }

  /** Turns a place in UTF-16 units into one in code points. */
  codePointAt(unit: number): number {
    return unit - countBelow((this.#astral ??= astralPlaces(this.text)), unit);
  }

  /**
   * The encoding of `text`, which `change` made of this one's; `columns` are the five of its new tokens.
   * Nothing here looks at the text that stayed: places behind the edit move, and sums follow.
   */
  replaced(text: string, { index, removed, added, start, end, length }: Change, columns: Uint32Array): Encoding {
    const total = this.length - removed + added;
    const all = new Uint32Array(COLUMNS * total);
    const gone = this.text.slice(start, end);
    const come = text.slice(start, start + length);
    const moreUnits = come.length - gone.length;
    const moreBytes = utf8Length(come) - utf8Length(gone);
    const old = [this.ids, this.starts, this.ends, this.byteStarts, this.byteEnds];
    const moves = [0, moreUnits, moreUnits, moreBytes, moreBytes];
    // What a template puts behind the text covers none of it, wherever the text ends.
    let moving = this.length;
    while (moving > index + removed && this.byteEnds[moving - 1] === 0) moving--;
    old.forEach((column, i) => {
      const row = all.subarray(i * total, (i + 1) * total);
      row.set(column.subarray(0, index));
      row.set(columns.subarray(i * added, (i + 1) * added), index);
      row.set(column.subarray(index + removed), index + added);
      const by = moves[i]!;
      const last = moving - removed + added;
      if (by !== 0) for (let j = index + added; j < last; j++) row[j]! += by;
    });
    const next = make(text, all, this.specialTokens);
    next.#bytes = this.bytes + moreBytes;
    next.#codePoints = this.codePoints + moreUnits - pairs(come) + pairs(gone);
    return next;
  }
}

/** A bundler renames a class that names itself, and that name would be printed. */
const make = (...given: ConstructorParameters<typeof Encoding>): Encoding => new Encoding(...given);

/** Builds `VocabularyInfo`'s list into the map that encodings carry. */
export function specialTokensById(info: VocabularyInfo): ReadonlyMap<number, string> {
  return new Map(info.special_tokens.map(([text, id]) => [id, text]));
}

function at(column: Uint32Array, i: number): number {
  const value = column[i];
  if (value === undefined) throw new RangeError(`There is no token ${i}; the encoding has ${column.length}`);
  return value;
}

export const isHigh = (unit: number): boolean => unit >> 10 === 0x36;
export const isLow = (unit: number): boolean => unit >> 10 === 0x37;

/** How many surrogate pairs a text holds. */
function pairs(text: string): number {
  let count = 0;
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) count++;
  }
  return count;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3; // a lone surrogate is read as U+FFFD
  }
  return bytes - 2 * pairs(text); // the two of a pair have 4 bytes
}

/** Where the second halves of surrogate pairs stand, in order. */
function astralPlaces(text: string): Uint32Array {
  const places: number[] = [];
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) places.push(i);
  }
  return Uint32Array.from(places);
}

/** How many values of a sorted array are below `limit`. */
function countBelow(sorted: Uint32Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
