/** What is known of one token. */

import type { Encoding, SpecialPolicy, Tokenizer, TokenInfo } from "bpeek";
import { button, element } from "./elements.js";
import { howItCame, rankOf } from "./explain.js";
import { codePoint, escaped, hex, place, whole } from "./format.js";

const SHOWN_CODE_POINTS = 16;

export class Card {
  #body: HTMLElement;
  #names: (text: string) => Promise<string[]>;
  #shown = 0;
  /** Entries asked for already, so that moving over tokens redraws at once. */
  #known = new WeakMap<Tokenizer, Map<number, TokenInfo>>();

  /** `names` tells Unicode's names of characters. */
  constructor(body: HTMLElement, names: (text: string) => Promise<string[]>) {
    this.#body = body;
    this.#names = names;
    this.clear();
  }

  clear(): void {
    this.#shown++;
    this.#body.replaceChildren(element("p", "hint", "Point at a token or tap it, or go from one to the next with the arrow keys."));
  }

  async show(tokenizer: Tokenizer, encoding: Encoding, index: number): Promise<void> {
    const turn = ++this.#shown;
    const info = await this.#entry(tokenizer, encoding.ids[index]!);
    if (turn === this.#shown) this.#body.replaceChildren(facts(encoding, index, info));
  }

  /** Also names, copies, and how it came about: for a token that was chosen, as it takes some questions more. */
  async explain(tokenizer: Tokenizer, encoding: Encoding, index: number, policy: SpecialPolicy): Promise<void> {
    const turn = ++this.#shown;
    const info = await this.#entry(tokenizer, encoding.ids[index]!);
    if (turn !== this.#shown) return;
    const list = facts(encoding, index, info, true);
    this.#body.replaceChildren(list);
    const [names, explanation] = await Promise.all([
      this.#names(shownPart(encoding.slice(index))),
      tokenizer.explainToken(encoding, index, { policy }),
    ]);
    if (turn !== this.#shown) return;
    list.querySelector(".points dd")?.replaceChildren(named(encoding.slice(index), names));
    const rank = rankOf(explanation);
    if (rank !== undefined) list.append(fact("Rank of its last merge", whole(rank), { copy: String(rank), className: "mono" }));
    this.#body.append(howItCame(explanation));
  }

  async #entry(tokenizer: Tokenizer, id: number): Promise<TokenInfo> {
    const known = this.#known.get(tokenizer) ?? new Map<number, TokenInfo>();
    this.#known.set(tokenizer, known);
    const info = known.get(id) ?? (await tokenizer.token(id));
    known.set(id, info);
    return info;
  }
}

function facts(encoding: Encoding, index: number, info: TokenInfo, copies = false): HTMLElement {
  const text = encoding.slice(index);
  const list = element("dl", "");
  const add = (name: string, value: string, className: string, copy = value) =>
    list.append(fact(name, value, copies ? { className, copy } : { className }));
  add("Id", String(info.id), "id");
  const isPart = !info.special && isPartOf(encoding, index, text);
  add("Text", isPart ? `part of ${escaped(text)}` : `“${escaped(text)}”`, "text wide", text);
  add("Token", `${whole(index + 1)} of ${whole(encoding.length)}${info.special ? ", a special token" : ""}`, "", String(index));
  add("Bytes", hex(info.bytes), "mono wide");
  add("Code points", codePoints(text), "mono points full", [...text].map(codePoint).join(" "));
  add("Place in UTF-16 units", place(encoding.span(index)), "mono");
  add("Place in characters", place(encoding.codePointSpan(index)), "mono");
  add("Place in bytes", place(encoding.byteSpan(index)), "mono");
  if (isSpelledApart(info, text)) add("In the vocabulary", info.text, "mono wide");
  return list;
}

function fact(name: string, value: string, { className = "", copy }: { className?: string; copy?: string } = {}): HTMLElement {
  const term = element("dt", "", name);
  if (copy !== undefined) term.append(copyButton(name, copy));
  return element("div", className, term, element("dd", "", value));
}

/** Its sign is drawn by style: the facts around it stay as they read. */
function copyButton(name: string, value: string): HTMLButtonElement {
  const copy = button("copy", () => {
    void navigator.clipboard.writeText(value).then(() => {
      copy.classList.add("done");
      copy.ariaLabel = `Copied: ${name}`;
      setTimeout(() => {
        copy.classList.remove("done");
        copy.ariaLabel = `Copy: ${name}`;
      }, 1500);
    });
  });
  copy.ariaLabel = `Copy: ${name}`;
  return copy;
}

/** `Ġthe` and the like; not the escapes that stand for bytes that are no text. */
const isSpelledApart = (info: TokenInfo, text: string): boolean => info.text !== text && !info.text.includes("\\x");

const shownPart = (text: string): string => [...text].slice(0, SHOWN_CODE_POINTS).join("");

function codePoints(text: string): string {
  const all = [...text];
  const shown = all.slice(0, SHOWN_CODE_POINTS).map(codePoint).join(" ");
  return all.length > SHOWN_CODE_POINTS ? `${shown} … (${whole(all.length)})` : shown || "none";
}

/** One a line: the number, and Unicode's name. */
function named(text: string, names: string[]): Node {
  const all = [...text];
  const lines = document.createDocumentFragment();
  for (const [i, name] of names.entries()) {
    const words = element("span", "", name || withoutName(all[i]!));
    lines.append(element("span", "point", codePoint(all[i]!), " ", words));
  }
  if (all.length > names.length) lines.append(`… ${whole(all.length)} in all`);
  else if (all.length === 0) lines.append("none");
  return lines;
}

const CONTROLS: Record<string, string> = { "\0": "null", "\t": "tab", "\n": "line feed", "\r": "carriage return", "\x1b": "escape" };

/** Unicode gives no names to these. */
function withoutName(character: string): string {
  if (/\p{Cc}/u.test(character)) return CONTROLS[character] ?? "control character";
  if (/\p{Co}/u.test(character)) return "private use";
  return /\p{Cs}/u.test(character) ? "half of a surrogate pair" : "not assigned";
}

/** Whether it has fewer bytes than the characters that it touches. */
function isPartOf(encoding: Encoding, index: number, text: string): boolean {
  const [start, end] = encoding.byteSpan(index);
  return end - start < utf8Length(text);
}

const utf8Length = (text: string): number => new TextEncoder().encode(text).length;
