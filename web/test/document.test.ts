import { describe, expect, test } from "vitest";
import { Engine } from "../src/engine.js";
import { editBetween } from "../src/document.js";
import { toBlocks } from "../src/pieces.js";
import { columnsOf, FakeWorker, toyWorker } from "./toys.js";
import { Encoding } from "../src/encoding.js";

const FILE = new Blob(["abc"]);

async function open(text: string) {
  const workers: FakeWorker[] = [];
  const engine = new Engine({
    spawn: () => {
      workers.push(toyWorker());
      return workers.at(-1)!;
    },
  });
  const tokenizer = await engine.load(FILE);
  return { document: await tokenizer.open(text), workers };
}

const rows = ({ ids, starts, ends, byteStarts, byteEnds }: Encoding) => [ids, starts, ends, byteStarts, byteEnds].map((column) => [...column]);

/** Pseudo-random numbers below a limit: the same in every run. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe("a document", () => {
  test("is at any time as if it were encoded anew", async () => {
    const { document } = await open("a🙂é");
    const roll = dice(7);
    const parts = ["", "x", "🙃", "日本", "\ud83d", "\ude42", "e\u0301", "\n"];
    for (let i = 0; i < 300; i++) {
      const { text } = document;
      const start = roll(text.length + 1);
      const end = Math.min(text.length, start + roll(4));
      const come = parts[roll(parts.length)]!;
      await document.replace(start, end, come);
      expect(document.text).toBe(text.slice(0, start) + come + text.slice(end));
      const { encoding } = document;
      const anew = new Encoding(document.text, columnsOf(document.text.toWellFormed()));
      const ids = [...document.text.toWellFormed()].map((character) => character.codePointAt(0)!);
      expect(rows(encoding)).toEqual([ids, ...rows(anew).slice(1)]);
      expect([encoding.bytes, encoding.codePoints]).toEqual([anew.bytes, anew.codePoints]);
    }
  });

  test("sends only edits, made one after the other", async () => {
    const { document, workers } = await open("one two three");
    const changes = await Promise.all([document.replace(4, 7, "2"), document.replace(4, 5, "II")]);
    expect(document.text).toBe("one II three");
    expect(changes[1]).toEqual({ index: 4, removed: 1, added: 2, start: 4, end: 5, length: 2 });
    expect(workers[0]!.calls.slice(-2).map(({ args }) => args.slice(1))).toEqual([[4, 7, "2"], [4, 5, "II"]]);
  });

  test("parts no surrogate pair", async () => {
    const { document, workers } = await open("a🙂b");
    await document.replace(2, 3, "🙃"[1]!); // they share their first half
    expect(document.text).toBe("a🙃b");
    expect(workers[0]!.calls.at(-1)!.args.slice(1)).toEqual([1, 3, "🙃"]);
  });

  test("outlives its worker", async () => {
    const { document, workers } = await open("abc");
    workers[0]!.die("out of memory");
    const change = await document.replace(3, 3, "d");
    expect(change).toMatchObject({ index: 0, removed: 3, added: 4 });
    expect(workers[1]!.calls.map(({ method }) => method)).toEqual(["load", "open"]);
    await document.replace(0, 1, "");
    expect([...document.encoding.ids]).toEqual([98, 99, 100]);
  });

  test("refuses places that are none, and edits after close()", async () => {
    const { document, workers } = await open("abc");
    await expect(document.replace(2, 4, "")).rejects.toThrow(RangeError);
    await document.replace(3, 3, "d");
    document.close();
    expect(workers[0]!.calls.at(-1)!.method).toBe("close");
    await expect(document.replace(0, 0, "x")).rejects.toThrow("closed");
  });
});

test("template tokens behind the text stay without a place", () => {
  const encoding = new Encoding("a", Uint32Array.from([1, 97, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]));
  const change = { index: 1, removed: 0, added: 1, start: 0, end: 0, length: 1 };
  const next = encoding.replaced("ba", change, Uint32Array.from([98, 0, 1, 0, 1]));
  expect(rows(next)).toEqual([[1, 98, 97, 2], [0, 0, 1, 0], [0, 1, 2, 0], [0, 0, 1, 0], [0, 1, 2, 0]]);
});

test.each([
  ["abc", "abXc", 2, 2, "X"],
  ["aaaa", "aaa", 3, 4, ""],
  ["abc", "abc", 3, 3, ""],
  ["", "new", 0, 0, "new"],
  ["one two", "one 2 two", 4, 4, "2 "],
])("the edit between %j and %j", (before, after, start, end, text) => {
  expect(editBetween(before, after)).toEqual({ start, end, text });
});

test("a part of an encoding is cut into blocks like the whole", () => {
  const text = "a line of text\n".repeat(400);
  const encoding = new Encoding(text, columnsOf(text));
  const blocks = toBlocks(encoding);
  const [second, third] = [blocks[1]!, blocks[2]!];
  const range = { first: second.first, last: third.last, start: second.start, end: third.end };
  expect(toBlocks(encoding, range)).toEqual([second, third]);
});
