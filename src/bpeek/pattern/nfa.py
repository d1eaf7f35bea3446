"""A pattern as small steps that threads take: take a character, look at one, fork, match.

A thread is a way to match that may still succeed. Where the pattern leaves a choice, threads stand in the order in
which a backtracking engine tries them; so the first in order that comes to the end is the match that the engine finds.

What is left out has no such form, or no bounded one: references back, ``\\K``, ``\\G``, looks at more than one
character, and atomic parts whose first way may not be the only one that counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, reduce
from operator import or_
from typing import Literal, NamedTuple

from ..unicode import EMPTY, EVERYTHING, CodePoints
from ..unicode.codepoints import partition
from .analysis import always, nullable, width
from .nodes import Alt, Anchor, Atomic, Backref, Cat, Chars, Group, Keep, Look, Node, Repeat

MOST_STEPS = 4_000  # published patterns have up to 600
_MOST_CLASSES = 4_000
_MOST_MEMBERS = 500_000  # classes in sets
_MOST_REPEATED = 1_000  # in a sketch
_MOST_KEPT = 100_000  # characters whose classes are remembered, 10 MB
_MOST_ROUNDS = 20  # loops inside loops need some


class NoAutomaton(Exception):
    """The pattern has no automaton, or none that is small enough."""


class Take(NamedTuple):
    """A character of a set is taken, then ``out`` goes on; in a sketch, there may be ``many`` or none instead."""

    chars: CodePoints
    out: int
    many: bool = False


class Check(NamedTuple):
    """Is the next character (or the one before, unless ``ahead``) in a set, or the text at its border?"""

    chars: CodePoints
    border: bool
    ahead: bool
    out: int


class Fork(NamedTuple):
    """The first of these that lets the rest match."""

    outs: tuple[int, ...]


Step = Take | Check | Fork
Sketch = Literal["taken", "read"]


def outs(step: Step) -> tuple[int, ...]:
    return step.outs if isinstance(step, Fork) else (step.out,)


MATCH = 0  # the number of the step at which a thread has matched


def bits(mask: int) -> Iterator[int]:
    """The places of the bits of a number that are set, rising."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class Classes(dict[int, int]):
    """Code points -> classes, filled as they are met. ``of_parts`` has the class of each part of all code points, and
    ``firsts`` where it begins; ``border`` is one more, which stands for the start or end of the text."""

    def __init__(self, firsts: list[int], of_parts: list[int]) -> None:
        super().__init__()
        self.firsts, self.of_parts = firsts, of_parts
        self.border = max(of_parts) + 1

    def __missing__(self, code: int) -> int:
        if len(self) == _MOST_KEPT:
            self.clear()
        self[code] = found = self.of_parts[bisect_right(self.firsts, code) - 1]
        return found

    def read(self, text: str) -> str:
        """The class of each character, as the number of a character."""
        return text.translate(self)


