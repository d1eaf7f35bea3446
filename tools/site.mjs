// Lays out the static site and compresses it ahead, then prints what a first visit downloads:
//     python tools/pack.py cl100k_base … | node tools/site.mjs dist/site
// Standard input names the vocabulary files; the page loads the first by itself.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const site = process.argv[2];
const vocabularies = (await text(process.stdin)).trim().split("\n");
const root = fileURLToPath(new URL("..", import.meta.url));
// Brotli at its best takes half a minute for the runtime, which rarely changes.
const cache = join(root, ".cache", "compressed");
const MIN_BYTES = 1024;

const FORMATS = {
  br: (data) => promisify(brotliCompress)(data, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: data.length } }),
  gz: (data) => promisify(gzip)(data, { level: 9 }),
};

async function compress(file, format) {
  const data = await readFile(file);
  if (data.length < MIN_BYTES) return data.length;
  const kept = join(cache, `${createHash("sha256").update(data).digest("hex")}.${format}`);
  if (!existsSync(kept)) await writeFile(kept, await FORMATS[format](data));
  await copyFile(kept, `${file}.${format}`);
  return (await readFile(kept)).length;
}

await rm(site, { recursive: true, force: true });
await mkdir(cache, { recursive: true });
await mkdir(join(site, "vocab"), { recursive: true });
await cp(join(root, "demo", "dist"), site, { recursive: true });
for (const file of vocabularies) await copyFile(file, join(site, "vocab", basename(file)));

const others = vocabularies.slice(1).map((file) => `vocab/${basename(file)}`);
const files = (await readdir(site, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort();
await tellServiceWorker();
await copyFile(join(root, "LICENSE"), join(site, "LICENSE")); // for whoever gets a copy; no visit needs it

/** Puts the sums of all files in front of the service worker, which keeps them (`demo/sw/sw.ts`). */
async function tellServiceWorker() {
  const lists = { PAGE: {}, VOCABULARIES: {} };
  for (const file of files) {
    const name = relative(site, file).replaceAll("\\", "/");
    if (name === "sw.js" || name.endsWith(".map")) continue;
    const sum = createHash("sha256").update(await readFile(file)).digest("base64");
    lists[others.includes(name) ? "VOCABULARIES" : "PAGE"][name === "index.html" ? "" : name] = `sha256-${sum}`;
  }
  const worker = join(site, "sw.js");
  const constants = Object.entries(lists).map(([name, list]) => `const ${name} = ${JSON.stringify(list)};\n`);
  await writeFile(worker, constants.join("") + (await readFile(worker, "utf8")));
}

const rows = await Promise.all(
  files.map(async (file) => ({
    name: relative(site, file),
    raw: (await readFile(file)).length,
    br: await compress(file, "br"),
    gz: await compress(file, "gz"),
  })),
);

const later = /\.map$|^assets\/long-text-/;
const first = rows.filter(({ name }) => !others.includes(name) && !later.test(name)).sort((a, b) => b.br - a.br);
const total = (key) => first.reduce((sum, row) => sum + row[key], 0);
const cells = (...values) => values.map((value) => value.toLocaleString("en").padStart(12)).join("");
console.log(cells("bytes", "gzip", "brotli"), "  first visit");
for (const row of first) console.log(cells(row.raw, row.gz, row.br), " ", row.name);
console.log(cells(total("raw"), total("gz"), total("br")), "  together");
