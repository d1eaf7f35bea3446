// All tokens, found by their bytes, and the merges that make them.
import { alloc } from "./memory";
import { EMPTY, Table, get, keyOf, put, reserve, same } from "./table";

export const NEVER: u32 = 0xffffffff; // no id, no rank

const tokens = changetype<Table>(memory.data(offsetof<Table>(), 8)); // of bytes: their number, and the id
let blob: usize = 0;
let places: usize = 0; // by id: where its bytes begin in the blob, and how many they are in a text
let ends: usize = 0; // by id: where the merges that make it end among all, and those of the next id begin
let merges: usize = 0; // the bytes of the left part (4), the rank (4)
let longest: u32 = 0;
export let limit: u32 = 0; // above all ids

/** Room for `count` tokens of `size` bytes in all, with ids below `above`: where the bytes go, or 0. */
export function reserveTokens(count: u32, size: u32, above: u32): usize {
  limit = above;
  places = alloc(above << 3);
  blob = alloc(size);
  if (!places || !blob || !reserve(tokens, count)) return 0;
  memory.fill(places, 0, above << 3);
  return blob;
}

/** GPT-2's byte alphabet as bytes, in place. `alphabet` has a byte for each code point below 512. */
export function spellBytes(size: u32, alphabet: usize): void {
  const end = blob + size;
  for (let from = blob, to = blob; from < end; to++) {
    const code = codeAt(from);
    from += width(load<u8>(from));
    store<u8>(to, code < 512 ? load<u8>(alphabet + code) : 0xff); // no text has this byte
  }
}

/** Enter tokens whose bytes follow each other in the blob; lengths are in bytes, or in characters. */
export function enterTokens(count: u32, lengths: usize, ids: usize, inCharacters: bool): bool {
  let at = blob;
  for (let i: u32 = 0; i < count << 2; i += 4) {
    const n = inCharacters ? sizeOf(at, load<u32>(lengths + i)) : load<u32>(lengths + i);
    const id = load<u32>(ids + i);
    store<u32>(places + (id << 3), <u32>(at - blob));
    store<u32>(places + (id << 3), n, 4);
    longest = max(longest, n);
    if (n) { // no bytes only keep an id's place
      const before = put(tokens, keyOf(at, n), (<u64>n << 32) | id);
      if (before != EMPTY && n > 7 && !isToken(at, n, before)) return false; // two tokens with one hash
    }
    at += n;
  }
  return true;
}

/** How many bytes of a text tokens have, where that is not what the vocabulary says. */
export function setLengths(count: u32, ids: usize, lengths: usize): void {
  for (let i: u32 = 0; i < count << 2; i += 4) store<u32>(places + (load<u32>(ids + i) << 3), load<u32>(lengths + i), 4);
}

export function reserveMerges(count: u32): bool {
  ends = alloc((limit + 1) << 2);
  merges = alloc(count << 3);
  return ends != 0 && merges != 0;
}

/** Merges in their order, by the token that each makes, and how many characters of it (or bytes) are its left part. */
export function enterMerges(count: u32, made: usize, cuts: usize, inCharacters: bool): void {
  memory.fill(ends, 0, (limit + 1) << 2);
  for (let i: u32 = 0; i < count << 2; i += 4) {
    const next = ends + (load<u32>(made + i) << 2) + 4;
    store<u32>(next, load<u32>(next) + 1);
  }
  for (let i: u32 = 1; i <= limit; i++) store<u32>(ends + (i << 2), load<u32>(ends + (i << 2)) + load<u32>(ends + (i << 2) - 4));
  for (let rank: u32 = 0; rank < count; rank++) {
    const id = load<u32>(made + (rank << 2));
    const cut = load<u32>(cuts + (rank << 2));
    const place = load<u32>(ends + (id << 2)); // so far the beginning; all merges of a token entered, their end
    store<u32>(ends + (id << 2), place + 1);
    store<u32>(merges + (place << 3), inCharacters ? sizeOf(bytesOf(id), cut) : cut);
    store<u32>(merges + (place << 3), rank, 4);
  }
}

/** The rank of the merge that makes a token of so many bytes and the rest, or NEVER. One that is there twice has its
 * last rank. */
export function rankOf(id: u32, left: u32): u32 {
  const first = id ? load<u32>(ends + (id << 2) - 4) : 0;
  for (let place = load<u32>(ends + (id << 2)); place-- > first; )
    if (load<u32>(merges + (place << 3)) == left) return load<u32>(merges + (place << 3), 4);
  return NEVER;
}

/** The token that some bytes are, or NEVER. */
export function find(at: usize, n: u32): u32 {
  return findKey(at, n, keyOf(at, n));
}

@inline export function findKey(at: usize, n: u32, key: u64): u32 {
  const found = n > longest ? EMPTY : get(tokens, key);
  return found == EMPTY || (n > 7 && !isToken(at, n, found)) ? NEVER : <u32>found;
}

function isToken(at: usize, n: u32, found: u64): bool {
  return <u32>(found >>> 32) == n && same(at, bytesOf(<u32>found), n);
}

@inline export function lengthOf(id: u32): u32 {
  return id < limit ? load<u32>(places + (id << 3), 4) : 0;
}

@inline export function bytesOf(id: u32): usize {
  return blob + load<u32>(places + (id << 3));
}

// UTF-8, which is always valid: Python has made it of a string.

@inline export function width(lead: u32): u32 {
  return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** How many bytes some characters have. */
function sizeOf(at: usize, characters: u32): u32 {
  const from = at;
  for (; characters; characters--) at += width(load<u8>(at));
  return <u32>(at - from);
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
