import { beforeEach, expect, test } from "vitest";
import { createEngine, Engine } from "../src/engine.js";
import { compare } from "../src/compare.js";
import { editBetween, type Document } from "../src/document.js";
import type { Encoding } from "../src/encoding.js";
import type { Tokenizer } from "../src/tokenizer.js";
import { FILE, INFO, toyEngine, type FakeWorker } from "./toys.js";

interface Given {
  engine: Engine;
  tokenizer: Tokenizer;
  document: Document;
  encoding: Encoding;
}

let [given, worker] = [{} as Given, {} as FakeWorker];

beforeEach(async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  given = { engine, tokenizer, document: await tokenizer.open("abc"), encoding: await tokenizer.encode("abc") };
  worker = workers[0]!;
});

// Callers without TypeScript can pass anything.
type Loose = { [K in keyof Given]: { [method: string]: (...args: unknown[]) => unknown } };
type Case = [call: string, (given: Loose) => unknown, sentence: string];

const NO_TEXT = [5, undefined, null, ["a"], {}, new String("a")];
const TEXTS: [string, (given: Loose, text: unknown) => unknown][] = [
  ["encode", ({ tokenizer }, text) => tokenizer.encode!(text)],
  ["encodeBatch", ({ tokenizer }, text) => tokenizer.encodeBatch!(["a", text])],
  ["encodeOrdinary", ({ tokenizer }, text) => tokenizer.encodeOrdinary!(text)],
  ["count", ({ tokenizer }, text) => tokenizer.count!(text)],
  ["fits", ({ tokenizer }, text) => tokenizer.fits!(text, 1)],
  ["truncate", ({ tokenizer }, text) => tokenizer.truncate!(text, 1)],
  ["chunks", ({ tokenizer }, text) => tokenizer.chunks!(text, 1)],
  ["open", ({ tokenizer }, text) => tokenizer.open!(text)],
  ["explain", ({ tokenizer }, text) => tokenizer.explain!(text)],
  ["characterNames", ({ engine }, text) => engine.characterNames!(text)],
  ["replace", ({ document }, text) => document.replace!(0, 0, text)],
  ["editBetween", (_, text) => editBetween("a", text as string)],
];
const SIGNAL = 'signal must be an AbortSignal, not "now"';
const POLICY = 'policy must be "error" or "text" or "special", not "foo"';
const CASES: Case[] = [
  ...TEXTS.flatMap(([name, call]) =>
    NO_TEXT.map((text): Case => [`${name} of ${typeof text}`, (given) => call(given, text), "a text must be a string, not"]),
  ),
  ["a string as a batch", ({ tokenizer }) => tokenizer.encodeBatch!("abc"), 'texts must be in a list or another iterable, not "abc"'],
  ["nothing as a batch", ({ tokenizer }) => tokenizer.encodeBatch!(), "texts must be in a list or another iterable, not undefined"],
  ["an unknown policy", ({ tokenizer }) => tokenizer.encode!("a", { policy: "foo" }), POLICY],
  ["an unknown policy", ({ tokenizer }) => tokenizer.count!("a", { policy: "foo" }), POLICY],
  ["an unknown policy", ({ tokenizer }) => tokenizer.explain!("a", { policy: "foo" }), POLICY],
  ["a policy that refuses edits", ({ tokenizer }) => tokenizer.open!("a", { policy: "error" }), 'policy must be "text" or "special", not "error"'],
  ["a policy that refuses chunks", ({ tokenizer }) => tokenizer.encoderStream!({ policy: "error" }), 'policy must be "text" or "special", not "error"'],
  ["one allowed token", ({ tokenizer }) => tokenizer.encode!("a", { allowedSpecial: "<s>" }), 'allowedSpecial must be "all" or special tokens in a set, such as new Set(["<|endoftext|>"]), not "<s>"'],
  ["an allowed number", ({ tokenizer }) => tokenizer.count!("a", { allowedSpecial: ["<s>", 5] }), "special tokens in a set, such as new Set([\"<|endoftext|>\"]), not 5"],
  ["no allowed tokens", ({ tokenizer }) => tokenizer.fits!("a", 1, { allowedSpecial: null }), "special tokens in a set"],
  ["some of all allowed", ({ tokenizer }) => tokenizer.open!("a", { policy: "special", allowedSpecial: ["<s>"] }), 'policy "special" allows all special tokens'],
  ["an unknown option", ({ tokenizer }) => tokenizer.encode!("a", { policies: "text" }), 'there is no option "policies"; there is policy, allowedSpecial, signal'],
  ["an unknown option", ({ tokenizer }) => tokenizer.decode!([1], { policy: "text" }), 'there is no option "policy"; there is skipSpecialTokens, signal'],
  ["no choice", ({ tokenizer }) => tokenizer.decode!([1], { skipSpecialTokens: "no" }), 'skipSpecialTokens must be true or false, not "no"'],
  ["no choice", ({ tokenizer }) => tokenizer.decoderStream!({ skipSpecialTokens: 0 }), "skipSpecialTokens must be true or false, not 0"],
  ["an unknown option", ({ engine }) => engine.load!(FILE, { special_tokens: {} }), 'there is no option "special_tokens"; there is name, pattern, specialTokens, signal'],
  ["an option of every object", ({ tokenizer }) => tokenizer.encode!("a", { toString: 1 }), 'there is no option "toString"'],
  ["options that are none", ({ tokenizer }) => tokenizer.encode!("a", "text"), 'options must be an object such as { policy: … }, not "text"'],
  ["options that are none", ({ tokenizer }) => tokenizer.encode!("a", null), "options must be an object such as { policy: … }, not null"],
  ["no signal", ({ tokenizer }) => tokenizer.encode!("a", { signal: "now" }), SIGNAL],
  ["no signal", ({ tokenizer }) => tokenizer.token!(97, { signal: "now" }), SIGNAL],
  ["no signal", ({ tokenizer }) => tokenizer.inspect!({ signal: "now" }), SIGNAL],
  ["no signal", ({ engine }) => engine.characterNames!("a", { signal: "now" }), SIGNAL],
  ["half a token", ({ tokenizer }) => tokenizer.fits!("a", 1.5), "a number of tokens must be a whole number, not 1.5"],
  ["no number of tokens", ({ tokenizer }) => tokenizer.truncate!("a", "1"), 'a number of tokens must be a whole number, not "1"'],
  ["no number of tokens", ({ tokenizer }) => tokenizer.chunks!("a"), "a number of tokens must be a whole number, not undefined"],
  ["no side", ({ tokenizer }) => tokenizer.truncate!("a", 1, { side: "top" }), 'side must be "left" or "right", not "top"'],
  ["no overlap", ({ tokenizer }) => tokenizer.chunks!("a", 1, { overlap: "1" }), 'overlap must be a whole number, not "1"'],
  ["half a place", ({ document }) => document.replace!(0.5, 1, "b"), "start must be a whole number, not 0.5"],
  ["no place", ({ document }) => document.replace!(0, undefined, "b"), "end must be a whole number, not undefined"],
  ["no encoding", ({ tokenizer }) => tokenizer.explainToken!("abc", 0), 'an encoding must be what encode() gave, not "abc"'],
  ["no index", ({ tokenizer, encoding }) => tokenizer.explainToken!(encoding, "0"), 'an index must be a whole number, not "0"'],
  ["one encoding", ({ encoding }) => compare(encoding as never), "encodings must be in an array, not object"],
  ["no encodings", () => compare([{}] as never), "an encoding must be what encode() gave, not object"],
  ["no file", ({ engine }) => engine.load!(undefined), "a vocabulary must be a File, Blob, ArrayBuffer, typed array, URL or string, not undefined"],
  ["no file", ({ engine }) => engine.load!([FILE, 5]), "a vocabulary must be a File, Blob, ArrayBuffer, typed array, URL or string, not 5"],
  ["no file", ({ engine }) => engine.load!({ path: "x" }), "a vocabulary must be a File, Blob, ArrayBuffer, typed array, URL or string, not object"],
  ["no pattern", ({ engine }) => engine.load!(FILE, { pattern: /a/ }), "pattern must be a string, not object"],
  ["no ids", ({ engine }) => engine.load!(FILE, { specialTokens: ["<s>"] }), "specialTokens must be an object of ids by token, not an array"],
  ["no id", ({ engine }) => engine.load!(FILE, { specialTokens: { "<s>": "1" } }), 'the id of the special token "<s>" must be a whole number, not "1"'],
  ["an unknown option", () => createEngine({ worker: 2 } as never), 'there is no option "worker"; there is signal, workers'],
  ["no function", () => new Engine({ onProgress: "log" } as never), 'onProgress must be a function, not "log"'],
  ["no address", () => createEngine({ assetsURL: 5 } as never), "assetsURL must be a string or URL, not 5"],
];

