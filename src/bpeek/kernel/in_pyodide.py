"""The kernel in the WebAssembly that Pyodide itself runs in: a browser's, or Node's.

A call from Python costs half a microsecond if the function is at hand, and a part of a view of the memory costs two; a
new view costs twelve. So functions are kept, and so is one view, which is of no use any more once the memory has grown.

Nothing of this may be there when a snapshot of Python's memory is taken: what is JavaScript's is not in it.
"""

from __future__ import annotations

from typing import Any

from .host import wasm


class InPyodide:
    name = "WebAssembly"
    open = True

    def __init__(self) -> None:
        from pyodide.ffi import JsException, to_js

        import js

        try:
            module = js.WebAssembly.Module.new(to_js(wasm()))
            exports = js.WebAssembly.Instance.new(module).exports
        except JsException as error:
            raise MemoryError(f"there is no room for a kernel: {error}") from None
        names = [name for name in js.Object.keys(exports) if name != "memory"]
        self._functions = {name: getattr(exports, name) for name in names}
        self._memory, self._view_of = exports.memory, js.Uint8Array.new
        self._look()

    def _look(self) -> None:
        self._view = self._view_of(self._memory.buffer)
        self._part = self._view.subarray

    def call(self, function: str, *arguments: int) -> int:
        result: int | None = self._functions[function](*arguments)
        return 0 if result is None else result & 0xFFFFFFFF

    def write(self, at: int, data: bytes) -> None:
        if data:
            self._at(at, len(data)).assign(data)

    def read(self, at: int, size: int) -> bytes:
        found: bytes = self._at(at, size).to_bytes()
        return found

    def _at(self, at: int, size: int) -> Any:
        if not self._view.byteLength:  # the memory has grown
            self._look()
        return self._part(at, at + size)
