"""Merging that can be watched: ``bpe.merge_steps``, which is the definition, at a price that long pieces allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import Generic, NamedTuple, TypeVar

from ..bpe import NEVER

Symbol = TypeVar("Symbol", int, str)


class Made(NamedTuple, Generic[Symbol]):
    """The symbols ``[start, middle)`` and ``[middle, end)`` were merged."""

    rank: int
    start: int
    middle: int
    end: int
    left: Symbol
    right: Symbol
    made: Symbol


def watch(
    symbols: Sequence[Symbol], rank: Callable[[Symbol, Symbol], int], made: Callable[[int, Symbol, Symbol], Symbol]
) -> tuple[list[Made[Symbol]], list[Symbol]]:
    """All merges in order, and the symbols in the end.

    >>> ranks = {"ab": 1, "bc": 0, "abc": 2}
    >>> steps, end = watch("abc", lambda u, v: ranks.get(u + v, NEVER), lambda rank, u, v: u + v)
    >>> [step.made for step in steps], end
    (['bc', 'abc'], ['abc'])
    """
    current, size = list(symbols), len(symbols)
    after, before = list(range(1, size + 1)), list(range(-1, size - 1))
    alive = [True] * size
    steps: list[Made[Symbol]] = []

    def entry(left: int) -> tuple[int, int, int, int] | None:
        """The pair that begins here, if it may merge: its rank and its borders."""
        if left < 0 or (right := after[left]) >= size:
            return None
        number = rank(current[left], current[right])
        return None if number == NEVER else (number, left, right, after[right])

    heap = [found for left in range(size) if (found := entry(left))]
    heapify(heap)
    while heap:
        number, left, right, end = heappop(heap)
        if not alive[left] or after[left] != right or after[right] != end:
            continue  # one of the two has merged otherwise since
        new = made(number, current[left], current[right])
        steps.append(Made(number, left, right, end, current[left], current[right], new))
        current[left], after[left], alive[right] = new, end, False
        if end < size:
            before[end] = left
        for found in map(entry, (before[left], left)):
            if found:
                heappush(heap, found)
    return steps, [current[at] for at in range(size) if alive[at]]
