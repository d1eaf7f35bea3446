// Bundles the package into dist. Types come from tsc; runtime/ from tools/runtime.mjs.
import { copyFile, mkdir, rm, stat } from "node:fs/promises";
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

async function sizes() {
  const stats = await Promise.all(RUNTIME.map((name) => stat(`runtime/${name}`)));
  return stats.reduce((sum, { size }) => sum + size, 0);
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
await build({
  ...common,
  entryPoints: ["src/worker.ts"],
  minify: true,
  legalComments: "none",
  plugins: [withoutNode],
  // Pyodide's `eval` is for libraries that we do not load. Where it could see what is around it, nothing can be renamed,
  // and bundlers warn; `module` is what Node's modules have.
  define: { RUNTIME_BYTES: String(await sizes()), eval: "globalThis.eval", module: "undefined" },
  footer: { js: "export {};" }, // or a bundler takes it for CommonJS, with exports
});
const node = { ...common, platform: "node", target: "node20.19", plugins: [forNode] };
await build({ ...node, entryPoints: { node: "src/index.ts" } });
await build({ ...node, entryPoints: ["src/worker-node.ts"], minify: true, legalComments: "none" });
await Promise.all(RUNTIME.map((name) => copyFile(`runtime/${name}`, `dist/${name}`)));
await copyFile("../LICENSE", "dist/LICENSE");
