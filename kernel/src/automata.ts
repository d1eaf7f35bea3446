// Cutting a text by automata, which Python has made of patterns and proved to be linear on every text.
import { put } from "./encode";
import { codeAt, width } from "./tokens";

// What becomes of matches and of what lies between them. Python's `Cut` numbers them so.
const MATCHES: u32 = 1; // matches are pieces
const GAPS: u32 = 2; // so is what lies between them
const PREVIOUS: u32 = 4; // a match is one piece with what lies before it
const NEXT: u32 = 8; // with what lies behind it
const CONTIGUOUS: u32 = 16; // matches that touch each other are one piece
const INVERTED: u32 = 32; // matches and what lies between them have changed roles
const JOINING: u32 = PREVIOUS | NEXT | CONTIGUOUS;

const DEAD: u32 = 0x7fff;
const MATCHED: u32 = 0x8000;
const MOST: u32 = 16;
const FIELDS: u32 = 24;
const automata = memory.data(MOST * FIELDS, 8);
let count: u32 = 0;

/** One more pattern, behind those before it: false if there are too many. */
export function addAutomaton(first: usize, classes: usize, table: usize, width: u32, starts: usize, mode: u32): bool {
  if (count == MOST) return false;
  const at = automata + count++ * FIELDS;
  store<u32>(at, <u32>first);
  store<u32>(at, <u32>classes, 4);
  store<u32>(at, <u32>table, 8);
  store<u32>(at, width, 12);
  store<u32>(at, <u32>starts, 16);
  store<u32>(at, mode, 20);
  return true;
}

// @ts-ignore: decorator
@inline export function isLast(level: u32): bool {
  return level == count;
}

// @ts-ignore: decorator
@inline function classOf(at: usize, first: usize, classes: usize): u32 {
  const c: u32 = load<u8>(at);
  return c < 0x80 ? load<u8>(classes + c) : classBeyond(at, first, classes);
}

function classBeyond(at: usize, first: usize, classes: usize): u32 {
  const code = codeAt(at);
  return load<u8>(classes + (<u32>load<u16>(first + ((code >>> 7) << 1)) << 7) + (code & 127));
}

let reached: bool = false; // did the last search read to the end of the text?

/** Where the match that begins at `start` ends; `start` itself if none does. */
function matchEnd(automaton: usize, text: usize, start: usize, end: usize): usize {
  const first: usize = load<u32>(automaton);
  const classes: usize = load<u32>(automaton, 4);
  const table: usize = load<u32>(automaton, 8);
  const columns = load<u32>(automaton, 12);
  const starts: usize = load<u32>(automaton, 16);
  let state: u32 = 0;
  if (starts) {
    let before: u32 = columns - 1;
    if (start > text) {
      let at = start - 1;
      while ((load<u8>(at) & 0xc0) == 0x80) at--;
      before = classOf(at, first, classes);
    }
    state = load<u16>(starts + (before << 1));
  }
  let last = start;
  for (let at = start; at < end; ) {
    const c: u32 = load<u8>(at);
    let next = at + 1;
    let column: u32;
    if (c < 0x80) column = load<u8>(classes + c);
    else {
      column = classBeyond(at, first, classes);
      next = at + width(c);
    }
    state = load<u16>(table + ((state * columns + column) << 1));
    if (state & MATCHED) last = at;
    state &= DEAD;
    if (state == DEAD) return last;
    at = next;
  }
  reached = true;
  return load<u16>(table + ((state * columns + columns - 1) << 1)) & MATCHED ? end : last;
}

/** Is a part of the text joined with the one before it? Either is a delimiter or not. */
// @ts-ignore: decorator
@inline function joins(mode: u32, delimits: bool, before: bool): bool {
  if (mode & PREVIOUS) return delimits && !before;
  return mode & NEXT ? before && !delimits : before == delimits;
}

/**
 * Cut a text by one pattern and all behind it. Returns where what is certain ends: at the end of the text, if it is
 * `complete`; else more text may change what comes from there on. 0 if there is no room.
 */
export function cut(level: u32, text: usize, start: usize, end: usize, complete: bool): usize {
  const automaton = automata + level * FIELDS;
  const mode = load<u32>(automaton, 20);
  const keeps = mode & (GAPS | JOINING);
  let gap = start; // what lies before the match
  let held: usize = 0; // what may be joined with more
  let heldEnd: usize = 0;
  let before = false; // does it end with a delimiter?
  for (let at = start, last = start; ; ) {
    if (at < end) {
      reached = false;
      last = matchEnd(automaton, text, at, end);
      if (reached && !complete) return held ? held : keeps ? gap : at;
      if (last == at) {
        at += width(load<u8>(at));
        last = at;
        continue;
      }
    } else if (!complete) return held ? held : keeps ? gap : at;
    // What lies before the match, then the match; at the end of the text, only the former.
    for (let matched = 0; matched < 2; matched++) {
      const from = matched ? at : gap;
      const to = matched ? last : at;
      if (from == to) continue;
      if (!(mode & JOINING)) {
        if (mode & (matched ? MATCHES : GAPS) && !put(level + 1, from, to)) return 0;
        continue;
      }
      const delimits = (matched != 0) != ((mode & INVERTED) != 0);
      if (held && joins(mode, delimits, before)) heldEnd = to;
      else {
        if (held && !put(level + 1, held, heldEnd)) return 0;
        held = from;
        heldEnd = to;
      }
      before = delimits;
    }
    if (at == end) break;
    gap = at = last;
  }
  return held && !put(level + 1, held, heldEnd) ? 0 : end;
}
