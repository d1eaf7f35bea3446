// Tables from numbers to numbers, of 64 bits each, with a filter that mostly knows what is not there.
import { alloc } from "./memory";

export const EMPTY: u64 = 0xffffffffffffffff; // no value

// Secret, so that nobody can write a file or a text whose keys all want the same slot.
let P: u64 = 1;
let Q: u64 = 1;

export function seed(p: u32, q: u32, r: u32, s: u32): void {
  P = ((<u64>p << 32) | q) | 1;
  Q = ((<u64>r << 32) | s) | 1;
}

@inline export function mixed(key: u64): u64 {
  let h = key * P;
  h = (h ^ (h >>> 32)) * Q;
  return h ^ (h >>> 29);
}

@unmanaged export class Table {
  slots: usize; // keys and values in turn
  filter: usize; // a bit for one in 16 hashes: a smaller place to look, nearer to the processor
  bits: u32; // of the number of slots
}

/** Make an empty table for so many keys; false if there is no room. */
export function reserve(table: Table, count: u32): bool {
  let bits: u32 = 4;
  while (<u64>1 << bits < <u64>count * 2) bits++;
  table.bits = bits;
  table.slots = alloc(16 << bits);
  table.filter = alloc(1 << bits);
  if (!table.slots || !table.filter) return false;
  clear(table);
  return true;
}

export function clear(table: Table): void {
  memory.fill(table.slots, 0xff, 16 << table.bits);
  memory.fill(table.filter, 0, 1 << table.bits);
}

/** Where a key is, or would be. */
@inline function slotOf(table: Table, key: u64, hash: u64): usize {
  const mask = ((<u32>1 << table.bits) - 1) << 4;
  let place = <u32>(hash >>> (64 - table.bits)) << 4;
  while (true) {
    const slot = table.slots + place;
    if (load<u64>(slot) == key || load<u64>(slot, 8) == EMPTY) return slot;
    place = (place + 16) & mask;
  }
}

@inline export function get(table: Table, key: u64): u64 {
  const hash = mixed(key);
  return hasBit(table.filter, <u32>hash & ((8 << table.bits) - 1)) ? load<u64>(slotOf(table, key, hash), 8) : EMPTY;
}

/** The value that the key had before. */
export function put(table: Table, key: u64, value: u64): u64 {
  const hash = mixed(key);
  const slot = slotOf(table, key, hash);
  const before = load<u64>(slot, 8);
  store<u64>(slot, key);
  store<u64>(slot, value, 8);
  setBit(table.filter, <u32>hash & ((8 << table.bits) - 1));
  return before;
}

@inline export function setBit(set: usize, bit: u32): void {
  store<u8>(set + (bit >>> 3), load<u8>(set + (bit >>> 3)) | <u8>((<u32>1) << (bit & 7)));
}

@inline export function hasBit(set: usize, bit: u32): bool {
  return ((<u32>load<u8>(set + (bit >>> 3)) >>> (bit & 7)) & 1) != 0;
}

/** What identifies some bytes: themselves and their number, or from 8 bytes on a hash, to be followed by `same`. */
@inline export function keyOf(at: usize, n: u32): u64 {
  return n < 8 ? (load<u64>(at) & (((<u64>1) << (n << 3)) - 1)) | (<u64>n << 56) : hashed(at, n);
}

function hashed(at: usize, n: u32): u64 {
  const last = at + n - 8;
  let h = n * Q;
  for (; at < last; at += 8) {
    h = (h ^ load<u64>(at)) * P;
    h = (h ^ (h >>> 32)) * Q; // else the top bits of two words could take each other away, whatever the seed
  }
  h = (h ^ load<u64>(last)) * P;
  return (h ^ (h >>> 32)) | ((<u64>1) << 63); // folded, for its top bit is lost
}

export function same(a: usize, b: usize, n: u32): bool {
  for (; n >= 8; n -= 8, a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false;
  return n == 0 || keyOf(a, n) == keyOf(b, n);
}
