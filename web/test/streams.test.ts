import { expect, test } from "vitest";
import { WorkerError } from "../src/errors.js";
import { FILE, toyEngine } from "./toys.js";

async function through<In, Out>(stream: TransformStream<In, Out>, chunks: In[]): Promise<Out[]> {
  const found: Out[] = [];
  const source = new ReadableStream<In>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  await source.pipeThrough(stream).pipeTo(new WritableStream({ write: (chunk) => void found.push(chunk) }));
  return found;
}

test("text in chunks becomes ids, and a surrogate pair may be cut", async () => {
  const { engine } = toyEngine();
  const tokenizer = await engine.load(FILE);
  const ids = await through(tokenizer.encoderStream(), ["a\ud83e", "\udd9cb", "\ud83e"]);
  expect(ids.flatMap((some) => [...some])).toEqual([97, 0x1f99c, 98, 0xfffd]);
});

test("ids one by one or in lists become text", async () => {
  const { engine } = toyEngine();
  const tokenizer = await engine.load(FILE);
  expect((await through(tokenizer.decoderStream(), [97, [98, 99], []])).join("")).toBe("abc");
});

test.each([{}, { skipSpecialTokens: true }, { skipSpecialTokens: false }])("special tokens are left out, or not: %o", async (options) => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  await through(tokenizer.decoderStream(options), [97]);
  await tokenizer.decode([97], options);
  const told = workers[0]!.calls.filter(({ method }) => method === "decoder" || method === "decode").map(({ args }) => args.at(-1));
  const { skipSpecialTokens = true } = options;
  expect(told).toEqual([skipSpecialTokens, skipSpecialTokens]);
});

test.each([2 ** 32, -1, 1.5, "97", null])("%s is no id", async (value) => {
  const { engine } = toyEngine();
  const tokenizer = await engine.load(FILE);
  for (const ids of [value, [97, value]]) {
    await expect(through(tokenizer.decoderStream(), [ids as number])).rejects.toThrow(/^(an id|ids) must be |is no id/);
  }
});

test("a stream ends with the worker that it began in", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  const { writable, readable } = tokenizer.encoderStream();
  const reading = readable.getReader().read();
  await new Promise((done) => setTimeout(done, 10));
  workers[0]!.die("out of memory");
  await expect(writable.getWriter().write("a")).rejects.toBeInstanceOf(WorkerError);
  await expect(reading).rejects.toBeInstanceOf(WorkerError);
});
