// Cutting a text by automata, which Python has made of patterns and proved to be linear on every text.
import { put } from "./encode";
import { alloc } from "./memory";
import { codeAt, width } from "./tokens";

// What becomes of matches and of what lies between them.
const MATCHES: u32 = 1; // matches are pieces
const GAPS: u32 = 2; // so is what lies between them
const PREVIOUS: u32 = 4; // a delimiter is one piece with what lies before it
const NEXT: u32 = 8; // with what lies behind it
const ALIKE: u32 = 16; // delimiters that touch each other are one piece
const INVERTED: u32 = 32; // not matches are delimiters, but what lies between them

@unmanaged class Automaton {
  first: usize; // by block of 128 code points: which block of classes it has
  classes: usize;
  starts: usize; // by class of the character before: the state to begin with; 0 if it does not matter
  columns: u32; // classes, and the end of the text
  rows: usize; // of cells: for the bytes of ASCII, then for the classes
  rowSize: u32;
  mode: u32;
}

// A cell is the row of the next state, or 0 if nothing can match any more, and 1 more if a match ends before the character.
const ASCII: u32 = 128 << 2;
const MATCHED: u32 = 1;
const MOST: u32 = 16;
const automata = memory.data(MOST * offsetof<Automaton>(), 8);
let count: u32 = 0;

@inline function automatonOf(level: u32): Automaton {
  return changetype<Automaton>(automata + level * offsetof<Automaton>());
}

/** One more pattern, behind those before it, as Python has it; false if there is no room. */
export function addAutomaton(
  first: usize, classes: usize, table: usize, states: u32, columns: u32, starts: usize, mode: u32,
): bool { // prettier-ignore
  const rowSize = ASCII + (columns << 2);
  const rows = alloc(states * rowSize);
  if (!rows || count == MOST) return false;
  for (let state: u32 = 0; state < states; state++)
    for (let column: u32 = 0; column < 128 + columns; column++) {
      const each = column < 128 ? load<u8>(classes + column) : column - 128;
      const cell: u32 = load<u16>(table + ((state * columns + each) << 1));
      const next = (cell & 0x7fff) == 0x7fff ? 0 : <u32>rows + (cell & 0x7fff) * rowSize;
      store<u32>(rows + state * rowSize + (column << 2), next | (cell >>> 15));
    }
  const automaton = automatonOf(count++);
  automaton.first = first;
  automaton.classes = classes;
  automaton.starts = starts;
  automaton.columns = columns;
  automaton.rows = rows;
  automaton.rowSize = rowSize;
  automaton.mode = mode;
  return true;
}

@inline export function isLast(level: u32): bool {
  return level == count;
}

function classAt(automaton: Automaton, at: usize): u32 {
  const code = codeAt(at);
  const block: u32 = load<u16>(automaton.first + ((code >>> 7) << 1));
  return load<u8>(automaton.classes + (block << 7) + (code & 127));
}

/** Where a match that begins at `start` begins in the table. */
function firstRow(automaton: Automaton, text: usize, start: usize): usize {
  if (!automaton.starts) return automaton.rows;
  let before = automaton.columns - 1;
  if (start > text) {
    do start--; while ((load<u8>(start) & 0xc0) == 0x80);
    before = classAt(automaton, start);
  }
  return automaton.rows + <u32>load<u16>(automaton.starts + (before << 1)) * automaton.rowSize;
}

let reached: bool = false; // did the last search read to the end of the text?

/** Where the match that begins at `start` ends; `start` itself if none does. */
function matchEnd(automaton: Automaton, text: usize, start: usize, end: usize): usize {
  let row = firstRow(automaton, text, start);
  let last = start;
  for (let at = start; at < end; ) {
    const byte: u32 = load<u8>(at);
    let cell: u32;
    if (byte < 0x80) cell = load<u32>(row + (byte << 2));
    else cell = load<u32>(row + ASCII + (classAt(automaton, at) << 2));
    if (cell & MATCHED) last = at;
    row = cell & ~MATCHED;
    if (!row) return last;
    at += width(byte);
  }
  reached = true;
  return load<u32>(row + ASCII + ((automaton.columns - 1) << 2)) & MATCHED ? end : last;
}

/**
 * Cut a text by one pattern and all behind it. Returns where what is certain ends: at the end of the text, if it is
 * `complete`; else more text may change what comes from there on. 0 if there is no room.
 */
export function cut(level: u32, text: usize, start: usize, end: usize, complete: bool): usize {
  const automaton = automatonOf(level);
  const mode = automaton.mode;
  const joining = (mode & (PREVIOUS | NEXT | ALIKE)) != 0;
  let gap = start; // what lies before the match
  let held: usize = 0; // where what may be joined with more begins
  let delimited = false; // does it end with a delimiter?
  for (let at = start, last = start; ; ) {
    reached = false;
    if (at < end) last = matchEnd(automaton, text, at, end);
    if (!complete && (reached || at == end)) return held ? held : joining || mode & GAPS ? gap : at;
    if (last == at && at < end) {
      at = last += width(load<u8>(at));
      continue;
    }
    // What lies before the match, then the match; at the end of the text, there is only the former.
    for (let matched: u32 = 0, from = gap, to = at; matched < 2; matched++, from = at, to = last) {
      if (from == to) continue;
      if (!joining) {
        if (mode & (GAPS >>> matched) && !put(level + 1, from, to)) return 0;
        continue;
      }
      const delimits = (matched != 0) != ((mode & INVERTED) != 0);
      const joined = mode & PREVIOUS ? delimits && !delimited : mode & NEXT ? delimited && !delimits : delimits == delimited;
      if (held && !joined && !put(level + 1, held, from)) return 0;
      if (!held || !joined) held = from;
      delimited = delimits;
    }
    if (at == end) break;
    gap = at = last;
  }
  return held && !put(level + 1, held, end) ? 0 : end;
}
