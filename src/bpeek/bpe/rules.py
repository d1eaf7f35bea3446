"""Merge rules: which neighbours may merge, in which order, and into what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise

from .heap import merge_by_heap
from .naive import NEVER

# Above this many symbols the heap is faster than `min` and `del` on a list
# (CPython 3.13: equal at about 100 symbols, 4 times as fast at 1,000).
LONG = 100


# Pairs whose rank is remembered, 50 MB. Three megabytes of English have 63,000 of Gemma's.
MOST_PAIRS = 500_000


class _Ranks(dict[int, dict[int, int]]):
    """The ranks of pairs, by the left one, then the right one. Each is looked up when it is first asked for."""

    def __init__(self, look_up: Callable[[int, int], int]) -> None:
        self._look_up = look_up
        self._room = iter(range(MOST_PAIRS))  # shared with the rows, which must not know the table: that were a cycle

    def __missing__(self, left: int) -> dict[int, int]:
        if next(self._room, None) is None:
            self.clear()
            self._room = iter(range(MOST_PAIRS))
        row = self[left] = _Row(self._look_up, left, self._room)
        return row


class _Row(dict[int, int]):
    __slots__ = ("_left", "_look_up", "_room")

    def __init__(self, look_up: Callable[[int, int], int], left: int, room: Iterator[int]) -> None:
        self._look_up, self._left, self._room = look_up, left, room

    def __missing__(self, right: int) -> int:
        rank = self._look_up(self._left, right)
        if next(self._room, None) is not None:
            self[right] = rank
        return rank


class ByRank:
    """tiktoken's rule: two neighbours may merge if their joined bytes are a token, lowest rank first.

    A token's rank is its id. No table of pairs is built: the vocabulary itself answers for a
    slice of the piece. (Pair tables save 1.7 µs of 6.5 per missed word, but take 0.3-0.7 s to build.)
    """

    def __init__(self, vocab: Mapping[bytes, int]) -> None:
        self._rank_of = vocab.get
        self.vocab = vocab
        self._tokens: dict[int, bytes] = {}
        # Of bytes: that they are remembered saves a tenth of the time of a miss.
        self._pairs = _Ranks(lambda left, right: vocab.get(bytes((left, right)), NEVER))
        self._starts = [vocab.get(bytes([byte]), NEVER) for byte in range(256)]

    @property
    def tokens(self) -> dict[int, bytes]:
        """Id to bytes; built when first asked for (long pieces, decoding)."""
        if not self._tokens:
            self._tokens = dict(zip(self.vocab.values(), self.vocab, strict=True))
        return self._tokens

    def rank(self, left: int, right: int) -> int:
        return self._rank_of(self.tokens[left] + self.tokens[right], NEVER)

    @staticmethod
    def merged(rank: int) -> int:
        return rank

    def merge(self, piece: bytes) -> list[int]:
        """The ids that merging from single bytes gives. (tiktoken looks for the whole piece before.)

        >>> rule = ByRank({b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4, b"cc": 5})
        >>> rule.merge(b"abc"), rule.merge(b"abcc")
        ([4], [4, 2])
        """
        if len(piece) > LONG:
            starts = self._starts
            return merge_by_heap([starts[byte] for byte in piece], self.rank, self.merged)[0]
        return self._scan(piece)

    def _scan(self, piece: bytes) -> list[int]:
        rank_of, pairs = self._rank_of, self._pairs
        bounds = list(range(len(piece) + 1))
        ranks = [pairs[left][right] for left, right in pairwise(piece)]
        while ranks and (lowest := min(ranks)) != NEVER:
            at = ranks.index(lowest)
            del bounds[at + 1], ranks[at]
            if at:
                ranks[at - 1] = rank_of(piece[bounds[at - 1] : bounds[at + 1]], NEVER)
            if at < len(ranks):
                ranks[at] = rank_of(piece[bounds[at] : bounds[at + 2]], NEVER)
        vocab = self.vocab
        return [vocab[piece[start:end]] for start, end in pairwise(bounds)]


class ByPair:
    """Hugging Face's rule: an ordered list of pairs; the earliest pair in the list merges first.

    ``merged`` are the ids that the pairs of the list make, ``look_up`` gives a pair's rank. No table is made of a long
    list: Gemma's takes 0.8 s, a pair that is looked up in it 2.5 µs, and a megabyte of English has some 30,000.
    """

    def __init__(self, merged: Sequence[int], look_up: Callable[[int, int], int]) -> None:
        self.merged = merged.__getitem__
        self._rows = _Ranks(look_up)

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]], merged: Sequence[int]) -> ByPair:
        """The rule from a list. As in ``tokenizers``, a pair that is listed twice keeps its last rank."""
        ranks = dict(zip(pairs, count()))
        return cls(merged, lambda left, right: ranks.get((left, right), NEVER))

    def rank(self, left: int, right: int) -> int:
        return self._rows[left][right]

    def merge(self, ids: list[int]) -> list[int]:
        """The merged ids.

        >>> ByPair.of([(0, 1), (1, 2), (3, 2)], [3, 4, 5]).merge([0, 1, 2, 1, 2])
        [5, 4]
        """
        return self.merge_with_starts(ids)[0]

    def merge_with_starts(self, ids: list[int]) -> tuple[list[int], list[int]]:
        """The merged ids, and for each the index of its first start symbol."""
        if len(ids) > LONG:
            return merge_by_heap(ids, self.rank, self.merged)
        return self._scan(list(ids))

    def _scan(self, ids: list[int]) -> tuple[list[int], list[int]]:
        rows, merged = self._rows, self.merged
        starts = list(range(len(ids)))
        ranks = [rows[left][right] for left, right in pairwise(ids)]
        while ranks and (lowest := min(ranks)) != NEVER:
            at = ranks.index(lowest)
            made = ids[at] = merged(lowest)
            del ids[at + 1], ranks[at], starts[at + 1]
            if at:
                ranks[at - 1] = rows[ids[at - 1]][made]
            if at < len(ranks):
                ranks[at] = rows[made][ids[at + 1]]
        return ids, starts
