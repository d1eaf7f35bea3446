"""Where the kernel runs: in the WebAssembly that Pyodide's browser or Node has, or natively in ``wasmtime``.

The two hosts are alike: they call an exported function, write bytes into the kernel's memory and read them. ``start``
chooses once; without WebAssembly there is no kernel, and Python does the same work.
"""

from __future__ import annotations

import atexit
import os
import sys
from ctypes import addressof, memmove, string_at
from functools import cache, partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Protocol

# Set to 0, Python does everything; set to 1, the kernel does whatever it can, however short a text is.
CHOICE = "BPEEK_KERNEL"


class Host(Protocol):
    """One instance of the kernel, with a memory of its own."""

    name: str

    def call(self, function: str, *arguments: int) -> int:
        """The result as an unsigned number of 32 bits."""

    def write(self, at: int, data: bytes) -> None: ...

    def read(self, at: int, size: int) -> bytes: ...


def wasm() -> bytes:
    return files(__package__).joinpath("kernel.wasm").read_bytes()


def available() -> str | None:
    """What a kernel would run in here: ``"WebAssembly"``, ``"wasmtime"``, or ``None``."""
    if os.environ.get(CHOICE) == "0":
        return None
    if sys.platform == "emscripten":
        return "WebAssembly"
    return "wasmtime" if find_spec("wasmtime") else None


def start(where: str) -> Host:
    """A new instance, in what ``available`` has named."""
    return InPyodide() if where == "WebAssembly" else Native()


@cache
def _wasmtime() -> Any:
    import wasmtime

    return wasmtime


@cache
def _compiled() -> Any:
    """The module for this process, and the engine that it is compiled for."""
    wasmtime = _wasmtime()
    engine = wasmtime.Engine()
    atexit.register(_compiled.cache_clear)  # later, what frees them is gone
    return engine, wasmtime.Module(engine, wasm())


class Native:
    name = "wasmtime"

    def __init__(self) -> None:
        wasmtime = _wasmtime()
        engine, module = _compiled()
        self._store = store = wasmtime.Store(engine)
        exports = wasmtime.Instance(store, module, []).exports(store)
        self._functions = {name: partial(exports[name], store) for name in exports if name != "memory"}
        self._memory = exports["memory"]

    def call(self, function: str, *arguments: int) -> int:
        result = self._functions[function](*arguments)
        return 0 if result is None else result & 0xFFFFFFFF

    # `Memory.write` and `read` copy twice.

    def write(self, at: int, data: bytes) -> None:
        memmove(self._address(at, len(data)), data, len(data))

    def read(self, at: int, size: int) -> bytes:
        return string_at(self._address(at, size), size)

    def _address(self, at: int, size: int) -> int:
        if at + size > self._memory.data_len(self._store):
            raise IndexError(f"{at + size} is behind the end of the kernel's memory")
        return addressof(self._memory.data_ptr(self._store).contents) + at


@cache
def _compiled_in_pyodide() -> Any:
    from pyodide.ffi import to_js

    import js

    return js.WebAssembly.Module.new(to_js(wasm()))


class InPyodide:
    name = "WebAssembly"

    def __init__(self) -> None:
        import js

        self._view = js.Uint8Array.new
        self._exports = js.WebAssembly.Instance.new(_compiled_in_pyodide()).exports
        self._memory = self._exports.memory

    def call(self, function: str, *arguments: int) -> int:
        result: int | None = getattr(self._exports, function)(*arguments)
        return 0 if result is None else result & 0xFFFFFFFF

    def write(self, at: int, data: bytes) -> None:
        if data:
            self._view(self._memory.buffer, at, len(data)).assign(data)

    def read(self, at: int, size: int) -> bytes:
        found: bytes = self._view(self._memory.buffer, at, size).to_bytes()
        return found
