// The whole wheel in plain Pyodide, as in a notebook: runs the Python on standard input and prints its last value.
//     node whole.mjs dist/bpeek-….whl FOLDER      the folder is /vocabularies in Pyodide
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

// By default Node shows the source line of an error, and Pyodide's is a megabyte long.
process.on("uncaughtException", ({ message }) => {
  console.error(message);
  process.exit(1);
});

const { loadPyodide } = await import(fileURLToPath(new URL("../../web/node_modules/pyodide/pyodide.mjs", import.meta.url)));
const [wheel, root] = process.argv.slice(2);
const py = await loadPyodide();
py.unpackArchive(new Uint8Array(await readFile(wheel)), "wheel");
py.FS.mkdir("/vocabularies");
py.FS.mount(py.FS.filesystems.NODEFS, { root }, "/vocabularies");
console.log(py.runPython(await readFile("/dev/stdin", "utf8")));
