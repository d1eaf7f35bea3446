/** Text that is written like a special token and was read as text: whoever checks untrusted text wants to see it. */

import type { Encoding } from "./encoding.js";
import type { Block } from "./pieces.js";

export interface Lookalike {
  token: string;
  start: number;
  end: number;
}

interface Finder {
  pattern: RegExp;
  /** Length of the longest special token. */
  reach: number;
}

/** By the map that all encodings of a tokenizer share. */
const finders = new WeakMap<ReadonlyMap<number, string>, Finder>();

/** Places in a block, in order, where a special token is written; those that were taken for one are among them. */
export function writtenSpecials({ text, specialTokens }: Encoding, block: Block): Lookalike[] {
  if (specialTokens.size === 0) return [];
  const { pattern, reach } = finderFor(specialTokens);
  const from = Math.max(0, block.start - reach); // one may begin before the block, or end behind it
  const found = text.slice(from, block.end + reach).matchAll(pattern);
  return Array.from(found, ({ 0: token, index }) => ({ token, start: from + index, end: from + index + token.length }));
}

/** The one that a token is part of, unless it is special itself. */
export function lookalikeAt(encoding: Encoding, written: Lookalike[], token: number): Lookalike | undefined {
  if (written.length === 0 || encoding.isSpecial(token)) return undefined;
  const [start, end] = encoding.span(token);
  return written.find((place) => place.start < end && start < place.end);
}

function finderFor(specialTokens: ReadonlyMap<number, string>): Finder {
  const known = finders.get(specialTokens);
  if (known) return known;
  const tokens = [...specialTokens.values()].filter((token) => token !== "").sort((a, b) => b.length - a.length);
  const pattern = new RegExp(tokens.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|") || "(?!)", "g");
  const made = { pattern, reach: tokens[0]?.length ?? 0 };
  finders.set(specialTokens, made);
  return made;
}
