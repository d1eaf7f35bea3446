"""A long sequence of items that is edited in the middle, with running sums of their sizes.

Items lie in blocks of bounded length, so that an edit moves a block's worth of items, however many
there are; what is left that grows with the whole is one addition per block, done in C.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Generic, TypeVar

Item = TypeVar("Item", bound="tuple[object, ...]")
Sizes = tuple[int, ...]

BLOCK = 128  # items of a new block; one that grows to twice as many is divided


class Rope(Generic[Item]):
    """Items are tuples whose first field is their sizes: several columns of numbers.

    >>> rope = Rope([((1,), "a"), ((2,), "bb"), ((3,), "ccc")], 1)
    >>> rope.find(0, 1), rope.sizes
    ((1, (1,)), (6,))
    >>> rope.replace(0, 2, [((4,), "dddd")])
    >>> [text for _, text in rope], rope.find(0, 6)
    (['dddd', 'ccc'], (1, (4,)))
    """

    def __init__(self, items: Sequence[Item], columns: int) -> None:
        self._columns = range(columns)
        self._blocks = _blocks(items)
        self._rebuild()

    def _rebuild(self) -> None:
        self._totals = [self._sum(block) for block in self._blocks]
        self._sums: list[list[int]] | None = None

    def _sum(self, items: Sequence[Item]) -> Sizes:
        """The sizes of some items together, and last their number."""
        sizes = [item[0] for item in items]
        return (*(sum([size[column] for size in sizes]) for column in self._columns), len(items))  # type: ignore[index]  # an item begins with its sizes

    def _ends(self, column: int) -> list[int]:
        """Where each block ends; column -1 counts items."""
        if self._sums is None:
            self._sums = [list(accumulate(sums)) for sums in zip(*self._totals, strict=True)]
        return self._sums[column] if self._sums else []

    def __len__(self) -> int:
        return self._ends(-1)[-1] if self._blocks else 0

    def __iter__(self) -> Iterator[Item]:
        for block in self._blocks:
            yield from block

    @property
    def sizes(self) -> Sizes:
        """The sizes of everything."""
        return tuple(self._ends(column)[-1] if self._blocks else 0 for column in self._columns)

    def find(self, column: int, position: int) -> tuple[int, Sizes]:
        """The item that a position lies in, by its index, and the sizes of all before it. At a border it is
        the item after; at the very end the last one."""
        number = min(bisect_right(self._ends(column), position), len(self._blocks) - 1)
        before = self._before_block(number)
        ends = list(accumulate([item[0][column] for item in self._blocks[number]]))  # type: ignore[index]  # its sizes
        inside = min(bisect_right(ends, position - before[column]), len(ends) - 1)
        return self._with_items(number, before, inside)

    def before(self, index: int) -> Sizes:
        """The sizes of all items before one."""
        number, inside = self._place(index)
        return self._with_items(number, self._before_block(number), inside)[1]

    def _before_block(self, number: int) -> Sizes:
        return tuple(self._ends(column)[number - 1] if number else 0 for column in (*self._columns, -1))

    def _with_items(self, number: int, before: Sizes, inside: int) -> tuple[int, Sizes]:
        sums = self._sum(self._blocks[number][:inside]) if inside else (0,) * len(before)
        *sizes, index = (one + other for one, other in zip(before, sums, strict=True))
        return index, tuple(sizes)

    def _place(self, index: int) -> tuple[int, int]:
        ends = self._ends(-1)
        number = min(bisect_right(ends, index), len(ends) - 1)
        return number, index - (ends[number - 1] if number else 0)

    def __getitem__(self, index: int) -> Item:
        number, inside = self._place(index)
        return self._blocks[number][inside]

    def items(self, start: int, end: int) -> list[Item]:
        """The items from one index to another."""
        if start >= end:
            return []
        number, inside = self._place(start)
        found = self._blocks[number][inside : inside + end - start]
        if len(found) < end - start:
            rest = (item for block in self._blocks[number + 1 :] for item in block)
            found += islice(rest, end - start - len(found))
        return found

    def replace(self, start: int, end: int, items: Sequence[Item]) -> None:
        """Put other items in the place of those from one index to another."""
        if not self._blocks:
            self._blocks = _blocks(items)
            self._rebuild()
            return
        first, left = self._place(start)
        last, right = self._place(end) if end > start else (first, left)
        block = [*self._blocks[first][:left], *items, *self._blocks[last][right:]]
        blocks = [block] if 0 < len(block) <= 2 * BLOCK else _blocks(block)
        self._blocks[first : last + 1] = blocks
        self._totals[first : last + 1] = map(self._sum, blocks)
        self._sums = None


def _blocks(items: Sequence[Item]) -> list[list[Item]]:
    return [list(items[at : at + BLOCK]) for at in range(0, len(items), BLOCK)]
