"""Merging for long pieces: a heap of ranks, and a linked list of symbols.

Positions wait in one list per rank, so the heap holds each distinct rank once. A list scan
costs O(n²) on a run of a million letters; this costs O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import pairwise

from .naive import NEVER


def merge_by_heap(
    ids: list[int], rank: Callable[[int, int], int], merged: Callable[[int], int]
) -> tuple[list[int], list[int]]:
    """Merge ``ids``; returns the merged ids and the start symbol's index of each."""
    end = len(ids)
    ids = list(ids)
    after, before = list(range(1, end + 1)), list(range(-1, end - 1))
    # ranks[i] is the rank of symbol i with its right neighbour; a stale queue entry disagrees with it.
    ranks = [rank(left, right) for left, right in pairwise(ids)]
    ranks.append(NEVER)
    waiting: dict[int, list[int]] = {}
    for place, pair_rank in enumerate(ranks):
        waiting.setdefault(pair_rank, []).append(place)
    del waiting[NEVER]
    heap = list(waiting)
    heapify(heap)

    def requeue(place: int, pair_rank: int) -> None:
        ranks[place] = pair_rank
        if pair_rank in waiting:
            waiting[pair_rank].append(place)
        elif pair_rank != NEVER:
            waiting[pair_rank] = [place]
            heappush(heap, pair_rank)

    alive = bytearray(b"\1") * end
    while heap:
        current = heappop(heap)
        places = sorted(waiting.pop(current))
        made = merged(current)
        for done, left in enumerate(places, 1):
            if ranks[left] != current:
                continue
            right = after[left]
            beyond = after[left] = after[right]
            ids[left] = made
            alive[right] = False
            ranks[right] = NEVER
            lowest = NEVER
            if beyond < end:
                before[beyond] = left
                lowest = rank(made, ids[beyond])
            requeue(left, lowest)
            previous = before[left]
            if previous >= 0:
                earlier = rank(ids[previous], made)
                requeue(previous, earlier)
                lowest = min(lowest, earlier)
            # Only dictionaries that no training makes get here: a new pair goes before the rest.
            if lowest <= current:
                for place in places[done:]:
                    if ranks[place] == current:
                        requeue(place, current)
                break
    starts = [place for place in range(end) if alive[place]]
    return [ids[place] for place in starts], starts
