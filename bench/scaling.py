"""How time grows with the length of texts that tokenizers dislike: repeats, and runs without spaces."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from typing import Any

from . import peers
from .clock import NAME, timed
from .peers import Engine

SIZES = [15_625 << doubling for doubling in range(7)]  # up to a million characters
HAN = range(0x4E00, 0x9FA6)


def _random_letters(n: int) -> str:
    return "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=n))


def _han(n: int) -> str:
    # Rank by commonness is not known here; all of the block is harder than any real text.
    return "".join(map(chr, random.Random(2).choices(HAN, k=n)))


FAMILY = "👩‍👩‍👧‍👦"  # one emoji: four people and the joiners between them
KINDS: dict[str, Callable[[int], str]] = {
    "a": lambda n: "a" * n,
    "^": lambda n: "^" * n,
    "spaces": lambda n: " " * n,
    "letters": _random_letters,
    "han": _han,
    "ab": lambda n: "ab" * (n // 2),
    "emoji": lambda n: (FAMILY * (n // len(FAMILY) + 1))[:n],
}


def growth(sizes: list[int], seconds: list[float]) -> float | None:
    """The factor by which time grows when the text doubles, over the longer half of the sizes."""
    half = len(sizes) // 2
    if len(sizes) < 3:
        return None
    doublings = math.log2(sizes[-1] / sizes[half])
    return (seconds[-1] / seconds[half]) ** (1 / doublings)


def series(
    engine: Engine, expected: Callable[[str], list[int]], make: Callable[[int], str], task: dict[str, Any]
) -> Any:
    sizes, seconds, error = [], [], None
    for size in task["sizes"]:
        text, best = make(size), math.inf
        for _ in range(task["rounds"]):
            if engine.forget is not None:
                engine.forget()
                engine.ids(1_000 * "Tables that are made when first needed are made here: é 中 ^^\n")
            taken, ids = timed(engine.ids, text)
            best = min(best, taken)
        if list(ids) != expected(text):
            error = f"ids differ from the reference at {size:,} characters"
            break
        sizes.append(size)
        seconds.append(best)
        if best > task["patience"]:
            error = f"stopped: {size:,} characters took {best:.0f} s"
            break
    return {"sizes": sizes, "seconds": seconds, "growth": growth(sizes, seconds), "error": error}


def run(task: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for vocabulary in task["vocabularies"]:
        engines, _ = peers.engines(vocabulary, task["engines"])
        for kind in task["kinds"] or KINDS:
            known: dict[int, list[int]] = {}

            def expected(text: str, known: dict[int, list[int]] = known, reference: Engine = engines[0]) -> list[int]:
                if len(text) not in known:
                    known[len(text)] = list(reference.ids(text))
                return known[len(text)]

            for engine in engines:
                print(f"\r{vocabulary} {kind} {engine.name}\033[K", end="", file=sys.stderr, flush=True)
                row = series(engine, expected, KINDS[kind], task)
                rows.append({"vocabulary": vocabulary, "kind": kind, "engine": engine.name, **row})
    print(file=sys.stderr)
    return {"rows": rows, "versions": peers.versions(), "clock": NAME}