class Nfa:
    """``steps[n]`` is step ``n``; threads begin at ``start``. Step 0, ``MATCH``, is a fork without ways on.

    Raises ``NoAutomaton`` for what has no such form. Nothing that may be empty is repeated, so that no walk from step
    to step goes round without taking a character.

    A ``sketch`` can be made for what has no such form, too: of all that is ``"taken"`` by the pattern, in order, or of
    all that is ``"read"``, which is more by what it only looks at. A sketch leaves out what may make a thread end
    early, so that it takes and reads more than the pattern; of many repetitions, it has any number.

    ``classes`` are those of characters that the pattern tells apart; ``inside`` are, for each step, those that it takes
    or looks for, as a number with a bit for each.
    """

    def __init__(self, node: Node, sketch: Sketch | None = None) -> None:
        self._sketch = sketch
        self.steps: list[Step] = [Fork(())]
        self.start = self._build(node, MATCH, True)
        self.classes, self.inside = self._partition()

    @cached_property
    def like(self) -> list[int]:
        """For each class, the first one that is the same to all looks behind."""
        looks = {
            inside
            for step, inside in zip(self.steps, self.inside, strict=True)
            if isinstance(step, Check) and not step.ahead
        }
        first = dict[tuple[int, ...], int]()
        each = range(self.classes.border + 1)
        return [first.setdefault(tuple(look >> number & 1 for look in looks), number) for number in each]

    @cached_property
    def inner_first(self) -> list[int]:
        """All steps but ``MATCH``, each behind those that it comes to without taking a character."""
        done: dict[int, None] = {}
        for root in range(len(self.steps)):
            stack = [(root, False)]
            while stack:
                number, left = stack.pop()
                if left:
                    done[number] = None
                elif number not in done:
                    step = self.steps[number]
                    stack.append((number, True))
                    if not isinstance(step, Take):
                        stack += [(out, False) for out in outs(step)]
        return [number for number in done if number != MATCH]

    @cached_property
    def surely(self) -> list[int]:
        """For each step, classes before which it leads to a match whatever the text is; perhaps not all of these.

        A step is sure if it is so before all classes. All are thought to be sure until one turns out not to be: if the
        rest are so because of each other, that is no circle, for between them lies a character, and texts end.
        """
        everything = (2 << self.classes.border) - 1
        surely = [everything] * len(self.steps)
        for _ in range(0 if self._sketch else _MOST_ROUNDS):
            before = surely.copy()
            for number in self.inner_first:
                surely[number] = self._surely(number, surely, everything)
            if surely == before:
                return surely
        return [0] * len(self.steps)

    def _surely(self, number: int, surely: list[int], everything: int) -> int:
        inside = self.inside[number]
        match self.steps[number]:
            case Take(out=out):
                return inside if surely[out] == everything else 0
            case Check(ahead=ahead, out=out):
                return surely[out] & inside if ahead else surely[out] * (inside == everything)
            case Fork(outs):
                return reduce(or_, map(surely.__getitem__, outs), 0)

    def _partition(self) -> tuple[Classes, list[int]]:
        asked = {id(step.chars): step.chars for step in self.steps if not isinstance(step, Fork)}
        sets = list(dict.fromkeys(asked.values()))
        firsts, masks = partition(sets)
        numbers = {mask: number for number, mask in enumerate(dict.fromkeys(masks))}
        if len(numbers) > _MOST_CLASSES or sum(map(int.bit_count, numbers)) > _MOST_MEMBERS:
            raise NoAutomaton
        members = [0] * len(sets)
        for mask, number in numbers.items():
            for place in bits(mask):
                members[place] |= 1 << number
        found = dict(zip(sets, members, strict=True))
        inside = {key: found[chars] for key, chars in asked.items()}
        border = 1 << len(numbers)
        return Classes(firsts, [numbers[mask] for mask in masks]), [
            0 if isinstance(step, Fork) else inside[id(step.chars)] | border * (isinstance(step, Check) and step.border)
            for step in self.steps
        ]

    def _add(self, step: Step) -> int:
        if len(self.steps) == MOST_STEPS:
            raise NoAutomaton
        self.steps.append(step)
        return len(self.steps) - 1

    def _build(self, node: Node, out: int, certain: bool) -> int:
        """The step that a node begins with. Behind it comes step ``out``, which surely matches if ``certain``."""
        match node:
            case Chars(chars):
                return self._add(Take(chars, out))
            case Cat(items):
                for item in reversed(items):
                    out, certain = self._build(item, out, certain), certain and always(item)
                return out
            case Alt(options):
                return self._add(Fork(tuple(self._build(option, out, certain) for option in options)))
            case Group(body):
                return self._build(body, out, certain)
            case Atomic(body) if certain or width(body) is not None or self._sketch is not None:
                # Its first way is never given up, for what follows matches; or all ways end at the same place.
                return self._build(body, out, certain)
            case Repeat(Chars(chars), low, high, "possessive"):
                return self._possessive(chars, low, high, out)
            case Repeat(body, low, high, mode) if mode != "possessive" or certain or self._sketch is not None:
                return self._repeat(body, low, high, mode == "lazy", out, certain)
            case Look(body, ahead, negative):
                return self._look(body, ahead, negative, out)
            case Anchor("end" | "start" as kind):
                return self._add(Check(EMPTY, True, kind == "end", out))
            case Backref() if self._sketch is not None:
                return self._add(Take(EVERYTHING, out, many=True))
            case Anchor() if self._sketch is not None:
                return self._add(Check(EVERYTHING, True, False, out))
            case Keep() if self._sketch is not None:
                return out
        raise NoAutomaton

    def _look(self, body: Node, ahead: bool, negative: bool, out: int) -> int:
        try:
            return self._add(Check(*_signed(_one_character(body, ahead), negative), ahead, out))
        except NoAutomaton:
            if self._sketch is None:
                raise
        going_on = self._add(Check(EVERYTHING, True, ahead, out))
        if self._sketch == "taken":
            return going_on
        leading_nowhere = self._build(body, self._add(Fork(())), False)
        return self._add(Fork((leading_nowhere, going_on)))

    def _repeat(self, body: Node, low: int, high: int | None, lazy: bool, out: int, certain: bool) -> int:
        """``x{2,4}`` is ``xx(?:x(?:x)?)?``, and ``x{2,}`` is ``xxx*``."""
        if high != 1 and nullable(body):
            raise NoAutomaton
        if self._sketch and max(low, high or 0) > _MOST_REPEATED:
            low, high = min(low, 1), None
        entry = out
        if high is None:
            entry = self._add(Fork(()))
            self.steps[entry] = _fork(self._build(body, entry, certain), out, lazy)
        for _ in range((low if high is None else high) - low):
            entry = self._add(_fork(self._build(body, entry, certain), out, lazy))
        for _ in range(low):
            entry, certain = self._build(body, entry, certain), certain and always(body)
        return entry

    def _possessive(self, chars: CodePoints, low: int, high: int | None, out: int) -> int:
        """A set that gives nothing back stops where none of its characters follows: ``x*+`` is ``x*(?!x)``.

        After the last of so many that are allowed, it stops in any case: ``x{1,2}+`` is ``x(?:x|(?!x))``.
        """
        stop = self._add(Check(~chars, True, True, out))
        entry = out
        if high is None:
            entry = self._add(Fork(()))
            self.steps[entry] = Fork((self._add(Take(chars, entry)), stop))
        for _ in range((low if high is None else high) - low):
            entry = self._add(Fork((self._add(Take(chars, entry)), stop)))
        for _ in range(low):
            entry = self._add(Take(chars, entry))
        return entry


