"""A pattern as a table: from state to state by the class of each character, without going back.

A state is the list of all threads (``nfa``) that are left after some characters, in their order. Two threads at the
same step have the same future, so the second never counts. A thread that matches cuts off those behind it: a
backtracking engine would not have come to them. Those before it go on, and may match later; then theirs is the match.
So the last place where a run passes a match is where the engine's match ends: *leftmost-first*, as in all references.

A look ahead is decided when the next character is read, and the end of the text is a class of its own; a look behind
needs the character before, which then is a part of the state. Characters in the same sets of the pattern are one class.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from sys import maxsize
from typing import TypeVar

from ..unicode.codepoints import LIMIT
from .nfa import MATCH, Check, Classes, Fork, Nfa, NoAutomaton, Take, bits

MATCHED = 0x8000  # in a cell: a match ends before the character that is read
DEAD = 0x7FFF  # in a cell, in place of the next state: nothing can match any more
BLOCK = 128  # code points in a block of the table of classes
ANY = maxsize  # number of characters
_SHORT = 100  # characters: that a text is read as often as it is long does no harm
_MOST_CLASSES = 255
_MOST_STATES = 4_000
_MOST_WORK = 100_000  # steps of threads, and groups of classes: about 50 ms
_MOST_PAIRED = 64  # states of which all pairs are looked at
_MOST_THREADS = 100  # of a backtracking engine, alive at one place


@dataclass(frozen=True, eq=False)
class Automaton:
    """Plain data: what runs it needs nothing else.

    A run begins in the state that ``starts`` has for the class of the character before, or, at the start of the text,
    in the last of ``starts``. With each character it reads the cell of its state and the character's class, and behind
    the last one that of the end, in the last column. The match, if there is one, ends at the last cell that said so.

    ``table`` has a row of ``width`` cells for each state: ``MATCHED``, and the next state or ``DEAD``. ``overrun`` is
    ``None``, or a proof that runs are linear on every text: they read no character more than ``overrun + 2`` times.

    >>> from .matcher import parsed
    >>> words = automaton(Nfa(parsed(r" ?[a-z]+|\\s", "rust")))
    >>> words.spans("to be"), len(words.table) // words.width, words.overrun
    ([(0, 2), (2, 5)], 4, 1)
    """

    table: array[int]
    width: int
    starts: array[int]
    overrun: int | None
    _classes: Classes = field(repr=False)

    @property
    def n_states(self) -> int:
        return len(self.table) // self.width

    def classes(self) -> tuple[bytes, bytes]:
        """The class of each code point, in two stages: the number of each block of 128 code points, as native
        16-bit numbers; and the blocks, a byte for each of their code points."""
        bounds = [*self._classes.firsts, LIMIT]
        parts = zip(self._classes.of_parts, pairwise(bounds), strict=True)
        flat = b"".join(bytes([number]) * (end - start) for number, (start, end) in parts)
        blocks: dict[bytes, int] = {}
        first = array("H")
        # Blocks in which no class begins are like the last character before them, nine of ten.
        for at, end in pairwise([*dict.fromkeys(bound // BLOCK * BLOCK for bound in bounds)]):
            for part, times in (flat[at : at + BLOCK], 1), (flat[end - 1 : end] * BLOCK, (end - at) // BLOCK - 1):
                if times:
                    first.extend(array("H", [blocks.setdefault(part, len(blocks))]) * times)
        return first.tobytes(), b"".join(blocks)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end of all matches, in code points."""
        table, width, starts = self.table, self.width, self.starts
        classes = self._classes.read(text).encode("latin-1") + bytes([width - 1])
        size, found, at = len(text), list[tuple[int, int]](), 0
        before = width - 1
        while at < size:
            end, place, state = at, at, starts[before]
            while state != DEAD and place <= size:
                cell = table[state * width + classes[place]]
                if cell & MATCHED:
                    end = place
                state = cell & DEAD
                place += 1
            if end > at:
                found.append((at, end))
            at = max(end, at + 1)
            before = classes[at - 1]
        return found


def automaton(nfa: Nfa) -> Automaton:
    """Raises ``NoAutomaton`` for what has none, or a large one. It takes milliseconds; at most a few tens of them."""
    return _Maker(nfa).make()


class Ambiguous(NoAutomaton):
    """A backtracking engine may have to try the same again and again."""


def longest_to_backtrack(nfa: Nfa) -> int:
    """How many characters a text may have for a backtracking engine to run through it in linear time."""
    try:
        return ANY if backtracking(nfa).overrun is not None else _SHORT
    except NoAutomaton:
        return 0


