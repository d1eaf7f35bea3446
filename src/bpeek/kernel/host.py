"""Where the kernel runs: in the WebAssembly that Pyodide's browser or Node has, or natively in ``wasmtime``.

The two hosts are alike: they call an exported function, write bytes into the kernel's memory and read them. ``start``
chooses once; without WebAssembly there is no kernel, and Python does the same work.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pkgutil import get_data
from typing import Protocol

# Set to 0, Python does everything; set to 1, the kernel does whatever it can, however short a text is.
CHOICE = "BPEEK_KERNEL"


class Host(Protocol):
    """One instance of the kernel, with a memory of its own. To make one raises ``MemoryError`` if there is no room, or
    if what it would run in does not start."""

    name: str

    @property
    def open(self) -> bool:
        """Can it be called? Not any more while Python ends and runs what is registered with ``atexit``."""

    def call(self, function: str, *arguments: int) -> int:
        """The result as an unsigned number of 32 bits."""

    def write(self, at: int, data: bytes) -> None: ...

    def read(self, at: int, size: int) -> bytes: ...


def wasm() -> bytes:
    return get_data(__package__, "kernel.wasm") or b""


def available() -> str | None:
    """What a kernel would run in here: ``"WebAssembly"``, ``"wasmtime"``, or ``None``."""
    if os.environ.get(CHOICE) == "0":
        return None
    if sys.platform == "emscripten":
        return "WebAssembly"
    return "wasmtime" if find_spec("wasmtime") else None


def start(where: str) -> Host:
    """A new instance, in what ``available`` has named."""
    if where == "WebAssembly":
        from .in_pyodide import InPyodide

        return InPyodide()
    from .native import Native

    return Native()
