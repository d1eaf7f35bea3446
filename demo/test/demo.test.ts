import { Encoding, WorkerError, type Document } from "bpeek";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { symbolsAfter } from "../src/explain.js";
import { codePoint, escaped, hex, sentence, size, spelled } from "../src/format.js";
import { clipped } from "../src/inspect.js";
import { MOST_BYTES, tooMany, type KeptFile } from "../src/kept.js";
import { Live, type LiveOptions } from "../src/live.js";
import { decode } from "../src/text-file.js";
import { parseSpecialTokens } from "../src/special-tokens.js";
import { isOurs } from "../src/trusted.js";

test("values in words", () => {
  expect([999, 45_678, 1_681_126].map(size)).toEqual(["999 B", "46 kB", "1.7 MB"]);
  expect(hex(Uint8Array.from([0, 0xf0]))).toBe("00 f0");
  expect(escaped('a\n\t\\"\u0000\u202e🙂')).toBe('a\\n\\t\\\\"\\x00\\u{202e}🙂');
  expect(spelled("\\xf0\n")).toBe("\\xf0\\n");
  expect(codePoint("🙂")).toBe("U+1F642");
  expect(sentence(new Error("it is broken"))).toBe("it is broken.");
  expect(sentence(new Error("it is broken here\n    a(b\n     ^"))).toBe("it is broken here.");
  expect(sentence(new WorkerError("out of memory"))).toMatch(/^The engine stopped: perhaps .* still here/);
  expect(sentence(new WorkerError("The engine stopped: x: 404.", "start"))).toBe("The engine could not start: x: 404. To try again, load a tokenizer.");
  expect(sentence(new WorkerError("The tokenizer was disposed", "closed"))).toBe("The tokenizer was disposed.");
  expect([" ".repeat(128), "🙂🙂🙂🙂", "aaa", "ab\\xf0"].map(clipped)).toEqual(["␣×128", "🙂×4", "aaa", "ab\\xf0"]);
});

test("the oldest files find no room", () => {
  const file = (day: number, share: number) => ({ sha256: String(day), bytes: MOST_BYTES * share, opened: new Date(2026, 0, day) }) as KeptFile;
  const gone = (...files: KeptFile[]) => tooMany(files).map(({ sha256 }) => sha256);
  expect(gone(file(1, 0.5), file(2, 0.5))).toEqual([]);
  expect(gone(file(2, 0.1), file(1, 0.1), file(4, 0.9), file(3, 0.01))).toEqual(["2", "1"]);
});

test("text of a file, by its content", () => {
  const utf16 = (text: string, isLittle: boolean) =>
    [...text].flatMap((_, i) => (isLittle ? [text.charCodeAt(i) & 255, text.charCodeAt(i) >> 8] : [text.charCodeAt(i) >> 8, text.charCodeAt(i) & 255]));
  const read = (...bytes: number[]) => decode(Uint8Array.from(bytes), "x.txt");
  const utf8 = [...new TextEncoder().encode("né🙂")];
  expect([read(...utf8), read(0xef, 0xbb, 0xbf, ...utf8), read()]).toEqual(["né🙂", "né🙂", ""]);
  for (const isLittle of [true, false]) {
    expect(read(...utf16("\ufeffñ語\n", isLittle))).toBe("ñ語\n");
    expect(read(...utf16("no mark, 語", isLittle))).toBe("no mark, 語");
  }
  expect(() => read(0xff, 0xfe, 0, 0, 65, 0, 0, 0)).toThrow("x.txt is text in UTF-32");
  expect(() => read(0x63, 0x61, 0x66, 0xe9)).toThrow("x.txt is in an encoding that it does not tell");
  expect(() => read(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13)).toThrow("x.txt is neither a text nor a tokenizer");
  expect(() => read(65, 0, 0, 66, 67)).toThrow("neither a text");
  expect(() => read(0xff, 0xfe, 0x00, 0xd8)).toThrow("neither a text"); // half of a surrogate pair
});

test("special tokens, one a line", () => {
  expect(parseSpecialTokens("<|a b|> 1\n\n__proto__ 2  \n")).toEqual(new Map([["<|a b|>", 1], ["__proto__", 2]]));
  expect(parseSpecialTokens("<|a|> 1\n<|b|>")).toBe("<|b|>");
});

test("symbols after each merge", () => {
  const merge = (start: number, middle: number, end: number, left: string, right: string) =>
    ({ rank: 1, start, middle, end, left, right, made: left + right });
  const merges = [merge(1, 2, 3, "b", "c"), merge(0, 1, 3, "a", "bc")];
  const states = [0, 1, 2].map((step) => symbolsAfter(["a", "b", "c", "d"], merges, step).map(({ text }) => text));
  expect(states).toEqual([["a", "b", "c", "d"], ["a", "bc", "d"], ["abc", "d"]]);
  expect(symbolsAfter(["a", "b", "c", "d"], merges, 1).map((symbol) => symbol.merge)).toEqual([undefined, merges[0], undefined]);
});

