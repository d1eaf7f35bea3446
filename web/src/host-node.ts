/** What Node does in its own way; the same names as in `host.ts`. */

import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { WorkerLike } from "./connection.js";
import type * as host from "./host.js";
import type { FromWorker } from "./protocol.js";

export function spawn(workerURL: host.WorkerURL | undefined): WorkerLike {
  const ours = new URL("./worker-node.js", import.meta.url);
  const thread = new Worker(workerURL === undefined ? ours : absolute(workerURL as string | URL), { name: "bpeek" });
  // A thread keeps the process alive while an answer is awaited, and no longer.
  let awaited = 0;
  return {
    postMessage(message, transfer) {
      thread.postMessage(message, transfer);
      awaited++;
      thread.ref();
    },
    addEventListener(type, listener) {
      if (type === "message") {
        thread.on("message", (data: FromWorker) => {
          if (data.type !== "progress" || data.phase === "ready") awaited--;
          if (awaited === 0) thread.unref();
          listener({ data });
        });
      } else {
        thread.on(type, listener);
        if (type === "error") thread.on("exit", (code) => listener({ message: `its thread ended with code ${code}` }));
      }
    },
    terminate: () => thread.terminate(),
  };
}

/** A thread tells of its end by itself. */
export const locks = (): host.Locks | undefined => undefined;

/** A drive, `c:/x`, has none, nor has a file whose name only holds a colon. */
const HAS_SCHEME = /^(?:[a-z][a-z\d+.-]+:\/\/|(?:data|blob|file):)/i;

/** Strings are paths, as they are for `fs`, unless they begin as a URL does. */
export function absolute(address: string | URL): URL {
  if (address instanceof URL) return address;
  return HAS_SCHEME.test(address) && URL.canParse(address) ? new URL(address) : pathToFileURL(address);
}

export async function get(url: URL, signal: AbortSignal | undefined): Promise<Response> {
  const options = signal ? { signal } : {};
  if (url.protocol !== "file:") return fetch(url, options);
  return new Response(Readable.toWeb(createReadStream(url, options)) as ReadableStream<Uint8Array<ArrayBuffer>>);
}

({ spawn, locks, absolute, get }) satisfies typeof host; // the build puts one in the place of the other
