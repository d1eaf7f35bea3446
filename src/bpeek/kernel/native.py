"""The kernel in ``wasmtime``. What it gives is closed before Python ends: later, its own modules are gone, and it
complains on standard error."""

from __future__ import annotations

import atexit
from ctypes import addressof, memmove, string_at
from functools import cache, partial
from typing import Any
from weakref import finalize

from .host import wasm


@cache
def _compiled() -> tuple[Any, Any]:
    """The engine of this process, and the module as compiled for it."""
    import wasmtime

    engine = wasmtime.Engine()
    module = wasmtime.Module(engine, wasm())
    for each in (engine, module):
        atexit.register(each.close)
    return engine, module


def _instance() -> tuple[Any, Any]:
    """A store, and what the kernel in it exports."""
    import wasmtime

    engine, module = _compiled()
    store = wasmtime.Store(engine)
    return store, wasmtime.Instance(store, module, []).exports(store)


class Native:
    name = "wasmtime"

    def __init__(self) -> None:
        try:
            store, exports = _instance()
        except Exception as error:  # an address space too small for what it reserves, a library that cannot be loaded
            raise MemoryError(f"wasmtime does not start: {error}") from error
        self._store, self._closing = store, finalize(self, store.close)
        self._functions = {name: partial(exports[name], store) for name in exports if name != "memory"}
        self._memory: Any = exports["memory"]

    @property
    def open(self) -> bool:
        return self._closing.alive

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
