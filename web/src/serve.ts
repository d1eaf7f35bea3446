/** The worker's work: brings up Python, then answers calls. The page's side is `connection.ts`. */

import { BpeekError } from "./errors.js";
import type { Arguments, ErrorData, FromWorker, Method, Progress, Result, ToWorker } from "./protocol.js";
import type { Python } from "./python.js";

/** A worker's own scope in a browser, its `parentPort` in Node. */
export interface Port {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

type Boot = (assets: string | undefined, keep: boolean, report: (progress: Progress) => void) => Promise<Python>;

type Handlers = { [M in Method]: (python: Python, ...args: Arguments<M>) => Result<M> };

const HANDLERS: Handlers = {
  load: (python, files, name, pattern, specialTokens) =>
    python.call("load", python.bytes(files), name, pattern, specialTokens && python.dict(specialTokens)),
  encode: (python, handle, texts, policy) =>
    // A lone surrogate has no UTF-8; `toWellFormed` reads it as U+FFFD, as tiktoken does, and keeps the length.
    texts.map((text) => python.call<Uint32Array>("encode", handle, text.toWellFormed(), python.policy(policy))),
  ids: (python, handle, text) => python.call("ids", handle, text.toWellFormed()),
  count: (python, handle, text, policy) => python.call("count", handle, text.toWellFormed(), python.policy(policy)),
  fits: (python, handle, text, n, policy) => python.call("fits", handle, text.toWellFormed(), n, python.policy(policy)),
  truncate: (python, handle, text, n, side, policy) => python.call("truncate", handle, text.toWellFormed(), n, side, python.policy(policy)),
  chunks: (python, handle, text, n, overlap, policy) => python.call("chunks", handle, text.toWellFormed(), n, overlap, python.policy(policy)),
  decode: (python, handle, ids, skipSpecialTokens) => python.call("decode", handle, python.list(ids), skipSpecialTokens),
  token: (python, handle, id) => python.call("token", handle, id),
  names: (python, text) => python.call("names", text.toWellFormed()),
  explain: (python, handle, text, policy) => python.call("explain", handle, text.toWellFormed(), python.policy(policy)),
  around: (python, handle, text, start, end) => python.call("around", handle, text.toWellFormed(), start, end),
  inspect: (python, handle) => python.call("inspect", handle),
  unload: (python, handle) => python.call("unload", handle),
  open: (python, handle, text, policy) => python.call("open", handle, text.toWellFormed(), python.policy(policy)),
  replace: (python, document, start, end, text) => python.call("replace", document, start, end, text.toWellFormed()),
  close: (python, document) => python.call("close", document),
  encoder: (python, handle, policy) => python.call("encoder", handle, python.policy(policy)),
  decoder: (python, handle, skipSpecialTokens) => python.call("decoder", handle, skipSpecialTokens),
  feed: (python, stream, chunk, last) =>
    python.call("feed", stream, typeof chunk === "string" ? chunk.toWellFormed() : python.list(chunk), last),
};

export function serve(port: Port, boot: Boot): void {
  let started: Promise<Python>;
  port.onmessage = ({ data: message }) => {
    if (message.type === "start") {
      if (message.life !== undefined) live(port, message.life);
      started = boot(message.assets, message.keep, (progress) => port.postMessage({ type: "progress", ...progress }));
      started.catch((error: unknown) => port.postMessage({ type: "failed", error: plain(error) }));
    } else {
      void answer(port, started, message);
    }
  };
}

/** The page waits for the lock, which becomes free when this worker is gone. */
function live(port: Port, name: string): void {
  const forever = new Promise<never>(() => {});
  const held = navigator.locks.request(name, () => {
    port.postMessage({ type: "alive" });
    return forever;
  });
  held.catch(() => {}); // where a browser keeps nothing, it gives no locks
}

async function answer(port: Port, started: Promise<Python>, call: Extract<ToWorker, { type: "call" }>): Promise<void> {
  const { id, method, args } = call;
  try {
    const handler = HANDLERS[method] as (python: Python, ...args: unknown[]) => unknown;
    const value = handler(await started, ...args);
    port.postMessage({ type: "result", id, value }, buffers(value));
  } catch (error) {
    // An error that is not ours means that the interpreter itself is broken: out of memory, or of stack.
    const type = error instanceof BpeekError ? "error" : "failed";
    port.postMessage(type === "error" ? { type, id, error: plain(error) } : { type, error: plain(error) });
  }
}

/** Columns are moved, not copied. */
function buffers(value: unknown): Transferable[] {
  const items = [value].flat().map((item) => (item as { columns?: unknown } | undefined)?.columns ?? item);
  return items.filter((item) => item instanceof Uint32Array).map((item) => item.buffer);
}

function plain(error: unknown): ErrorData {
  if (error instanceof BpeekError) return { ...error, name: error.name, message: error.message };
  return { name: "WorkerError", message: `The engine stopped: ${error instanceof Error ? error.message : String(error)}` };
}
