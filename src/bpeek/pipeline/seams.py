"""Where a text without pre-tokenizer may be cut: between characters that no piece holds side by side.

A SentencePiece model sees a whole document as one piece. No merge crosses such a seam, so what lies
between two of them can be merged by itself and remembered; the result is the same, and no time is
lost on long texts. Everything here is derived from the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable
from itertools import pairwise
from operator import add

from .trie import Neighbours

SPACE = "\u2581"  # how SentencePiece writes a space

_BETWEEN = "\udfff"  # tokens; a lone surrogate is in none of them

_MOST_CLASSES = 16  # alternatives in the pattern; the classes beyond are taken together
_FEW = 3  # characters: such a class of the BMP beyond ASCII is no class of its own
_NOTHING = set[str]()


class _OrUnknown(set[str]):
    """Some characters, and all that have no id."""

    def __init__(self, chars: set[str], known: Container[str]) -> None:
        super().__init__(chars)
        self._known = known

    def __contains__(self, char: object) -> bool:
        return super().__contains__(char) or char not in self._known


class Seams(Neighbours):
    """``pieces`` cuts fast and coarsely, by classes of characters; ``cut`` at every seam.

    ``known`` are the characters that have an id, or ``None`` if unknown ones become bytes. Neighbours
    that are both unknown are not cut, for they become one token.

    >>> seams = Seams(["▁the", "▁▁", "th", ".."], None)
    >>> seams.pieces("▁the▁▁▁the..1"), seams.cut("eth..1")
    (['▁the', '▁▁▁the', '..', '1'], ['e', 'th', '..', '1'])
    """

    def __init__(self, tokens: Iterable[str], known: Collection[str] | None) -> None:
        self._known = known
        self._after: dict[str, set[str]] = {}
        after = self._after
        text = _BETWEEN.join(tokens)
        for left, right in set(map(add, text, text[1:])):
            if left != _BETWEEN != right:
                after.setdefault(left, set()).add(right)
        self.pieces = re.compile(self._pattern(), re.DOTALL).findall

    def followers(self, left: str) -> Container[str]:
        after, known = self._after.get(left, _NOTHING), self._known
        return after if known is None or left in known else _OrUnknown(after, known)

    def apart(self, left: str, right: str) -> bool:
        """May every piece be cut between these neighbours?"""
        return right not in self[left]

    def _pattern(self) -> str:
        """A text is matched from end to end: a run of one class, with the spaces before (or after) it."""
        before_space = {left for left, right in self._after.items() if SPACE in right} - {SPACE}
        after_space = self._after.get(SPACE, set())
        spaced = self._known is None or SPACE in self._known
        if spaced and len(before_space) <= _MOST_CLASSES:
            ordinary, shape = f"[^{SPACE}]", f"{SPACE}*+(?:%s)|{SPACE}++"
        elif spaced and after_space <= {SPACE}:
            ordinary, shape, before_space = f"[^{SPACE}]", f"(?:%s){SPACE}*+|{SPACE}++", set()
        else:
            ordinary, shape, spaced, before_space = ".", "%s", False, set()
        classes, unknowns = self._classes({SPACE} if spaced else set())
        if unknowns is None:
            classes = [chars for chars in classes if len(chars) > _FEW or not _is_among_others(chars)]
        runs = [(f"{_char_set(chars)}++", chars) for chars in sorted(classes, key=_frequency)]
        if unknowns is not None:
            runs.append((f"[^{re.escape(''.join(sorted(unknowns)))}]++" if unknowns else ".++", before_space))
        others = before_space.difference(*classes)
        if unknowns is None:  # coarser than need be: Arabic words, of whose letters Llama's vocabulary joins two
            runs.append((f"[{_without(set(SPACE).union(*classes))}]++", others))
        runs.append((ordinary, others))
        if before_space:  # the few characters that a space may be joined to: behind them, the match goes on
            again = f"(?:(?<={_char_set(before_space)}){SPACE}++(?:{'|'.join(run for run, _ in runs)})?+)*+"
            runs = [(run if before_space.isdisjoint(chars) else run + again, chars) for run, chars in runs]
        return shape.replace("%s", "|".join(run for run, _ in runs))

    def _classes(self, apart: set[str]) -> tuple[list[set[str]], set[str] | None]:
        """Classes of characters that are joined, directly or not; and the complement of the one that
        holds all unknown characters, if these are not cut."""
        parent: dict[str, str] = {}

        def root(char: str) -> str:
            while (above := parent.setdefault(char, char)) != char:
                parent[char] = char = parent.setdefault(above, above)
            return char

        for left, rights in self._after.items():
            if left not in apart:
                for right in rights - apart:
                    parent[root(left)] = root(right)
        groups: dict[str, set[str]] = {}
        for char in parent:
            groups.setdefault(root(char), set()).add(char)
        classes = sorted(groups.values(), key=len, reverse=True)
        if self._known is None:
            return _limited(classes), None
        known = set(self._known)
        cut_off = [chars for chars in classes if chars <= known]
        return _limited(cut_off), apart.union(known - parent.keys(), *cut_off)


def _is_among_others(chars: set[str]) -> bool:
    return min(chars) > "\x7f" and max(chars) <= "\uffff"


def _without(chars: set[str]) -> str:
    """Ranges of all other characters of the BMP beyond ASCII."""
    bounds = [0x7F, *sorted(ord(char) for char in chars if "\x7f" < char <= "\uffff"), 0x10000]
    return "".join(f"{chr(left + 1)}-{chr(right - 1)}" for left, right in pairwise(bounds) if right - left > 1)


def _frequency(chars: set[str]) -> tuple[bool, int]:
    """Sorts the classes that texts mostly consist of to the front."""
    return not any(char.isascii() and char.isalnum() for char in chars), -len(chars)


def _limited(classes: list[set[str]]) -> list[set[str]]:
    rest = set().union(*classes[_MOST_CLASSES:])
    return classes[:_MOST_CLASSES] + ([rest] if rest else [])


def _char_set(chars: set[str]) -> str:
    """A set of characters. One that holds any beyond the BMP is slow in `re`, so these are kept apart."""
    inside = "".join(re.escape(char) for char in sorted(chars) if char <= "\uffff")
    beyond = "".join(sorted(char for char in chars if char > "\uffff"))
    sets = [f"[{part}]" for part in (inside, beyond) if part]
    return sets[0] if len(sets) == 1 else f"(?:{'|'.join(sets)})"
