"""Sets of code points. Written as edges: where membership begins and ends, in turn.

Edges make every operation short: complement adds or removes the outermost two, membership is the parity of
a bisection, union is a merge of ranges.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import xor

LIMIT = 0x110000
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


class CodePoints:
    """An immutable set of code points (``int``, surrogates included).

    >>> vowels = CodePoints.of("aeiou")
    >>> ord("e") in vowels, ord("f") in vowels
    (True, False)
    >>> (CodePoints.between("a", "f") - vowels).ranges
    ((98, 100), (102, 102))
    >>> len(~vowels) == 0x110000 - 5
    True
    """

    __slots__ = ("edges",)
    edges: tuple[int, ...]

    def __init__(self, edges: Iterable[int] = ()) -> None:
        """``edges`` must rise strictly and be of an even number; the other constructors see to that."""
        self.edges = tuple(edges)

    @classmethod
    def from_ranges(cls, ranges: Iterable[tuple[int, int]]) -> CodePoints:
        """From pairs (first, last), in any order, that may touch and overlap."""
        return cls(_merged((first, last + 1) for first, last in ranges))

    @classmethod
    def union(cls, sets: Iterable[CodePoints]) -> CodePoints:
        return cls(_merged(pair for chars in sets for pair in zip(chars.edges[::2], chars.edges[1::2], strict=True)))

    @classmethod
    def of(cls, chars: Iterable[str]) -> CodePoints:
        return cls.from_ranges((ord(c), ord(c)) for c in chars)

    @classmethod
    def between(cls, first: str | int, last: str | int) -> CodePoints:
        """All from ``first`` to ``last``, both included."""
        first, last = (ord(c) if isinstance(c, str) else c for c in (first, last))
        return cls((first, last + 1))

    @classmethod
    def unpack(cls, packed: str) -> CodePoints:
        """From gaps and lengths in turn, as base-64 digits: what the generated tables hold."""
        edges: list[int] = []
        at = 0
        for distance in _distances(packed):
            # A length is one less than the real one, and so is a gap, but for the first.
            at += distance + bool(edges)
            edges.append(at)
        return cls(edges)

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Pairs (first, last), rising, with a gap between any two."""
        return tuple((a, b - 1) for a, b in zip(self.edges[::2], self.edges[1::2], strict=True))

    def __contains__(self, code: int) -> bool:
        return bisect_right(self.edges, code) % 2 == 1

    def __iter__(self) -> Iterator[int]:
        for first, last in self.ranges:
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(self.edges[1::2]) - sum(self.edges[::2])

    def __bool__(self) -> bool:
        return bool(self.edges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CodePoints) and self.edges == other.edges

    def __hash__(self) -> int:
        return hash(self.edges)

    def __invert__(self) -> CodePoints:
        edges = list(self.edges)
        for border in (0, LIMIT):
            if border in edges[:1] + edges[-1:]:
                edges.remove(border)
            else:
                edges.insert(0 if border == 0 else len(edges), border)
        return CodePoints(edges)

    def __or__(self, other: CodePoints) -> CodePoints:
        return CodePoints.union((self, other))

    def __and__(self, other: CodePoints) -> CodePoints:
        return ~(~self | ~other)

    def __sub__(self, other: CodePoints) -> CodePoints:
        return ~(~self | other)

    def __le__(self, other: CodePoints) -> bool:
        return not self - other

    def below(self, limit: int) -> CodePoints:
        """Its members below ``limit``."""
        edges = self.edges[: bisect_left(self.edges, limit)]
        return CodePoints(edges if len(edges) % 2 == 0 else (*edges, limit))

    def __repr__(self) -> str:
        shown = [f"{a:04X}" if a == b else f"{a:04X}-{b:04X}" for a, b in self.ranges[:4]]
        return f"<CodePoints {' '.join(shown)}{' …' if len(self.edges) > 8 else ''}>"


def partition(sets: Sequence[CodePoints], *cuts: int) -> tuple[list[int], list[int]]:
    """Cut all code points where any set begins or ends, and at ``cuts`` -> the first of each part, and a bit for each
    set that the part is in.

    >>> partition([CodePoints((65, 91)), CodePoints((65, 70, 97, 123))])
    ([0, 65, 70, 91, 97, 123], [0, 3, 1, 0, 2, 0])
    """
    flips = dict.fromkeys((0, *cuts), 0)
    for place, chars in enumerate(sets):
        for edge in chars.edges:
            flips[edge] = flips.get(edge, 0) ^ 1 << place
    flips.pop(LIMIT, None)
    starts = sorted(flips)
    return starts, list(accumulate(map(flips.__getitem__, starts), xor))


def _merged(pairs: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Edges of all that lies in any of the pairs (start, end)."""
    rising = sorted(pairs)
    if not rising:
        return
    start, end = rising[0]
    for next_start, next_end in rising:
        if next_start > end:
            yield start
            yield end
            start, end = next_start, next_end
        elif next_end > end:
            end = next_end
    yield start
    yield end


def _distances(packed: str) -> Iterator[int]:
    """Numbers of 5, 9, 15 or 21 bits: the first digit tells how many digits follow."""
    digits = map(_DIGITS.index, packed)
    for digit in digits:
        if digit < 32:
            yield digit
        elif digit < 48:
            yield (digit & 15) << 6 | next(digits)
        elif digit < 56:
            yield (digit & 7) << 12 | next(digits) << 6 | next(digits)
        else:
            yield (digit & 7) << 18 | next(digits) << 12 | next(digits) << 6 | next(digits)


EMPTY = CodePoints()
EVERYTHING = CodePoints((0, LIMIT))
