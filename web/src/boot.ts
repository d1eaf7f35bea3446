/** Starts Pyodide inside the worker and hands out the few things that calls need. */

import { loadPyodide, type PyodideAPI } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import type { PyBuffer, PyCallable, PyDict, PyProxy } from "pyodide/ffi";
import lock from "../runtime/lock.json";
import { BpeekError, revive } from "./errors.js";
import type { ErrorData, Progress } from "./protocol.js";

/** Sizes of the three files, put in by the build: a compressed response does not say how much will come out of it. */
declare const RUNTIME_BYTES: number;

// Literal URLs, so that bundlers find the files and may rename them.
const BESIDE_US = {
  wasm: new URL("./pyodide.asm.wasm", import.meta.url).href,
  stdlib: new URL("./stdlib.zip", import.meta.url).href,
  wheel: new URL("./bpeek.whl", import.meta.url).href,
};

export interface Python {
  /** Calls `bpeek.bridge.call`; an `{"error": …}` is thrown as its class. */
  call<T>(method: string, ...args: unknown[]): T;
  /** One file as `bytes`; several as a list of them. */
  bytes(files: ArrayBuffer[]): PyProxy;
  dict(value: Record<string, unknown>): PyProxy;
  list(ids: Uint32Array): PyProxy;
}

export async function boot(assets: string | undefined, report: (progress: Progress) => void): Promise<Python> {
  const { wasm, stdlib, wheel } = assets === undefined ? BESIDE_US : inFolder(assets);
  const stopCounting = countFetchedBytes(report);
  try {
    const pyodide = await loadPyodide({
      indexURL: `${wasm}#/`, // Pyodide appends its own file name; behind a `#` it changes nothing
      stdLibURL: stdlib,
      lockFileContents: lockWith(wheel),
      packageBaseUrl: wheel,
      packages: ["bpeek"],
      createPyodideModule,
      stdout: () => {},
    });
    report({ phase: "engine", loaded: 0, total: 0 });
    const python = connect(pyodide);
    report({ phase: "ready", loaded: 0, total: 0 });
    return python;
  } finally {
    stopCounting();
  }
}

function inFolder(assets: string): typeof BESIDE_US {
  const file = (name: string) => new URL(name, assets.endsWith("/") ? assets : `${assets}/`).href;
  return { wasm: file("pyodide.asm.wasm"), stdlib: file("stdlib.zip"), wheel: file("bpeek.whl") };
}

/** A bundler may have renamed our wheel; Pyodide reads its name behind the `#`, and checks its sum as ever. */
function lockWith(wheel: string): string {
  return JSON.stringify(lock, (key, value: unknown) => (key === "file_name" ? `${wheel}#/${value}` : value));
}

function connect(pyodide: PyodideAPI): Python {
  const call = guarded(pyodide, () => pyodide.pyimport("bpeek.bridge").call as PyCallable);
  const builtins = pyodide.pyimport("builtins");
  return {
    call<T>(method: string, ...args: unknown[]): T {
      const answer = guarded(pyodide, () => call(method, ...args) as PyDict);
      for (const arg of args) if (arg instanceof pyodide.ffi.PyProxy) arg.destroy();
      const error: unknown = answer.get("error");
      const value = toJs(pyodide, error ?? answer.get("ok"));
      answer.destroy();
      if (error !== undefined) throw revive(value as ErrorData);
      return value as T;
    },
    bytes: (files) => {
      const made = files.map((data) => construct(pyodide, builtins.bytes, new Uint8Array(data)));
      if (made.length === 1) return made[0]!;
      const list = pyodide.toPy(made) as PyProxy;
      for (const one of made) one.destroy();
      return list;
    },
    list: (ids) => construct(pyodide, builtins.list, ids),
    dict: (value) => pyodide.toPy(value) as PyProxy,
  };
}

/** What Python raises past the bridge is a defect of ours: told in a line, and survived. */
function guarded<T>(pyodide: PyodideAPI, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof pyodide.ffi.PythonError)) throw error;
    throw new BpeekError(`The engine met an error that it does not know: ${error.message.trim().split("\n").at(-1)}`);
  }
}

function construct(pyodide: PyodideAPI, type: PyCallable, data: ArrayBufferView): PyProxy {
  const view = pyodide.toPy(data) as PyBuffer;
  const made = type(view) as PyProxy;
  view.destroy();
  return made;
}

function toJs(pyodide: PyodideAPI, value: unknown): unknown {
  if (!(value instanceof pyodide.ffi.PyProxy)) return value;
  const plain: unknown = value.toJs({ dict_converter: Object.fromEntries, create_pyproxies: false });
  value.destroy();
  return plain;
}

/** Pyodide has no progress of its own, so its fetches are watched. A clone is read: the original may use the code cache. */
function countFetchedBytes(report: (progress: Progress) => void): () => void {
  const { fetch } = globalThis;
  let loaded = 0;
  globalThis.fetch = async (...args) => {
    const response = await fetch(...args);
    if (!response.ok) throw new Error(`${response.url} could not be fetched: ${response.status} ${response.statusText}`);
    void count(response.clone());
    return withWasmType(response);
  };
  const count = async (response: Response) => {
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      loaded += part.value.byteLength;
      report({ phase: "runtime", loaded, total: RUNTIME_BYTES });
    }
  };
  return () => {
    globalThis.fetch = fetch;
  };
}

/** With any other type Pyodide waits for ever. */
function withWasmType(response: Response): Response {
  const isWasm = new URL(response.url).pathname.endsWith(".wasm");
  if (!isWasm || response.headers.get("content-type") === "application/wasm") return response;
  return new Response(response.body, { headers: { "content-type": "application/wasm" } });
}
