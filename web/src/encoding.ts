/** The result of encoding one text: columns, one row per token. */

import type { VocabularyInfo } from "./protocol.js";

export type Span = readonly [start: number, end: number];

export class Encoding {
  readonly ids: Uint32Array;
  /** In UTF-16 units, as JavaScript strings are indexed: `text.slice(starts[i], ends[i])`. A token that is part of a character has the whole character's span. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** In bytes of the text's UTF-8: every byte belongs to one token. */
  readonly byteStarts: Uint32Array;
  readonly byteEnds: Uint32Array;
  #astral: Uint32Array | undefined;

  constructor(
    readonly text: string,
    columns: Uint32Array,
    /** Special tokens of the vocabulary, by id. */
    readonly specialTokens: ReadonlyMap<number, string> = new Map(),
  ) {
    const length = columns.length / 5;
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

  /** How many code points the text has. */
  get codePoints(): number {
    return this.codePointAt(this.text.length);
  }

  /** How many bytes the text's UTF-8 has. */
  get bytes(): number {
    let bytes = 0;
    for (let i = 0; i < this.text.length; i++) {
      const unit = this.text.charCodeAt(i);
      // Each half of a pair counts 2 of its 4 bytes; a lone one is read as U+FFFD, 3 bytes.
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >> 11 === 0x1b && this.#paired(i) ? 2 : 3;
    }
    return bytes;
  }

  /** Turns a place in UTF-16 units into one in code points. */
  codePointAt(unit: number): number {
    return unit - countBelow((this.#astral ??= astralPlaces(this.text)), unit);
  }

  #paired(i: number): boolean {
    const high = this.text.charCodeAt(i) < 0xdc00;
    return high ? isLow(this.text.charCodeAt(i + 1)) : isHigh(this.text.charCodeAt(i - 1));
  }
}

/** Builds `VocabularyInfo`'s list into the map that encodings carry. */
export function specialTokensById(info: VocabularyInfo): ReadonlyMap<number, string> {
  return new Map(info.special_tokens.map(([text, id]) => [id, text]));
}

function at(column: Uint32Array, i: number): number {
  const value = column[i];
  if (value === undefined) throw new RangeError(`There is no token ${i}; the encoding has ${column.length}`);
  return value;
}

const isHigh = (unit: number) => unit >> 10 === 0x36;
const isLow = (unit: number) => unit >> 10 === 0x37;

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
