"""One piece of many megabytes: the time and the memory that it takes, and how soon a budget is answered in it."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vocabs

from . import peers
from .coldstart import begin_peak, peak, resident
from .peers import Engine

SIZE = 16_000_000  # characters
ROOM = 1_000  # tokens that are kept of it
# Where each of them is one piece: others cut digits by threes.
KINDS: dict[str, tuple[str, Callable[[int], str]]] = {
    "zeros": ("r50k_base", lambda n: "0" * n),
    "=": ("cl100k_base", lambda n: "=" * n),
    "letters": ("cl100k_base", lambda n: "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=n))),
}
ENGINES = {"tiktoken": peers.tiktoken, "bpeek": peers.bpeek, "bpeek without the kernel": peers.bpeek_without}


def _whole(engine: Engine, text: str) -> dict[str, Any]:
    engine.ids(1_000 * "Tables that are made when first needed.\n")
    begin_peak()
    before, start = resident(), time.perf_counter()
    ids = engine.ids(text)
    seconds = time.perf_counter() - start
    memory = peak() - before
    return {"seconds": seconds, "memory": memory, "ids": hashlib.sha256(array("I", ids).tobytes()).hexdigest()}


def _stopped(path: Path, text: str) -> dict[str, float]:
    """Seconds for ``fits``, for ``truncate``, and for a process of the shell that reads the text from a file."""
    tok = peers.Fresh(path).tokenizer
    took = {}
    for name, ask in (("fits", tok.fits), ("truncate", tok.truncate)):
        start = time.perf_counter()
        ask(text, ROOM)
        took[name] = time.perf_counter() - start
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        start = time.perf_counter()
        command = [sys.executable, "-m", "bpeek", "encode", "-v", str(path), "-t", str(ROOM), file.name]
        subprocess.run(command, check=True, capture_output=True)
        took[f"encode -t {ROOM}"] = time.perf_counter() - start
    return took


def run(task: dict[str, Any]) -> dict[str, Any]:
    vocabulary, make = KINDS[task["kind"]]
    path, text = vocabs.fetch(vocabulary), make(task["size"])
    if task["engine"] == "budget":
        return {"seconds": _stopped(path, text)}
    return _whole(ENGINES[task["engine"]](path), text)
