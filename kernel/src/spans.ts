// Where tokens lie in a text, in bytes, in code points or in UTF-16 units.
import { NEVER, lengthOf, width } from "./tokens";

const BYTES: u32 = 0;
const UTF16: u32 = 2;
const PLACE: u32 = 0x7fffffff;

/** The place of each token, if each follows the one before; returns where the last one ends. */
export function follow(ids: usize, count: u32, at: u32, starts: usize): u32 {
  for (let i: u32 = 0; i < count << 2; i += 4) {
    store<u32>(starts + i, at);
    at += lengthOf(load<u32>(ids + i));
  }
  return at;
}

@inline function units(at: usize, unit: u32): u32 {
  return unit == UTF16 && load<u8>(at) >= 0xf0 ? 2 : 1;
}

/**
 * Begin and end of each token. One inside a character has all of it. With `atEnd`, as in SentencePiece, the last one
 * has it, and the others nothing.
 *
 * At `asked` are numbers: where the text is, how many bytes it has, how many units are before it, the unit; where ids
 * are, where their places are, how many there are; where begins and ends go; `atEnd`; and a prefix: so many characters
 * at the beginning are not counted, for they are not in the text that is asked about. A token of nothing else has the
 * first character that is, or, with `atEnd`, nothing.
 */
export function spans(asked: usize): void {
  const text: usize = load<u32>(asked);
  const n = load<u32>(asked, 4);
  const unit = load<u32>(asked, 12);
  const ids: usize = load<u32>(asked, 16);
  const starts: usize = load<u32>(asked, 20);
  const count = load<u32>(asked, 24) << 2;
  const begins: usize = load<u32>(asked, 28);
  const ends: usize = load<u32>(asked, 32);
  const atEnd = load<u32>(asked, 36) != 0;
  const prefix: i32 = load<i32>(asked, 40);
  let at: u32 = 0; // begins a character
  let before: i32 = load<i32>(asked, 8) - prefix; // units before it
  for (let i: u32 = 0; i < count; i += 4) {
    const start = load<u32>(starts + i) & PLACE;
    const end = start + lengthOf(load<u32>(ids + i));
    if (unit == BYTES) {
      store<u32>(begins + i, start + before);
      store<u32>(ends + i, end + before);
      continue;
    }
    for (let w: u32 = 0; at < n && at + (w = width(load<u8>(text + at))) <= start; at += w) before += units(text + at, unit);
    const begin = max(before, 0);
    for (let w: u32 = 0; at < n && at + (w = width(load<u8>(text + at))) <= end; at += w) before += units(text + at, unit);
    let finish = before;
    if (at < end) finish = atEnd ? begin : finish + units(text + at, unit);
    store<u32>(begins + i, begin);
    if (finish <= 0) finish = atEnd ? 0 : units(text + at, unit); // it is of the prefix alone
    store<u32>(ends + i, finish);
  }
}
