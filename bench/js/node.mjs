// node node.mjs TASK.json: all engines in this one process; the answer goes to standard output.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./measure.mjs";
import { startPython } from "./python.mjs";

// By default Node shows the source line of an error, and a bundle's is a megabyte long.
process.on("uncaughtException", ({ message }) => {
  console.error(message);
  process.exit(1);
});

const task = JSON.parse(await readFile(process.argv[2], "utf8"));
const file = (name) => readFile(task.files[name] ?? join(task.folders[name.split("/")[0]] ?? task.folders.data, name.split("/").at(-1)));

let python;
const env = {
  bytes: async (name) => new Uint8Array(await file(name)),
  json: async (name) => JSON.parse(await file(name)),
  python: () => (python ??= startPython(task.folders)),
};
const answer = await run(task, env, (what) => process.stderr.write(`\r${what}\x1b[K`));
process.stderr.write("\n");
process.stdout.write(JSON.stringify(answer));
