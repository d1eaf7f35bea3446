/** Starts Pyodide inside a worker thread of Node, from files. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import lock from "../runtime/lock.json";
import type { Progress } from "./protocol.js";
import { connect, type Python } from "./python.js";

export async function boot(assets: string | undefined, _keep: boolean, report: (progress: Progress) => void): Promise<Python> {
  const folder = new URL(assets ?? ".", import.meta.url);
  const path = (name: string) => fileURLToPath(new URL(name, folder));
  const [wheel, pyodide] = await Promise.all([
    readFile(path("bpeek.whl")),
    loadPyodide({
      indexURL: path("."),
      stdLibURL: path("stdlib.zip"),
      lockFileContents: JSON.stringify(lock),
      packageBaseUrl: path("."),
      createPyodideModule,
      stdout: () => {},
    }),
  ]);
  report({ phase: "engine", loaded: 0, total: 0 });
  const python = connect(pyodide, new Uint8Array(wheel));
  report({ phase: "ready", loaded: 0, total: 0 });
  return python;
}