def backtracking(nfa: Nfa) -> Automaton:
    """The automaton with all that a backtracking engine does; raises ``Ambiguous`` if that is much at some place.

    The engine follows threads one by one, in their order, until one matches. It has no memory: where two threads come
    to the same step at the same place, and the first fails, it follows the second as well. So what it does with a
    character is bounded if the number of threads that are alive at one place is, duplicates included, and the number of
    runs that read the character.
    """
    return _Maker(nfa, backtracking=True).make()


_Threads = tuple[int, ...]  # steps of the NFA, in order
_State = tuple[_Threads, int]  # with the class of the character before, as far as it matters
_SETTLED = -1  # in place of a step: what stands behind it is not come to


class _Maker:
    """Finds all states. A set of classes is a number with a bit for each; the last stands for a border of the text.

    Where ``backtracking``, states keep the threads that come to a step where another is already, as the engine does.
    """

    def __init__(self, nfa: Nfa, backtracking: bool = False) -> None:
        self._steps, self._start = nfa.steps, nfa.start
        self._classes, self._inside, self._like, self._surely = nfa.classes, nfa.inside, nfa.like, nfa.surely
        self._backtracking = backtracking
        if self._classes.border > _MOST_CLASSES:
            raise NoAutomaton
        self._work = 0
        self._states: list[_State] = []
        self._numbers: dict[_State, int] = {}

    def make(self) -> Automaton:
        starts = array("H", [self._number(((self._start,), before)) for before in self._like])
        rows = self._rows()
        table = array("H", chain.from_iterable(rows))
        return Automaton(table, self._classes.border + 1, starts, _overrun(rows, starts), self._classes)

    def _rows(self) -> list[list[int]]:
        rows: list[list[int]] = []
        while len(rows) < len(self._states):
            rows.append(self._row(*self._states[len(rows)]))
        if not self._backtracking:  # which cannot tell that all is in vain
            _trim(rows)
        return rows

    def _number(self, state: _State) -> int:
        """The number of a state, which may be new."""
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            if number == _MOST_STATES:
                raise NoAutomaton
            self._states.append(state)
        return number

    def _row(self, threads: _Threads, before: int) -> list[int]:
        matched, taken = self._walk(threads, before)
        self._spend(self._classes.border >> 3)
        row = [DEAD] * (self._classes.border + 1)
        for classes, left in self._sorted_by_class(taken):
            for each in bits(classes):
                row[each] = self._number((left, self._like[each]))
        for each in bits(matched):
            row[each] |= MATCHED
        return row

    def _walk(self, threads: _Threads, before: int) -> tuple[int, list[tuple[int, int]]]:
        """The classes before which a match ends; and in order, by which classes a thread comes to which step.

        All classes are walked for at once, with what each step lets through. For each of them by itself, it is a walk
        in the order of a backtracking engine that comes to no step twice.
        """
        matched, taken = 0, list[tuple[int, int]]()
        seen: dict[int, int] = {}
        stack = [(number, (2 << self._classes.border) - 1) for number in reversed(threads)]
        settled = 0  # classes for which the threads behind do not count
        while stack:
            number, classes = stack.pop()
            if number == _SETTLED:
                settled |= classes
                continue
            known = seen.get(number, 0)
            classes &= ~(settled | known)
            if not classes:
                continue
            if not self._backtracking:
                seen[number] = known | classes
            self._spend(1)
            stack.append((_SETTLED, classes & self._surely[number]))
            match self._steps[number]:
                case Take(out=out):
                    taken.append((classes & self._inside[number], out))
                case Check(ahead=ahead, out=out):
                    inside = self._inside[number]
                    stack.append((out, classes & inside if ahead else classes * (inside >> before & 1)))
                case Fork(outs):
                    stack += [(out, classes) for out in reversed(outs)]
                    matched |= classes * (number == MATCH)
        return matched, taken

    def _sorted_by_class(self, taken: list[tuple[int, int]]) -> list[tuple[int, _Threads]]:
        """Sets of classes, with the threads that are left after each of them; all other classes leave none."""
        groups: list[tuple[int, _Threads]] = []
        for classes, out in taken:
            self._spend(len(groups) + 1)
            parts = [(mask & classes, self._with(threads, out)) for mask, threads in groups if mask & classes]
            parts += [(mask & ~classes, threads) for mask, threads in groups]
            for mask, _ in groups:
                classes &= ~mask
            groups = [part for part in (*parts, (classes, (out,))) if part[0]]
        return groups

    def _with(self, threads: _Threads, step: int) -> _Threads:
        if step in threads and not self._backtracking:
            return threads
        if self._backtracking and len(threads) == _MOST_THREADS:
            raise Ambiguous
        return (*threads, step)

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > _MOST_WORK:
            raise NoAutomaton


