"""Which texts no match of a pattern can hold, told from the pattern alone. The answer errs towards "may hold".

The steps of the pattern (``nfa``) are walked through from anywhere. What it looks at but does not take is left out, so
that more texts than truly may seem to.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache, reduce
from operator import or_

from ..spec import Dialect
from .matcher import parsed
from .nfa import Check, Fork, Nfa, NoAutomaton, Take, bits
from .nodes import Node

_MOST_KEPT = 10_000  # sets of steps


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
        self._nfa: Nfa | None = None  # too large
        with suppress(NoAutomaton):
            self._nfa = Nfa(node, sketch="taken")
            self._read(self._nfa)

    def _read(self, nfa: Nfa) -> None:
        """Sets of steps are numbers here, with a bit for each, and only steps that take a character are in them."""
        first = [0] * len(nfa.steps)
        for number in nfa.inner_first:
            match nfa.steps[number]:
                case Take():
                    first[number] = 1 << number
                case Check(out=out):
                    first[number] = first[out]
                case Fork(outs):
                    first[number] = reduce(or_, map(first.__getitem__, outs), 0)
        takes = [(number, step) for number, step in enumerate(nfa.steps) if isinstance(step, Take)]
        self._after = {number: first[step.out] | step.many << number for number, step in takes}
        self._anywhere = sum(1 << number for number, _ in takes)
        self._taking = [0] * nfa.classes.border
        for number, _ in takes:
            for each in bits(nfa.inside[number]):
                self._taking[each] |= 1 << number
        self._kept: dict[int, int] = {}

    def may_hold(self, text: str) -> bool:
        if self._nfa is None:
            return True
        alive = self._anywhere
        for each in map(ord, self._nfa.classes.read(text)):
            here = alive & self._taking[each]
            if not here:
                return False
            alive = self._reached(here)
        return True

    def _reached(self, here: int) -> int:
        """Steps that come after any of some."""
        if len(self._kept) > _MOST_KEPT:
            self._kept.clear()
        if here not in self._kept:
            self._kept[here] = reduce(or_, map(self._after.__getitem__, bits(here)))
        return self._kept[here]
