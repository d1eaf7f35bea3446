/** What is known of one token. */

import type { Encoding, Span, SpecialPolicy, Tokenizer, TokenInfo } from "bpeek";
import { howItCame } from "./explain.js";
import { codePoint, escaped, hex, whole } from "./format.js";

const SHOWN_CODE_POINTS = 16;

export class Card {
  #body: HTMLElement;
  #shown = 0;
  /** Entries asked for already, so that moving over tokens redraws at once. */
  #known = new WeakMap<Tokenizer, Map<number, TokenInfo>>();

  constructor(body: HTMLElement) {
    this.#body = body;
    this.clear();
  }

  clear(): void {
    this.#shown++;
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Point at a token or tap it, or go from one to the next with the arrow keys.";
    this.#body.replaceChildren(hint);
  }

  async show(tokenizer: Tokenizer, encoding: Encoding, index: number): Promise<void> {
    const turn = ++this.#shown;
    const id = encoding.ids[index]!;
    const known = this.#known.get(tokenizer) ?? new Map<number, TokenInfo>();
    this.#known.set(tokenizer, known);
    const info = known.get(id) ?? (await tokenizer.token(id));
    known.set(id, info);
    if (turn === this.#shown) this.#draw(encoding, index, info);
  }

  /** Also how it came about: for a token that was chosen, as it takes a question more. */
  async explain(tokenizer: Tokenizer, encoding: Encoding, index: number, policy: SpecialPolicy): Promise<void> {
    await this.show(tokenizer, encoding, index);
    const turn = this.#shown;
    const explanation = await tokenizer.explainToken(encoding, index, { policy });
    if (turn === this.#shown) this.#body.append(howItCame(explanation));
  }

  #draw(encoding: Encoding, index: number, info: TokenInfo): void {
    const text = encoding.slice(index);
    const list = document.createElement("dl");
    const fact = (name: string, value: string, className = "") => {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const detail = document.createElement("dd");
      term.textContent = name;
      detail.textContent = value;
      row.className = className;
      row.append(term, detail);
      list.append(row);
    };
    fact("Id", String(info.id), "id");
    fact("Text", `“${escaped(text)}”`, "text wide");
    fact("Bytes", hex(info.bytes), "mono");
    fact("Code points", codePoints(text), "mono wide");
    fact("Place in UTF-16 units", place(encoding.span(index)), "mono");
    fact("Place in characters", place(encoding.codePointSpan(index)), "mono");
    fact("Place in bytes", place(encoding.byteSpan(index)), "mono");
    fact("Token", `${whole(index + 1)} of ${whole(encoding.length)}${partOf(encoding, index, info)}`);
    if (isSpelledApart(info, text)) fact("In the vocabulary", info.text, "mono wide");
    this.#body.replaceChildren(list);
  }
}

const place = ([start, end]: Span): string => `${start} – ${end}`;

/** `Ġthe` and the like; not the escapes that stand for bytes that are no text. */
const isSpelledApart = (info: TokenInfo, text: string): boolean => info.text !== text && !info.text.includes("\\x");

function codePoints(text: string): string {
  const all = [...text];
  const shown = all.slice(0, SHOWN_CODE_POINTS).map(codePoint).join(" ");
  return all.length > SHOWN_CODE_POINTS ? `${shown} … (${whole(all.length)})` : shown || "none";
}

function partOf(encoding: Encoding, index: number, info: TokenInfo): string {
  if (info.special) return ", a special token";
  const [start, end] = encoding.byteSpan(index);
  return end - start < utf8Length(encoding.slice(index)) ? ", part of a character" : "";
}

const utf8Length = (text: string): number => new TextEncoder().encode(text).length;
