"""Where a text may be cut so that its parts are encoded as the whole is, told from two neighbours alone.

A pair of characters (a, b) is a *border* if for all texts x ending in a and y beginning with b the tokens
of xy are those of x, then those that y adds to a alone. It holds whatever stands elsewhere, so it survives
any edit and any text still to come.

Each step of a pipeline is asked what becomes of two neighbours: the pairs that may then stand side by
side in one piece. No pair at all means that a piece always ends between them. ``None`` means that the
step may look across, and settles that there is no border.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..pattern import Pattern, Seams
from ..spec import AddedToken
from . import chars

Pairs = frozenset[str]
Meet = Callable[[str], "Pairs | None"]

NOTHING: Pairs = frozenset()
MOST_PAIRS = 200_000  # remembered


class Borders(dict[str, bool]):
    """``borders["ab"]``: may every text be cut between a and b? Filled on demand.

    >>> from bpeek.pattern import compile
    >>> borders = Borders([cut_by(compile(r"\\w+| +"), "Removed", True)])
    >>> borders["a "], borders["ab"], borders.next("ab cd", 1), borders.last("ab cd", 5)
    (True, False, 2, 3)
    """

    def __init__(self, steps: Sequence[Meet]) -> None:
        self._steps = steps

    def __missing__(self, pair: str) -> bool:
        if len(self) >= MOST_PAIRS:
            self.clear()
        met = in_turn(self._steps)(pair)
        value = self[pair] = met is not None and not met
        return value

    def next(self, text: str, at: int) -> int:
        """The first border not before ``at > 0``; the end of the text if there is none."""
        end = len(text)
        while at < end and not self[text[at - 1 : at + 1]]:
            at += 1
        return min(at, end)

    def last(self, text: str, at: int) -> int:
        """The last border not after ``at``; 0 if there is none."""
        at = min(at, len(text) - 1)
        while at > 0 and not self[text[at - 1 : at + 1]]:
            at -= 1
        return max(at, 0)


def in_turn(steps: Iterable[Meet]) -> Meet:
    steps = tuple(steps)

    def meet(pair: str) -> Pairs | None:
        pairs = frozenset([pair])
        for step in steps:
            met = [step(each) for each in pairs]
            known = [each for each in met if each is not None]
            if len(known) < len(met):
                return None
            pairs = NOTHING.union(*known)
        return pairs

    return meet


def nowhere(pair: str) -> None:
    """The border of a step that nothing is known of."""
    return None


def anywhere(pair: str) -> Pairs:
    """A step that changes something only at the beginning of a text, or nothing."""
    return frozenset([pair])


# --- added tokens ------------------------------------------------------------------------------------------


def beside_added(tokens: Iterable[AddedToken], contents: Iterable[str]) -> Meet:
    """No added token may straddle a border or end there: what follows one begins anew."""
    tokens, contents = list(tokens), set(contents)
    inside = {content[at : at + 2] for content in contents for at in range(len(content) - 1)}
    before = {content[-1:] for content in contents}
    if any(token.lstrip or token.rstrip for token in tokens):
        before |= set(chars.whitespace_chars())

    def meet(pair: str) -> Pairs | None:
        return frozenset([pair]) if pair not in inside and pair[0] not in before else None

    return meet


# --- cutting ----------------------------------------------------------------------------------------------


def cut_by(pattern: Pattern, behavior: str, invert: bool) -> Meet:
    """Pieces are made from the matches of a pattern."""
    if pattern.steps is None:
        return nowhere
    seams, matches_only = Seams([pattern.steps]), behavior == "Removed" and invert

    def meet(pair: str) -> Pairs | None:
        # Where matches are merged with what stands beside them, nothing changes but at the seam itself.
        if not seams[pair]:
            return None
        ends = matches_only or (behavior == "Isolated" and any(ord(char) in pattern.taken for char in pair))
        return NOTHING if ends else frozenset([pair])

    return meet


def cut_at(delimits: Callable[[str], bool], behavior: str, invert: bool = False) -> Meet:
    """Pieces are made at single characters of some kind."""

    def meet(pair: str) -> Pairs | None:
        left, right = map(delimits, pair)
        if behavior.startswith("Merged"):
            ends = not invert and (left if behavior == "MergedWithPrevious" else right)
        elif behavior == "Contiguous":
            ends = left != right
        else:
            ends = left or right or (behavior == "Removed" and invert)
        return NOTHING if ends else frozenset([pair])

    return meet
