// Merging: of all neighbours that may merge, those of lowest rank first, and of these the leftmost.
//
// Symbols are a list linked by their places. Short pieces are looked through for the lowest rank; in long ones a
// queue has it, so that they take O(n log n). An entry of the queue that no longer says what its place says is stale.
import { alloc, mark, release } from "./memory";
import { NOTHING, pair } from "./pairs";
import { NEVER, find } from "./tokens";

const SHORT: u32 = 48; // symbols: up to so many, looking is faster

const ID = memory.data(SHORT * 4, 16); // of each symbol
const NEXT = memory.data(SHORT * 4, 16); // where its right neighbour is, and its left one
const BACK = memory.data(SHORT * 4, 16);
const JOIN = memory.data(SHORT * 8, 16); // rank and id of what it makes with its right neighbour

let byBytes: bool = true; // tiktoken's rule: what two neighbours have together is a token
let firstPairs: usize = 0; // what two bytes make, for all of them
let starts: usize = 0; // the id of each byte

/** Prepare merging from single bytes, whose ids are given. False if there is no room. */
export function startFromBytes(ids: usize, joined: bool): bool {
  byBytes = joined;
  starts = ids;
  firstPairs = alloc(65536 * 8);
  if (!firstPairs) return false;
  const two = memory.data(8);
  for (let left: u32 = 0; left < 256; left++)
    for (let right: u32 = 0; right < 256; right++) {
      store<u8>(two, left);
      store<u8>(two, right, 1);
      store<u64>(firstPairs + (((left << 8) | right) << 3), joined ? token(two, 2) : pair(startOf(left), startOf(right)));
    }
  return true;
}

export function startFromCharacters(): void {
  byBytes = false;
}

// @ts-ignore: decorator
@inline export function startOf(byte: u32): u32 {
  return load<u32>(starts + (byte << 2));
}

// @ts-ignore: decorator
@inline function token(at: usize, n: u32): u64 {
  const id = find(at, n);
  return id == NEVER ? NOTHING : (<u64>id << 32) | id;
}

/** What two neighbours make: the symbols at i and j, with k behind them. */
// @ts-ignore: decorator
@inline function joined(at: usize, ids: usize, i: u32, j: u32, k: u32): u64 {
  return byBytes ? token(at + i, k - i) : pair(load<u32>(ids + (i << 2)), load<u32>(ids + (j << 2)));
}

/** Put a symbol in the place of the one at `i` and the next one, which are taken off the list. */
// @ts-ignore: decorator
@inline function replace(at: usize, n: u32, i: u32, ids: usize, next: usize, back: usize, join: usize): void {
  const j = load<u32>(next + (i << 2));
  const k = load<u32>(next + (j << 2));
  store<u32>(ids + (i << 2), <u32>load<u64>(join + (i << 3)));
  store<u32>(next + (i << 2), k);
  store<u64>(join + (j << 3), NOTHING);
  let made = NOTHING;
  if (k < n) {
    store<u32>(back + (k << 2), i);
    made = joined(at, ids, i, k, load<u32>(next + (k << 2)));
  }
  store<u64>(join + (i << 3), made);
  if (i > 0) {
    const before = load<u32>(back + (i << 2));
    store<u64>(join + (before << 3), joined(at, ids, before, i, k));
  }
}

/** Merge the bytes of a piece; put out its ids, and return how many, or NEVER if there is no room. */
export function mergeBytes(at: usize, n: u32, out: usize): u32 {
  if (n > SHORT) return mergeLong(at, n, out, true);
  for (let i: u32 = 0; i < n; i++) store<u32>(ID + (i << 2), startOf(load<u8>(at + i)));
  return look(at, n, out, true);
}

/** The same for symbols that are at `out` already. */
export function mergeSymbols(n: u32, out: usize): u32 {
  if (n < 2) return n;
  if (n > SHORT) return mergeLong(0, n, out, false);
  memory.copy(ID, out, n << 2);
  return look(0, n, out, false);
}

