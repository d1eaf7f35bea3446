"""SentencePiece's rule: two neighbours merge if their joined text is a piece, highest score first.

Symbols are texts, not ids: a character that is no piece can still be a part of one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from .naive import NEVER
from .rules import LONG


class ByScore:
    """Merging by score; of equal scores, the leftmost pair goes first. Ids play no part.

    >>> ByScore({"a": 0, "ab": -2, "bc": -1, "abc": -3}).merge("abcb")
    ['abc', 'b']
    >>> ByScore({"abc": 0}).merge("abc")
    ['a', 'b', 'c']
    """

    def __init__(self, scores: Mapping[str, float]) -> None:
        ranks = {score: rank for rank, score in enumerate(sorted(set(scores.values()), reverse=True))}
        self.rank_of: Mapping[str, int] = {piece: ranks[score] for piece, score in scores.items()}

    def merge(self, text: str) -> list[str]:
        """The symbols that a text is merged into."""
        if len(text) > LONG:
            return merge_by_agenda(list(text), self.rank_of)
        rank_of = self.rank_of.get
        bounds = list(range(len(text) + 1))
        ranks = [rank_of(text[at : at + 2], NEVER) for at in range(len(text) - 1)]
        while ranks and (best := min(ranks)) != NEVER:
            at = ranks.index(best)
            del bounds[at + 1], ranks[at]
            if at:
                ranks[at - 1] = rank_of(text[bounds[at - 1] : bounds[at + 1]], NEVER)
            if at < len(ranks):
                ranks[at] = rank_of(text[bounds[at] : bounds[at + 2]], NEVER)
        return [text[start:end] for start, end in pairwise(bounds)]


def merge_by_agenda(
    symbols: list[str],
    rank_of: Mapping[str, int],
    frozen: Sequence[bool] | None = None,
    found: Callable[[str, str, str], None] | None = None,
) -> list[str]:
    """The same for long texts, in O(n log n); ``frozen`` symbols merge with nothing.

    ``found`` is told of every pair that might merge, when the reference would see it.

    >>> merge_by_agenda(list("abcb"), {"ab": 1, "bc": 0, "abc": 2})
    ['abc', 'b']
    """
    symbols = list(symbols)
    end = len(symbols)
    after, before = list(range(1, end + 1)), list(range(-1, end - 1))
    agenda: list[tuple[int, int, int]] = []  # (rank, left symbol, first symbol beyond the pair)
    get = rank_of.get

    def look(left: int, right: int) -> tuple[int, int, int] | None:
        if frozen is not None and (frozen[left] or frozen[right]):
            return None
        joined = symbols[left] + symbols[right]
        rank = get(joined)
        if rank is None:
            return None
        if found is not None:
            found(joined, symbols[left], symbols[right])
        return rank, left, after[right]

    agenda = [entry for left in range(end - 1) if (entry := look(left, left + 1)) is not None]
    heapify(agenda)
    while agenda:
        _, left, beyond = heappop(agenda)
        right = after[left]
        # An entry whose symbols have merged otherwise since is out of date.
        if not symbols[left] or right >= end or after[right] != beyond:
            continue
        symbols[left] += symbols[right]
        symbols[right] = ""
        after[left] = beyond
        if beyond < end:
            before[beyond] = left
        previous = before[left]
        for pair in ((previous, left), (left, beyond)):
            if pair[0] >= 0 and pair[1] < end and (entry := look(*pair)) is not None:
                heappush(agenda, entry)
    return [symbol for symbol in symbols if symbol]


def split_unused(symbols: list[str], unused: Collection[str], parts: Mapping[str, tuple[str, str]]) -> list[str]:
    """Pieces that are merged through but not put out, split back into what they were last seen made of.

    >>> split_unused(["abc", "d"], {"abc", "ab"}, {"abc": ("ab", "c"), "ab": ("a", "b")})
    ['a', 'b', 'c', 'd']
    """
    out: list[str] = []
    stack = symbols[::-1]
    while stack:
        symbol = stack.pop()
        if symbol in unused and symbol in parts:
            left, right = parts[symbol]
            stack += right, left
        else:
            out.append(symbol)
    return out
