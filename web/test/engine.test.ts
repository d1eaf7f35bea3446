import { describe, expect, test, vi } from "vitest";
import { createEngine } from "../src/engine.js";
import { FormatError, SourceError, SpecialTokenError, UnknownTokenError, WorkerError } from "../src/errors.js";
import { absolute as inNode } from "../src/host-node.js";
import type { Progress } from "../src/protocol.js";
import { FILE, FakeWorker, INFO, columnsOf, toyEngine, toyWorker } from "./toys.js";

test.each([97, "97", {}, null, undefined])("%s is no list of ids", async (ids) => {
  const { engine } = toyEngine();
  const tokenizer = await engine.load(FILE);
  await expect(tokenizer.decode(ids as number[])).rejects.toThrow(/^ids must be in a list .*not (97|"97"|object|null|undefined)$/);
});

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

test.each([
  [2 ** 32, UnknownTokenError], // as a Uint32 it would be 0
  [-1, UnknownTokenError],
  [1.5, TypeError],
  [NaN, TypeError],
  [Infinity, TypeError],
  ["97", TypeError],
  [null, TypeError],
  [undefined, TypeError],
  [97n, TypeError],
])("%s is no id", async (value, error) => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  const id = value as number;
  const before = workers[0]!.calls.length;
  await expect(tokenizer.decode([97, id])).rejects.toThrow(error);
  await expect(tokenizer.token(id)).rejects.toThrow(error);
  expect(workers[0]!.calls.slice(before).map(({ method }) => method)).not.toContain("decode");
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
  expect(await tokenizer.fits("abc", Infinity)).toBe(true);
  expect(await tokenizer.decode([97, 98])).toBe("ab");
  expect(await tokenizer.decode(Uint32Array.of(97, 98))).toBe("ab");
  expect(await tokenizer.decode(encoding)).toBe("a🙂b");
  expect((await tokenizer.token(97)).text).toBe("a");
});

test("a text is cut to so many tokens, and into chunks", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  expect(await tokenizer.fits("a🙂b", 2)).toBe(false);
  expect(await tokenizer.truncate("a🙂b", 2)).toEqual({ text: "a🙂", start: 0, end: 3, count: 2 });
  await tokenizer.truncate("ab", 1, { side: "left", policy: "text" });
  expect(await tokenizer.chunks("ab", 1)).toEqual([
    { text: "a", start: 0, end: 1, count: 1 },
    { text: "b", start: 1, end: 2, count: 1 },
  ]);
  await tokenizer.chunks("ab", 2, { overlap: 1, policy: "special" });
  expect(workers[0]!.calls.slice(2).map(({ args }) => args.slice(2))).toEqual([
    [2, "right", "error"],
    [1, "left", "text"],
    [1, 0, "error"],
    [2, 1, "special"],
  ]);
});

test("the policy is tiktoken's unless another is asked for", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  await tokenizer.encode("a");
  await tokenizer.encode("a", { policy: "special" });
  expect(workers[0]!.calls.slice(1).map(({ args }) => args[2])).toEqual(["error", "special"]);
});

