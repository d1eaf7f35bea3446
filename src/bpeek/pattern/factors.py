"""Which texts no match of a pattern can hold, told from the pattern alone. The answer errs towards "may hold".

The pattern is read as an automaton whose states are its character sets. What it looks at but does not take is
left out, so that more texts than truly may seem to.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from ..spec import Dialect
from ..unicode import EVERYTHING, CodePoints
from .matcher import parsed
from .nodes import Alt, Atomic, Backref, Cat, Chars, Group, Node, Repeat

_UNROLLED = 4  # repetitions up to this many are written out; of more, there may be any number

_Ends = tuple[set[int], set[int], bool]  # the states that begin, those that end, and whether there may be none


@lru_cache(maxsize=16)
def factors(source: str, dialect: Dialect) -> Factors:
    return Factors(parsed(source, dialect))


class Factors:
    """``may_hold(text)`` is ``False`` only if no match, in whatever text, has ``text`` in it.

    >>> words = factors(r" ?\\p{L}+|\\d{1,3}", "rust")
    >>> words.may_hold("ab"), words.may_hold("a b"), words.may_hold("1234"), words.may_hold("123")
    (True, False, False, True)
    """

    def __init__(self, node: Node) -> None:
        self._sets: list[CodePoints] = []
        self._after: list[set[int]] = []
        self._read(node)

    def may_hold(self, text: str) -> bool:
        states = set(range(len(self._sets)))
        for char in text:
            here = {state for state in states if ord(char) in self._sets[state]}
            if not here:
                return False
            states = set().union(*(self._after[state] for state in here))
        return True

    def _read(self, node: Node) -> _Ends:
        match node:
            case Chars(chars):
                state = self._state(chars)
                return {state}, {state}, False
            case Backref():
                state = self._state(EVERYTHING)
                self._after[state].add(state)
                return {state}, {state}, True
            case Cat(items):
                return self._in_turn(items)
            case Alt(options):
                each = [self._read(option) for option in options]
                begins, ends, empty = zip(*each, strict=True)
                return set().union(*begins), set().union(*ends), any(empty)
            case Group(body) | Atomic(body):
                return self._read(body)
            case Repeat(body, low, high):
                return self._repeated(body, low, high)
            case _:
                return set(), set(), True

    def _repeated(self, body: Node, low: int, high: int | None) -> _Ends:
        if high is not None and 1 < high <= _UNROLLED:
            return self._in_turn([body] * low + [Repeat(body, 0, 1)] * (high - low))
        begins, ends, empty = self._read(body)
        if high != 1:
            self._join(ends, begins)
        return begins, ends, empty or low == 0

    def _state(self, chars: CodePoints) -> int:
        self._sets.append(chars)
        self._after.append(set())
        return len(self._sets) - 1

    def _in_turn(self, items: tuple[Node, ...] | list[Node]) -> _Ends:
        begins, ends, empty = set[int](), set[int](), True
        for first, last, nothing in map(self._read, items):
            self._join(ends, first)
            begins = begins | first if empty else begins
            ends = last | ends if nothing else last
            empty = empty and nothing
        return begins, ends, empty

    def _join(self, ends: set[int], begins: set[int]) -> None:
        for end, begin in product(ends, begins):
            self._after[end].add(begin)
