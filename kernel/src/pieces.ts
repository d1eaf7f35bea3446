// From a piece of text to its ids: a token, or one that is remembered, or one that is merged now.
import { alloc } from "./memory";
import { LONGEST, recall, remember, reserveCache } from "./cache";
import { mergeBytes, mergeSymbols, startFromBytes, startFromCharacters } from "./merge";
import { learnNeighbours, meet, unit } from "./neighbours";
import { NEVER, bytesAt, find, findKey, keyOf, isToken, lengthOf, limit, width } from "./tokens";

const UNKNOWN: u32 = 0xfffffffe; // a character that is no token
const REMEMBERED_WHOLE: u32 = 64; // bytes of a piece that is cut, and remembered all the same

let whole: bool = false; // is a piece that is a token that token, whatever merging gives?
let characters: bool = false; // do tokens begin as characters, or as bytes?
let cutting: bool = false; // may pieces be cut between characters that do not meet?
let proofs: usize = 0; // by id: does merging its bytes give it? 0 not asked yet, 1 yes, 2 no
let fallback: usize = 0; // the ids of bytes that unknown characters become, if they do
let unknownId: u32 = NEVER; // what else they become; neighbours are one token
let real: u32 = 0; // from this id on, tokens are characters that are only merged through
let missed: bool = false; // a character was met that nothing says how to encode

/** After all tokens and pairs. False if there is no room. */
export function startBytes(ids: usize, byBytes: bool, wholePieces: bool, mayCut: bool): bool {
  whole = wholePieces;
  characters = false;
  cutting = mayCut;
  real = limit();
  return startFromBytes(ids, byBytes) && prepare(true);
}

/** `bytes`: 256 ids, or 0. */
export function startCharacters(bytes: usize, unknown: u32, lastReal: u32, wholePieces: bool, mayCut: bool): bool {
  whole = wholePieces;
  characters = true;
  cutting = mayCut;
  fallback = bytes;
  unknownId = unknown;
  real = lastReal;
  startFromCharacters();
  return prepare(false);
}

function prepare(ofBytes: bool): bool {
  proofs = alloc(limit());
  if (!proofs || !reserveCache()) return false;
  memory.fill(proofs, 0, limit());
  return !cutting || learnNeighbours(ofBytes);
}

/** Was there a character, in the last text, that could not be encoded? */
export function hasMissed(): bool {
  return missed;
}

export function beginText(): void {
  missed = false;
}

/** Put out the ids of a piece; return how many, or NEVER if there is no room. */
export function encodePiece(at: usize, n: u32, out: usize): u32 {
  const known = isKeyed(n);
  const key = known ? keyOf(at, n) : 0;
  const id = known ? findKey(at, n, key) : NEVER;
  if (id != NEVER && (whole || load<u8>(proofs + id) == 1)) {
    store<u32>(out, id);
    return 1;
  }
  if (!cutting || (!characters && isAscii(at, n))) return encodePart(at, n, key, id, out);
  const count = n <= REMEMBERED_WHOLE ? recall(at, n, key, out) : 0;
  return count ? count : encodeInParts(at, n, key, out);
}

/** Where the last place is that a text of one piece may be cut at, whatever follows; its start if there is none. */
export function lastCut(start: usize, end: usize): usize {
  if (!cutting || whole) return start;
  let at = end;
  let right: u32 = 0;
  while (at > start) {
    let from = at - 1;
    while ((load<u8>(from) & 0xc0) == 0x80) from--;
    const size = <u32>(at - from);
    const left = unit(from, size);
    // Of unknown neighbours, the one would have to know of the other.
    if (right && !meet(left, right) && (unknownId == NEVER || find(from, size) < real)) return at;
    right = left;
    at = from;
  }
  return start;
}

/** May some bytes be a token, or remembered? Only then are they hashed. */
// @ts-ignore: decorator
@inline function isKeyed(n: u32): bool {
  return n <= LONGEST || isToken(n);
}

function isAscii(at: usize, n: u32): bool {
  let bits: u64 = 0;
  let i: u32 = 0;
  for (; i + 8 <= n; i += 8) bits |= load<u64>(at + i);
  if (i < n) bits |= load<u64>(at + i) & (<u64>-1 >>> ((8 - (n - i)) << 3));
  return (bits & 0x8080808080808080) == 0;
}