test("special tokens are allowed by name, in any iterable, and the policy is for the others", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  const names = function* () {
    yield "<|a|>";
  };
  await tokenizer.encode("a", { allowedSpecial: new Set(["<|a|>", "<|b|>"]) });
  await tokenizer.count("a", { allowedSpecial: names() as never, policy: "text" });
  await tokenizer.chunks("a", 1, { allowedSpecial: "all" });
  await tokenizer.open("a", { allowedSpecial: [] });
  expect(workers[0]!.calls.slice(1).map(({ args }) => args.at(-1))).toEqual([
    { others: "error", allowed: ["<|a|>", "<|b|>"] },
    { others: "text", allowed: ["<|a|>"] },
    { others: "error", allowed: "all" },
    { others: "text", allowed: [] },
  ]);
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

  test("without a word is known by its lock", async () => {
    const freed: (() => void)[] = [];
    const request = async (_name: string, granted: () => void) => {
      await new Promise<void>((free) => freed.push(free));
      granted();
    };
    vi.stubGlobal("navigator", { locks: { request } });
    const { engine, workers } = toyEngine(() => {
      const worker: FakeWorker = new FakeWorker((message) => {
        if (message.type !== "start") return;
        worker.say({ type: "alive" });
        worker.say({ type: "progress", phase: "ready", loaded: 0, total: 0 });
      });
      return worker;
    });
    const failing = engine.load(FILE).catch((error: unknown) => error);
    await vi.waitFor(() => expect(workers[0]!.calls).toHaveLength(1));
    const [start] = workers[0]!.received;
    expect(start).toMatchObject({ type: "start", life: expect.stringMatching(/^bpeek [0-9a-f-]{36}$/) });
    freed[0]!();
    expect(await failing).toMatchObject({ name: "WorkerError", when: "work", message: expect.stringContaining("Call again") });
    engine.load(FILE).catch(() => {});
    await vi.waitFor(() => expect(workers).toHaveLength(2));
    vi.unstubAllGlobals();
  });

  test("tells whether it had started, and whether you closed it", async () => {
    const worker = new FakeWorker();
    const { engine } = toyEngine(() => worker);
    const starting = engine.ready.catch((error: unknown) => error);
    worker.die("no such file");
    expect(await starting).toMatchObject({ when: "start", message: "The worker stopped: no such file" });
    await engine.terminate();
    for (const call of [engine.load(FILE), engine.ready]) {
      expect(await call.catch((error: unknown) => error)).toMatchObject({ when: "closed", message: "The engine was terminated" });
    }
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

  test("of a start: the worker ends", async () => {
    const worker = new FakeWorker();
    const controller = new AbortController();
    const start = createEngine({ spawn: () => worker, signal: controller.signal });
    controller.abort();
    await expect(start).rejects.toMatchObject({ name: "AbortError" });
    expect(worker.terminated).toBe(true);
  });

  test("of a load that Python has begun: what it loaded is freed", async () => {
    let loaded = () => {};
    const worker = new FakeWorker((message) => {
      if (message.type !== "call") return;
      const { id, method } = message;
      loaded = () => worker.say({ type: "result", id, value: method === "load" ? { ...INFO, handle: 7 } : undefined });
    });
    const { engine } = toyEngine(() => worker);
    const controller = new AbortController();
    const load = engine.load(FILE, { signal: controller.signal });
    await vi.waitFor(() => expect(worker.calls).toHaveLength(1));
    controller.abort();
    await expect(load).rejects.toMatchObject({ name: "AbortError" });
    loaded();
    await vi.waitFor(() => expect(worker.calls.at(-1)).toMatchObject({ method: "unload", args: [7] }));
  });

  test("of everything: workers end, and the next call starts another", async () => {
    const { engine, workers } = toyEngine();
    const tokenizer = await engine.load(FILE);
    const waiting = tokenizer.count("abc");
    engine.interrupt();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(workers[0]!.terminated).toBe(true);
    expect(await tokenizer.count("abc")).toBe(3);
    expect(workers).toHaveLength(2);
  });

  test("of a document that is being opened: it is closed", async () => {
    const { engine, workers } = toyEngine();
    const tokenizer = await engine.load(FILE);
    const controller = new AbortController();
    const open = tokenizer.open("abc", { signal: controller.signal });
    controller.abort();
    await expect(open).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(workers[0]!.calls.at(-1)!.method).toBe("close"));
  });

  test("leaves nothing on a signal that outlives the call", async () => {
    const { engine } = toyEngine();
    const tokenizer = await engine.load(FILE);
    const { signal } = new AbortController();
    const heard = vi.spyOn(signal, "addEventListener");
    const dropped = vi.spyOn(signal, "removeEventListener");
    await tokenizer.count("abc", { signal });
    await Promise.resolve();
    expect(heard.mock.calls.map(([, listener]) => listener)).toEqual(dropped.mock.calls.map(([, listener]) => listener));
    expect(heard).toHaveBeenCalled();
  });
});

