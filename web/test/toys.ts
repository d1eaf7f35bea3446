/** Toys: a worker without Python that answers what a test tells it to, and small encodings. */

import { Engine, type EngineOptions } from "../src/engine.js";
import type { WorkerLike } from "../src/connection.js";
import { Encoding } from "../src/encoding.js";
import type { FromWorker, ToWorker } from "../src/protocol.js";

export class FakeWorker implements WorkerLike {
  readonly received: ToWorker[] = [];
  terminated = false;
  #listeners = new Map<string, (event: unknown) => void>();

  constructor(private readonly answer: (message: ToWorker, worker: FakeWorker) => void = () => {}) {}

  postMessage(message: ToWorker): void {
    const copy = structuredClone(message);
    this.received.push(copy);
    queueMicrotask(() => this.answer(copy, this));
  }

  addEventListener(type: string, listener: (event: unknown) => void): void {
    this.#listeners.set(type, listener);
  }

  terminate(): void {
    this.terminated = true;
  }

  say(message: FromWorker): void {
    this.#listeners.get("message")!({ data: message });
  }

  die(message: string): void {
    this.#listeners.get("error")!({ message });
  }

  get calls(): Extract<ToWorker, { type: "call" }>[] {
    return this.received.filter((message) => message.type === "call");
  }
}

export const INFO = {
  handle: 1,
  format: "tiktoken",
  name: "toy",
  vocab_size: 300,
  n_special: 1,
  special_tokens: [["<|end|>", 299]] as [string, number][],
  patterns: [],
  kernel: "WebAssembly",
  bytes: 3,
  sha256: "0".repeat(64),
};

/** Tokens of one character each, by code point. */
export function columnsOf(text: string): Uint32Array {
  const characters = [...text];
  const starts: number[] = [];
  const byteStarts: number[] = [];
  let at = 0;
  let byte = 0;
  for (const character of characters) {
    starts.push(at);
    byteStarts.push(byte);
    at += character.length;
    byte += new TextEncoder().encode(character).length;
  }
  const ids = characters.map((character) => character.codePointAt(0)!);
  return Uint32Array.from([...ids, ...starts, ...starts.slice(1), at, ...byteStarts, ...byteStarts.slice(1), byte]);
}

/** An encoding of tokens with these UTF-16 spans. */
export function spans(text: string, ...rows: [start: number, end: number][]): Encoding {
  const zeros = rows.map(() => 0);
  const starts = rows.map(([start]) => start);
  const ends = rows.map(([, end]) => end);
  return new Encoding(text, Uint32Array.from([...rows.keys(), ...starts, ...ends, ...zeros, ...zeros]), new Map([[9, "<s>"]]));
}

/** A worker that answers every call as an engine would. */
export function toyWorker(): FakeWorker {
  const texts: string[] = [];
  return new FakeWorker((message, worker) => {
    if (message.type === "start") return worker.say({ type: "progress", phase: "ready", loaded: 0, total: 0 });
    const { id, method, args } = message;
    const answers: Record<string, () => unknown> = {
      load: () => INFO,
      encode: () => (args[1] as string[]).map(columnsOf),
      ids: () => Uint32Array.from([...(args[1] as string)], (character) => character.codePointAt(0)!),
      count: () => [...(args[1] as string)].length,
      fits: () => [...(args[1] as string)].length <= (args[2] as number),
      truncate: () => {
        const kept = [...(args[1] as string)].slice(0, args[2] as number);
        return Uint32Array.of(0, kept.join("").length, kept.length);
      },
      chunks: () => {
        const { length } = args[1] as string;
        return Uint32Array.from([...Array(length).keys(), ...Array.from(Array(length), (_, i) => i + 1), ...Array(length).fill(1)]);
      },
      decode: () => String.fromCodePoint(...(args[1] as Uint32Array)),
      token: () => ({ id: args[1], bytes: new Uint8Array([97]), text: "a", special: false }),
      unload: () => undefined,
      open: () => {
        texts.push((args[1] as string).toWellFormed());
        return { document: texts.length - 1, columns: columnsOf(texts.at(-1)!) };
      },
      replace: () => {
        const [document, start, end, come] = args as [number, number, number, string];
        const before = texts[document]!;
        texts[document] = before.slice(0, start) + come.toWellFormed() + before.slice(end);
        // One token for each character, so that what changed is what was edited.
        const index = [...before.slice(0, start)].length;
        const rows = columnsOf(texts[document]);
        const length = rows.length / 5;
        const added = [...come].length;
        const columns = [0, 1, 2, 3, 4].flatMap((i) => [...rows.subarray(i * length + index, i * length + index + added)]);
        return Uint32Array.from([index, [...before.slice(start, end)].length, ...columns]);
      },
      close: () => undefined,
      encoder: () => 1,
      decoder: () => 2,
      feed: () => {
        const chunk = args[1] as string | Uint32Array;
        const ids = typeof chunk === "string" ? [...chunk.toWellFormed()].map((one) => one.codePointAt(0)!) : undefined;
        return ids ? Uint32Array.from(ids) : String.fromCodePoint(...(chunk as Uint32Array));
      },
    };
    worker.say({ type: "result", id, value: answers[method]!() });
  });
}

export const FILE = new Blob(["abc"]);

/** An engine on toy workers, and the workers that it has started. */
export function toyEngine(make: () => FakeWorker = toyWorker, options: EngineOptions = {}) {
  const workers: FakeWorker[] = [];
  const engine = new Engine({
    ...options,
    spawn: () => {
      workers.push(make());
      return workers.at(-1)!;
    },
  });
  return { engine, workers };
}
