// Where a piece may be cut before it is merged: between two characters that no token holds side by side, not even the
// last bytes of the one and the first bytes of the other. No merge crosses such a border. The filter may take a pair
// for neighbours that are none; then the piece is cut less, and the result is the same.
import { alloc } from "./memory";
import { hasBit, mixed, setBit } from "./table";
import { bytesOf, lengthOf, limit, width } from "./tokens";

const BITS: u32 = 20;
const MEMO: u32 = 1 << 13;
let filter: usize = 0;
let memo: usize = 0; // the last answers: both characters (8 bytes), the answer (8)

/** Learn from all tokens. False if there is no room. */
export function learnNeighbours(): bool {
  filter = alloc(1 << (BITS - 3));
  memo = alloc(MEMO << 4);
  if (!filter || !memo) return false;
  memory.fill(filter, 0, 1 << (BITS - 3));
  memory.fill(memo, 0, MEMO << 4);
  for (let id: u32 = 0; id < limit; id++) learn(bytesOf(id), lengthOf(id));
  return true;
}

function learn(at: usize, n: u32): void {
  let i: u32 = 0;
  while (i < n && i < 4 && (load<u8>(at + i) & 0xc0) == 0x80) i++; // the end of a character
  let left = i ? unit(at, i) : 0;
  while (i < n) {
    const size = min(width(load<u8>(at + i)), n - i);
    const right = unit(at + i, size);
    if (left) setBit(filter, bitOf(left, right));
    left = right;
    i += size;
  }
}

/** A character, or a part of one, as a number that is not 0. */
@inline export function unit(at: usize, n: u32): u32 {
  return (load<u32>(at) & (<u32>-1 >>> ((4 - n) << 3))) || 0xff;
}

@inline function bitOf(left: u32, right: u32): u32 {
  return <u32>(mixed(<u64>left | (<u64>right << 32)) >>> (64 - BITS));
}

/** May a token hold something of both of these characters? */
@inline export function meet(left: u32, right: u32): bool {
  return (left | right) < 0x80 ? hasBit(filter, bitOf(left, right)) : meetInParts(left, right);
}

function meetInParts(left: u32, right: u32): bool {
  const both = <u64>left | (<u64>right << 32);
  const slot = memo + ((<u32>(mixed(both) >>> 20) & (MEMO - 1)) << 4);
  if (load<u64>(slot) == both) return load<u64>(slot, 8) != 0;
  let found = false;
  for (let tail = left; tail && !found; tail >>>= 8)
    for (let head: u32 = 0xff; !found; head = (head << 8) | 0xff) {
      found = hasBit(filter, bitOf(tail, right & head));
      if ((right & ~head) == 0) break;
    }
  store<u64>(slot, both);
  store<u64>(slot, found ? 1 : 0, 8);
  return found;
}
