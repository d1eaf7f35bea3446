/** Makes the elements of one block of `<token-view>`. Text goes in as text, so nothing in it is ever markup. */

import type { Encoding } from "./encoding.js";
import { lookalikeAt, type Lookalike } from "./lookalikes.js";
import type { Piece } from "./pieces.js";

const HUES = 5;
/** Scripts of the blocks from Hebrew to Arabic Extended, their presentation forms, and the astral right-to-left area. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** What can be chosen of how tokens look. */
export interface Style {
  /** Marks spaces as well. */
  whitespace: boolean;
  /** Colours by id: the same token has the same colour everywhere, and neighbours may share one. */
  byId: boolean;
  /** Tokens from this one on are marked as too many. */
  limit: number;
}

export interface Look extends Style {
  /** The colour of token `i` is `hue + i`. */
  hue: number;
  /** Where special tokens are written. */
  written: Lookalike[];
  /** For the eye alone: not to be focused or read out token by token. */
  quiet?: boolean;
}

export function drawPieces(encoding: Encoding, pieces: Piece[], look: Look): DocumentFragment {
  const { whitespace, written } = look;
  const fragment = document.createDocumentFragment();
  const drawn = new Set<number>();
  const element = (token: number) => {
    const share = drawn.has(token) ? shareOf(encoding, token, look) : elementOf(encoding, token, look);
    drawn.add(token);
    return share;
  };
  let frame: { of: Lookalike; element: HTMLElement } | undefined;
  /** Tokens that make up a look-alike stand in one frame. */
  const add = (token: number, made: HTMLElement) => {
    const of = lookalikeAt(encoding, written, token);
    if (!of) return fragment.append(made);
    if (frame?.of !== of) {
      frame = { of, element: span("lookalike") };
      frame.element.role = "none";
      frame.element.setAttribute("part", "lookalike");
      frame.element.title = `Looks like the special token ${of.token}, and was read as text`;
      fragment.append(frame.element);
    }
    frame.element.append(made);
  };
  for (const { text, first, last } of pieces) {
    if (first === last) {
      fragment.append(text);
    } else if (last === first + 1) {
      const token = element(first);
      if (text === "") markEmpty(token, encoding.specialTokens.get(encoding.ids[first]!));
      writeText(token, text, whitespace);
      add(first, token);
    } else {
      const tokens = Array.from({ length: last - first }, (_, i) => element(first + i));
      add(first, sharedCharacter(text, tokens));
    }
  }
  return fragment;
}

/** The one element that stands for a token. */
function elementOf(encoding: Encoding, token: number, look: Look): HTMLElement {
  const element = document.createElement("span");
  const special = encoding.isSpecial(token);
  element.className = special ? "token special" : `token ${colourOf(encoding, token, look)}`;
  element.setAttribute("part", special ? "token special" : "token");
  if (!look.quiet) {
    element.role = "option";
    element.tabIndex = -1;
    element.ariaSelected = "false";
    element.ariaLabel = `${spoken(encoding.slice(token))}, id ${encoding.ids[token]}`;
  }
  element.classList.toggle("over", token >= look.limit);
  element.dataset.index = String(token);
  element.dataset.id = String(encoding.ids[token]);
  element.dataset.start = String(encoding.starts[token]);
  element.dataset.end = String(encoding.ends[token]);
  return element;
}

/** A further place where a token shows: no second stop for keys and screen readers. */
function shareOf(encoding: Encoding, token: number, look: Look): HTMLElement {
  const element = document.createElement("span");
  element.className = `slice ${colourOf(encoding, token, look)}`;
  element.classList.toggle("over", token >= look.limit);
  element.ariaHidden = "true";
  element.dataset.index = String(token);
  return element;
}

/** By id, bits are mixed first: neighbours in a vocabulary are often neighbours in a text. */
function colourOf({ ids }: Encoding, token: number, { byId, hue }: Look): string {
  const number = byId ? Math.imul(ids[token]!, 0x9e3779b1) >>> 16 : hue + token;
  return `c${(((number % HUES) + HUES) % HUES) + 1}`;
}

/** A character that several tokens make up: drawn once, over one slice for each. */
function sharedCharacter(text: string, tokens: HTMLElement[]): HTMLElement {
  const slices = span("slices", ...tokens);
  const glyph = span("glyph", text);
  const box = span("box", slices, glyph);
  const character = span(RIGHT_TO_LEFT.test(text) ? "character rtl" : "character", box);
  character.setAttribute("part", "character");
  character.role = box.role = slices.role = "none";
  glyph.ariaHidden = "true"; // each token's label has it
  return character;
}

function span(className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement("span");
  element.className = className;
  element.append(...children);
  return element;
}

/** `<s>` and the like stand for no text of the input. */
function markEmpty(element: HTMLElement, label = "∅"): void {
  element.classList.add("empty");
  element.dataset.label = label;
}

const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const ALWAYS = "[\\n\\r\\t\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029]";
const MARKS = { some: new RegExp(`(${ALWAYS})`), all: new RegExp(`(${ALWAYS}|\\p{Zs})`, "u") };
const INVISIBLE = /^[\p{Cf}\u{fe00}-\u{fe0f}]+$/u;

/** Marks are drawn by style beside the characters they stand for: what is copied is the text itself. */
function writeText(element: HTMLElement, text: string, whitespace: boolean): void {
  if (REORDERING.test(text)) element.classList.add("fenced");
  if (INVISIBLE.test(text)) {
    for (const character of text) element.append(marked(character));
    return;
  }
  text.split(whitespace ? MARKS.all : MARKS.some).forEach((part, i) => {
    if (part !== "") element.append(i % 2 === 0 ? part : marked(part));
  });
}

function marked(character: string): HTMLElement {
  const mark = document.createElement("span");
  mark.dataset.mark = markFor(character);
  mark.className = /[\t\p{Zs}]/u.test(character) ? "mark over" : "mark";
  mark.append(character);
  return mark;
}

function markFor(character: string): string {
  const code = character.codePointAt(0)!;
  const known = { "\n": "↵", "\r": "␍", "\t": "⇥", " ": "·" }[character];
  if (known) return known;
  if (code < 0x100 && code !== 0xa0) return `\\x${code.toString(16).padStart(2, "0")}`;
  return /\p{Zs}/u.test(character) ? "⍽" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const SPOKEN: Record<string, string> = { " ": "space", "\n": "newline", "\t": "tab", "\r": "carriage return" };

/** White space in words, as a screen reader would leave it out. */
export function spoken(text: string): string {
  if (text === "") return "no text";
  const words = text.replace(/([ \n\t\r])\1*/g, (run, character: string) => {
    const times = run.length > 1 ? `${run.length} × ` : "";
    return ` ${times}${SPOKEN[character]} `;
  });
  return words.trim();
}
