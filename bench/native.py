"""Throughput under CPython: ids verified first, then cold, unseen and warm, the engines taking turns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from . import peers, texts
from .clock import NAME, timed
from .peers import Engine

# An engine that has used this many seconds on a text sits out its further rounds (never the first).
PATIENCE = 2.5
# What is not seen comes after so many characters, at least: a short first half again and again, until tables are made.
BEFORE = 150_000


def differs(engine: Engine, expected: Sequence[Sequence[int]], parts: Sequence[str]) -> str | None:
    """Where an engine's ids leave the reference, or ``None``."""
    for part, ids in zip(parts, expected, strict=True):
        found = list(engine.ids(part))
        if found != ids:
            at = next(
                (i for i, (a, b) in enumerate(zip(found, ids, strict=False)) if a != b), min(len(found), len(ids))
            )
            return f"ids differ from the reference at token {at:,} of {len(ids):,}"
    return None


def one_round(engine: Engine, first: str, second: str) -> dict[str, float]:
    """Seconds for the second half of a text: with an empty cache, after the first half, and once again."""
    if engine.forget is None:
        seconds, _ = timed(engine.ids, second)
        return dict.fromkeys(("cold", "unseen", "warm"), seconds)
    engine.forget()
    cold, _ = timed(engine.ids, second)
    engine.forget()
    for _ in range(0, BEFORE, len(first) or BEFORE):
        engine.ids(first)
    unseen, _ = timed(engine.ids, second)
    warm, _ = timed(engine.ids, second)
    return {"cold": cold, "unseen": unseen, "warm": warm}


def measure(engines: Sequence[Engine], text: str, rounds: int) -> list[dict[str, Any]]:
    """One row for each engine, the reference (which comes first) included."""
    first, second = texts.halves(text)
    expected = [list(engines[0].ids(part)) for part in (first, second)]
    rows = [
        {"engine": engine.name, "bytes": len(second.encode()), "tokens": len(expected[1]), "error": wrong}
        for engine in engines
        for wrong in [differs(engine, expected, (first, second))]
    ]
    seconds: list[list[dict[str, float]]] = [[] for _ in engines]
    for turn in range(rounds):
        # Every other round in reverse, so that nobody always runs on the cache that another left.
        for engine, row, times in list(zip(engines, rows, seconds, strict=True))[:: -1 if turn % 2 else 1]:
            used = sum(sum(each.values()) for each in times)
            if row["error"] is None and used < PATIENCE:
                times.append(one_round(engine, first, second))
    for row, times in zip(rows, seconds, strict=True):
        row["seconds"] = {mode: [each[mode] for each in times] for mode in (times[0] if times else ())}
    return rows


def run(task: dict[str, Any]) -> dict[str, Any]:
    rows, missing = [], []
    for vocabulary in task["vocabularies"]:
        engines, unsupported = peers.engines(vocabulary, task.get("engines", ()))
        missing += [{"vocabulary": vocabulary, "engine": name, "error": why} for name, why in unsupported.items()]
        for name, text in task["texts"].items():
            print(f"\r{vocabulary} {name}\033[K", end="", file=sys.stderr, flush=True)
            measured = measure(engines, text, task["rounds"])
            rows += [{"vocabulary": vocabulary, "text": name, **row} for row in measured]
    print(file=sys.stderr)
    return {"rows": rows, "missing": missing, "versions": peers.versions(), "clock": NAME}
