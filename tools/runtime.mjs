// Makes web/runtime, the files that the web worker loads (docs/architecture.md, "Runtime assets"), from a wheel:
//     node tools/runtime.mjs dist/bpeek-0.1.0-py3-none-any.whl
// tools/lock.py adds the lock file.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";

// By default Node shows the source line of an error, and Pyodide's is a megabyte long.
process.on("uncaughtException", ({ message }) => {
  console.error(message);
  process.exit(1);
});

const out = new URL("../web/runtime/", import.meta.url);
const pyodide = new URL("../web/node_modules/pyodide/", import.meta.url);
const { loadPyodide } = await import(new URL("pyodide.mjs", pyodide));

const wheel = new Uint8Array(await readFile(process.argv[2]));
// Without the columns of every instruction, of which nothing is shown: a quarter less to download.
const py = await loadPyodide({ env: { PYTHONNODEBUGRANGES: "1" } });
py.unpackArchive(wheel, "wheel");
py.FS.writeFile("our.whl", wheel);
py.FS.writeFile("precompile.py", await readFile(new URL("precompile.py", import.meta.url), "utf8"));
const precompile = py.pyimport("precompile");

await mkdir(out, { recursive: true });
await writeFile(new URL("bpeek.whl", out), precompile.wheel("our.whl").toJs());
await writeFile(new URL("stdlib.zip", out), precompile.stdlib("bpeek").toJs());
await copyFile(new URL("pyodide.asm.wasm", pyodide), new URL("pyodide.asm.wasm", out));