// @ts-ignore: decorator
@inline function link(at: usize, n: u32, bytes: bool, ids: usize, next: usize, back: usize, join: usize): void {
  for (let i: u32 = 0; i < n; i++) {
    store<u32>(next + (i << 2), i + 1);
    store<u32>(back + (i << 2), i - 1);
    let made = NOTHING;
    if (i + 1 < n)
      made = bytes
        ? load<u64>(firstPairs + ((<u32>load<u8>(at + i) << 11) | (<u32>load<u8>(at + i, 1) << 3)))
        : pair(load<u32>(ids + (i << 2)), load<u32>(ids + (i << 2), 4));
    store<u64>(join + (i << 3), made);
  }
}

// @ts-ignore: decorator
@inline function collect(n: u32, ids: usize, next: usize, out: usize): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < n; i = load<u32>(next + (i << 2))) store<u32>(out + (count++ << 2), load<u32>(ids + (i << 2)));
  return count;
}

function look(at: usize, n: u32, out: usize, bytes: bool): u32 {
  link(at, n, bytes, ID, NEXT, BACK, JOIN);
  while (true) {
    let low = NEVER;
    let where: u32 = 0;
    for (let i: u32 = 0; i < n; i++) {
      const rank = load<u32>(JOIN + (i << 3), 4);
      if (rank < low) {
        low = rank;
        where = i;
      }
    }
    if (low == NEVER) return collect(n, ID, NEXT, out);
    replace(at, n, where, ID, NEXT, BACK, JOIN);
  }
}

// Long pieces

let heap: usize = 0; // of `rank << 32 | place`, the lowest one first
let size: u32 = 0;

function mergeLong(at: usize, n: u32, out: usize, bytes: bool): u32 {
  const before = mark();
  const next = alloc(n << 2);
  const back = alloc(n << 2);
  const join = alloc(n << 3);
  const most = n + (n >>> 1); // beyond that, most entries are stale
  heap = alloc((most + 2) << 3);
  let count = NEVER;
  if (n < 1 << 28 && next && back && join && heap) {
    if (bytes) for (let i: u32 = 0; i < n; i++) store<u32>(out + (i << 2), startOf(load<u8>(at + i)));
    link(at, n, bytes, out, next, back, join);
    fillHeap(n, join);
    while (size) {
      const entry = pop();
      const i = <u32>entry;
      if (load<u32>(join + (i << 3), 4) != <u32>(entry >>> 32)) continue;
      replace(at, n, i, out, next, back, join);
      if (size + 2 > most) fillHeap(n, join);
      else {
        push(i, join);
        if (i > 0) push(load<u32>(back + (i << 2)), join);
      }
    }
    count = collect(n, out, next, out);
  }
  release(before);
  return count;
}

function fillHeap(n: u32, join: usize): void {
  size = 0;
  for (let i: u32 = 0; i < n; i++) {
    const rank = load<u32>(join + (i << 3), 4);
    if (rank != NEVER) store<u64>(heap + (size++ << 3), (<u64>rank << 32) | i);
  }
  for (let i = size >>> 1; i > 0; ) sink(--i, load<u64>(heap + (i << 3)));
}

function sink(i: u32, entry: u64): void {
  while (true) {
    let child: u32 = 2 * i + 1;
    if (child >= size) break;
    let least = load<u64>(heap + (child << 3));
    if (child + 1 < size) {
      const other = load<u64>(heap + (child << 3), 8);
      if (other < least) {
        least = other;
        child++;
      }
    }
    if (entry <= least) break;
    store<u64>(heap + (i << 3), least);
    i = child;
  }
  store<u64>(heap + (i << 3), entry);
}

function pop(): u64 {
  const lowest = load<u64>(heap);
  const last = load<u64>(heap + (--size << 3));
  if (size) sink(0, last);
  return lowest;
}

function push(place: u32, join: usize): void {
  const rank = load<u32>(join + (place << 3), 4);
  if (rank == NEVER) return;
  const entry = (<u64>rank << 32) | place;
  let i = size++;
  while (i > 0) {
    const above = (i - 1) >>> 1;
    const other = load<u64>(heap + (above << 3));
    if (other <= entry) break;
    store<u64>(heap + (i << 3), other);
    i = above;
  }
  store<u64>(heap + (i << 3), entry);
}
