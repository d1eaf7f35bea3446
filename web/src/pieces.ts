/** Cuts an encoded text into what can be drawn: blocks that appear on demand, and in a block pieces that tokens own or share. */

import type { Encoding } from "./encoding.js";

/** A run of tokens and the text around them, from one line's start to another's. */
export interface Block {
  /** Tokens `first` to `last - 1`. */
  first: number;
  last: number;
  start: number;
  end: number;
}

/** Text that belongs to tokens `first` to `last - 1`: to none, to one, or (a character cut by token borders) to several. */
export interface Piece {
  text: string;
  first: number;
  last: number;
}

const BLOCK = 1500;
/** A line longer than this is broken where no break is. */
const LONGEST_LINE = 3000;

/** Cuts a whole encoding, or the part of it that `range` is. */
export function toBlocks({ text, length, starts, ends }: Encoding, range?: Block): Block[] {
  const whole = range ?? { first: 0, last: length, start: 0, end: text.length };
  const blocks: Block[] = [];
  let { first, start } = whole;
  let reach = start;
  for (let i = first; i < whole.last; i++) {
    reach = Math.max(reach, ends[i]!);
    const shared = i + 1 < length && starts[i + 1]! < reach;
    const size = reach - start;
    if (shared || size < BLOCK || (text[reach - 1] !== "\n" && size < LONGEST_LINE)) continue;
    blocks.push({ first, last: i + 1, start, end: reach });
    first = i + 1;
    start = reach;
  }
  const rest = { first, last: whole.last, start, end: whole.end };
  const previous = blocks.at(-1);
  // A little joins what is before it, or else editing would leave ever more and smaller blocks.
  if (previous && rest.end - rest.start < BLOCK / 2) Object.assign(previous, { last: rest.last, end: rest.end });
  else if (start < rest.end || first < rest.last) blocks.push(rest);
  return blocks;
}

/**
 * Nothing that people see as one character is cut: where a token border falls inside a code point,
 * a base with its accents or a joined emoji, that character is one piece of all its tokens.
 */
export function toPieces({ text, starts, ends }: Encoding, block: Block): Piece[] {
  const pieces: Piece[] = [];
  const breaks = characterBreaks(text.slice(block.start, block.end), block.start);
  let at = block.start;
  let token = block.first;
  let drawn = block.first; // tokens below this one are in some piece
  const push = (end: number, first: number, last: number) => {
    pieces.push({ text: text.slice(at, end), first, last });
    drawn = Math.max(drawn, last);
    at = end;
  };

  for (;;) {
    for (; token < block.last && ends[token]! <= at; token++) {
      if (token >= drawn) push(at, token, token + 1); // a token that covers no text
    }
    if (token === block.last) break;
    if (starts[token]! > at) {
      push(starts[token]!, token, token);
      continue;
    }
    const next = nextStart(starts, ends, token, block);
    const end = breaks.before(Math.min(ends[token]!, next));
    if (end > at) {
      push(end, token, token + 1);
      continue;
    }
    const over = breaks.after(at);
    let last = token + 1;
    while (last < block.last && starts[last]! < over) last++;
    push(over, token, last);
  }
  if (at < block.end) push(block.end, token, token);
  return pieces;
}

/** Where the next token that covers text begins. */
function nextStart(starts: Uint32Array, ends: Uint32Array, token: number, block: Block): number {
  let next = token + 1;
  while (next < block.last && starts[next] === ends[next]) next++;
  return next < block.last ? starts[next]! : block.end;
}

const FIRST_MARK = 0x300;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function characterBreaks(text: string, offset: number) {
  let segments: Intl.Segments | undefined;
  const character = (at: number) => (segments ??= segmenter.segment(text)).containing(at - offset)!;
  const end = offset + text.length;
  return {
    /** The last break at or before `at`. Below U+0300 nothing joins what stands before it, CR LF apart: those two may part. */
    before: (at: number) => (at >= end || text.charCodeAt(at - offset) < FIRST_MARK ? at : offset + character(at).index),
    /** The first break after `at`. */
    after: (at: number) => {
      const { index, segment } = character(at);
      return offset + index + segment.length;
    },
  };
}
