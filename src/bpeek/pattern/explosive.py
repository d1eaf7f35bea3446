"""Patterns that may take time exponential in the length of a text, found without running them.

A backtracking engine tries all ways to match before it gives up. Their number explodes if a loop can
take the same text in two ways: ``(a+)+``, ``(a|\\w)*``, ``(\\d{1,3})+``. The pattern is read as an automaton
whose states are its character sets; the loop is explosive if two different walks from a state back to
itself can read the same text (*exponential ambiguity*), or if one walk arises in two ways.

Safe to use on any file, but not complete: an atomic group counts like any other, and references back
count as one character. Nothing is said about quadratic patterns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from ..unicode import EVERYTHING, CodePoints
from .analysis import always, width
from .nodes import Alt, Atomic, Backref, Cat, Chars, Group, Look, Node, Repeat, walk

_UNROLLED = 4  # repetitions up to this often are written out; above, they are loops
_MOST_STATES = 2_000
_LARGEST_LOOP = 200  # states; pairs of them are looked at

Ways = Counter[int]  # state -> in how many ways it is reached; beyond one, the number is not important


def explosive(node: Node) -> Node | None:
    """Some part of a pattern that explodes, or ``None``."""
    for part in (node, *(part.body for part in walk(node) if isinstance(part, Look))):
        for option in part.options if isinstance(part, Alt) else (part,):
            whole = _without_last_loop(option) if part is node else option
            if _Automaton(whole).ambiguous():
                return option
    return None


def _without_last_loop(option: Node) -> Node:
    """A loop behind which everything matches never has to give up: only its body by itself counts."""
    items = option.items if isinstance(option, Cat) else (option,)
    for place in reversed(range(len(items))):
        item = items[place]
        if isinstance(item, Repeat) and item.low < 2 and item.mode != "lazy":
            return Cat((*items[:place], item.body))
        if not always(item):
            break
    return option


class TooComplex(Exception):
    """The pattern has more states than are looked at."""


class _Automaton:
    """Glushkov's: a state for each character set, edges to what may come next, counted by how they arise."""

    def __init__(self, node: Node) -> None:
        self._sets: list[CodePoints] = []
        self._edges: list[Ways] = []
        self._fixed: list[Node] = []
        self._read(node)

    def ambiguous(self) -> bool:
        for loop in _loops([edges.keys() for edges in self._edges]):
            if any(self._edges[state][after] > 1 for state in loop for after in self._edges[state] if after in loop):
                return True
            if len(loop) > _LARGEST_LOOP:
                raise TooComplex
            if len(loop) > 1 and self._two_walks(loop):
                return True
        return any(_Automaton(Repeat(body, 1, None)).ambiguous() for body in self._fixed)

    def _two_walks(self, loop: set[int]) -> bool:
        """Can two walkers in a loop read the same text, part, and meet where they were together?"""
        inside = {state: [after for after in self._edges[state] if after in loop] for state in loop}
        pairs = {(one, two): number for number, (one, two) in enumerate((a, b) for a in loop for b in loop)}
        common = {pair: bool(self._sets[pair[0]] & self._sets[pair[1]]) for pair in pairs}
        steps = [[pairs[a, b] for a in inside[one] for b in inside[two] if common[a, b]] for one, two in pairs]
        together = {pairs[state, state] for state in loop}
        return any(0 < len(together & found) < len(found) for found in _loops(steps))

    def _read(self, node: Node) -> tuple[Ways, Ways, int]:
        """The states that a node begins with and ends with, and in how many ways it takes nothing."""
        match node:
            case Chars(chars):
                return self._state(chars)
            case Backref():
                return self._state(EVERYTHING)
            case Cat(items):
                return self._in_turn(items)
            case Alt(options):
                begins, ends, empty = Ways(), Ways(), 0
                for first, last, nothing in map(self._read, options):
                    begins, ends, empty = begins + first, ends + last, empty + nothing
                return begins, ends, empty
            case Group(body) | Atomic(body):
                return self._read(body)
            case Repeat(body, low, high):
                return self._repeated(body, low, high)
            case _:
                return Ways(), Ways(), 1

    def _state(self, chars: CodePoints) -> tuple[Ways, Ways, int]:
        if len(self._sets) == _MOST_STATES:
            raise TooComplex
        self._sets.append(chars)
        self._edges.append(Ways())
        state = len(self._sets) - 1
        return Ways([state]), Ways([state]), 0

    def _in_turn(self, items: Iterable[Node]) -> tuple[Ways, Ways, int]:
        begins, ends, empty = Ways(), Ways(), 1
        for first, last, nothing in map(self._read, items):
            self._join(ends, first)
            begins = begins + _times(first, empty)
            ends = last + _times(ends, nothing)
            empty = min(2, empty * nothing)
        return begins, ends, empty

    def _repeated(self, body: Node, low: int, high: int | None) -> tuple[Ways, Ways, int]:
        if low == high and high is not None and high > _UNROLLED and width(body) is not None:
            # So many times just so many characters: as part of a loop outside, no second way. As a loop by itself
            # it is looked at apart.
            self._fixed.append(body)
            low = high = _UNROLLED
        if high is not None and high <= _UNROLLED:
            # a{1,3} is a(a(a)?)?
            optional: Node = Cat(())
            for _ in range(high - low):
                optional = Repeat(Cat((body, optional)), 0, 1)
            if (low, high) != (0, 1):
                return self._in_turn([*[body] * low, optional])
            first, last, nothing = self._read(body)
            return first, last, min(2, nothing + 1)
        first, last, nothing = self._read(body)
        self._join(last, first)
        return first, last, min(2, nothing + (low == 0))

    def _join(self, ends: Ways, begins: Ways) -> None:
        for end, ways in ends.items():
            for begin, more in begins.items():
                self._edges[end][begin] += min(2, ways * more)


def _times(ways: Ways, factor: int) -> Ways:
    return Ways({state: min(2, count * factor) for state, count in ways.items() if factor})


def _loops(after: Sequence[Collection[int]]) -> Iterator[set[int]]:
    """Strongly connected components that can be walked round, by Tarjan's algorithm without recursion."""
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    for root in range(len(after)):
        if root in order:
            continue
        work = [(root, iter(after[root]))]
        order[root] = lowest[root] = len(order)
        stack.append(root)
        waiting.add(root)
        while work:
            node, rest = work[-1]
            for following in rest:
                if following not in order:
                    order[following] = lowest[following] = len(order)
                    stack.append(following)
                    waiting.add(following)
                    work.append((following, iter(after[following])))
                    break
                if following in waiting:
                    lowest[node] = min(lowest[node], order[following])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    found = set[int]()
                    while not found or node not in found:
                        found.add(stack.pop())
                    waiting -= found
                    if len(found) > 1 or node in after[node]:
                        yield found
