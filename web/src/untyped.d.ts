declare module "pyodide/pyodide.asm.mjs" {
  import type { PyodideConfig } from "pyodide";
  const createPyodideModule: NonNullable<PyodideConfig["createPyodideModule"]>;
  export default createPyodideModule;
}

/** Made by `tools/`, so absent before the first build. */
declare module "*/runtime/lock.json" {
  const lock: object;
  export default lock;
}