describe("several workers", () => {
  const texts = Array.from({ length: 40 }, (_, i) => String(i).repeat(5000));

  test("start only when there is work for them, and then share a batch", async () => {
    const { engine, workers } = toyEngine(toyWorker, { workers: 3 });
    const tokenizer = await engine.load(FILE);
    await tokenizer.count("a");
    await tokenizer.encode("a");
    expect(workers).toHaveLength(1);
    const encodings = await tokenizer.encodeBatch(texts);
    expect(encodings.map(({ text }) => text)).toEqual(texts);
    expect(encodings.map(({ ids }) => String.fromCodePoint(ids[0]!))).toEqual(texts.map(([first]) => first));
    expect(workers).toHaveLength(3);
    for (const { calls } of workers) {
      const methods = calls.map(({ method }) => method);
      expect(methods.filter((method) => method === "load")).toHaveLength(1);
      expect(methods).toContain("encode");
    }
  });

  test("share calls that are made at once", async () => {
    const { engine, workers } = toyEngine(toyWorker, { workers: 2 });
    const tokenizer = await engine.load(FILE);
    expect(await Promise.all(["a", "bb", "ccc", "dddd"].map((text) => tokenizer.count(text)))).toEqual([1, 2, 3, 4]);
    for (const { calls } of workers) expect(calls.map(({ method }) => method)).toContain("count");
    expect(workers).toHaveLength(2);
  });

  test("keep a document where it was opened", async () => {
    const { engine, workers } = toyEngine(toyWorker, { workers: 2 });
    const tokenizer = await engine.load(FILE);
    const document = await tokenizer.open("abc");
    await Promise.all([tokenizer.count("a"), document.replace(3, 3, "d"), tokenizer.count("b")]);
    expect(document.text).toBe("abcd");
    expect(workers.map(({ calls }) => calls.filter(({ method }) => method === "open").length)).toEqual([1, 0]);
  });

  test("one that dies fails the batch; the next call has as many again", async () => {
    const { engine, workers } = toyEngine(toyWorker, { workers: 2 });
    const tokenizer = await engine.load(FILE);
    const batch = tokenizer.encodeBatch(texts);
    await vi.waitFor(() => expect(workers).toHaveLength(2));
    workers[1]!.die("out of memory");
    await expect(batch).rejects.toBeInstanceOf(WorkerError);
    expect(await tokenizer.encodeBatch(texts)).toHaveLength(texts.length);
    expect(workers).toHaveLength(3);
    expect(workers[0]!.terminated).toBe(false);
  });

  test("stop at the first error, and at an abort", async () => {
    const refuse = () =>
      new FakeWorker((message, worker) => {
        if (message.type !== "call") return;
        const { id, method, args } = message;
        const bad = method === "encode" && (args[1] as string[]).includes("bad");
        const value = method === "load" ? INFO : (args[1] as string[])?.map(columnsOf);
        if (bad) worker.say({ type: "error", id, error: { name: "SpecialTokenError", message: "no", token: "bad", pos: 0 } });
        else worker.say({ type: "result", id, value });
      });
    const { engine, workers } = toyEngine(refuse, { workers: 2 });
    const tokenizer = await engine.load(FILE);
    await expect(tokenizer.encodeBatch(["bad", ...texts])).rejects.toBeInstanceOf(SpecialTokenError);
    const encoded = () => workers.flatMap(({ calls }) => calls).filter(({ method }) => method === "encode").length;
    const before = encoded();
    await expect(tokenizer.encodeBatch(texts, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(encoded()).toBe(before);
    expect(before).toBeLessThan(8);
  });

  test("are one or more", () => {
    for (const workers of [0, -1, 1.5, Number.NaN]) expect(() => toyEngine(toyWorker, { workers })).toThrow(RangeError);
  });
});

test("a string is a URL beside the page; what cannot be read is told with its address", async () => {
  vi.stubGlobal("document", { baseURI: "https://example.test/app/" });
  vi.stubGlobal("fetch", async (url: URL) =>
    url.href.endsWith("no") ? new Response("", { status: 404, statusText: "Not Found" }) : new Response("abc"),
  );
  const { engine, workers } = toyEngine();
  await engine.load("vocab/toy.tiktoken");
  expect(workers[0]!.calls[0]!.args[1]).toBe("toy.tiktoken");
  const failure = await engine.load("no").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SourceError);
  expect(failure).toMatchObject({ url: "https://example.test/app/no", status: 404 });
  vi.unstubAllGlobals();
});

test.each([
  ["https://host/a%20b.json", "https://host/a%20b.json"],
  ["HTTP://host/x", "http://host/x"],
  ["data:,abc", "data:,abc"],
  ["file:///x", "file:///x"],
  ["/a b", "file:///a%20b"],
  ["/odd://name", "file:///odd:/name"],
])("in Node, %s is %s", (given, url) => {
  expect(inNode(given).href).toBe(url);
});

test("in Node, what has no scheme is a path", () => {
  for (const path of ["x:y", "c:/x", "odd:name.json", "https:x"]) expect(inNode(path).protocol).toBe("file:");
});

test("engines, tokenizers and documents end with their blocks", async () => {
  const { engine, workers } = toyEngine();
  {
    await using running = engine;
    using tokenizer = await running.load(FILE);
    using document = await tokenizer.open("abc");
    expect(document.encoding).toHaveLength(3);
  }
  expect(workers[0]!.calls.map(({ method }) => method)).toContain("close");
  expect(workers[0]!.terminated).toBe(true);
});

test("dispose() unloads, and later calls are refused", async () => {
  const { engine, workers } = toyEngine();
  const tokenizer = await engine.load(FILE);
  tokenizer.dispose();
  tokenizer.dispose();
  await expect(tokenizer.count("a")).rejects.toThrow("disposed");
  await vi.waitFor(() => expect(workers[0]!.calls.map(({ method }) => method)).toEqual(["load", "unload"]));
});
