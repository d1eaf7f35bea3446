// A text to ids: stretch by stretch, each cut by the patterns, its pieces put out.
import { cut, isLast } from "./automata";
import { beginText, missed } from "./merge";
import { encodePiece, lastCut } from "./pieces";
import { NEVER, lengthOf, width } from "./tokens";

// What a call is told.
const COMPLETE: u32 = 1; // nothing follows this text
const CUT: u32 = 2; // stretches are cut by the patterns; else each is a piece
const ASCII: u32 = 4; // a character is a byte

const MISSED: u32 = 0xfffffffe;
const BEGINS: u32 = 0x80000000; // marks the first token of a piece

let text: usize = 0;
let out: usize = 0; // where the next id goes
let places: usize = 0; // where its place goes, if places are asked for
let end: usize = 0; // of what was encoded

/** How many bytes of the text the last call has encoded. */
export function consumed(): u32 {
  return <u32>(end - text);
}

/**
 * Encode a block of text. At `block` are six numbers, then marks, then the text: how many bytes of it were encoded
 * before and are only looked back at, how many bytes it has, how many marks, flags, where ids go (one for a byte at
 * most), and where the place of each token goes, or 0.
 *
 * Marks are stretches that make up the text: where each ends, in characters; then the id that each is, or NEVER if it
 * is to be encoded. Returns how many ids there are; NEVER if there is not enough memory, or MISSED if nothing says how to
 * encode some character.
 */
export function encode(block: usize): u32 {
  beginText();
  const count = load<u32>(block, 8) << 2;
  const flags = load<u32>(block, 12);
  const ids: usize = load<u32>(block, 16);
  const ends = block + 24;
  text = ends + 2 * count;
  out = ids;
  places = load<u32>(block, 20);
  end = text + load<u32>(block);
  let origin = text;
  let stop = text;
  let characters: u32 = 0;
  for (let mark: u32 = 0; mark < count; mark += 4) {
    const last = load<u32>(ends + mark);
    if (flags & ASCII) stop = text + last;
    else for (; characters < last; characters++) stop += width(load<u8>(stop));
    const id = load<u32>(ends + count + mark);
    const start = end;
    if (id != NEVER) {
      store<u32>(out, id);
      take(start, 1);
      end = stop;
    } else if (start < stop) {
      const complete = mark + 4 < count || (flags & COMPLETE) != 0;
      end = flags & CUT ? stretch(origin, start, stop, complete) : put(NEVER, start, stop) ? stop : 0;
      if (!end) return NEVER;
    }
    origin = end;
  }
  return missed ? MISSED : <u32>((out - ids) >>> 2);
}

function stretch(origin: usize, start: usize, stop: usize, complete: bool): usize {
  if (!isLast(0)) return cut(0, origin, start, stop, complete);
  if (!complete) stop = lastCut(start, stop);
  const first = places;
  if (start < stop && !put(0, start, stop)) return 0;
  if (first && origin < start && start < stop) store<u32>(first, load<u32>(first) & ~BEGINS); // in a block before
  return stop;
}

/** A piece of the patterns before `level`: cut by the others, or put out. False if there is no room. */
export function put(level: u32, start: usize, stop: usize): bool {
  if (level != NEVER && !isLast(level)) return cut(level, start, start, stop, true) != 0;
  const count = encodePiece(start, <u32>(stop - start), out);
  if (count == NEVER) return false;
  take(start, count);
  return true;
}

/** Count ids in that are at `out`. */
@inline function take(start: usize, count: u32): void {
  if (places) {
    let at = <u32>(start - text);
    for (let i: u32 = 0; i < count; i++) {
      store<u32>(places + (i << 2), i ? at : at | BEGINS);
      at += lengthOf(load<u32>(out + (i << 2)));
    }
    places += count << 2;
  }
  out += count << 2;
}