test.each(CASES)("%s", async (_, call, sentence) => {
  const before = worker.calls.length;
  const error: unknown = await (async () => call(given as unknown as Loose))().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(sentence);
  expect(worker.calls.slice(before)).toEqual([]);
  expect(await given.tokenizer.count("abc")).toBe(3);
});

test("a chunk that is no text ends a stream with a sentence", async () => {
  const { readable, writable } = given.tokenizer.encoderStream();
  const written = writable.getWriter().write(5 as never);
  const wanted = "a text must be a string, not 5";
  await Promise.all([expect(readable.getReader().read()).rejects.toThrow(wanted), expect(written).rejects.toThrow(wanted)]);
});

test.each([["fits", -1], ["truncate", -1], ["chunks", 1e300]])("%s of %d tokens", async (method, n) => {
  const call = (given as unknown as Loose).tokenizer[method]!("a", n) as Promise<unknown>;
  await expect(call).rejects.toThrow(RangeError);
});

test("what is undefined is not given, and texts may come in any iterable", async () => {
  expect(await given.tokenizer.encode("a", { policy: undefined, signal: undefined } as never)).toHaveLength(1);
  expect(await given.tokenizer.encodeBatch(new Set(["a", "bc"]))).toHaveLength(2);
  expect((await given.engine.load([new Uint8Array(3), new ArrayBuffer(2)], { name: "x" })).info.sha256).toBe(INFO.sha256);
});
