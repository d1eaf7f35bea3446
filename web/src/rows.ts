/** Cuts a comparison into rows of about a line, for `<token-compare>`. */

import type { Comparison } from "./compare.js";

/** Segments `first` to `last - 1`, and the text that they are. */
export interface Row {
  first: number;
  last: number;
  start: number;
  end: number;
  /** Whether some of its segments are not cut in the same way by all. */
  differs: boolean;
}

/** A row ends with a line, else before a space when it is as long as this … */
const LONG = 100;
/** … and anywhere when it is as long as this. */
const TOO_LONG = 240;

export function toRows({ encodings, starts, ends, differing }: Comparison): Row[] {
  const text = encodings[0]!.text;
  const rows: Row[] = [];
  let first = 0;
  let next = 0; // among those that differ
  for (let i = 0; i < starts.length; i++) {
    const length = ends[i]! - starts[first]!;
    const isOver = length >= TOO_LONG || (length >= LONG && /\s/.test(text[ends[i]!] ?? " "));
    if (!isOver && text[ends[i]! - 1] !== "\n" && i + 1 < starts.length) continue;
    const before = next;
    while (next < differing.length && differing[next]! <= i) next++;
    rows.push({ first, last: i + 1, start: starts[first]!, end: ends[i]!, differs: next > before });
    first = i + 1;
  }
  return rows;
}
