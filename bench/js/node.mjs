// node node.mjs TASK.json: all engines in this one process; the answer goes to standard output.
import { copyFile, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "./measure.mjs";

// By default Node shows the source line of an error, and a bundle's is a megabyte long.
process.on("uncaughtException", ({ message }) => {
  console.error(message);
  process.exit(1);
});

const task = JSON.parse(await readFile(process.argv[2], "utf8"));
const file = (name) => readFile(task.files[name] ?? join(task.folders[name.split("/")[0]] ?? task.folders.data, name.split("/").at(-1)));

/** The runtime that the web worker loads, as tests/wasm/bridge.mjs does it. */
async function startPython() {
  const runtime = task.folders.runtime;
  const { loadPyodide } = await import(pathToFileURL(join(task.folders.pyodide, "pyodide.mjs")).href);
  const lock = JSON.parse(await readFile(join(runtime, "lock.json"), "utf8"));
  const packages = await mkdtemp(join(tmpdir(), "bpeek-bench-"));
  await copyFile(join(runtime, "bpeek.whl"), join(packages, lock.packages.bpeek.file_name));
  return loadPyodide({
    stdLibURL: join(runtime, "stdlib.zip"),
    lockFileContents: JSON.stringify(lock),
    packageBaseUrl: packages,
    packages: ["bpeek"],
  });
}

let python;
const env = {
  bytes: async (name) => new Uint8Array(await file(name)),
  json: async (name) => JSON.parse(await file(name)),
  python: () => (python ??= startPython()),
};
const answer = await run(task, env, (what) => process.stderr.write(`\r${what}\x1b[K`));
process.stderr.write("\n");
process.stdout.write(JSON.stringify(answer));
