"""When a text goes into the kernel, and when there is one: decided here, for all tokenizers."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock
from typing import NamedTuple

from .compiled import Kernel
from .host import CHOICE, available, start


class _Price(NamedTuple):
    """Characters of a text from which on a call pays, and of all texts before tables are made."""

    call: int
    tables: int


# A call from CPython takes as long as Python needs for a thousand characters, in Pyodide for a hundred. To start
# wasmtime and to make tables takes as long as 100,000 to 400,000 new ones: who has encoded so many will encode more.
# In Pyodide, where nothing has to be started, tables are made while a file is loaded.
_PRICES = {"WebAssembly": _Price(100, 0), "wasmtime": _Price(1_000, 100_000)}
ALWAYS = _Price(1, 0)


def _price(where: str | None) -> _Price:
    if where is None:
        return _Price(1 << 62, 0)
    return ALWAYS if os.environ.get(CHOICE) == "1" else _PRICES[where]


class OnDemand:
    """The kernel of one tokenizer. ``compile`` fills its tables, or tells that it cannot.

    Called with the size of a text, it gives the kernel that is to encode it, or ``None`` where Python is to.
    """

    def __init__(self, compile: Callable[[Kernel], bool]) -> None:
        self._compile = compile
        self._name = available()
        self._price = _price(self._name)
        self._met = 0
        self._kernel: Kernel | None = None
        self._lock, self._making = RLock(), False

    def __call__(self, size: int) -> Kernel | None:
        if size < self._price.call:
            return None
        if self._kernel is None and self._name is not None:
            self._met += size
            if self._met >= self._price.tables:
                self._make()
        kernel = self._kernel
        return kernel if kernel is not None and kernel.free else None

    def prepare(self) -> None:
        """Make the tables now, where they are made before there is a text."""
        if self._kernel is None and self._name is not None and not self._price.tables:
            self._make()

    def _make(self) -> None:
        with self._lock:
            if self._kernel is not None or self._name is None or self._making:  # a signal handler may come meanwhile
                return
            try:
                self._making = True
                kernel = Kernel(start(self._name))
                if self._compile(kernel):
                    self._kernel = kernel
                else:
                    self._name = None
            except MemoryError:  # Python needs less
                self._name = None
            finally:
                self._making = False

    @property
    def name(self) -> str | None:
        """Where it runs, or would: see ``available``; ``None`` if Python does everything."""
        return self._name
