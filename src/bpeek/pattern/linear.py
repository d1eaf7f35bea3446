"""Matches in time linear in the length of the text, whatever the pattern and the text.

``re`` goes back, and reads again: for ``a*a*b`` in a text of ``n`` letters, it takes the cube of ``n`` steps. Here a
text is read twice. First from its end, to note at each place from which steps of the pattern (``nfa``) a match can be
reached. Then from its start, along the first thread that is noted to match: so nothing is ever tried in vain, and what
it finds is what a backtracking engine finds after all its trying (Frisch and Cardelli, *Greedy regular expression
matching*, 2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

from .nfa import MATCH, Check, Fork, Nfa, Take

_MOST_KEPT = 4_000  # notes with what comes before each; made again when needed
_ENDS = -1


class _Note(dict[int, "_Note"]):
    """From which ``steps`` a match can be reached, a bit for each, at a place; the note at the place before, by what is
    read there; ``after``, the steps to which the first thread that matches comes with the next character."""

    def __init__(self, linear: Linear, steps: int) -> None:
        super().__init__()
        self._linear, self.steps = linear, steps
        self.after = _After(linear, steps)

    def __missing__(self, read: int) -> _Note:
        self[read] = found = self._linear.note_before(self.steps, read)
        return found


class _After(dict[int, int]):
    def __init__(self, linear: Linear, alive: int) -> None:
        super().__init__()
        self._linear, self._alive = linear, alive

    def __missing__(self, step: int) -> int:
        self[step] = found = self._linear.step_after(step, self._alive)
        return found


class Linear:
    """Finds what ``re`` would find.

    >>> from .matcher import parsed
    >>> hard = Linear(Nfa(parsed("a*a*b|a", "rust")))
    >>> hard.spans("aab" + "a" * 100_000)[:3]
    [(0, 3), (3, 4), (4, 5)]
    """

    def __init__(self, nfa: Nfa) -> None:
        self._nfa = nfa
        self._notes: dict[int, _Note] = {}
        self._kept = 0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end of all matches, in code points. An empty match counts unless the match before ends there."""
        return [(start, end) for start, end, _ in self.matches(text)]

    def matches(self, text: str) -> Iterator[tuple[int, int, int]]:
        """The same, with the number of the outermost alternative that matched, if the pattern has some."""
        start_step, notes = self._nfa.start, self._read_backwards(text)
        at, last, size = 0, -1, len(text)
        while at <= size:
            if not notes[at].steps >> start_step & 1:
                at += 1
                continue
            end, step = at, notes[at].after[start_step]
            while step != _ENDS:
                end += 1
                step = notes[end].after[step]
            if at == end == last:
                at += 1
                continue
            yield at, end, self._option(notes[at].steps)
            at = last = end

    def _read_backwards(self, text: str) -> list[_Note]:
        """A note for each place, the end of the text included."""
        classes, like = self._nfa.classes, self._nfa.like
        read = [*map(ord, classes.read(text)), classes.border]
        both = [each << 16 | like[before] for before, each in pairwise((classes.border, *read))]
        both.reverse()
        notes = list(accumulate(both, _Note.__getitem__, initial=self._note(0)))
        notes.reverse()
        return notes[:-1]

    def _note(self, steps: int) -> _Note:
        if steps not in self._notes:
            if self._kept > _MOST_KEPT:  # some patterns have more than memory could hold
                self._notes, self._kept = {}, 0
            self._notes[steps] = _Note(self, steps)
        self._kept += 1
        return self._notes[steps]

    def note_before(self, after: int, read: int) -> _Note:
        """What a note says that stands one place before another, where the class ``read >> 16`` is read, behind one
        that is to all looks behind like ``read & 0xFFFF``."""
        here, before = read >> 16, read & 0xFFFF
        steps, inside, alive = self._nfa.steps, self._nfa.inside, 1 << MATCH
        for number in self._nfa.inner_first:
            match steps[number]:
                case Take(out=out):
                    found = inside[number] >> here & after >> out & 1
                case Check(ahead=ahead, out=out):
                    found = inside[number] >> (here if ahead else before) & alive >> out & 1
                case Fork(outs):
                    found = any(alive >> out & 1 for out in outs)
            alive |= found << number
        return self._note(alive)

    def step_after(self, step: int, alive: int) -> int:
        """Where the first thread that matches is when it has taken a character; ``_ENDS`` if it takes none."""
        while step != MATCH:
            match self._nfa.steps[step]:
                case Take(out=out):
                    return out
                case Check(out=step):
                    pass
                case Fork(outs):
                    step = next(out for out in outs if alive >> out & 1)
        return _ENDS

    def _option(self, alive: int) -> int:
        first = self._nfa.steps[self._nfa.start]
        return next((n for n, out in enumerate(first.outs) if alive >> out & 1), 0) if isinstance(first, Fork) else 0
