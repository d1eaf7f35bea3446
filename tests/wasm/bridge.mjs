// The runtime assets, loaded as the web worker loads them but in Node. Each line of standard input is a request:
//     {"call": [method, ...arguments], "file"?: path}   the file's bytes become the first argument
//     {"run": python}
// and each line of standard output its answer. Python has the variable BPEEK_KERNEL, if there is one.
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// By default Node shows the source line of an error, and Pyodide's is a megabyte long.
process.on("uncaughtException", ({ message }) => {
  console.error(message);
  process.exit(1);
});

const web = fileURLToPath(new URL("../../web/", import.meta.url));
const runtime = join(web, "runtime");
const { loadPyodide } = await import(join(web, "node_modules", "pyodide", "pyodide.mjs"));

// In Node a package is a file, and must have the name that the lock gives it.
const lock = JSON.parse(await readFile(join(runtime, "lock.json"), "utf8"));
const packages = await mkdtemp(join(tmpdir(), "bpeek-"));
await copyFile(join(runtime, "bpeek.whl"), join(packages, lock.packages.bpeek.file_name));
const { BPEEK_KERNEL } = process.env;
const py = await loadPyodide({
  env: BPEEK_KERNEL === undefined ? {} : { BPEEK_KERNEL },
  stdLibURL: join(runtime, "stdlib.zip"),
  lockFileContents: JSON.stringify(lock),
  packageBaseUrl: packages,
  packages: ["bpeek"],
});
const bridge = py.pyimport("bpeek.bridge").call;
await rm(packages, { recursive: true });

function toPython(value) {
  return typeof value === "object" ? py.toPy(value) : value;
}

function plain(value) {
  return value?.toJs?.({ dict_converter: Object.fromEntries, create_pyproxies: false }) ?? value ?? null;
}

function withoutViews(key, value) {
  return ArrayBuffer.isView(value) ? [...value] : value;
}

async function answer({ call, run, file }) {
  if (run) return plain(py.runPython(run));
  const [method, ...args] = call;
  if (file) args.unshift(new Uint8Array(await readFile(file)));
  return plain(bridge(method, ...args.map(toPython)));
}

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(JSON.parse(line)), withoutViews));
}
