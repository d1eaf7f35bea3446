/** The tokens as text that other programs read. Everything here is a string made of strings: no page is needed. */

import { toPieces, type Encoding, type SpecialPolicy, type VocabularyInfo } from "bpeek";
import { hex } from "./format.js";

export interface Exported {
  encoding: Encoding;
  info: VocabularyInfo;
  policy: SpecialPolicy;
  byId: boolean;
}

/** More are not drawn: no program would open it. */
export const MOST_DRAWN = 10_000;
const FILLS = ["#d3e9f8", "#fbe5bf", "#cbeade", "#f4dbe8", "#f3efb5"];
const LINES = ["#0b74b5", "#a86200", "#00775a", "#a8487c", "#757000"];
const INK = "#1a1e27";
const SPECIAL = { fill: "#2b3245", ink: "#ffffff" };

export const ids = ({ encoding }: Exported): string => `[${encoding.ids.join(", ")}]\n`;

export function json({ encoding, info, policy }: Exported): string {
  const tokens = Array.from(encoding.ids, (id, i) => ({
    id,
    text: encoding.slice(i),
    special: encoding.isSpecial(i),
    code_points: encoding.codePointSpan(i),
    utf16: encoding.span(i),
    bytes: encoding.byteSpan(i),
  }));
  const head = { tokenizer: { name: info.name, format: info.format, sha256: info.sha256 }, special_tokens: policy, text: encoding.text };
  // One token a line, so that it can be read and compared.
  const lines = tokens.map((token) => `    ${JSON.stringify(token)}`).join(",\n");
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "tokens": [\n${lines}\n  ]\n}\n`;
}

/**
 * Text stands in JSON's quotes, with its escapes: so every line of the file is a token, and no cell begins with a
 * character that makes a spreadsheet compute it.
 */
export function csv({ encoding }: Exported): string {
  const bytes = new TextEncoder().encode(encoding.text);
  const head = "index,id,text,hex,special,code_point_start,code_point_end,utf16_start,utf16_end,byte_start,byte_end";
  const rows = Array.from(encoding.ids, (id, i) => {
    const text = `"${JSON.stringify(encoding.slice(i)).replaceAll('"', '""')}"`;
    const spans = [encoding.codePointSpan(i), encoding.span(i), encoding.byteSpan(i)].flat();
    return [i, id, text, hex(bytes.subarray(...encoding.byteSpan(i))), Number(encoding.isSpecial(i)), ...spans].join(",");
  });
  return `${[head, ...rows].join("\r\n")}\r\n`;
}

/** For mails and documents: every style is at its element, and nothing is a script. */
export function html(exported: Exported): string {
  const spans = drawn(exported).map(({ text, tokens }) => {
    if (tokens.length === 0) return markup(text);
    const { fill, line, ink } = coloursOf(exported, tokens[0]!);
    const several = tokens.length > 1;
    const border = `2px ${several ? "dotted" : "solid"} ${line}`;
    const title = `${several ? "ids" : "id"} ${tokens.map((token) => exported.encoding.ids[token]).join(", ")}`;
    return `<span title="${title}" style="background:${fill};color:${ink};border-bottom:${border};unicode-bidi:isolate">${markup(text)}</span>`;
  });
  return `<div style="background:#fff;color:${INK};font:14px/1.9 monospace;white-space:pre-wrap;overflow-wrap:anywhere">${spans.join("")}${rest(exported)}</div>\n`;
}

const WIDTH = 800;
const LINE = 30;
const EDGE = 12;