def _fork(body: int, out: int, lazy: bool) -> Fork:
    return Fork((out, body) if lazy else (body, out))


_Condition = tuple[CodePoints, bool]  # the characters with which a look succeeds, and whether a border of the text does


def _signed(condition: _Condition, negative: bool) -> _Condition:
    chars, border = condition
    return (~chars, not border) if negative else condition


def _one_character(node: Node, ahead: bool) -> _Condition:
    """What the next character (or the one before) must be for ``node`` to match there. All but that must not count."""
    match node:
        case _ if always(node):
            return EVERYTHING, True
        case Chars(chars):
            return chars, False
        case Alt(options):
            each = [_one_character(option, ahead) for option in options]
            return CodePoints.union(chars for chars, _ in each), any(border for _, border in each)
        case Group(body) | Atomic(body):
            return _one_character(body, ahead)
        case Look(body, direction, negative) if direction == ahead:
            return _signed(_one_character(body, ahead), negative)
        case Anchor("end" | "start" as kind) if ahead == (kind == "end"):
            return EMPTY, True
        case Repeat(body, 1) if ahead:
            return _one_character(body, ahead)
        case Cat((first, *others)) if ahead and (all(map(always, others)) or isinstance(first, Look | Anchor)):
            chars, border = _one_character(first, ahead)
            more, at_border = _one_character(Cat(tuple(others)), ahead)
            return (chars & more, border and at_border) if isinstance(first, Look | Anchor) else (chars, border)
    raise NoAutomaton
