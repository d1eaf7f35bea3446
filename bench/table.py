"""Figures into Markdown."""

import math
from collections.abc import Iterable, Sequence


def geomean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; all but the first column are right-aligned, as numbers are."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def speed(megabytes_per_second: float) -> str:
    """Three digits that mean something."""
    decimals = 0 if megabytes_per_second >= 100 else 1 if megabytes_per_second >= 10 else 2
    return f"{megabytes_per_second:.{decimals}f}"


def duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