/** `measure` tells how wide a text is at 14 pixels in a monospaced font. */
export function svg(exported: Exported, measure: (text: string) => number): string {
  const parts: string[] = [];
  let [x, y] = [EDGE, EDGE];
  const place = (text: string, tokens: number[]) => {
    const width = Math.max(measure(text), 5 * tokens.length);
    if (x + width > WIDTH - EDGE && x > EDGE) [x, y] = [EDGE, y + LINE];
    parts.push(cell(exported, { text, tokens, x, y, width }));
    x += width + 1;
  };
  for (const { text, tokens } of [...drawn(exported), { text: rest(exported), tokens: [] }]) {
    // A line end has a mark, and then ends the line.
    for (const run of text === "" && tokens.length > 0 ? [""] : text.split(/(?<=\n)/)) {
      const isEnd = run.endsWith("\n");
      for (const part of inWidth(visible(run), measure)) place(part, tokens);
      if (isEnd) [x, y] = [EDGE, y + LINE];
    }
  }
  const height = y + LINE + EDGE;
  const style = `text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;unicode-bidi:isolate}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>\n${parts.join("\n")}\n</svg>\n`;
}

interface Cell {
  text: string;
  tokens: number[];
  x: number;
  y: number;
  width: number;
}

/** A character that several tokens share stands once, over a stripe for each. */
function cell(exported: Exported, { text, tokens, x, y, width }: Cell): string {
  const share = width / Math.max(1, tokens.length);
  const stripes = tokens.map((token, i) => {
    const { fill, line } = coloursOf(exported, token);
    const at = (x + i * share).toFixed(1);
    const wide = share.toFixed(1);
    const title = `<title>id ${exported.encoding.ids[token]}</title>`;
    return `<g>${title}<rect x="${at}" y="${y}" width="${wide}" height="24" rx="3" fill="${fill}"/><rect x="${at}" y="${y + 22}" width="${wide}" height="2" fill="${line}"/></g>`;
  });
  const ink = tokens.length === 0 ? INK : coloursOf(exported, tokens[0]!).ink;
  const label = text === "" ? "" : `<text x="${x.toFixed(1)}" y="${y + 16}" fill="${ink}">${markup(text)}</text>`;
  return stripes.join("") + label;
}

/** So many characters as fit in a line. */
function inWidth(text: string, measure: (text: string) => number): string[] {
  const room = WIDTH - 2 * EDGE;
  if (measure(text) <= room) return [text];
  const characters = [...text];
  const most = Math.max(1, Math.floor((room / measure(text)) * characters.length * 0.9));
  return Array.from({ length: Math.ceil(characters.length / most) }, (_, i) => characters.slice(i * most, (i + 1) * most).join(""));
}

/** Each run of text with the tokens that it belongs to: none, one, or those that share a character. */
function drawn({ encoding }: Exported): { text: string; tokens: number[] }[] {
  const last = Math.min(encoding.length, MOST_DRAWN);
  const end = last < encoding.length ? encoding.ends[last - 1]! : encoding.text.length;
  return toPieces(encoding, { first: 0, last, start: 0, end }).map(({ text, first, last }) => ({
    // A token without text (`<s>`) shows its name.
    text: text === "" && last > first ? (encoding.specialTokens.get(encoding.ids[first]!) ?? "") : text,
    tokens: Array.from({ length: last - first }, (_, i) => first + i),
  }));
}

const rest = ({ encoding }: Exported): string => (encoding.length > MOST_DRAWN ? ` … and ${encoding.length - MOST_DRAWN} more tokens` : "");

function coloursOf({ encoding, byId }: Exported, token: number): { fill: string; line: string; ink: string } {
  if (encoding.isSpecial(token)) return { fill: SPECIAL.fill, line: SPECIAL.fill, ink: SPECIAL.ink };
  const hue = (byId ? Math.imul(encoding.ids[token]!, 0x9e3779b1) >>> 16 : token) % FILLS.length;
  return { fill: FILLS[hue]!, line: LINES[hue]!, ink: INK };
}

/** What cannot be seen gets a sign; what no XML may hold, and what turns the direction of its surroundings, as well. */
const visible = (text: string): string =>
  text
    .replaceAll("\n", "↵")
    .replaceAll("\t", "⇥   ")
    .replace(/[\0-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)));

/** Text as HTML and XML take it. */
export const markup = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
