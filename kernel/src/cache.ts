// Pieces that were merged, and their ids. Bounded: when there is no more room, all are forgotten.
import { alloc } from "./memory";
import { keyOf, mixed, same } from "./tokens";

const ENTRIES: u32 = 1 << 16;
const FULL: u32 = 3 * (ENTRIES >>> 2);
const SLOT: u32 = 24; // bytes: key (8), length (4), where bytes are (4), where ids are (4), how many (4)
const ROOM: u32 = 4 << 20;
export const LONGEST: u32 = 256; // bytes: longer pieces hardly ever come again

let table: usize = 0;
let room: usize = 0;
let used: u32 = 0;
let entries: u32 = 0;

export function reserveCache(): bool {
  table = alloc(ENTRIES * SLOT);
  room = alloc(ROOM);
  if (!table || !room) return false;
  forget();
  return true;
}

function forget(): void {
  memory.fill(table, 0, ENTRIES * SLOT);
  used = 0;
  entries = 0;
}

/** Where a piece is, or would be. */
function slotOf(at: usize, n: u32, key: u64): usize {
  let place = <u32>(mixed(key, n) >>> 48);
  while (true) {
    const slot = table + place * SLOT;
    const length = load<u32>(slot, 8);
    if (length == 0) return slot;
    if (length == n && load<u64>(slot) == key && (n <= 8 || same(load<u32>(slot, 12), at, n))) return slot;
    place = (place + 1) & (ENTRIES - 1);
  }
}

/** Put out the ids of a piece that is remembered, and return how many; else 0. */
export function recall(at: usize, n: u32, key: u64, out: usize): u32 {
  if (n > LONGEST) return 0;
  const slot = slotOf(at, n, key);
  if (load<u32>(slot, 8) == 0) return 0;
  const count = load<u32>(slot, 20);
  const from: usize = load<u32>(slot, 16);
  for (let i: u32 = 0; i < count << 2; i += 4) store<u32>(out + i, load<u32>(from + i));
  return count;
}

/** Remember a piece that is not. */
export function remember(at: usize, n: u32, key: u64, out: usize, count: u32): void {
  if (n > LONGEST) return;
  const bytes = n <= 8 ? 0 : (n + 7) & ~7;
  const size = bytes + ((4 * count + 7) & ~7);
  if (entries == FULL || used + size > ROOM) return forget();
  entries++;
  const slot = slotOf(at, n, key);
  const to = room + used;
  used += size;
  if (bytes) memory.copy(to, at, n);
  memory.copy(to + bytes, out, count << 2);
  store<u64>(slot, key);
  store<u32>(slot, n, 8);
  store<u32>(slot, <u32>to, 12);
  store<u32>(slot, <u32>to + bytes, 16);
  store<u32>(slot, count, 20);
}
