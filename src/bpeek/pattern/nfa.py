"""A pattern as small steps that threads take: take a character, look at one, fork, match.

A thread is a way to match that may still succeed. Where the pattern leaves a choice, threads stand in the order in
which a backtracking engine tries them; so the first in order that comes to the end is the match that the engine finds.

What is left out has no such form, or no bounded one: references back, ``\\K``, ``\\G``, looks at more than one
character, and atomic parts whose first way may not be the only one that counts.
"""

from __future__ import annotations

from typing import NamedTuple

from ..unicode import EMPTY, EVERYTHING, CodePoints
from .analysis import always, nullable, width
from .nodes import Alt, Anchor, Atomic, Cat, Chars, Group, Look, Node, Repeat

MOST_STEPS = 4_000  # published patterns have up to 600


class NoAutomaton(Exception):
    """The pattern has no automaton, or none that is small enough."""


class Take(NamedTuple):
    """A character of a set is taken, then ``out`` goes on."""

    chars: CodePoints
    out: int


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
MATCH = 0  # the number of the step at which a thread has matched


class Nfa:
    """``steps[n]`` is step ``n``; threads begin at ``start``. Step 0, ``MATCH``, is a fork without ways on.

    Raises ``NoAutomaton`` for what has no such form. Nothing that may be empty is repeated, so that no walk from step
    to step goes round without taking a character.
    """

    def __init__(self, node: Node) -> None:
        self.steps: list[Step] = [Fork(())]
        self.start = self._build(node, MATCH, True)

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
            case Atomic(body) if certain or width(body) is not None:
                # Its first way is never given up, for what follows matches; or all ways end at the same place.
                return self._build(body, out, certain)
            case Repeat(Chars(chars), low, high, "possessive"):
                return self._possessive(chars, low, high, out)
            case Repeat(body, low, high, mode) if mode != "possessive" or certain:
                return self._repeat(body, low, high, mode == "lazy", out, certain)
            case Look(body, ahead, negative):
                return self._add(Check(*_signed(_one_character(body, ahead), negative), ahead, out))
            case Anchor("end" | "start" as kind):
                return self._add(Check(EMPTY, True, kind == "end", out))
        raise NoAutomaton

    def _repeat(self, body: Node, low: int, high: int | None, lazy: bool, out: int, certain: bool) -> int:
        """``x{2,4}`` is ``xx(?:x(?:x)?)?``, and ``x{2,}`` is ``xxx*``."""
        if high != 1 and nullable(body):
            raise NoAutomaton
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
