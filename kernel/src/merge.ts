// Merging: of all neighbours that may merge, those of lowest rank first, and of these the leftmost.
//
// A symbol goes by the place of its first byte in the piece. Short pieces are looked through for the lowest rank; in
// long ones a queue has it, so that they take O(n log n).
import { alloc, mark, release } from "./memory";
import { EMPTY } from "./table";
import { NEVER, find, pair, width } from "./tokens";

const SHORT: u32 = 64; // bytes: up to so many, looking is faster

let byText: bool = false; // do two neighbours merge if what they have together is a token, or if their pair is listed?
let inCharacters: bool = false; // are symbols characters at first, or bytes?
let byteIds: usize = 0; // of all bytes: symbols, or what unknown characters become; 0 if they do not
let ranks: usize = 0; // of tokens, by id; 0 if the ids themselves are
let unknownId: u32 = NEVER; // what else unknown characters become; neighbours are one token
export let missed: bool = false; // was there a character that nothing says how to encode?

export function setRules(text: bool, characters: bool, bytes: usize, order: usize, unknown: u32): void {
  byText = text;
  inCharacters = characters;
  byteIds = bytes;
  ranks = order;
  unknownId = unknown;
}

/** Of the text as it is now, no character is missed yet. */
export function beginText(): void {
  missed = false;
}

export function isUnknown(id: u32): bool {
  return id == unknownId && id != NEVER;
}

@inline function byteId(at: usize): u32 {
  return load<u32>(byteIds + (<u32>load<u8>(at) << 2));
}

// A list of symbols: by place, the id, where the next one and the one before are, and what it makes with the next one,
// as `rank << 32 | id`.
const IDS = memory.data(SHORT << 2, 16);
const NEXT = memory.data(SHORT << 2, 16);
const BACK = memory.data(SHORT << 2, 16);
const JOIN = memory.data(SHORT << 3, 16);

/** What the symbols at i and j make, where the one at j ends at k. */
@inline function joined(at: usize, i: u32, j: u32, k: u32, ids: usize): u64 {
  if (!byText) return pair(load<u32>(ids + (i << 2)), load<u32>(ids + (j << 2)));
  const id = find(at + i, k - i);
  return id == NEVER ? EMPTY : (<u64>(ranks ? load<u32>(ranks + (id << 2)) : id) << 32) | id;
}

@inline function link(at: usize, n: u32, ids: usize, next: usize, back: usize, join: usize): void {
  let before: u32 = 0;
  for (let i: u32 = 0, size: u32 = 1; i < n; i += size) {
    size = 1;
    let id = inCharacters ? NEVER : byteId(at + i);
    const byte: u32 = load<u8>(at + i);
    if (inCharacters) {
      const begins = (byte & 0xc0) != 0x80;
      if (begins) id = find(at + i, (size = width(byte)));
      if (id == NEVER && byteIds && !byText) { // its bytes are symbols
        size = 1;
        id = byteId(at + i);
      }
    }
    store<u32>(ids + (i << 2), id);
    store<u32>(next + (i << 2), i + size);
    store<u32>(back + (i << 2), before);
    for (let j = i; j < i + size; j++) store<u64>(join + (j << 3), EMPTY);
    if (i) store<u64>(join + (before << 3), joined(at, before, i, i + size, ids));
    before = i;
  }
}

/** Put what they make in the place of the symbol at i and the next one. */
@inline function replace(at: usize, n: u32, i: u32, ids: usize, next: usize, back: usize, join: usize): void {
  const j = load<u32>(next + (i << 2));
  const k = load<u32>(next + (j << 2));
  store<u32>(ids + (i << 2), <u32>load<u64>(join + (i << 3)));
  store<u32>(next + (i << 2), k);
  store<u64>(join + (j << 3), EMPTY);
  if (k < n) store<u32>(back + (k << 2), i);
  store<u64>(join + (i << 3), k < n ? joined(at, i, k, load<u32>(next + (k << 2)), ids) : EMPTY);
  const before = load<u32>(back + (i << 2));
  if (i) store<u64>(join + (before << 3), joined(at, before, i, k, ids));
}

/** Put out the ids of all symbols, and return how many; `out` may be where they are. */
@inline function collect(at: usize, n: u32, ids: usize, next: usize, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0, end: u32 = 0; i < n; i = end) {
    let id = load<u32>(ids + (i << 2));
    end = load<u32>(next + (i << 2));
    if (id == NEVER) {
      if (byteIds) {
        for (; i < end; i++, to += 4) store<u32>(to, byteId(at + i));
        continue;
      }
      missed = missed || unknownId == NEVER;
      if (to > out && load<u32>(to - 4) == unknownId) continue;
      id = unknownId;
    }
    store<u32>(to, id);
    to += 4;
  }
  return <u32>((to - out) >>> 2);
}

/** Merge a piece; put out its ids, and return how many, or NEVER if there is no room. */
export function merge(at: usize, n: u32, out: usize): u32 {
  if (n > SHORT) return mergeLong(at, n, out);
  link(at, n, IDS, NEXT, BACK, JOIN);
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
    if (low == NEVER) return collect(at, n, IDS, NEXT, out);
    replace(at, n, where, IDS, NEXT, BACK, JOIN);
  }
}

// The queue: a heap of `rank << 32 | place`. An entry that does not say what its place says is out of date.
let heap: usize = 0;
let size: u32 = 0;

function mergeLong(at: usize, n: u32, out: usize): u32 {
  const before = mark();
  const next = alloc(n << 2);
  const back = alloc(n << 2);
  const join = alloc(n << 3);
  const most = n + (n >>> 1); // beyond that, most entries are out of date
  heap = alloc((most + 2) << 3);
  let count = NEVER;
  if (n < 1 << 28 && next && back && join && heap) {
    link(at, n, out, next, back, join);
    fill(n, join);
    while (size) {
      const entry = pop();
      const i = <u32>entry;
      if (load<u32>(join + (i << 3), 4) != <u32>(entry >>> 32)) continue;
      replace(at, n, i, out, next, back, join);
      if (size + 2 > most) fill(n, join);
      else {
        push(i, join);
        if (i) push(load<u32>(back + (i << 2)), join);
      }
    }
    count = collect(at, n, out, next, out);
  }
  release(before);
  return count;
}

function fill(n: u32, join: usize): void {
  size = 0;
  for (let i: u32 = 0; i < n; i++) {
    const rank = load<u32>(join + (i << 3), 4);
    if (rank != NEVER) store<u64>(heap + (size++ << 3), (<u64>rank << 32) | i);
  }
  for (let i = size >>> 1; i > 0; ) sink(--i, load<u64>(heap + (i << 3)));
}

function sink(i: u32, entry: u64): void {
  for (let child: u32 = 2 * i + 1; child < size; child = 2 * i + 1) {
    let least = load<u64>(heap + (child << 3));
    if (child + 1 < size && load<u64>(heap + (child << 3), 8) < least) least = load<u64>(heap + (++child << 3));
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
  for (; i > 0 && load<u64>(heap + (((i - 1) >>> 1) << 3)) > entry; i = (i - 1) >>> 1)
    store<u64>(heap + (i << 3), load<u64>(heap + (((i - 1) >>> 1) << 3)));
  store<u64>(heap + (i << 3), entry);
}
