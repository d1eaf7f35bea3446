// Bundles the package into dist. Types come from tsc; runtime/ from tools/runtime.mjs.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, stat } from "node:fs/promises";
import { build } from "esbuild";

const RUNTIME = ["pyodide.asm.wasm", "stdlib.zip", "bpeek.whl"];

// The same code with what Node does in its own way.
const forNode = {
  name: "for-node",
  setup(plugins) {
    plugins.onResolve({ filter: /^\.\/host\.js$/ }, ({ resolveDir }) => ({ path: `${resolveDir}/host-node.ts` }));
    plugins.onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: "none" })); // Pyodide's sockets
    plugins.onLoad({ filter: /.*/, namespace: "none" }, () => ({ contents: "export default {}", loader: "js" }));
  },
};

// Pyodide names modules of Node that no browser has and no worker of ours reaches.
const withoutNode = {
  name: "without-node",
  setup(plugins) {
    const filter = /^(node:.*|ws|child_process|crypto|fs|fs\/promises|path|url|vm|worker_threads)$/;
    plugins.onResolve({ filter }, ({ path }) => ({ path, namespace: "node" }));
    plugins.onLoad({ filter: /.*/, namespace: "node" }, () => ({ contents: "export default {}", loader: "js" }));
  },
};

// Pyodide gives WebAssembly some 260 functions of JavaScript's, each as it is, which fails, and then wrapped. What is thrown
// makes browsers read the whole script anew, for the place.
const withoutThrowing = {
  name: "without-throwing",
  setup(plugins) {
    plugins.onLoad({ filter: /pyodide\.asm\.mjs$/ }, async ({ path }) => {
      const [before, ...after] = (await readFile(path, "utf8")).split("try{setWasmTableEntry(ret,func)}");
      if (after.length !== 1) throw new Error("This Pyodide fills its table of functions in another way");
      const wrapped = "if(func.sig){setWasmTableEntry(ret,convertJsFunctionToWasm(func,sig))}else try{setWasmTableEntry(ret,func)}";
      return { contents: before + wrapped + after[0], loader: "js" };
    });
  },
};

async function sizes() {
  const stats = await Promise.all(RUNTIME.map((name) => stat(`runtime/${name}`)));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

/** Of all that a snapshot depends on (`src/snapshot.ts`). */
async function sum() {
  const hash = createHash("sha256");
  for (const path of ["dist/pyodide.asm.js", ...RUNTIME.map((name) => `runtime/${name}`)]) hash.update(await readFile(path));
  return hash.digest("hex");
}

const common = { bundle: true, format: "esm", target: "es2023", outdir: "dist", logLevel: "warning" };

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
await build({
  ...common,
  entryPoints: ["src/index.ts", "src/token-view.ts", "src/token-compare.ts", "src/define.ts"],
  splitting: true,
  chunkNames: "[name]-[hash]",
});
const forBrowser = {
  ...common,
  plugins: [withoutNode, withoutThrowing],
  // Pyodide's `eval` is for libraries that we do not load. Where it could see what is around it, nothing can be renamed,
  // and bundlers warn; `module` is what Node's modules have.
  define: { eval: "globalThis.eval", module: "undefined" },
  legalComments: "none",
};
await build({ ...forBrowser, entryPoints: { "pyodide.asm": "pyodide/pyodide.asm.mjs" }, minify: true });
// Not minified: what it says to bundlers beside an `import` would be lost.
await build({
  ...forBrowser,
  entryPoints: ["src/worker.ts"],
  define: { ...forBrowser.define, RUNTIME_BYTES: String(await sizes()), RUNTIME_SUM: JSON.stringify(await sum()) },
  footer: { js: "export {};" }, // or a bundler takes it for CommonJS, with exports
  // webpack 5 puts the large files that a script of less than 50 KB names into a chunk of their own, waits for it, and never
  // writes it. So this one has its map in it.
  sourcemap: "inline",
});
const node = { ...common, platform: "node", target: "node20.19", plugins: [forNode] };
await build({ ...node, entryPoints: { node: "src/index.ts" } });
await build({ ...node, entryPoints: ["src/worker-node.ts"], minify: true, legalComments: "none" });
await Promise.all(RUNTIME.map((name) => copyFile(`runtime/${name}`, `dist/${name}`)));
await copyFile("../LICENSE", "dist/LICENSE");
