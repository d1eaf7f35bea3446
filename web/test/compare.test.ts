import { expect, test } from "vitest";
import { compare } from "../src/compare.js";
import { Encoding } from "../src/encoding.js";

/** An encoding of byte spans of a text of one-byte characters. */
function encodingOf(text: string, rows: [number, number][]): Encoding {
  const starts = rows.map(([start]) => start);
  const ends = rows.map(([, end]) => end);
  return new Encoding(text, Uint32Array.from([...rows.keys(), ...starts, ...ends, ...starts, ...ends]));
}

/** The definition: the tokens with text are first those that end at or before a place, then those that begin there or behind. */
function mayBeCut(rows: [number, number][], place: number): boolean {
  const own = rows.filter(([start, end]) => start < end);
  return [...own.keys(), own.length].some(
    (count) => own.slice(0, count).every(([, end]) => end <= place) && own.slice(count).every(([start]) => start >= place),
  );
}

let seed = 7;
const roll = (sides: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % sides;

/** Tokens with gaps, shared characters, and some without text. */
function randomRows(length: number): [number, number][] {
  const rows: [number, number][] = roll(3) === 0 ? [[0, 0]] : [];
  for (let at = roll(4) === 0 ? 1 : 0; at < length; ) {
    const end = Math.min(length, at + 1 + roll(3));
    rows.push([at, end]);
    if (roll(5) === 0) rows.push([at, end]);
    if (roll(8) === 0) rows.push([end, end]);
    at = end + (roll(8) === 0 ? 1 : 0);
  }
  if (roll(4) === 0) rows.push([0, 0]); // as a template puts one behind the text
  return rows;
}

test("segments are what they are defined to be", () => {
  for (let round = 0; round < 500; round++) {
    const text = "x".repeat(roll(14));
    const all = Array.from({ length: 2 + roll(3) }, () => randomRows(text.length));
    const { starts, ends, firsts, differing } = compare(all.map((rows) => encodingOf(text, rows)));
    const edges = new Set([0, text.length, ...all.flat().filter(([start, end]) => start < end).flat()]);
    const cuts = [...edges].filter((place) => all.every((rows) => mayBeCut(rows, place))).sort((a, b) => a - b);
    expect([...starts]).toEqual(text === "" ? [0] : cuts.slice(0, -1));
    expect([...ends]).toEqual(text === "" ? [0] : cuts.slice(1));
    all.forEach((rows, k) => {
      expect(firsts[k]![0]).toBe(0);
      expect(firsts[k]!.at(-1)).toBe(rows.length);
      for (const [i, start] of starts.entries()) {
        for (const [from, to] of rows.slice(firsts[k]![i], firsts[k]![i + 1]).filter(([from, to]) => from < to)) {
          expect(from >= start && to <= ends[i]!).toBe(true);
        }
      }
    });
    for (const i of starts.keys()) {
      const inside = all.map((rows) => rows.filter(([from, to]) => from < to && from >= starts[i]! && to <= ends[i]!));
      const same = inside.every((rows) => rows.length === inside[0]!.length && (rows.length < 2 || String(rows) === String(inside[0])));
      expect(differing.includes(i)).toBe(!same);
    }
  }
});

test("what is told", () => {
  const text = "one two";
  const a = encodingOf(text, [[0, 3], [3, 7]]);
  const b = encodingOf(text, [[0, 3], [3, 5], [5, 7]]);
  const { starts, ends, firsts, differing, disagreement } = compare([a, b]);
  expect([[...starts], [...ends]]).toEqual([[0, 3], [3, 7]]);
  expect(firsts.map((each) => [...each])).toEqual([[0, 1, 2], [0, 1, 3]]);
  expect([...differing]).toEqual([1]);
  expect(disagreement).toBeCloseTo(4 / 7);
});

test("bytes of a character that are shared out differently", () => {
  // 日 as one byte and two, and as two and one: the same spans in UTF-16.
  const of = (middle: number) => new Encoding("日", Uint32Array.from([1, 2, 0, 0, 1, 1, 0, middle, middle, 3]));
  expect([...compare([of(1), of(2)]).differing]).toEqual([0]);
  expect([...compare([of(1), of(1)]).differing]).toEqual([]);
});

test("another text", () => {
  expect(() => compare([encodingOf("a", []), encodingOf("b", [])])).toThrow(RangeError);
  expect(() => compare([])).toThrow(new RangeError("There is no encoding to compare: pass one or more, all of one text"));
});
