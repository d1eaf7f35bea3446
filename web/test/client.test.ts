import { describe, expect, test } from "vitest";
import { createEngine } from "../src/client.js";
import { FormatError, WorkerError } from "../src/errors.js";
import type { Progress } from "../src/protocol.js";
import { FILE, FakeWorker, toyEngine } from "./toys.js";

test("an engine is ready when the worker says so, and tells its progress", async () => {
  const seen: Progress[] = [];
  const worker = new FakeWorker((message) => {
    if (message.type !== "start") return;
    worker.say({ type: "progress", phase: "runtime", loaded: 5, total: 10 });
    worker.say({ type: "progress", phase: "ready", loaded: 0, total: 0 });
  });
  await createEngine({ spawn: () => worker, onProgress: (progress) => seen.push(progress) });
  expect(seen.map(({ phase }) => phase)).toEqual(["runtime", "ready"]);
});

test("an engine that cannot start rejects", async () => {
  const worker = new FakeWorker(() => worker.say({ type: "failed", error: { name: "WorkerError", message: "no wasm" } }));
  await expect(createEngine({ spawn: () => worker })).rejects.toThrow("no wasm");
});

test("a tokenizer encodes, counts, decodes and looks up", async () => {
  const { engine } = toyEngine();
  const tokenizer = await engine.load(FILE, { name: "toy.tiktoken" });
  expect(tokenizer.info.name).toBe("toy");
  const encoding = await tokenizer.encode("a🙂b");
  expect([...encoding.ids]).toEqual([97, 0x1f642, 98]);
  expect([...encoding.starts]).toEqual([0, 1, 3]);
  expect((await tokenizer.encodeBatch(["x", "yz"])).map(({ length }) => length)).toEqual([1, 2]);
  expect([...(await tokenizer.encodeOrdinary("a🙂"))]).toEqual([97, 0x1f642]);
  expect(await tokenizer.count("a🙂b")).toBe(3);
  expect(await tokenizer.decode([97, 98])).toBe("ab");
  expect((await tokenizer.token(97)).text).toBe("a");
});

test("the policy is tiktoken's unless another is asked for", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  await tokenizer.encode("a");
  await tokenizer.encode("a", { policy: "special" });
  expect(workers[0]!.calls.slice(1).map(({ args }) => args[2])).toEqual(["error", "special"]);
});

test("an error comes as its class, with its facts", async () => {
  const worker = new FakeWorker((message) => {
    const error = { name: "FormatError", message: "line 3: no", line: 3, file: "x" };
    if (message.type === "call") worker.say({ type: "error", id: message.id, error });
  });
  const { engine } = toyEngine(() => worker);
  const failure = await engine.load(FILE).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FormatError);
  expect(failure).toMatchObject({ name: "FormatError", message: "line 3: no", line: 3, file: "x" });
});

describe("a worker that dies", () => {
  test("rejects all that waits", async () => {
    const silent = new FakeWorker();
    const { engine } = toyEngine(() => silent);
    const waiting = [engine.load(FILE), engine.load(FILE), engine.ready];
    await new Promise((resolve) => setTimeout(resolve));
    silent.die("out of memory");
    for (const { status, ...rest } of await Promise.allSettled(waiting)) {
      expect(status).toBe("rejected");
      expect(rest).toMatchObject({ reason: expect.any(WorkerError) });
    }
    expect(silent.terminated).toBe(true);
  });

  test("is replaced by the next call, with its vocabularies", async () => {
    const { engine, workers } = toyEngine();
    const tokenizer = await engine.load(FILE, { name: "toy.tiktoken" });
    workers[0]!.die("out of memory");
    expect(await tokenizer.count("abc")).toBe(3);
    expect(workers).toHaveLength(2);
    expect(workers[1]!.calls.map(({ method }) => method)).toEqual(["load", "count"]);
    const [[data], name] = workers[1]!.calls[0]!.args as [ArrayBuffer[], string];
    expect([new TextDecoder().decode(data), name]).toEqual(["abc", "toy.tiktoken"]);
  });

  test("is not replaced after terminate()", async () => {
    const { engine, workers } = toyEngine();
    const tokenizer = await engine.load(FILE);
    engine.terminate();
    await expect(tokenizer.count("a")).rejects.toThrow("terminated");
    expect(workers).toHaveLength(1);
  });
});

describe("abort", () => {
  test("of a call that waits: it never reaches the worker", async () => {
    const { engine, workers } = toyEngine();
    const tokenizer = await engine.load(FILE);
    const controller = new AbortController();
    const first = tokenizer.count("first");
    const second = tokenizer.count("second", { signal: controller.signal });
    second.catch(() => {});
    await Promise.resolve();
    controller.abort();
    await expect(second).rejects.toMatchObject({ name: "AbortError" });
    expect(await first).toBe(5);
    expect(workers[0]!.calls.map(({ args }) => args[1])).not.toContain("second");
  });

  test("of a call in the worker: its answer is dropped, the next one is right", async () => {
    const answers: (() => void)[] = [];
    const slow = new FakeWorker((message, worker) => {
      if (message.type !== "call") return;
      const { id, method, args } = message;
      const value = method === "load" ? { ...(args as object), handle: 1, special_tokens: [] } : args[1];
      answers.push(() => worker.say({ type: "result", id, value }));
      if (method === "load") answers.pop()!();
    });
    const { engine } = toyEngine(() => slow);
    const tokenizer = await engine.load(FILE);
    const controller = new AbortController();
    const first = tokenizer.count("1", { signal: controller.signal });
    const second = tokenizer.count("2");
    await new Promise((resolve) => setTimeout(resolve));
    controller.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    answers.shift()!();
    await new Promise((resolve) => setTimeout(resolve));
    answers.shift()!();
    expect(await second).toBe("2");
  });
});

test("dispose() unloads, and later calls are refused", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  tokenizer.dispose();
  await expect(tokenizer.count("a")).rejects.toThrow("disposed");
  expect(workers[0]!.calls.at(-1)!.method).toBe("unload");
});
