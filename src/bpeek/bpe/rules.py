"""Merge rules: which neighbours may merge, in which order, and into what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count, pairwise
from weakref import proxy

from .heap import merge_by_heap
from .naive import NEVER

# Above this many symbols the heap is faster than `min` and `del` on a list
# (CPython 3.13: equal at about 100 symbols, 4 times as fast at 1,000).
LONG = 100


class _Ranks(dict[int, dict[int, int]]):
    """The ranks of pairs, by the left one, then the right one. Each is looked up once, when it is first asked for."""

    def __init__(self, look_up: Callable[[int, int], int]) -> None:
        self._look_up = look_up

    def __missing__(self, left: int) -> dict[int, int]:
        row = self[left] = _Row(self._look_up, left)
        return row


class _Row(dict[int, int]):
    def __init__(self, look_up: Callable[[int, int], int], left: int) -> None:
        self._look_up, self._left = look_up, left

    def __missing__(self, right: int) -> int:
        rank = self[right] = self._look_up(self._left, right)
        return rank

    def get(self, right: int, otherwise: int) -> int:  # type: ignore[override]  # all that a table's rows are asked
        del otherwise
        return self[right]


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


_NOTHING: dict[int, int] = {}


class _Sparse(dict[int, dict[int, int]]):
    """Rows for ids so far apart that a list would be mostly holes."""

    def __missing__(self, left: int) -> dict[int, int]:
        return _NOTHING


class ByPair:
    """Hugging Face's rule: an ordered list of pairs; the earliest pair in the list merges first.

    The ids of left parts, of right parts and of what they make come in columns, in rank order. As in
    ``tokenizers``, a pair that is listed twice keeps its last rank. All ids, also those of symbols that
    no rule knows, are less than ``n_ids``.
    """

    def __init__(self, lefts: Iterable[int], rights: Iterable[int], merged: Iterable[int], n_ids: int) -> None:
        self._merged = merged if isinstance(merged, list) else list(merged)
        self.merged = self._merged.__getitem__
        self._rows: list[dict[int, int]] | dict[int, dict[int, int]] = _table(lefts, rights, n_ids, len(self._merged))

    def rank(self, left: int, right: int) -> int:
        return self._rows[left].get(right, NEVER)

    def merge(self, ids: list[int]) -> list[int]:
        """The merged ids.

        >>> ByPair([0, 1, 3], [1, 2, 2], [3, 4, 5], n_ids=6).merge([0, 1, 2, 1, 2])
        [5, 4]
        """
        return self.merge_with_starts(ids)[0]

    def merge_with_starts(self, ids: list[int]) -> tuple[list[int], list[int]]:
        """The merged ids, and for each the index of its first start symbol."""
        if len(ids) > LONG:
            return merge_by_heap(ids, self.rank, self.merged)
        return self._scan(list(ids))

    def _scan(self, ids: list[int]) -> tuple[list[int], list[int]]:
        rows, merged = self._rows, self._merged
        starts = list(range(len(ids)))
        ranks = [rows[left].get(right, NEVER) for left, right in pairwise(ids)]
        while ranks and (lowest := min(ranks)) != NEVER:
            at = ranks.index(lowest)
            made = ids[at] = merged[lowest]
            del ids[at + 1], ranks[at], starts[at + 1]
            if at:
                ranks[at - 1] = rows[ids[at - 1]].get(made, NEVER)
            if at < len(ranks):
                ranks[at] = rows[made].get(ids[at + 1], NEVER)
        return ids, starts


def _table(lefts: Iterable[int], rights: Iterable[int], n_ids: int, size: int) -> list[dict[int, int]] | _Sparse:
    # A row for each left id answers in 0.7 of the time that one table with both ids as its key takes.
    rows: list[dict[int, int]] | _Sparse = [_NOTHING] * n_ids if n_ids < 4 * size + (1 << 16) else _Sparse()
    for left, right, rank in zip(lefts, rights, count()):
        row = rows[left]
        if row is _NOTHING:
            rows[left] = {right: rank}
        else:
            row[right] = rank
    return rows


class ByPairLater(ByPair):
    """The same rule, whose table is made only when it pays: 0.3 s of Gemma's first sentence.

    ``look_up`` gives the rank of a pair without a table, in ten times the time; ``columns`` the left and right
    ids for one, and ``n_ids``.
    """

    def __init__(
        self,
        merged: list[int],
        look_up: Callable[[int, int], int],
        columns: Callable[[], tuple[Iterable[int], Iterable[int], int]],
    ) -> None:
        self._merged = merged
        self.merged = merged.__getitem__
        self._look_up, self._columns = look_up, columns
        self._waiting = len(merged) // 25  # pairs, which are looked up in a tenth of the time that the table takes
        me: ByPairLater = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        self._rows = _Ranks(lambda left, right: me._asked(left, right))

    def _asked(self, left: int, right: int) -> int:
        self._waiting -= 1
        if self._waiting == -1:
            self._rows = _table(*self._columns(), len(self._merged))
        return self._look_up(left, right)
