"""Where a text may be cut so that its parts split as the whole does, whatever the text.

A *seam* is a pair of neighbouring characters (a, b) such that for all texts x ending in a and y
beginning with b: matches(xy) = matches(x) + matches(y). It is so if the pattern can never step
from a to b, neither inside a match nor while it looks ahead or fails: then every attempt that
begins in x sees the same whether y follows or the text ends. So it is enough to know, from the
steps of the pattern (``nfa``), which characters may be read right after which.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from .nfa import Check, Classes, Fork, Nfa, Take


class Steps(NamedTuple):
    """``after[c]`` are the classes of which a character may be read right after one of class ``c``, a bit for each."""

    classes: Classes
    after: list[int]

    def may_step(self, left: int, right: int) -> bool:
        return bool(self.after[self.classes[left]] >> self.classes[right] & 1)


def steps(nfa: Nfa) -> Steps | None:
    """``None`` if no cut is safe for all texts, for the pattern looks to the left of where it stands."""
    if any(
        (isinstance(step, Check) and not step.ahead) or (isinstance(step, Take) and step.many) for step in nfa.steps
    ):
        return None
    border = nfa.classes.border
    reads = [0] * len(nfa.steps)
    for number in nfa.inner_first:
        inside = nfa.inside[number]
        match nfa.steps[number]:
            case Take():
                reads[number] = inside
            case Check(out=out):
                # It reads those with which it does not turn out as it does at the end of the text; the rest goes on.
                differs = ~inside if inside >> border & 1 else inside
                reads[number] = differs | inside & reads[out]
            case Fork(outs):
                reads[number] = reduce(or_, map(reads.__getitem__, outs), 0)
    after = [0] * border
    for step, inside in zip(nfa.steps, nfa.inside, strict=True):
        if isinstance(step, Take):
            after = [found | reads[step.out] * (inside >> number & 1) for number, found in enumerate(after)]
    return Steps(nfa.classes, after)


MOST_PAIRS = 100_000  # remembered, 12 MB; where a long text has no seam, every pair of it is asked for


class Seams(dict[str, bool]):
    """Tells for any two neighbouring characters whether a text may be cut between them.

    >>> from .matcher import compile
    >>> seams = Seams([compile(" ?[a-z]+|.").steps])
    >>> seams["ab"], seams["a "], seams.next("abc de", 1)
    (False, True, 3)
    """

    def __init__(self, steps: Sequence[Steps]) -> None:
        self._steps = steps

    def __missing__(self, pair: str) -> bool:
        if len(self) >= MOST_PAIRS:
            self.clear()
        left, right = map(ord, pair)
        value = self[pair] = not any(each.may_step(left, right) for each in self._steps)
        return value

    def next(self, text: str, at: int) -> int:
        """The first place not before ``at > 0`` where the text may be cut; its end if there is none."""
        end = len(text)
        while at < end and not self[text[at - 1 : at + 1]]:
            at += 1
        return min(at, end)
