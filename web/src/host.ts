/** What a browser does in its own way. In the build for Node, `host-node.ts` stands in its place. */

import type { WorkerLike } from "./connection.js";

/** TypeScript has no type for a `TrustedScriptURL`, which has this one method. */
export type WorkerURL = string | URL | { toJSON(): string };

/** The part of `LockManager` that is used: those who use the package in Node have no types of browsers. */
export interface Locks {
  request(name: string, granted: () => void): Promise<unknown>;
}

export function spawn(workerURL: WorkerURL | undefined): WorkerLike {
  // The literal form is what bundlers look for.
  return workerURL === undefined
    ? new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "bpeek" })
    : new Worker(workerURL as string | URL, { type: "module", name: "bpeek" });
}

/** What a worker holds is free when it is gone, however it went. There are none where the page is not secure: `http:` from elsewhere. */
export const locks = (): Locks | undefined => globalThis.navigator?.locks;

/** Strings are relative to the page, as they are for `fetch`. */
export function absolute(address: string | URL): URL {
  return new URL(address, globalThis.document?.baseURI ?? location.href);
}

export function get(url: URL, signal: AbortSignal | undefined): Promise<Response> {
  return fetch(url, signal ? { signal } : {});
}
