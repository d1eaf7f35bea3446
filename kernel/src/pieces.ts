// From a piece of text to its ids: it is a token, or it is remembered, or it is merged now.
import { alloc } from "./memory";
import { isUnknown, merge, missed, setRules } from "./merge";
import { learnNeighbours, meet, unit } from "./neighbours";
import { EMPTY, Table, clear, get, keyOf, put, reserve, same } from "./table";
import { NEVER, find, findKey, limit, width } from "./tokens";

// What is remembered. Bounded: when there is no more room, all is forgotten.
const ENTRIES: u32 = 1 << 15;
const ROOM: u32 = 4 << 20;
const LONGEST: u32 = 256; // bytes; longer pieces hardly ever come again
const cache = changetype<Table>(memory.data(offsetof<Table>(), 8)); // of bytes: their number, and where the rest is:
let room: usize = 0; // how many ids, these, the bytes
let used: u32 = 0;
let entries: u32 = 0;

let whole: bool = false; // is a piece that is a token that token, whatever merging gives?
let cutting: bool = false; // may pieces be cut where characters do not meet?
let words: bool = false; // are pieces of ASCII words, which are short, and remembered rather than cut?
let proofs: usize = 0; // by id: does merging its bytes give it? 0 not asked yet, 1 yes, 2 no

/** After all tokens and merges: how pieces are encoded. False if there is no room. */
export function startPieces(
  listed: bool, inCharacters: bool, byteIds: usize, ranks: usize, unknown: u32, wholePieces: bool, mayCut: bool,
): bool { // prettier-ignore
  setRules(listed, inCharacters, byteIds, ranks, unknown);
  whole = wholePieces;
  cutting = mayCut;
  words = !inCharacters;
  proofs = alloc(limit);
  room = alloc(ROOM);
  if (!proofs || !room || !reserve(cache, ENTRIES)) return false;
  memory.fill(proofs, 0, limit);
  return !cutting || learnNeighbours();
}

/** Put out the ids of a piece; return how many, or NEVER if there is no room. */
export function encodePiece(at: usize, n: u32, out: usize): u32 {
  const key = keyOf(at, n);
  const id = findKey(at, n, key);
  if (id != NEVER && (whole || load<u8>(proofs + id) == 1)) {
    store<u32>(out, id);
    return 1;
  }
  if (!cutting || (words && isAscii(at, n))) return encodePart(at, n, key, id, out);
  const count = recall(at, n, key, out);
  return count ? count : encodeInParts(at, n, key, out);
}

function isAscii(at: usize, n: u32): bool {
  let bits: u64 = 0;
  for (; n >= 8; n -= 8, at += 8) bits |= load<u64>(at);
  return ((bits | (load<u64>(at) & (((<u64>1) << (n << 3)) - 1))) & 0x8080808080808080) == 0;
}

function encodeInParts(at: usize, n: u32, key: u64, out: usize): u32 {
  let start: u32 = 0;
  let count: u32 = 0;
  let left: u32 = 0;
  for (let i: u32 = 0, size: u32 = 0; i <= n; i += size) {
    size = i < n ? width(load<u8>(at + i)) : 1;
    const right = i < n ? unit(at + i, size) : 0;
    if (i && (i == n || !(meet(left, right) || (words && (left | right) < 0x80)))) {
      const to = out + (count << 2);
      const part = keyOf(at + start, i - start);
      const more = encodePart(at + start, i - start, part, findKey(at + start, i - start, part), to);
      if (more == NEVER) return NEVER;
      count += more;
      if (start && isUnknown(load<u32>(to)) && isUnknown(load<u32>(to - 4))) {
        memory.copy(to, to + 4, (more - 1) << 2);
        count--;
      }
      start = i;
    }
    left = right;
  }
  remember(at, n, key, out, count);
  return count;
}

/** What merging gives. `id` is the token that the bytes are, if they are one: mostly it is that. */
function encodePart(at: usize, n: u32, key: u64, id: u32, out: usize): u32 {
  const proof: u32 = id == NEVER ? 2 : load<u8>(proofs + id);
  if (proof == 1) {
    store<u32>(out, id);
    return 1;
  }
  let count = proof == 2 ? recall(at, n, key, out) : 0;
  if (count) return count;
  count = merge(at, n, out);
  const proven = count == 1 && load<u32>(out) == id;
  if (proof == 0 && count != NEVER) store<u8>(proofs + id, proven ? 1 : 2);
  if (!proven && count != NEVER) remember(at, n, key, out, count);
  return count;
}

/** Put out the ids of a piece that is remembered, and return how many; else 0. */
function recall(at: usize, n: u32, key: u64, out: usize): u32 {
  const found = n <= LONGEST ? get(cache, key) : EMPTY;
  if (found == EMPTY) return 0;
  const entry: usize = <u32>found;
  const count = load<u32>(entry);
  if (n > 7 && !(<u32>(found >>> 32) == n && same(entry + 4 + (count << 2), at, n))) return 0;
  for (let i: u32 = 0; i < count << 2; i += 4) store<u32>(out + i, load<u32>(entry + i, 4));
  return count;
}

function remember(at: usize, n: u32, key: u64, out: usize, count: u32): void {
  const size = 4 + (count << 2) + (n > 7 ? n : 0);
  if (n > LONGEST || missed) return;
  if (entries == ENTRIES || used + size + 8 > ROOM) {
    clear(cache);
    used = entries = 0;
  }
  const entry = room + used;
  store<u32>(entry, count);
  memory.copy(entry + 4, out, count << 2);
  if (n > 7) memory.copy(entry + 4 + (count << 2), at, n);
  if (put(cache, key, (<u64>n << 32) | <u32>entry) == EMPTY) entries++;
  used += (size + 3) & ~3;
}

/** Where the last place is that a text of one piece may be cut at, whatever follows; its start if there is none. */
export function lastCut(start: usize, end: usize): usize {
  let right: u32 = 0;
  for (let at = end; cutting && !whole && at > start; ) {
    let from = at - 1;
    while ((load<u8>(from) & 0xc0) == 0x80) from--;
    const left = unit(from, <u32>(at - from));
    // An unknown character would have to know whether its neighbour is one, too.
    if (right && !meet(left, right) && !(words && (left | right) < 0x80) && find(from, <u32>(at - from)) != NEVER) return at;
    right = left;
    at = from;
  }
  return start;
}
