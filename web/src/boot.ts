/** Starts Pyodide inside a browser's worker; `boot-node.ts` does so in Node. */

import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import lock from "../runtime/lock.json";
import type { Progress } from "./protocol.js";
import { connect, type Python } from "./python.js";

/** Sizes of the three files, put in by the build: a compressed response does not say how much will come out of it. */
declare const RUNTIME_BYTES: number;

const TELL_EVERY_MS = 50;

// Literal URLs, so that bundlers find the files and may rename them.
const BESIDE_US = {
  wasm: new URL("./pyodide.asm.wasm", import.meta.url).href,
  stdlib: new URL("./stdlib.zip", import.meta.url).href,
  wheel: new URL("./bpeek.whl", import.meta.url).href,
};

export async function boot(assets: string | undefined, report: (progress: Progress) => void): Promise<Python> {
  const { wasm, stdlib, wheel } = assets === undefined ? BESIDE_US : inFolder(assets);
  const stopCounting = countFetchedBytes(report);
  try {
    const [pyodide, engine] = await Promise.all([
      loadPyodide({
        indexURL: `${wasm}#/`, // Pyodide appends its own file name; behind a `#` it changes nothing
        stdLibURL: stdlib,
        lockFileContents: JSON.stringify(lock),
        packageBaseUrl: wheel,
        createPyodideModule,
        stdout: () => {},
      }),
      fetch(wheel).then((response) => response.arrayBuffer()),
    ]);
    report({ phase: "engine", loaded: 0, total: 0 });
    const python = connect(pyodide, new Uint8Array(engine));
    report({ phase: "ready", loaded: 0, total: 0 });
    return python;
  } finally {
    stopCounting();
  }
}

function inFolder(assets: string): typeof BESIDE_US {
  const file = (name: string) => new URL(name, assets).href;
  return { wasm: file("pyodide.asm.wasm"), stdlib: file("stdlib.zip"), wheel: file("bpeek.whl") };
}

/** Pyodide has no progress of its own, so its fetches are watched. A clone is read: the original may use the code cache. */
function countFetchedBytes(report: (progress: Progress) => void): () => void {
  const { fetch } = globalThis;
  let [loaded, told] = [0, 0];
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
      if (loaded < RUNTIME_BYTES && performance.now() - told < TELL_EVERY_MS) continue;
      told = performance.now();
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
