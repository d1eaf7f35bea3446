import { describe, expect, test } from "vitest";
import { Encoding } from "../src/encoding.js";
import { toBlocks, toPieces } from "../src/pieces.js";
import { columnsOf, spans } from "./toys.js";

const pieces = (encoding: Encoding) =>
  toBlocks(encoding).flatMap((block) => toPieces(encoding, block).map(({ text, first, last }) => [text, first, last]));

describe("Encoding", () => {
  test("counts in all three units", () => {
    const text = "a🙂é日\ud800";
    const encoding = new Encoding(text, columnsOf("a🙂é日"));
    expect(encoding.codePointSpan(1)).toEqual([1, 2]);
    expect(encoding.codePointSpan(3)).toEqual([3, 4]);
    expect(encoding.span(3)).toEqual([4, 5]);
    expect(encoding.byteSpan(3)).toEqual([7, 10]);
    expect(encoding.codePoints).toBe([...text].length);
    expect(encoding.bytes).toBe(new TextEncoder().encode(text).length);
  });

  test("knows which tokens are special, and refuses places that are none", () => {
    const encoding = new Encoding("ab", columnsOf("ab"), new Map([[98, "b"]]));
    expect([0, 1].map((i) => encoding.isSpecial(i))).toEqual([false, true]);
    expect(() => encoding.span(2)).toThrow(RangeError);
  });

  test("is plain in JSON", () => {
    const encoding = new Encoding("é🙂", columnsOf("é🙂"), new Map([[1, "<s>"]]));
    expect(JSON.parse(JSON.stringify(encoding))).toEqual({
      text: "é🙂",
      ids: [0xe9, 0x1f642],
      starts: [0, 1],
      ends: [1, 3],
      byteStarts: [0, 2],
      byteEnds: [2, 6],
      specialTokens: [[1, "<s>"]],
    });
  });
});

test.each<[string, Encoding, [string, number, number][]]>([
  ["whole words", spans("one two", [0, 3], [3, 7]), [["one", 0, 1], [" two", 1, 2]]],
  ["a character of three tokens", spans(" 🦜!", [0, 3], [1, 3], [1, 3], [3, 4]), [[" ", 0, 1], ["🦜", 0, 3], ["!", 3, 4]]],
  ["text after a shared character", spans("日x", [0, 1], [0, 2]), [["日", 0, 2], ["x", 1, 2]]],
  ["an accent apart from its base", spans("xe\u0301y", [0, 2], [2, 4]), [["x", 0, 1], ["e\u0301", 0, 2], ["y", 1, 2]]],
  ["a joined emoji", spans("👩‍🚀", [0, 2], [2, 3], [3, 5]), [["👩‍🚀", 0, 3]]],
  ["CR LF may part", spans("\r\n", [0, 1], [1, 2]), [["\r", 0, 1], ["\n", 1, 2]]],
  ["tokens without text", spans("a", [0, 0], [0, 1], [1, 1]), [["", 0, 1], ["a", 1, 2], ["", 2, 3]]],
  ["text without tokens", spans("a b", [0, 1], [2, 3]), [["a", 0, 1], [" ", 1, 1], ["b", 1, 2]]],
  ["only text", spans("abc"), [["abc", 0, 0]]],
  ["nothing", spans(""), []],
])("%s", (_, encoding, expected) => {
  expect(pieces(encoding)).toEqual(expected);
});

test("long texts are cut into blocks at line ends, and into pieces that give the text back", () => {
  const text = "word ".repeat(30).concat("日本🙂\n").repeat(200) + "x".repeat(20_000);
  const encoding = new Encoding(text, columnsOf(text));
  const blocks = toBlocks(encoding);
  expect(blocks.length).toBeGreaterThan(15);
  expect(blocks.every(({ start, end }) => end - start < 7000)).toBe(true);
  expect(blocks.slice(0, 10).every(({ end }) => text[end - 1] === "\n")).toBe(true);
  expect(pieces(encoding).map(([piece]) => piece).join("")).toBe(text);
});