def _trim(rows: list[list[int]]) -> None:
    """States from which no match can be reached any more are dead."""
    live = _leading_to(
        (number for number, row in enumerate(rows) if max(row) >= MATCHED),
        [{cell & DEAD for cell in row} - {DEAD} for row in rows],
    )
    for row in rows:
        row[:] = [cell if (cell & DEAD) in live else cell | DEAD for cell in row]


def _leading_to(goals: Iterable[int], after: Sequence[Iterable[int]]) -> set[int]:
    """The nodes from which one of some nodes can be reached."""
    before: list[list[int]] = [[] for _ in after]
    for node, next_ in enumerate(after):
        for each in next_:
            before[each].append(node)
    found = set(goals)
    stack = list(found)
    while stack:
        new = set(before[stack.pop()]) - found
        found |= new
        stack += new
    return found


def _overrun(rows: list[list[int]], starts: Sequence[int]) -> int | None:
    """See ``Automaton.overrun``: a limit for single runs, else for two runs side by side, else ``None``.

    A run reads *in vain* what it reads beyond its last match. A text is run through from match to match: each run
    starts where the last match of the one before ended, or one character further on, if there was none. Say that ``n``
    runs read some character, then all but the last do so in vain. The first has read in vain since the second began, so
    if the limit is for single runs, at most so many began since. Else, the first and second have both read in vain
    since the third began.
    """
    vain = _Vain(rows)
    alone = _chains({DEAD: set()} | {state: set(row) - {_MATCHES} for state, row in enumerate(vain.goes_on)})
    if alone is not None:
        reached = set(chain.from_iterable(vain.begins)) - {_MATCHES}
        return max([*(alone[start] for start in starts), *(1 + alone[each] for each in reached)])
    together = _chains(vain.pairs(starts)) if len(rows) <= _MOST_PAIRED else None
    return None if together is None else 1 + max(together.values())


_MATCHES = -1  # in place of a state: not in vain
_Pair = tuple[int, int]
_OVER = (DEAD, DEAD)  # one of two runs has ended


class _Vain:
    """How runs go on that have had their last match: the next states, by state and class. ``begins`` is for where the
    match is, ``goes_on`` for behind it; ``_MATCHES`` stands for what such a run cannot do."""

    def __init__(self, rows: list[list[int]]) -> None:
        ends = (state for state, row in enumerate(rows) if DEAD in row)
        ending = _leading_to(ends, [{cell for cell in row if cell < DEAD} for row in rows]) | {DEAD}
        self.any = [[cell & DEAD for cell in row] for row in rows]
        self.begins = [[cell if cell in ending else _MATCHES for cell in row[:-1]] for row in self.any]
        self.goes_on = [[cell if cell in ending else _MATCHES for cell in row[:-1]] for row in rows]

    def pairs(self, starts: Sequence[int]) -> dict[_Pair, set[_Pair]]:
        """Where two runs may be together while the first reads in vain; where they get to if the second does too."""
        found: dict[_Pair, set[_Pair]] = {_OVER: set()}
        seeds = {pair for row in self.any for pair in zip(row, starts, strict=True) if DEAD not in pair}
        stack = [step for one, two in seeds for step in zip(self.begins[one], self.any[two], strict=False)]
        while stack:
            pair = stack.pop()
            if pair in found or DEAD in pair or _MATCHES in pair:
                continue
            one, two = pair
            steps = set(zip(self.goes_on[one], self.goes_on[two], strict=True))
            found[pair] = {_OVER if DEAD in step else step for step in steps if _MATCHES not in step}
            stack += zip(self.goes_on[one], self.any[two], strict=False)  # which has the end of the text, too
        return found


_N = TypeVar("_N", bound=Hashable)


def _chains(after: dict[_N, set[_N]]) -> dict[_N, int] | None:
    """How many steps one can go from each node; ``None`` if round and round."""
    waiting = {node: len(next_) for node, next_ in after.items()}
    before: dict[_N, list[_N]] = {node: [] for node in after}
    for node, next_ in after.items():
        for each in next_:
            before[each].append(node)
    done = [node for node, count in waiting.items() if not count]
    length = dict.fromkeys(after, 0)
    for node in done:
        for each in before[node]:
            length[each] = max(length[each], 1 + length[node])
            waiting[each] -= 1
            if not waiting[each]:
                done.append(each)
    return length if len(done) == len(after) else None
