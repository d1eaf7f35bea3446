// The same in a module worker of a page. Served beside it: data/, vocab/, wasm/, runtime/, pyodide/.
import { withBpeek } from "./bpeek.mjs";
import { run } from "./measure.mjs";

const url = (path) => new URL(path, import.meta.url).href;
const fetched = async (path) => {
  const response = await fetch(url(path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
};

async function startPython() {
  const { loadPyodide } = await import(url("pyodide/pyodide.mjs"));
  const python = await loadPyodide({
    indexURL: url("pyodide/"),
    stdLibURL: url("runtime/stdlib.zip"),
    lockFileContents: await (await fetched("runtime/lock.json")).text(),
  });
  return withBpeek(python, await (await fetched("runtime/bpeek.whl")).arrayBuffer());
}

let python;
const env = {
  bytes: async (path) => new Uint8Array(await (await fetched(path)).arrayBuffer()),
  json: async (path) => (await fetched(`data/${path}`)).json(),
  python: () => (python ??= startPython()),
};

self.onmessage = async ({ data: task }) => {
  try {
    self.postMessage({ answer: await run(task, env, (what) => self.postMessage({ what })) });
  } catch (error) {
    self.postMessage({ error: String(error?.stack ?? error) });
  }
};
