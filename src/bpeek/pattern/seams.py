"""Where a text may be cut so that its parts split as the whole does, whatever the text.

A *seam* is a pair of neighbouring characters (a, b) such that for all texts x ending in a and y
beginning with b: matches(xy) = matches(x) + matches(y). It is so if the pattern can never step
from a to b, neither inside a match nor while it looks ahead or fails: then every attempt that
begins in x sees the same whether y follows or the text ends. So it is enough to collect, from the
parsed pattern, all pairs of sets (A, B) where a character of B may be read right after one of A.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..unicode import EMPTY, EVERYTHING, CodePoints
from .nodes import Alt, Anchor, Atomic, Cat, Chars, Group, Look, Node, Repeat

Step = tuple[CodePoints, CodePoints]


class _LooksBack(Exception):
    """The pattern looks to the left of where it stands, so that no cut is safe for all texts."""


@dataclass(slots=True)
class _Reach:
    """What a node may read first and last, whether it may read nothing, and whether it may ask
    for the end of the text before it has read anything."""

    first: CodePoints = EMPTY
    last: CodePoints = EMPTY
    nullable: bool = True
    asks_for_end: bool = False


@dataclass(slots=True)
class _Walk:
    steps: list[Step] = field(default_factory=list)

    def reach(self, node: Node) -> _Reach:
        match node:
            case Chars(chars):
                return _Reach(chars, chars, nullable=False)
            case Cat(items):
                return self._sequence(items)
            case Alt(options):
                each = [self.reach(option) for option in options]
                return _Reach(
                    _union(one.first for one in each),
                    _union(one.last for one in each),
                    any(one.nullable for one in each),
                    any(one.asks_for_end for one in each),
                )
            case Repeat(body=body, low=low, high=high):
                inner = self.reach(body)
                if high != 1:
                    self._step(inner.last, inner)
                inner.nullable |= low == 0
                return inner
            case Group(body=body) | Atomic(body=body):
                return self.reach(body)
            case Look(body=body, ahead=True):
                # What it reads is read from here on, but the match goes on from here as well.
                inner = self.reach(body)
                return _Reach(inner.first, EMPTY, True, inner.asks_for_end)
            case Anchor(kind="end" | "line_end"):
                return _Reach(asks_for_end=True)
        raise _LooksBack

    def _sequence(self, items: Sequence[Node]) -> _Reach:
        whole = _Reach()
        for item in items:
            inner = self.reach(item)
            self._step(whole.last, inner)
            if whole.nullable:
                whole.first |= inner.first
                whole.asks_for_end |= inner.asks_for_end
            whole.last = whole.last | inner.last if inner.nullable else inner.last
            whole.nullable &= inner.nullable
        return whole

    def _step(self, before: CodePoints, after: _Reach) -> None:
        if before:
            # Asking for the end right after a character: whatever follows it matters.
            self.steps.append((before, EVERYTHING if after.asks_for_end else after.first))


def _union(sets: Iterable[CodePoints]) -> CodePoints:
    return CodePoints.from_ranges([each for one in sets for each in one.ranges])


def steps(node: Node) -> list[Step] | None:
    """All pairs of sets between which the pattern may step; ``None`` if no text can be cut safely."""
    walk = _Walk()
    try:
        whole = walk.reach(node)
    except _LooksBack:
        return None
    return None if whole.asks_for_end else walk.steps


MOST_PAIRS = 100_000  # remembered, 12 MB; where a long text has no seam, every pair of it is asked for


class Seams(dict[str, bool]):
    """Tells for any two neighbouring characters whether a text may be cut between them.

    >>> letters = CodePoints.between("a", "z")
    >>> seams = Seams([(letters, letters), (~letters, EVERYTHING)])
    >>> seams["ab"], seams["a "], seams.next("abc de", 1)
    (False, True, 3)
    """

    def __init__(self, all_steps: Sequence[Step]) -> None:
        self._steps = all_steps

    def __missing__(self, pair: str) -> bool:
        if len(self) >= MOST_PAIRS:
            self.clear()
        left, right = map(ord, pair)
        value = self[pair] = not any(left in before and right in after for before, after in self._steps)
        return value

    def next(self, text: str, at: int) -> int:
        """The first place not before ``at > 0`` where the text may be cut; its end if there is none."""
        end = len(text)
        while at < end and not self[text[at - 1 : at + 1]]:
            at += 1
        return min(at, end)
