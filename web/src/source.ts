/** What a vocabulary can be read from. */

import { SourceError } from "./errors.js";
import { absolute, get } from "./host.js";
import type { Progress } from "./protocol.js";

/** What a string names is relative to the page in a browser, and a path in Node, unless it is a whole URL. */
export type Source = File | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | URL | string;

/** Bytes that are read of a GGUF: behind its header it has gigabytes of weights. As `GGUF_HEADER` in `bpeek.formats`. */
const GGUF_HEADER = 64 * 2 ** 20;

export async function toBlob(source: Source, report: (progress: Progress) => void, signal?: AbortSignal): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (!(source instanceof URL || typeof source === "string")) return new Blob([source]);
  const url = absolute(source);
  const fail = (why: string, facts: object) => Object.assign(new SourceError(`${url.href} could not be read: ${why}`), { url: url.href, ...facts });
  try {
    const response = await get(url, signal);
    if (!response.ok) throw fail(`${response.status} ${response.statusText}`, { status: response.status });
    return await new Response(response.body!.pipeThrough(counted(report))).blob();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw cause instanceof SourceError ? cause : fail((cause as Error).message, { cause });
  }
}

/** What a worker is given of a file. */
export async function content(blob: Blob): Promise<ArrayBuffer> {
  const head = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  return (isGguf(head) ? blob.slice(0, GGUF_HEADER) : blob).arrayBuffer();
}

const isGguf = (head: Uint8Array) => String.fromCharCode(...head.subarray(0, 4)) === "GGUF";

function counted(report: (progress: Progress) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let loaded = 0;
  let most = Infinity;
  return new TransformStream({
    transform(part, controller) {
      if (loaded === 0 && isGguf(part)) most = GGUF_HEADER;
      loaded += part.byteLength;
      report({ phase: "vocabulary", loaded, total: 0 });
      controller.enqueue(part);
      if (loaded >= most) controller.terminate(); // no more is asked for
    },
  });
}

export function nameOf(source: Source | undefined): string | undefined {
  if (source instanceof File) return source.name;
  return source instanceof URL || typeof source === "string" ? absolute(source).pathname.split("/").at(-1) : undefined;
}
