import { WorkerError } from "bpeek";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { codePoint, escaped, hex, sentence, size } from "../src/format.js";
import { Live } from "../src/live.js";
import { parseSpecialTokens } from "../src/special-tokens.js";

test("values in words", () => {
  expect([999, 45_678, 1_681_126].map(size)).toEqual(["999 B", "46 kB", "1.7 MB"]);
  expect(hex(Uint8Array.from([0, 0xf0]))).toBe("00 f0");
  expect(escaped('a\n\t\\"\u0000\u202e🙂')).toBe('a\\n\\t\\\\"\\x00\\u{202e}🙂');
  expect(codePoint("🙂")).toBe("U+1F642");
  expect(sentence(new Error("it is broken"))).toBe("it is broken.");
});

test("special tokens, one a line", () => {
  expect(parseSpecialTokens("<|a b|> 1\n\n__proto__ 2  \n")).toEqual(new Map([["<|a b|>", 1], ["__proto__", 2]]));
  expect(parseSpecialTokens("<|a|> 1\n<|b|>")).toBe("<|b|>");
});

describe("Live", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("encodes once after a burst, and drops answers that are out of date", async () => {
    const shown: number[] = [];
    const waiting: ((value: number) => void)[] = [];
    const live = new Live<number>({
      encode: () => new Promise((resolve) => waiting.push(resolve)),
      onStale: () => {},
      onResult: (result) => shown.push(result),
      onError: () => {},
    });
    for (let i = 0; i < 5; i++) live.soon();
    await vi.runAllTimersAsync();
    expect(waiting).toHaveLength(1);
    live.soon();
    await vi.runAllTimersAsync();
    waiting[1]!(2);
    waiting[0]!(1);
    await vi.runAllTimersAsync();
    expect(shown).toEqual([2]);
  });

  test("asks again if the worker died, and tells of other errors", async () => {
    const errors: unknown[] = [];
    const answers = [Promise.reject(new WorkerError("died")), Promise.resolve(1), Promise.reject(new Error("no"))];
    answers.forEach((answer) => answer.catch(() => {}));
    const shown: number[] = [];
    const live = new Live<number>({
      encode: () => answers.shift()!,
      onStale: () => {},
      onResult: (result) => shown.push(result),
      onError: (error) => errors.push(error),
    });
    await live.now();
    await live.now();
    expect(shown).toEqual([1]);
    expect(errors).toMatchObject([{ message: "no" }]);
  });
});
