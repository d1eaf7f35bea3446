// Pyodide from files.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withBpeek } from "./bpeek.mjs";

export async function startPython({ runtime, pyodide }) {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")).href);
  const python = await loadPyodide({
    stdLibURL: join(runtime, "stdlib.zip"),
    lockFileContents: await readFile(join(runtime, "lock.json"), "utf8"),
  });
  return withBpeek(python, await readFile(join(runtime, "bpeek.whl")));
}
