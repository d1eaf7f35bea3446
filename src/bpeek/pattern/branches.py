"""Which alternative of a pattern made each match: for explaining, not for speed.

The pattern runs as it was written, with a group around each alternative; rewriting it for speed would hide them.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..spec import Dialect
from .matcher import Pattern
from .nodes import Alt, Chars, Group, Node, walk
from .oniguruma import OnigurumaParser
from .rust import RustParser
from .standins import StandIns

_FIRST = 1_000_000  # number of the group around the first alternative: beyond all groups of any pattern


class Branch(NamedTuple):
    """A match, and the number of the alternative that made it."""

    start: int
    end: int
    alternative: int


@lru_cache(maxsize=16)
def branches(source: str, dialect: Dialect) -> Branches:
    return Branches(source, dialect)


class Branches(Pattern):
    """A pattern that tells its alternatives apart; ``alternatives`` are their sources.

    >>> words = Branches(r" ?\\p{L}+|(?i:x|[0|9]+)|\\s", "rust")
    >>> words.alternatives
    [' ?\\\\p{L}+', '(?i:x|[0|9]+)', '\\\\s']
    >>> [branch.alternative for branch in words.branches("a 09")]
    [0, 2, 1]
    """

    def __init__(self, source: str, dialect: Dialect) -> None:
        super().__init__(source, dialect)
        self._compares = bool(self._groups)
        options, self.alternatives = _alternatives(source, dialect)
        self._marks = [f"g{_FIRST + number}" for number in range(len(options))]
        self._node = Alt(tuple(Group(option, _FIRST + number) for number, option in enumerate(options)))
        self._groups |= {_FIRST + number for number in range(len(options))}
        self._sets = list(dict.fromkeys(part.set for part in walk(self._node) if isinstance(part, Chars)))

    @cached_property
    def _stand_ins(self) -> StandIns | None:
        try:
            return None if self._compares else StandIns(self._sets)
        except ValueError:
            return None

    def branches(self, text: str) -> list[Branch]:
        """Every match with its alternative; the same matches as those of ``spans``."""
        if not text:
            return []
        if self._linear and len(text) > self._longest:
            last = len(self.alternatives) - 1
            return [Branch(start, end, min(option, last)) for start, end, option in self._linear.matches(text)]
        return [Branch(*self._span(match), self._alternative(match)) for match in self._matches(*self._for(text))]

    def _alternative(self, match: re.Match[str]) -> int:
        groups = match.groupdict()  # without those that no text of this kind can match
        return next(number for number, mark in enumerate(self._marks) if groups.get(mark) is not None)


def _alternatives(source: str, dialect: Dialect) -> tuple[tuple[Node, ...], list[str]]:
    """The outermost alternatives as nodes, and as they are written."""
    parser = (RustParser if dialect == "rust" else OnigurumaParser)(source)
    written: list[tuple[Node, str]] = []
    parse = parser.sequence

    def sequence() -> Node:
        start = parser.pos
        node = parse()
        written.append((node, source[start : parser.pos]))
        return node

    parser.sequence = sequence  # type: ignore[method-assign]  # this one parser only: to listen in
    node = parser.parse()
    options = node.options if isinstance(node, Alt) else (node,)
    return options, [next((text for node, text in written if node is option), source) for option in options]