function encodeInParts(at: usize, n: u32, key: u64, out: usize): u32 {
  let start: u32 = 0;
  let count: u32 = 0;
  let left: u32 = 0;
  for (let i: u32 = 0; i <= n; ) {
    const size = i < n ? width(load<u8>(at + i)) : 1;
    const right = i < n ? unit(at + i, size) : 0;
    if (i > 0 && (i == n || !meet(left, right))) {
      const to = out + (count << 2);
      const more = encodePartAt(at + start, i - start, to);
      if (more == NEVER) return NEVER;
      count += more;
      if (start && fuses(to)) {
        memory.copy(to, to + 4, (more - 1) << 2);
        count--;
      }
      start = i;
    }
    left = right;
    i += size;
  }
  if (n <= REMEMBERED_WHOLE && !missed) remember(at, n, key, out, count);
  return count;
}

// @ts-ignore: decorator
@inline function encodePartAt(at: usize, n: u32, out: usize): u32 {
  const known = isKeyed(n);
  const key = known ? keyOf(at, n) : 0;
  return encodePart(at, n, key, known ? findKey(at, n, key) : NEVER, out);
}

/** What merging gives. `id` is the token that the bytes are, if they are one: mostly it is that. */
function encodePart(at: usize, n: u32, key: u64, id: u32, out: usize): u32 {
  const proof: u32 = id == NEVER ? 2 : load<u8>(proofs + id);
  if (proof == 1) {
    store<u32>(out, id);
    return 1;
  }
  let count: u32 = proof == 2 ? recall(at, n, key, out) : 0;
  if (count) return count;
  count = characters ? mergeCharacters(at, n, out) : mergeBytes(at, n, out);
  if (count == NEVER) return NEVER;
  if (proof == 0) {
    const proven = count == 1 && load<u32>(out) == id; // (what is missed is no token)
    store<u8>(proofs + id, proven ? 1 : 2);
    if (proven) return 1;
  }
  if (!missed) remember(at, n, key, out, count);
  return count;
}

function mergeCharacters(at: usize, n: u32, out: usize): u32 {
  let count: u32 = 0;
  let odd = false; // is there a symbol that is no token?
  for (let i: u32 = 0; i < n; ) {
    const size = width(load<u8>(at + i));
    const id = find(at + i, size);
    if (id != NEVER || !fallback) {
      store<u32>(out + (count++ << 2), id == NEVER ? UNKNOWN : id);
      odd = odd || id >= real;
    } else for (let j: u32 = 0; j < size; j++) store<u32>(out + (count++ << 2), byteId(at + i + j));
    i += size;
  }
  count = mergeSymbols(count, out);
  if (!odd || count == NEVER) return count;
  return fallback ? spellBytes(count, out) : fuseUnknown(count, out);
}

// @ts-ignore: decorator
@inline function byteId(at: usize): u32 {
  return load<u32>(fallback + (<u32>load<u8>(at) << 2));
}

/** Characters that are only merged through, and are left, become bytes. */
function spellBytes(count: u32, out: usize): u32 {
  let total: u32 = 0;
  for (let i: u32 = 0; i < count; i++) total += sizeOf(load<u32>(out + (i << 2)));
  for (let i = count, j = total; i-- > 0; ) {
    const id = load<u32>(out + (i << 2));
    if (id < real) store<u32>(out + (--j << 2), id);
    else for (let k = lengthOf(id); k-- > 0; ) store<u32>(out + (--j << 2), byteId(bytesAt(id) + k));
  }
  return total;
}

// @ts-ignore: decorator
@inline function sizeOf(id: u32): u32 {
  return id < real ? 1 : lengthOf(id);
}

function fuseUnknown(count: u32, out: usize): u32 {
  if (unknownId == NEVER) {
    missed = true;
    return count;
  }
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    let id = load<u32>(out + (i << 2));
    if (id >= real) id = unknownId;
    if (id != unknownId || kept == 0 || load<u32>(out + (kept << 2) - 4) != unknownId) store<u32>(out + (kept++ << 2), id);
  }
  return kept;
}

/** Is the first id of a part one with the last one before it? */
// @ts-ignore: decorator
@inline function fuses(out: usize): bool {
  return unknownId != NEVER && load<u32>(out) == unknownId && load<u32>(out - 4) == unknownId;
}
