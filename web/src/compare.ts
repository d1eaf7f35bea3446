/** How several tokenizers cut one text: `compare(encodings)`. The same as `bpeek.compare` in Python. */

import { asEncodings } from "./arguments.js";
import type { Encoding } from "./encoding.js";

/**
 * The text of some encodings, cut wherever no token of any of them lies across: in segments from `starts[i]` to
 * `ends[i]`, in UTF-16 units. Tokens `firsts[k][i]` to `firsts[k][i + 1] - 1` of encoding `k` are those of segment `i`.
 */
export interface Comparison {
  readonly encodings: readonly Encoding[];
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly firsts: readonly Uint32Array[];
  /** The segments, in order, that not all cut in the same way. */
  readonly differing: Uint32Array;
  /** Their share of the text, in UTF-16 units. */
  readonly disagreement: number;
}

/** In time and memory that grow as the text does. Throws `RangeError` unless all encodings are of one text, and if there is none. */
export function compare(encodings: readonly Encoding[]): Comparison {
  const [one] = asEncodings(encodings);
  if (!one) throw new RangeError("There is no encoding to compare: pass one or more, all of one text");
  if (encodings.some(({ text }) => text !== one.text)) {
    throw new RangeError("Only encodings of one text can be compared");
  }
  const bounds = sharedCuts(encodings, one.text.length);
  const starts = bounds.places.subarray(0, -1);
  const ends = bounds.places.subarray(1);
  const { tokens } = bounds;
  const agree = (i: number) => encodings.every((each, k) => k === 0 || cutAlike(one, tokens[0]!, each, tokens[k]!, i));
  const found: number[] = [];
  for (let i = 0; i < starts.length; i++) if (!agree(i)) found.push(i);
  const differing = Uint32Array.from(found);
  const units = differing.reduce((sum, i) => sum + ends[i]! - starts[i]!, 0);
  return { encodings, starts, ends, firsts: tokens, differing, disagreement: units / Math.max(1, one.text.length) };
}

/** The places at which every encoding can be cut, and for each encoding how many tokens are before them. */
function sharedCuts(encodings: readonly Encoding[], length: number): { places: Uint32Array; tokens: Uint32Array[] } {
  const all = encodings.map((encoding) => cutsOf(encoding, length));
  const isEdge = new Uint8Array(length + 1);
  for (const { lows, highs, size } of all) {
    for (let i = 0; i < size; i++) isEdge[lows[i]!] = isEdge[highs[i]!] = 1;
  }
  const at = new Uint32Array(all.length);
  const places = new Uint32Array(length + 2);
  const tokens = all.map(() => new Uint32Array(length + 2));
  let count = 0;
  for (let place = 0; place <= length; place++) {
    if (!isEdge[place]) continue;
    let isShared = true;
    for (let k = 0; k < all.length; k++) {
      const { lows, highs } = all[k]!;
      while (highs[at[k]!]! < place) at[k]!++;
      isShared &&= lows[at[k]!]! <= place;
    }
    if (!isShared) continue;
    places[count] = place;
    for (let k = 0; k < all.length; k++) tokens[k]![count] = all[k]!.counts[at[k]!]!;
    count++;
  }
  if (count === 1) places[count++] = length; // no text, but it may have tokens
  for (const [k, { length }] of encodings.entries()) {
    tokens[k]![0] = 0;
    tokens[k]![count - 1] = length; // what a template puts behind is there too
  }
  return { places: places.slice(0, count), tokens: tokens.map((each) => each.slice(0, count)) };
}

/**
 * Where one encoding can be cut: anywhere from `lows[i]`, where `counts[i]` tokens have ended, to `highs[i]`, where the
 * next one begins. Most often that is one place; inside a character that tokens share there is none. Both columns
 * ascend. A token that has no text (`<s>` of a template, an empty prefix) does not stand in the way of any cut.
 */
function cutsOf({ starts, ends, length: count }: Encoding, length: number) {
  const ahead = new Uint32Array(count + 1).fill(length);
  for (let i = count - 1; i >= 0; i--) ahead[i] = starts[i] === ends[i] ? ahead[i + 1]! : Math.min(ahead[i + 1]!, starts[i]!);
  const [lows, highs, counts] = [new Uint32Array(count + 1), new Uint32Array(count + 1), new Uint32Array(count + 1)];
  let size = 0;
  let reached = 0;
  for (let i = 0; i <= count; i++) {
    // Tokens without text come behind a cut.
    const repeats = i > 0 && starts[i - 1] === ends[i - 1] && size > 0;
    if (reached <= ahead[i]! && !repeats) {
      lows[size] = reached;
      highs[size] = ahead[i]!;
      counts[size++] = i;
    }
    if (i < count && ends[i]! > starts[i]!) reached = Math.max(reached, ends[i]!);
  }
  return { lows, highs, counts, size };
}

/** Do two encodings have the same tokens, up to their ids, in a segment? One token alone may leave out a space at its edge. */
function cutAlike(a: Encoding, ofA: Uint32Array, b: Encoding, ofB: Uint32Array, i: number): boolean {
  let count = 0;
  let same = true;
  for (let x = ofA[i]!, y = ofB[i]!; ; x++, y++, count++) {
    while (x < ofA[i + 1]! && a.starts[x] === a.ends[x]) x++;
    while (y < ofB[i + 1]! && b.starts[y] === b.ends[y]) y++;
    const [isDone, isDoneToo] = [x === ofA[i + 1], y === ofB[i + 1]];
    if (isDone || isDoneToo) return isDone && isDoneToo && (same || count < 2);
    same &&= a.byteStarts[x] === b.byteStarts[y] && a.byteEnds[x] === b.byteEnds[y];
  }
}
