/** How one token came about, asked of no more text than can have a say in it. */

import { isHigh, isLow, type Encoding } from "./encoding.js";
import type { Explanation, Piece, Stretch } from "./protocol.js";

export interface TokenExplanation {
  /** What normalization changed in the text around it. */
  changes: Stretch["changes"];
  /** The piece that was merged; `undefined` for a token that the tokenizer adds to every text. */
  piece: Piece | undefined;
  /** Which of the piece's tokens it is. */
  at: number;
  /** Special tokens that are written where the token is. */
  notices: Explanation["notices"];
}

/** Asks for the borders around a part of a text, and for the explanation of a text. */
export interface Asked {
  around(text: string, start: number, end: number): Promise<Uint32Array>;
  explain(text: string): Promise<Explanation>;
}

/** In UTF-16 units on either side of a token: a piece that goes beyond is not explained. */
const REACH = 2000;

/** `undefined` where the piece is too long to be followed step by step. */
export async function explainToken(encoding: Encoding, index: number, ask: Asked): Promise<TokenExplanation | undefined> {
  const { text } = encoding;
  const [start, end] = encoding.span(index);
  const from = between(text, Math.max(0, start - REACH), 1);
  const to = between(text, Math.min(text.length, end + REACH), -1);
  const [first, last] = (await ask.around(text.slice(from, to), start - from, end - from)) as unknown as [number, number];
  if ((first === 0 && from > 0) || (from + last === to && to < text.length)) return undefined;
  const base = from + first;
  return pick(await ask.explain(text.slice(base, from + last)), encoding, index, base);
}

function pick({ stretches, tokens, notices }: Explanation, encoding: Encoding, index: number, base: number): TokenExplanation {
  const [start, end] = encoding.span(index).map((place) => place - base) as [number, number];
  const same = tokens.filter((token) => token.id === encoding.ids[index] && token.start === start && token.end === end);
  const found = same[countSameBefore(encoding, index)] ?? same[0];
  const written = notices.filter((notice) => notice.start < end && start < notice.end);
  if (found?.piece === undefined) return { changes: [], piece: undefined, at: 0, notices: written };
  const numbers = stretches.flatMap((stretch) => stretch.pieces.map((piece) => ({ stretch, piece })));
  const { stretch, piece } = numbers[found.piece]!;
  const at = tokens.filter((token) => token.piece === found.piece).indexOf(found);
  return { changes: stretch.changes, piece, at, notices: written };
}

/** Tokens of one character may have the same id and the same place. */
function countSameBefore({ ids, starts, ends }: Encoding, index: number): number {
  let count = 0;
  for (let i = index - 1; i >= 0 && starts[i] === starts[index] && ends[i] === ends[index]; i--) {
    if (ids[i] === ids[index]) count++;
  }
  return count;
}

/** A place that parts no surrogate pair. */
function between(text: string, at: number, step: 1 | -1): number {
  return at > 0 && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at + step : at;
}
