"""Merging for long pieces: a heap of ranks, and a linked list of symbols.

Positions wait in one list per rank, so the heap holds each distinct rank once. A list scan
costs O(n²) on a run of a million letters; this costs O(n log n), also where every merge makes
a pair that goes before all those that wait (spaces in Gemma's vocabulary).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    begun: dict[int, list[int]] = {}  # what is left of ranks that had to make way for lower ones, as heaps

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
        new = waiting.pop(current)
        places = _off_heap(begun[current], new) if current in begun else iter(sorted(new))
        made = merged(current)
        for left in places:
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
            if lowest <= current:  # a new pair goes before the rest
                if current not in begun:
                    begun[current] = list(places)
                if begun[current] and current not in waiting:
                    waiting[current] = []
                    heappush(heap, current)
                break
    starts = [place for place in range(end) if alive[place]]
    return [ids[place] for place in starts], starts


def _off_heap(begun: list[int], new: list[int]) -> Iterator[int]:
    """Places in order, one by one, for a rank that may have to make way after each again."""
    for place in new:
        heappush(begun, place)
    while begun:
        yield heappop(begun)