test("addresses that may become scripts", () => {
  const page = "https://host/some/where/index.html";
  const taken = ["sw.js", "assets/worker-A_b-9.js", "https://host/some/where/assets/worker-x.js"];
  const refused = [
    "", "assets/index-x.js", "../sw.js", "/sw.js", "sw.js?x", "assets/worker-x.js#y", "assets/../assets/worker-x.js/..", "data:text/javascript,1",
    "https://other/some/where/sw.js", "//other/sw.js", "blob:https://host/some/where/sw.js",
  ];
  expect(taken.filter((address) => isOurs(address, page))).toEqual(taken);
  expect(refused.filter((address) => isOurs(address, page))).toEqual([]);
});

describe("Live", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A page with a text, and what it was told. */
  function toyPage(options: Partial<LiveOptions> = {}) {
    const page = { text: "", shown: [] as string[], errors: [] as unknown[] };
    const live = new Live({
      text: () => page.text,
      encode: async (text) => new Encoding(text, new Uint32Array()),
      open: async () => undefined,
      onStale: () => {},
      onWhole: ({ text }) => page.shown.push(`whole ${text}`),
      onChange: ({ text }, { start, end }) => page.shown.push(`${start}-${end} ${text}`),
      onSettled: () => {},
      onError: (error) => page.errors.push(error),
      ...options,
    });
    const write = (text: string) => {
      page.text = text;
      live.soon();
    };
    return { page, live, write };
  }

  /** A document that answers when the test says so. */
  function toyDocument(text: string) {
    const answers: (() => void)[] = [];
    const made = {
      text,
      encoding: new Encoding(text, new Uint32Array()),
      replace: (start: number, end: number, come: string) =>
        new Promise((resolve) =>
          answers.push(() => {
            made.text = made.text.slice(0, start) + come + made.text.slice(end);
            made.encoding = new Encoding(made.text, new Uint32Array());
            resolve({ index: 0, removed: 0, added: 0, start, end, length: come.length });
          }),
        ),
      close: vi.fn(),
    };
    return { made, answers, document: made as unknown as Document };
  }

  test("encodes once after a burst, then sends edits, each to what the last has left", async () => {
    const { document, answers } = toyDocument("abc");
    const { page, write } = toyPage({ open: async () => document });
    for (const text of ["a", "ab", "abc"]) write(text);
    await vi.runAllTimersAsync();
    expect(page.shown).toEqual(["whole abc"]);
    for (const text of ["abXc", "abXYc", "bXYc"]) write(text); // the second and third while the first is awaited
    expect(answers).toHaveLength(1);
    answers.shift()!();
    await vi.runAllTimersAsync();
    answers.shift()!();
    await vi.runAllTimersAsync();
    expect(page.shown).toEqual(["whole abc", "2-2 abXc", "0-3 bXYc"]);
  });

  test("reads a long text part by part, and parts no character", async () => {
    const { made, answers, document } = toyDocument("");
    const opened: number[] = [];
    const progress: number[] = [];
    const { page, write } = toyPage({
      open: async ({ text }) => {
        made.text = text;
        opened.push(text.length);
        return document;
      },
      onProgress: (done) => progress.push(done),
    });
    write(`${"x".repeat((1 << 17) - 1)}${"🙂".repeat(70_000)}`);
    await vi.runAllTimersAsync();
    while (answers.length > 0) {
      answers.shift()!();
      await vi.runAllTimersAsync();
    }
    const part = 1 << 17;
    expect(opened).toEqual([part - 1]);
    expect(progress).toEqual([part - 1, 2 * part - 1]);
    expect(made.text).toBe(page.text);
  });

  test("a text that cannot be edited is read as a whole", async () => {
    const { page, write } = toyPage();
    write("x".repeat(200_000));
    await vi.runAllTimersAsync();
    expect(page.shown.map(({ length }) => length - "whole ".length)).toEqual([1 << 17, 200_000]);
  });

  test("drops answers that are out of date", async () => {
    const waiting: ((text: string) => void)[] = [];
    const encode = () => new Promise<Encoding>((resolve) => waiting.push((text) => resolve(new Encoding(text, new Uint32Array()))));
    const { page, live } = toyPage({ encode });
    void live.now();
    void live.now();
    waiting[1]!("second");
    waiting[0]!("first");
    await vi.runAllTimersAsync();
    expect(page.shown).toEqual(["whole second"]);
  });

  test("asks again if the worker died, and tells of other errors", async () => {
    const answers = [Promise.reject(new WorkerError("died")), Promise.resolve(new Encoding("1", new Uint32Array())), Promise.reject(new Error("no"))];
    answers.forEach((answer) => answer.catch(() => {}));
    const { page, live } = toyPage({ encode: () => answers.shift()! });
    await live.now();
    await live.now();
    expect(page.shown).toEqual(["whole 1"]);
    expect(page.errors).toMatchObject([{ message: "no" }]);
  });

  test("a new beginning closes the document", async () => {
    const { document, made } = toyDocument("");
    const { live } = toyPage({ open: async () => document });
    await live.now();
    live.stop();
    expect(made.close).toHaveBeenCalled();
  });
});
