// node first.mjs TASK.json: a new Pyodide loads one vocabulary and encodes its first text; then the same text again.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bpeek } from "./bpeek.mjs";
import { difference, timed } from "./clock.mjs";
import { startPython } from "./python.mjs";

const { folders, file, kernel, text, vocabulary } = JSON.parse(await readFile(process.argv[2], "utf8"));
const json = async (name) => JSON.parse(await readFile(join(folders.data, name), "utf8"));
const { start } = await json(`text-${text}.json`);
const expected = (await json(`ids-${vocabulary}-${text}.json`)).start.ids;

const python = await startPython(folders);
const data = new Uint8Array(await readFile(join(folders.vocab, file)));
const [load, { ids: encode }] = timed(() => bpeek(python, data, file, kernel));
const [first, ids] = timed(() => encode(start));
const [again] = timed(() => encode(start));
process.stdout.write(JSON.stringify({ load: load / 1000, first: first / 1000, again: again / 1000, error: difference(ids, expected) }));
