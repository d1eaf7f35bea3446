// All tokens, found by their bytes: exactly, for a hash only tells where to look.
import { hasBit, setBit } from "./bits";
import { alloc } from "./memory";

export const NEVER: u32 = 0xffffffff;

const SLOT: u32 = 16; // bytes: key (8), length (4), id (4)
let P: u64 = 0x9e3779b97f4a7c15; // secret, so that nobody can write a file whose tokens share their slots
let Q: u64 = 0xd6e8feb86659fd93;
let table: usize = 0;
let shift: u64 = 0;
let filter: usize = 0; // a bit for one in 16 hashes: answers most misses from a nearer cache
let filterMask: u32 = 0;
let blob: usize = 0;
let places: usize = 0; // id -> where its bytes begin in the blob, and how many they are
let longest: u32 = 0;
let ids: u32 = 0; // all are below

export function seed(p: u32, q: u32, r: u32, s: u32): void {
  P = ((<u64>p << 32) | q) | 1;
  Q = ((<u64>r << 32) | s) | 1;
}

// @ts-ignore: decorator
@inline export function mixed(key: u64, salt: u32): u64 {
  let h = (key ^ (<u64>salt * Q)) * P;
  h = (h ^ (h >>> 32)) * Q;
  return h ^ (h >>> 29);
}

/** What identifies some bytes: themselves if they are few, else a hash. */
// @ts-ignore: decorator
@inline export function keyOf(at: usize, n: u32): u64 {
  return n <= 8 ? load<u64>(at) & (<u64>-1 >>> ((8 - n) << 3)) : hashed(at, n);
}

function hashed(at: usize, n: u32): u64 {
  const last = at + n - 8;
  let h: u64 = Q;
  for (; at < last; at += 8) {
    h = (h ^ load<u64>(at)) * P; // (a top bit comes through any multiplication, but not through two with a fold between)
    h = (h ^ (h >>> 32)) * Q;
  }
  return (h ^ load<u64>(last)) * P;
}

export function same(a: usize, b: usize, n: u32): bool {
  for (; n >= 8; n -= 8, a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false;
  return n == 0 || ((load<u64>(a) ^ load<u64>(b)) & (<u64>-1 >>> ((8 - n) << 3))) == 0;
}

/** Room for `count` tokens of `size` bytes in all, with ids below `limit`: where the bytes go, or 0. */
export function reserveTokens(count: u32, size: u32, limit: u32): usize {
  let bits: u32 = 4;
  while (<u64>1 << bits < <u64>count * 2) bits++;
  shift = 64 - bits;
  filterMask = (8 << bits) - 1;
  ids = limit;
  table = alloc(SLOT << bits);
  filter = alloc(1 << bits);
  places = alloc(limit << 3);
  blob = alloc(size);
  if (!table || !filter || !places || !blob) return 0;
  memory.fill(table, 0xff, SLOT << bits);
  memory.fill(filter, 0, 1 << bits);
  memory.fill(places, 0, limit << 3);
  return blob;
}

/** GPT-2's byte alphabet as bytes, in place. `table` has a byte for each code point below 512. */
export function bytesOfAlphabet(at: usize, size: u32, table: usize): u32 {
  const end = at + size;
  let to = at;
  for (let from = at; from < end; to++) {
    const lead: u32 = load<u8>(from);
    const code = codeAt(from);
    store<u8>(to, code < 512 ? load<u8>(table + code) : 0xff); // no text has this byte
    from += width(lead);
  }
  return <u32>(to - at);
}

/** Enter tokens whose bytes follow each other in the blob. `lengths` are in bytes, or in characters. */
export function enterTokens(count: u32, lengths: usize, numbers: usize, inCharacters: bool): void {
  let at = blob;
  for (let i: u32 = 0; i < count; i++) {
    const length = load<u32>(lengths + (i << 2));
    const n = inCharacters ? bytesOf(at, length) : length;
    enter(at, n, load<u32>(numbers + (i << 2)));
    at += n;
  }
}

/** How many bytes some characters have. */
export function bytesOf(at: usize, characters: u32): u32 {
  const from = at;
  for (; characters; characters--) at += width(load<u8>(at));
  return <u32>(at - from);
}

function enter(at: usize, n: u32, id: u32): void {
  if (n == 0) return; // it only keeps an id's place
  const key = keyOf(at, n);
  const h = mixed(key, n);
  let slot = <u32>(h >>> shift);
  const mask = (<u32>1 << <u32>(64 - shift)) - 1;
  while (load<u32>(table + slot * SLOT, 12) != NEVER) slot = (slot + 1) & mask;
  const s = table + slot * SLOT;
  store<u64>(s, key);
  store<u32>(s, n, 8);
  store<u32>(s, id, 12);
  place(id, <u32>(at - blob), n);
  longest = max(longest, n);
  setBit(filter, <u32>h & filterMask);
}

function place(id: u32, start: u32, n: u32): void {
  store<u32>(places + (id << 3), start);
  store<u32>(places + (id << 3), n, 4);
}

/** How many bytes of a text a token has, if not as many as the vocabulary says: those of added tokens and of bytes. */
export function setLengths(count: u32, numbers: usize, lengths: usize): void {
  for (let i: u32 = 0; i < count; i++)
    store<u32>(places + (load<u32>(numbers + (i << 2)) << 3), load<u32>(lengths + (i << 2)), 4);
}

// @ts-ignore: decorator
@inline export function lengthOf(id: u32): u32 {
  return id < ids ? load<u32>(places + (id << 3), 4) : 0;
}

// @ts-ignore: decorator
@inline export function bytesAt(id: u32): usize {
  return blob + load<u32>(places + (id << 3));
}

// @ts-ignore: decorator
@inline export function limit(): u32 {
  return ids;
}

/** Are there tokens of so many bytes? */
// @ts-ignore: decorator
@inline export function isToken(n: u32): bool {
  return n <= longest;
}

/** The token that some bytes are, or NEVER. */
// @ts-ignore: decorator
@inline export function find(at: usize, n: u32): u32 {
  return n > longest ? NEVER : findKey(at, n, keyOf(at, n));
}

// @ts-ignore: decorator
@inline export function findKey(at: usize, n: u32, key: u64): u32 {
  const h = mixed(key, n);
  if (!hasBit(filter, <u32>h & filterMask)) return NEVER;
  return probe(at, n, key, <u32>(h >>> shift));
}

function probe(at: usize, n: u32, key: u64, slot: u32): u32 {
  const mask = (<u32>1 << <u32>(64 - shift)) - 1;
  while (true) {
    const s = table + slot * SLOT;
    const id = load<u32>(s, 12);
    if (id == NEVER) return NEVER;
    if (load<u64>(s) == key && load<u32>(s, 8) == n && (n <= 8 || same(bytesAt(id), at, n))) return id;
    slot = (slot + 1) & mask;
  }
}

// UTF-8, which is always valid here: Python has made it of a string.

// @ts-ignore: decorator
@inline export function width(lead: u32): u32 {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

export function codeAt(at: usize): u32 {
  const c: u32 = load<u8>(at);
  if (c < 0x80) return c;
  const second: u32 = load<u8>(at, 1) & 63;
  if (c < 0xe0) return ((c & 31) << 6) | second;
  const third: u32 = load<u8>(at, 2) & 63;
  if (c < 0xf0) return ((c & 15) << 12) | (second << 6) | third;
  return ((c & 7) << 18) | (second << 12) | (third << 6) | (load<u8>(at, 3) & 63);
}
