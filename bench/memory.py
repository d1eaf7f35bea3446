"""One process for one vocabulary: what it keeps in memory once a long text has made it build all its tables.

What the engine's own code and runtime take is there before, from a vocabulary of bytes, and is told by itself.
"""

from __future__ import annotations

import gc
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .coldstart import LOADERS, resident
from .peers import KERNEL, kernel

LONG = 100_000  # characters


def _start(engine: str) -> None:
    """Import all that the engine needs, and let its first small vocabulary do its work."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    if engine in KERNEL:
        import bpeek

        lines = b"\n".join(b"%s %d" % (b64encode(token), rank) for token, rank in ranks.items())
        with kernel(KERNEL[engine]):
            bpeek.load(lines, pattern=r"\S+|\s+", special_tokens={}).encode_ordinary("Words. " * LONG)
    elif engine == "tiktoken":
        import tiktoken

        tiktoken.Encoding("bytes", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={}).encode_ordinary("A")


def _kept(do: Callable[[], Any]) -> tuple[Any, int]:
    gc.collect()
    before = resident()
    result = do()
    gc.collect()
    return result, resident() - before


def run(task: dict[str, Any]) -> dict[str, Any]:
    _, runtime = _kept(lambda: _start(task["engine"]))

    def load() -> Callable[[str], Any]:
        encode = LOADERS[task["engine"]](Path(task["path"]))
        encode(task["text"])
        return encode

    _, memory = _kept(load)
    return {"memory": memory, "runtime": runtime}
