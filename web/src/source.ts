/** What a vocabulary can be read from. */

import { SourceError } from "./errors.js";
import { absolute, get } from "./host.js";
import type { Progress } from "./protocol.js";

/** What a string names is relative to the page in a browser, and a path in Node, unless it is a whole URL. */
export type Source = File | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | URL | string;

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

function counted(report: (progress: Progress) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let loaded = 0;
  return new TransformStream({
    transform(part, controller) {
      loaded += part.byteLength;
      report({ phase: "vocabulary", loaded, total: 0 });
      controller.enqueue(part);
    },
  });
}

export function nameOf(source: Source | undefined): string | undefined {
  if (source instanceof File) return source.name;
  return source instanceof URL || typeof source === "string" ? absolute(source).pathname.split("/").at(-1) : undefined;
}
