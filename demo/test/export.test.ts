import { Encoding, type VocabularyInfo } from "bpeek";
import { expect, test } from "vitest";
import * as formats from "../src/export.js";

const INFO = { name: "toy", format: "tiktoken", sha256: "0".repeat(64) } as VocabularyInfo;

/** A token for each of these parts of a text; a number as its share of bytes of the character that comes next. */
function exported(parts: string[], special: [number, string][] = []): formats.Exported {
  const text = parts.join("");
  const columns: number[][] = [[], [], [], [], []];
  let [at, byte] = [0, 0];
  for (const [i, part] of parts.entries()) {
    const bytes = new TextEncoder().encode(part).length;
    [i, at, at + part.length, byte, byte + bytes].forEach((value, column) => columns[column]!.push(value));
    at += part.length;
    byte += bytes;
  }
  return { encoding: new Encoding(text, Uint32Array.from(columns.flat()), new Map(special)), info: INFO, policy: "text", byId: false };
}

const HOSTILE = ["<img src=x onerror=alert(1)>", "]]>&amp;", '" onclick="x', "=1+1", "@SUM(A1)", "-2", "\u202egnp.\u0000\n", "🙂"];

test("ids", () => {
  expect(JSON.parse(formats.ids(exported(["a", "b"])))).toEqual([0, 1]);
});

test("JSON has every token with its places", () => {
  const told = JSON.parse(formats.json(exported(["é🙂", "b"], [[1, "b"]])));
  expect(told.tokenizer).toEqual({ name: "toy", format: "tiktoken", sha256: "0".repeat(64) });
  expect(told.tokens).toEqual([
    { id: 0, text: "é🙂", special: false, code_points: [0, 2], utf16: [0, 3], bytes: [0, 6] },
    { id: 1, text: "b", special: true, code_points: [2, 3], utf16: [3, 4], bytes: [6, 7] },
  ]);
  expect(JSON.parse(formats.json(exported(HOSTILE))).text).toBe(HOSTILE.join(""));
  expect(JSON.parse(formats.json(exported([]))).tokens).toEqual([]);
});

test("CSV has a line for each token, and no cell that a spreadsheet computes", () => {
  const lines = formats.csv(exported(HOSTILE)).trimEnd().split("\r\n");
  expect(lines).toHaveLength(HOSTILE.length + 1);
  for (const [i, line] of lines.slice(1).entries()) {
    const [, field] = /^\d+,\d+,"((?:[^"]|"")*)",[0-9a-f ]+(?:,\d+){7}$/.exec(line)!;
    const cell = field!.replaceAll('""', '"');
    expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    expect(JSON.parse(cell)).toBe(HOSTILE[i]);
  }
  expect(lines[8]).toMatch(/,f0 9f 99 82,0,/);
});

test.each(["html", "svg"] as const)("%s holds hostile text as text", (format) => {
  const made = formats[format](exported(HOSTILE, [[1, HOSTILE[1]!]]), (text) => 8 * text.length);
  const tags = new Set(Array.from(made.matchAll(/<([^\s/>]+)/g), ([, tag]) => tag));
  expect([...tags].filter((tag) => !["div", "span", "svg", "style", "rect", "g", "title", "text"].includes(tag!))).toEqual([]);
  expect(made).not.toMatch(/ on\w+="/);
  expect(made).not.toContain("\u0000");
  const written = made.replace(/<title>.*?<\/title>|<style>.*?<\/style>|<[^>]*>|\n$/gs, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const shown = HOSTILE.join("");
  const expected = format === "html" ? shown.replace("\u0000", "\ufffd") : shown.replace("\u0000", "␀").replace("\n", "↵");
  expect(format === "html" ? written : written.replaceAll("\n", "")).toBe(expected);
});

test("a character of several tokens is drawn once, and what is too much is cut", () => {
  const three = new Encoding("🙂", Uint32Array.from([1, 2, 3, 0, 0, 0, 2, 2, 2, 0, 1, 2, 1, 2, 4]));
  const base = { info: INFO, policy: "text" as const, byId: true };
  const picture = formats.svg({ ...base, encoding: three }, () => 10);
  expect(picture.match(/🙂/gu)).toHaveLength(1);
  expect(picture.match(/<title>id/g)).toHaveLength(3);
  expect(formats.html({ ...base, encoding: three })).toContain('title="ids 1, 2, 3"');
  const long = formats.html(exported(Array.from({ length: formats.MOST_DRAWN + 5 }, () => "a")));
  expect(long).toContain("… and 5 more tokens");
});
