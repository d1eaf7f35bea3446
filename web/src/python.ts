/** Python as calls need it: whatever brought Pyodide up. */

import type { PyodideAPI } from "pyodide";
import type { PyBuffer, PyCallable, PyDict, PyProxy } from "pyodide/ffi";
import { BpeekError, revive } from "./errors.js";
import type { ErrorData, Policy } from "./protocol.js";

const WHEEL = "/bpeek.whl";

export interface Python {
  /** Calls `bpeek.bridge.call`; an `{"error": …}` is thrown as its class. */
  call<T>(method: string, ...args: unknown[]): T;
  /** One file as `bytes`; several as a list of them. */
  bytes(files: ArrayBuffer[]): PyProxy;
  dict(value: Record<string, unknown>): PyProxy;
  policy(policy: Policy): string | PyProxy;
  list(ids: Uint32Array): PyProxy;
}

/** `wheel` is imported as it is: to install it takes Pyodide a tenth of a second. */
export function connect(pyodide: PyodideAPI, wheel: Uint8Array): Python {
  pyodide.FS.writeFile(WHEEL, wheel);
  const { path } = pyodide.pyimport("sys") as PyProxy;
  if (!path.includes(WHEEL)) path.append(WHEEL); // a snapshot has it
  const call = guarded(pyodide, () => pyodide.pyimport("bpeek.bridge").call as PyCallable);
  const builtins = pyodide.pyimport("builtins");
  return {
    call<T>(method: string, ...args: unknown[]): T {
      const answer = guarded(pyodide, () => call(method, ...args) as PyDict);
      for (const arg of args) if (arg instanceof pyodide.ffi.PyProxy) arg.destroy();
      const error: unknown = answer.get("error");
      const value = toJs(pyodide, error ?? answer.get("ok"));
      answer.destroy();
      if (error !== undefined) throw revive(value as ErrorData);
      return value as T;
    },
    bytes: (files) => {
      const made = files.map((data) => construct(pyodide, builtins.bytes, new Uint8Array(data)));
      if (made.length === 1) return made[0]!;
      const list = pyodide.toPy(made) as PyProxy;
      for (const one of made) one.destroy();
      return list;
    },
    list: (ids) => construct(pyodide, builtins.list, ids),
    dict: (value) => pyodide.toPy(value) as PyProxy,
    policy: (policy) => pyodide.toPy(policy) as string | PyProxy,
  };
}

/** What Python raises past the bridge is a defect of ours: told in a line, and survived. */
function guarded<T>(pyodide: PyodideAPI, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof pyodide.ffi.PythonError)) throw error;
    throw new BpeekError(`The engine met an error that it does not know: ${error.message.trim().split("\n").at(-1)}`);
  }
}

function construct(pyodide: PyodideAPI, type: PyCallable, data: ArrayBufferView): PyProxy {
  const view = pyodide.toPy(data) as PyBuffer;
  const made = type(view) as PyProxy;
  view.destroy();
  return made;
}

function toJs(pyodide: PyodideAPI, value: unknown): unknown {
  if (!(value instanceof pyodide.ffi.PyProxy)) return value;
  const plain: unknown = value.toJs({ dict_converter: Object.fromEntries, create_pyproxies: false });
  value.destroy();
  return plain;
}
