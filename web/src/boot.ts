/** Starts Pyodide inside a browser's worker; `boot-node.ts` does so in Node. */

import { loadPyodide, type PyodideAPI, type PyodideConfig } from "pyodide";
import lock from "../runtime/lock.json";
import type { Progress } from "./protocol.js";
import { connect, type Python } from "./python.js";
import { forgetSnapshot, keepSnapshot, readSnapshot } from "./snapshot.js";

/** Sizes of the three files, put in by the build: a compressed response does not say how much will come out of it. */
declare const RUNTIME_BYTES: number;

type Script = typeof import("pyodide/pyodide.asm.mjs");
type Bytes = Uint8Array<ArrayBuffer>;

const TELL_EVERY_MS = 50;

// Literal URLs, so that bundlers find the files and may rename them.
const BESIDE_US = {
  script: new URL("./pyodide.asm.js", import.meta.url).href,
  wasm: new URL("./pyodide.asm.wasm", import.meta.url).href,
  stdlib: new URL("./stdlib.zip", import.meta.url).href,
  wheel: new URL("./bpeek.whl", import.meta.url).href,
};

/** With `keep` it takes up a snapshot, or leaves one for the next time. */
export async function boot(assets: string | undefined, keep: boolean, report: (progress: Progress) => void): Promise<Python> {
  const files = assets === undefined ? BESIDE_US : inFolder(assets);
  const wasm = fetch(files.wasm); // to be compiled while its script is read
  const snapshot = keep ? await readSnapshot() : undefined;
  const script = import(/* @vite-ignore */ /* webpackIgnore: true */ files.script) as Promise<Script>;
  const watch = snapshot ? undefined : counter(report);
  const runtime = wasm.then((response) => WebAssembly.compileStreaming(withWasmType(checked(response, watch))));
  const read = async (url: string) => new Uint8Array(await checked(await fetch(url), watch).arrayBuffer());
  const { stdlib, wheel } = snapshot ?? { stdlib: read(files.stdlib), wheel: read(files.wheel) };
  const settings = snapshot ? { _loadSnapshot: snapshot.memory } : { _makeSnapshot: keep };
  try {
    const loading = load(script, files, runtime, stdlib, settings);
    const [pyodide, library, engine] = await Promise.all([loading, stdlib, wheel, runtime]); // Pyodide waits for ever for what fails
    report({ phase: "engine", loaded: 0, total: 0 });
    const python = connect(pyodide, engine);
    if (keep && !snapshot) {
      python.call("warm_up");
      void keepSnapshot(() => pyodide.makeMemorySnapshot(), library, engine);
    }
    report({ phase: "ready", loaded: 0, total: 0 });
    return python;
  } catch (error) {
    if (!snapshot) throw error;
    await forgetSnapshot();
    return boot(assets, keep, report);
  }
}

function inFolder(assets: string): typeof BESIDE_US {
  const file = (name: string) => new URL(name, assets).href;
  return { script: file("pyodide.asm.js"), wasm: file("pyodide.asm.wasm"), stdlib: file("stdlib.zip"), wheel: file("bpeek.whl") };
}

/** Pyodide fetches by itself: it is given what is on its way already. */
async function load(
  script: Promise<Script>,
  { wasm, stdlib: stdLibURL, wheel }: typeof BESIDE_US,
  runtime: Promise<WebAssembly.Module>,
  stdlib: Bytes | Promise<Bytes>,
  settings: PyodideConfig,
): Promise<PyodideAPI> {
  const { default: createPyodideModule } = await script;
  const { fetch } = globalThis;
  const { instantiateStreaming } = WebAssembly;
  globalThis.fetch = async (url) => new Response(String(url) === stdLibURL ? await stdlib : null);
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await runtime;
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  };
  try {
    return await loadPyodide({
      indexURL: `${wasm}#/`, // Pyodide appends its own file name; behind a `#` it changes nothing
      stdLibURL,
      lockFileContents: JSON.stringify(lock),
      packageBaseUrl: wheel,
      createPyodideModule,
      stdout: () => {},
      ...settings,
    });
  } finally {
    globalThis.fetch = fetch;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/** Tells how many bytes have come. */
function counter(report: (progress: Progress) => void): (response: Response) => void {
  let [loaded, told] = [0, 0];
  return async (response) => {
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      loaded += part.value.byteLength;
      if (loaded < RUNTIME_BYTES && performance.now() - told < TELL_EVERY_MS) continue;
      told = performance.now();
      report({ phase: "runtime", loaded, total: RUNTIME_BYTES });
    }
  };
}

/** A clone is watched: the original may use the code cache. */
function checked(response: Response, watch?: (response: Response) => void): Response {
  if (!response.ok) throw new Error(`${response.url} could not be fetched: ${response.status} ${response.statusText}`);
  watch?.(response.clone());
  return response;
}

/** With any other type browsers do not compile while it comes. */
function withWasmType(response: Response): Response {
  if (response.headers.get("content-type") === "application/wasm") return response;
  return new Response(response.body, { headers: { "content-type": "application/wasm" } });
}
