// Which two neighbours may merge, how early, and into what: `rank << 32 | id`.
import { hasBit, setBit } from "./bits";
import { alloc } from "./memory";
import { NEVER, bytesAt, bytesOf, find, lengthOf, mixed, width } from "./tokens";

export const NOTHING: u64 = 0xffffffffffffffff;

const SLOT: u32 = 16; // bytes: both ids (8), what becomes of them (8)
const SALT: u32 = 0x51ed270b;
let table: usize = 0;
let shift: u64 = 0;
let filter: usize = 0;
let filterMask: u32 = 0;

/** Room for `count` pairs; false if there is none. */
export function reservePairs(count: u32): bool {
  let bits: u32 = 4;
  while (<u64>1 << bits < <u64>count * 2) bits++;
  shift = 64 - bits;
  filterMask = (8 << bits) - 1;
  table = alloc(SLOT << bits);
  filter = alloc(1 << bits);
  if (!table || !filter) return false;
  memory.fill(table, 0xff, SLOT << bits);
  memory.fill(filter, 0, 1 << bits);
  return true;
}

/** Enter pairs given by their ids, the one of lowest rank first. A pair that is there twice has its last rank. */
export function enterPairs(count: u32, both: usize, made: usize): void {
  for (let i: u32 = 0; i < count; i++) enter(load<u64>(both + (i << 3)), (<u64>i << 32) | load<u32>(made + (i << 2)));
}

/** Enter merges given by the token that each makes, and how many characters of it (or bytes) are its left part. */
export function enterMerges(count: u32, made: usize, cuts: usize, inCharacters: bool): bool {
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(made + (i << 2));
    const at = bytesAt(id);
    const cut = load<u32>(cuts + (i << 2));
    const n = inCharacters ? bytesOf(at, cut) : cut;
    const left = find(at, n);
    const right = find(at + n, lengthOf(id) - n);
    if (left == NEVER || right == NEVER) return false;
    enter(<u64>left | (<u64>right << 32), (<u64>i << 32) | id);
  }
  return true;
}

/** Enter all ways of making each token of two others; the rank is the token's own. Without `entering`, only count. */
export function enterSplits(count: u32, numbers: usize, ranks: usize, entering: bool): u32 {
  let found: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const id = load<u32>(numbers + (i << 2));
    const at = bytesAt(id);
    const n = lengthOf(id);
    for (let cut = width(load<u8>(at)); cut < n; cut += width(load<u8>(at + cut))) {
      const left = find(at, cut);
      if (left == NEVER) continue;
      const right = find(at + cut, n - cut);
      if (right == NEVER) continue;
      if (entering) enter(<u64>left | (<u64>right << 32), (<u64>load<u32>(ranks + (i << 2)) << 32) | id);
      found++;
    }
  }
  return found;
}

function enter(key: u64, value: u64): void {
  const h = mixed(key, SALT);
  const mask = (<u32>1 << <u32>(64 - shift)) - 1;
  let slot = <u32>(h >>> shift);
  while (load<u64>(table + slot * SLOT, 8) != NOTHING && load<u64>(table + slot * SLOT) != key) slot = (slot + 1) & mask;
  store<u64>(table + slot * SLOT, key);
  store<u64>(table + slot * SLOT, value, 8);
  setBit(filter, <u32>h & filterMask);
}

// @ts-ignore: decorator
@inline export function pair(left: u32, right: u32): u64 {
  const key = <u64>left | (<u64>right << 32);
  const h = mixed(key, SALT);
  if (!hasBit(filter, <u32>h & filterMask)) return NOTHING;
  return probe(key, <u32>(h >>> shift));
}

function probe(key: u64, slot: u32): u64 {
  const mask = (<u32>1 << <u32>(64 - shift)) - 1;
  while (true) {
    const s = table + slot * SLOT;
    const value = load<u64>(s, 8);
    if (value == NOTHING || load<u64>(s) == key) return value;
    slot = (slot + 1) & mask;
  }
}
