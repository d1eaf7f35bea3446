import assert from "node:assert/strict";
import { createEngine, FormatError, SourceError, SpecialTokenError, WorkerError } from "bpeek";

const seen = [];
const engine = await createEngine({ workers: 2, onProgress: ({ phase }) => seen.push(phase) });
assert.deepEqual(seen, ["engine", "ready"]);
const tokenizer = await engine.load("cl100k_base.tiktoken");
assert.equal(tokenizer.info.name, "cl100k_base");
const encoding = await tokenizer.encode("Hello 🦜!");
assert.deepEqual([...encoding.ids], [9906, 11410, 99, 250, 0]);
assert.deepEqual([encoding.span(1), encoding.byteSpan(1), encoding.codePointSpan(2)], [[5, 8], [5, 8], [6, 7]]);
assert.equal(await tokenizer.decode(encoding.ids), "Hello 🦜!");
const document = await tokenizer.open("Hello");
await document.replace(5, 5, " 🦜!");
assert.deepEqual(document.encoding.ids, encoding.ids);

const texts = Array.from({ length: 8 }, (_, i) => `${i}, and many a word. `.repeat(500));
const batch = await tokenizer.encodeBatch(texts);
assert.deepEqual(batch.map(({ text }) => text), texts);
assert.deepEqual([...batch[7].ids], [...(await tokenizer.encodeOrdinary(texts[7]))]);
assert.equal(seen.filter((phase) => phase === "ready").length, 2);

await assert.rejects(tokenizer.encode("<|endoftext|>"), SpecialTokenError);
await assert.rejects(tokenizer.encode("<|endoftext|>"), ({ token }) => token === "<|endoftext|>");
const one = await tokenizer.encode("<|fim_prefix|>a<|endoftext|>", { allowedSpecial: new Set(["<|fim_prefix|>"]), policy: "text" });
assert.deepEqual([...one.ids.slice(0, 2), one.length], [100258, 64, 9]);
await assert.rejects(tokenizer.encode("<|fim_prefix|>a<|endoftext|>", { allowedSpecial: ["<|fim_prefix|>"] }), ({ pos }) => pos === 15);
await assert.rejects(engine.load(Buffer.from("no vocabulary")), FormatError);
await assert.rejects(engine.load("nowhere"), (error) => error instanceof SourceError && error.cause.code === "ENOENT");
await assert.rejects(tokenizer.inspect({ signal: AbortSignal.timeout(1) }), { name: "TimeoutError" });
await engine.terminate();
await assert.rejects(tokenizer.count("a"), WorkerError);

// A thread that dies rejects what waited; the next call starts another, and the vocabulary is there again.
const mortal = await createEngine({ workerURL: "dying.mjs", assetsURL: "node_modules/bpeek/dist" });
const again = await mortal.load(new URL("cl100k_base.tiktoken", import.meta.url));
const waiting = await Promise.allSettled([again.count("die"), again.count("Hello")]);
assert.ok(waiting.every(({ reason }) => reason instanceof WorkerError && /code 3/.test(reason.message)));
assert.equal(await again.count("Hello 🦜!"), 5);
console.log("done"); // with an engine that idles: the process ends all the same
