/** How a token came about: normalization, the piece it was cut from, and the merges one by one. */

import type { Merge, Piece, TokenExplanation } from "bpeek";
import { element } from "./elements.js";
import { escaped, spelled, whole } from "./format.js";

const MOST_SYMBOLS = 400;
const MOST_TEXT = 200;

export function howItCame(explanation: TokenExplanation | undefined): HTMLElement {
  const box = element("section", "how", element("h3", "", "How it came about"));
  if (!explanation) {
    box.append(element("p", "", "So much text is merged here as one piece that its steps could not be followed."));
    return box;
  }
  const { changes, piece, at, notices } = explanation;
  for (const { token, taken, why } of notices) {
    box.append(sentence(code(token), ` was ${taken ? "" : "not "}taken for a special token: ${why}.`));
  }
  for (const { step, before, after } of changes) {
    box.append(sentence("Normalized by ", code(step), ": ", code(clipped(before)), " → ", code(clipped(after))));
  }
  if (!piece) box.append(sentence("The tokenizer adds it to every text."));
  else if (!piece.added) box.append(cutBy(piece), ...merging(piece, at));
  return box;
}

/** That of the merge that made it; none for a start symbol, for what was not merged, and for what was looked up as a whole. */
export function rankOf(explanation: TokenExplanation | undefined): number | undefined {
  if (!explanation?.piece) return undefined;
  const { symbols, merges } = explanation.piece;
  const ranks: (number | null | undefined)[] = symbols.map(() => null);
  for (const { start, middle, rank } of merges) {
    ranks[start] = rank;
    ranks[middle] = undefined;
  }
  const left = ranks.filter((rank) => rank !== undefined);
  return left.length === explanation.piece.tokens.length ? (left[explanation.at] ?? undefined) : undefined;
}

function cutBy({ text, cuts }: Piece): HTMLElement {
  const line = sentence("The piece ", code(clipped(text)));
  for (const [i, { step, pattern, alternative, written }] of cuts.entries()) {
    line.append(i === 0 ? " was cut out by " : ", then by ");
    if (alternative !== undefined && written !== undefined) {
      line.append(`alternative ${alternative + 1} of the pattern, `, code(written, "pattern"));
    } else {
      line.append(pattern === undefined ? step : "what lies between the pattern’s matches");
    }
  }
  line.append(cuts.length > 0 ? "." : " is the text as a whole.");
  return line;
}

function merging(piece: Piece, at: number): Node[] {
  const { merges, symbols, whole: found, tokens } = piece;
  const last = merges.at(-1);
  const reached = last !== undefined && last.start === 0 && last.end === symbols.length;
  const lines: Node[] = [];
  if (found && symbols.length > 1) {
    lines.push(sentence(
      reached ? "It is in the vocabulary as a whole, and merging makes the same:" : "It is in the vocabulary as a whole, which merging would not make:",
    ));
  }
  if (merges.length === 0) {
    if (!found) lines.push(sentence("No two of its symbols merge:"), row(symbols.map((symbol) => chip(symbol))));
  } else if (symbols.length > MOST_SYMBOLS) {
    lines.push(sentence(`${whole(symbols.length)} symbols became ${whole(tokens.length)} tokens in ${whole(merges.length)} merges.`));
  } else {
    lines.push(steps(piece, at));
  }
  return lines;
}

/** A slider through the merges; what it stands at is told beside it. */
function steps({ symbols, merges, tokens }: Piece, at: number): HTMLElement {
  const slider = element("input", "");
  slider.type = "range";
  slider.min = "0";
  slider.max = String(merges.length);
  slider.value = slider.max;
  const told = element("output", "");
  const state = row([]);
  const draw = () => {
    const step = slider.valueAsNumber;
    const words = inWords(merges, step);
    told.textContent = words;
    slider.ariaValueText = words;
    const isTheEnd = step === merges.length && symbolsAfter(symbols, merges, step).length === tokens.length;
    state.replaceChildren(...symbolsAfter(symbols, merges, step).map(({ text, merge }, i) => {
      const made = chip(text, merge);
      if (isTheEnd && i === at) made.classList.add("this");
      return made;
    }));
  };
  slider.addEventListener("input", draw);
  draw();
  const label = element("label", "steps", element("span", "unseen", "Merge step"), slider, told);
  return element("div", "merging", label, state);
}

function inWords(merges: Merge[], step: number): string {
  const merge = merges[step - 1];
  if (!merge) return `Before the first of ${whole(merges.length)} ${merges.length === 1 ? "merge" : "merges"}`;
  return `Step ${whole(step)} of ${whole(merges.length)}, rank ${whole(merge.rank)}: ${shown(merge.left)} + ${shown(merge.right)}`;
}

interface Symbol {
  text: string;
  /** The merge that made it, if it was the last. */
  merge?: Merge;
}

/** The symbols once so many merges are done. */
export function symbolsAfter(symbols: string[], merges: Merge[], step: number): Symbol[] {
  const now: (Symbol | undefined)[] = symbols.map((text) => ({ text }));
  merges.slice(0, step).forEach((merge, i) => {
    now[merge.start] = i === step - 1 ? { text: merge.made, merge } : { text: merge.made };
    now[merge.middle] = undefined;
  });
  return now.filter((symbol) => symbol !== undefined);
}

const row = (chips: HTMLElement[]): HTMLElement => element("p", "symbols", ...chips);

/** A symbol; of one that was just made, both parts are marked. */
function chip(text: string, merge?: Merge): HTMLElement {
  if (!merge) return element("span", "symbol", shown(text));
  return element("span", "symbol made", element("span", "", shown(merge.left)), element("span", "", shown(merge.right)));
}

const shown = (symbol: string): string => spelled(symbol).replaceAll(" ", "␣");

const clipped = (text: string): string => escaped(text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

const sentence = (...parts: (Node | string)[]): HTMLElement => element("p", "", ...parts);

const code = (text: string, className = ""): HTMLElement => element("code", className, text);
