"""The definition of byte-pair merging, to be read, to be tested against, and to be watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

NEVER = 1 << 40  # the rank of two neighbours that may not merge: above every real rank


class MergeStep(NamedTuple):
    """One merge: the rank of the rule, the place in the list before it, the list after it."""

    rank: int
    place: int
    ids: tuple[int, ...]


def merge_steps(ids: list[int], rank: Callable[[int, int], int], merged: Callable[[int], int]) -> Iterator[MergeStep]:
    """Merge the two neighbours of lowest rank, the leftmost such pair, until none may merge.

    ``rank(left, right)`` gives the rank of a pair or ``NEVER``; ``merged(rank)`` the id it makes.
    """
    ids = list(ids)
    while len(ids) > 1:
        ranks = [rank(left, right) for left, right in pairwise(ids)]
        lowest = min(ranks)
        if lowest == NEVER:
            return
        place = ranks.index(lowest)
        ids[place : place + 2] = [merged(lowest)]
        yield MergeStep(lowest, place, tuple(ids))
