"""Where the time of text that is new goes: cutting it, looking its pieces up, merging those that nobody met before.

This alone looks inside bpeek: at Python without the kernel. It says what bounds that, and what a change could gain.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import Any

import vocabs

from . import peers, texts
from .clock import NAME, timed


def measure(tokenizer: Any, text: str) -> dict[str, Any]:
    """Seconds for the second half of a text, after the first."""
    direct = tokenizer._road._direct
    first, second = texts.halves(text)
    tokenizer.encode_ordinary(first)
    blocks = list(direct._blocks(second))
    cutting, cut = timed(lambda _: [list(direct.pieces(block)) for block in blocks], "")
    pieces = list(chain.from_iterable(cut))
    new = [piece for piece in dict.fromkeys(pieces) if piece not in direct._cache]
    merging, _ = timed(lambda _: [direct._cache[piece] for piece in new], "")
    looking, packed = timed(lambda _: b"".join(map(direct._cache.__getitem__, pieces)), "")
    if packed != tokenizer.encode_to_array(second).tobytes():
        raise RuntimeError("the phases do not make the ids of the whole")
    facts = {"characters": len(second), "pieces": len(pieces), "new": len(new)}
    return {**facts, "seconds": {"cutting": cutting, "looking up": looking, "merging": merging}}


def run(task: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for vocabulary in task["vocabularies"]:
        fresh = peers.Fresh(vocabs.fetch(vocabulary), "0")
        for name, text in task["texts"].items():
            print(f"\r{vocabulary} {name}\033[K", end="", file=sys.stderr, flush=True)
            rounds = []
            for _ in range(task["rounds"]):
                fresh.forget()
                rounds.append(measure(fresh.tokenizer, text))
            best = min(rounds, key=lambda row: sum(row["seconds"].values()))
            rows.append({"vocabulary": vocabulary, "text": name, **best})
    print(file=sys.stderr)
    return {"rows": rows, "versions": peers.versions(), "clock": NAME}
