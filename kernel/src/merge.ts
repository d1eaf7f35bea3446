// Merging: of all neighbours that may merge, those of lowest rank first, and of these the leftmost.
//
// A symbol goes by the place of its first byte in the piece. Short pieces are looked through for the lowest rank; in
// long ones a queue has it, so that they take O(n log n).
import { alloc, mark, release } from "./memory";
import { EMPTY } from "./table";
import { NEVER, find, rankOf, width } from "./tokens";

let listed: bool = false; // do two neighbours merge only if that is listed, or whenever they make a token?
let inCharacters: bool = false; // are symbols characters at first, or bytes?
let byteIds: usize = 0; // of all bytes: symbols, or what unknown characters become; 0 if they do not
let ranks: usize = 0; // of tokens, by id; 0 if the ids themselves are
let unknownId: u32 = NEVER; // what else unknown characters become; neighbours are one token
export let missed: bool = false; // was there a character that nothing says how to encode?

export function setRules(list: bool, characters: bool, bytes: usize, order: usize, unknown: u32): void {
  listed = list;
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

/** A symbol in a list, which has one for each byte: where the next one and the one before are, and what it makes with
 * the next one, as `rank << 32 | id`. Bytes inside a symbol make nothing. */
@unmanaged class Symbol {
  id: u32;
  next: u32;
  back: u32;
  nothing: u32;
  join: u64;
}

const SIZE = offsetof<Symbol>();
const SHORT: u32 = 64; // bytes: up to so many, looking is faster
const short = memory.data(SHORT * 24, 8);

@inline function symbol(list: usize, i: u32): Symbol {
  return changetype<Symbol>(list + i * <u32>SIZE);
}

/** What two neighbours make, from i to j and from j to k: a token that has the bytes of both, if the rule says so. */
function joined(at: usize, i: u32, j: u32, k: u32): u64 {
  const id = find(at + i, k - i);
  if (id == NEVER) return EMPTY;
  const rank = listed ? rankOf(id, j - i) : ranks ? load<u32>(ranks + (id << 2)) : id;
  return rank == NEVER ? EMPTY : (<u64>rank << 32) | id;
}

/** The symbols that a piece begins with. */
function link(at: usize, n: u32, list: usize): void {
  let before: u32 = 0;
  for (let i: u32 = 0, size: u32 = 1; i < n; i += size) {
    const byte: u32 = load<u8>(at + i);
    let id = NEVER;
    if (inCharacters && (byte & 0xc0) != 0x80) id = find(at + i, (size = width(byte)));
    if (id == NEVER && (!inCharacters || (byteIds && listed))) { // each byte is a symbol
      size = 1;
      id = byteId(at + i);
    }
    for (let j = i; j < i + size; j++) symbol(list, j).join = EMPTY;
    const made = symbol(list, i);
    made.id = id;
    made.next = i + size;
    made.back = before;
    if (i) symbol(list, before).join = joined(at, before, i, i + size);
    before = i;
  }
}

/** Put what they make in the place of the symbol at i and the next one. */
function replace(at: usize, n: u32, list: usize, i: u32): void {
  const left = symbol(list, i);
  const right = symbol(list, left.next);
  const k = right.next;
  left.id = <u32>left.join;
  left.next = k;
  right.join = EMPTY;
  if (k < n) symbol(list, k).back = i;
  left.join = k < n ? joined(at, i, k, symbol(list, k).next) : EMPTY;
  if (i) symbol(list, left.back).join = joined(at, left.back, i, k);
}

/** Put out the ids of all symbols, and return how many. */
function collect(at: usize, n: u32, list: usize, out: usize): u32 {
  let to = out;
  for (let i: u32 = 0, end: u32 = 0; i < n; i = end) {
    const id = symbol(list, i).id;
    end = symbol(list, i).next;
    if (id != NEVER) {
      store<u32>(to, id);
      to += 4;
    } else if (byteIds) for (; i < end; i++, to += 4) store<u32>(to, byteId(at + i));
    else if (to == out || load<u32>(to - 4) != unknownId) {
      missed = missed || unknownId == NEVER;
      store<u32>(to, unknownId);
      to += 4;
    }
  }
  return <u32>((to - out) >>> 2);
}

/** Merge a piece; put out its ids, and return how many, or NEVER if there is no room. */
export function merge(at: usize, n: u32, out: usize): u32 {
  if (n > SHORT) return mergeLong(at, n, out);
  link(at, n, short);
  while (true) {
    let low = NEVER;
    let where: u32 = 0;
    for (let i: u32 = 0; i < n; i++) {
      const rank = <u32>(symbol(short, i).join >>> 32);
      if (rank < low) {
        low = rank;
        where = i;
      }
    }
    if (low == NEVER) return collect(at, n, short, out);
    replace(at, n, short, where);
  }
}

// The queue: a heap of `rank << 32 | place`. An entry that does not say what its place says is out of date.
let heap: usize = 0;
let size: u32 = 0;

function mergeLong(at: usize, n: u32, out: usize): u32 {
  const before = mark();
  const most = n + (n >>> 2); // beyond that, many entries are out of date
  const list = n < 1 << 26 ? alloc(n * <u32>SIZE) : 0;
  heap = list ? alloc((most + 2) << 3) : 0;
  let count = NEVER;
  if (heap) {
    link(at, n, list);
    fill(n, list);
    while (size) {
      const entry = pop();
      const i = <u32>entry;
      if (<u32>(symbol(list, i).join >>> 32) != <u32>(entry >>> 32)) continue;
      replace(at, n, list, i);
      if (size + 2 > most) fill(n, list);
      else {
        push(list, i);
        if (i) push(list, symbol(list, i).back);
      }
    }
    count = collect(at, n, list, out);
  }
  release(before);
  return count;
}

@inline function entryOf(list: usize, i: u32): u64 {
  return (symbol(list, i).join & 0xffffffff00000000) | i;
}

function fill(n: u32, list: usize): void {
  size = 0;
  for (let i: u32 = 0; i < n; i++)
    if (symbol(list, i).join != EMPTY) store<u64>(heap + (size++ << 3), entryOf(list, i));
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

function push(list: usize, place: u32): void {
  if (symbol(list, place).join == EMPTY) return;
  const entry = entryOf(list, place);
  let i = size++;
  for (; i > 0 && load<u64>(heap + (((i - 1) >>> 1) << 3)) > entry; i = (i - 1) >>> 1)
    store<u64>(heap + (i << 3), load<u64>(heap + (((i - 1) >>> 1) << 3)));
  store<u64>(heap + (i << 3), entry);
}
