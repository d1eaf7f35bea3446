"""Where tokens lie in a text, told by their ids alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, compress, count
from operator import not_

from ..lookup import looked_up


class Widths(dict[int, int]):
    """By how many characters a token goes beyond the one before: none for a later byte of the same character.

    Filled on demand; for models without affixes, whose tokens have one id each. ``byte_ids`` are those of all bytes, if
    unknown characters become them.

    >>> widths = Widths({0: "ab", 1: "c"}, byte_ids=range(100, 356))
    >>> ids = [0, *[100 + byte for byte in "é".encode()], 1]
    >>> widths.spans(ids), widths.at_ends(ids)
    (([0, 2, 2, 3], [2, 3, 3, 4]), [2, 0, 1, 1])
    """

    def __init__(self, names: Mapping[int, str], byte_ids: Sequence[int]) -> None:
        self.names = names
        self.update((id, int(not 0x80 <= byte < 0xC0)) for byte, id in enumerate(byte_ids))

    def __missing__(self, id: int) -> int:
        width = self[id] = len(self.names[id])
        return width

    def spans(self, ids: Iterable[int], prefixed: Iterable[int] = (), size: int = 0) -> tuple[list[int], list[int]]:
        """Where tokens that follow each other begin and end. Those inside a character have all of it.

        The ones at ``prefixed``, and perhaps more behind them, begin with ``size`` characters that are not in the text;
        these count as the first one that is, as in the reference.
        """
        widths = list(looked_up(self, ids))
        inside = _zeros(widths)
        without = list[int]()  # tokens of nothing else
        for at in prefixed:
            left = size
            while at < len(widths) and (left or not widths[at]):
                taken = min(left, widths[at])
                left -= taken
                widths[at] -= taken
                if not widths[at]:
                    without.append(at)
                at += 1
        ends = list(accumulate(widths))
        begins = [0, *ends][:-1]
        for at in inside:
            begins[at] -= 1
        for at in without:
            begins[at] = ends[at]
            ends[at] += 1
        return begins, ends

    def at_ends(self, ids: Iterable[int]) -> list[int]:
        """The same where of several bytes the last one has the character."""
        widths = list(looked_up(self, ids))
        for at in _zeros(widths):
            widths[at - 1], widths[at] = 0, 1
        return widths


def _zeros(widths: list[int]) -> list[int]:
    return list(compress(count(), map(not_, widths))) if 0 in widths else []
