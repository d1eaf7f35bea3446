"""SentencePiece's normalizer: characters mapped, spaces tidied and written as ``▁``, a space added.

Pieces that the user defined are copied as they are. The places of the result in the original text
are computed only where they are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from weakref import proxy

from ..pipeline.added import LONG, trie_pattern
from ..pipeline.borders import Meet, Pairs, in_turn, nowhere
from ..pipeline.double_array import DoubleArray
from ..spec import Cleaning

SPACE = "\u2581"

# A stretch of text: where it begins in the original, what it became, and whether character by character;
# otherwise all of it came from the beginning.
_Part = tuple[int, str, bool]

_SPACES = re.compile(" +")


class Places:
    """Where the characters of cleaned text, and its end, lie in the original. Kept by stretches: to list all characters
    takes as long as all else that tokens' places need."""

    def __init__(self) -> None:
        self._ends = list[int]()  # of stretches of cleaned text
        self._origins = list[int]()
        self._each = list[bool]()
        self._last = 0  # the place of what is behind all of them

    def add(self, size: int, origin: int, each: bool) -> None:
        """The next stretch, which comes from ``origin``: character by character, or all of it from there."""
        self._ends.append((self._ends[-1] if self._ends else 0) + size)
        self._origins.append(origin)
        self._each.append(each)

    def finish(self, size: int, last: int) -> None:
        """All from ``size`` on comes from ``last``."""
        kept = bisect_left(self._ends, size) + 1
        for column in (self._ends, self._origins, self._each):
            del column[kept:]
        if self._ends:
            self._ends[-1] = min(self._ends[-1], size)
        self._last = last

    def prefix(self, size: int) -> int | None:
        """How many characters are before a text of this size, if that is all that differs; else ``None``."""
        *before, last = self._ends or [0]
        if self._each[len(before) :] != [True] or any(self._each[:-1]) or any(self._origins):
            return None
        added = before[-1] if before else 0
        return added if last - added == size else None

    def of(self, positions: Sequence[int]) -> list[int]:
        """The places of some characters, whose positions ascend."""
        places = list[int]()
        at = begin = 0
        for end, origin, each in zip(self._ends, self._origins, self._each, strict=True):
            beyond = bisect_left(positions, end, at)
            if each:
                moved = origin - begin
                places += [position + moved for position in positions[at:beyond]]
            else:
                places += repeat(origin, beyond - at)
            at, begin = beyond, end
        return places + [self._last] * (len(positions) - at)


class Cleaner:
    """Normalizes text as ``options`` say; ``kept`` are the user's own pieces.

    >>> cleaned, places = Cleaner(Cleaning()).clean(" a  b ")
    >>> cleaned, places.of(range(len(cleaned) + 1))
    ('▁a▁b', [1, 1, 2, 4, 5])
    """

    def __init__(self, options: Cleaning, kept: Collection[str] = (), suffix: bool = False) -> None:
        self._tidy, self._escape = options.remove_extra_whitespaces, options.escape_whitespaces
        self._prefix = options.add_dummy_prefix and not suffix
        self._suffix = options.add_dummy_prefix and suffix
        self._space = SPACE if self._escape else " "
        self._map = DoubleArray(options.charsmap) if options.charsmap else None
        self._kept, self._kept_texts = one_of(kept), kept
        self._next = self._finder()

    @property
    def keeps(self) -> bool:
        """Does each character remain one?"""
        return not self._tidy and self._map is None

    def _finder(self) -> re.Pattern[str] | None:
        """What finds the next place where something else may happen than copying one character."""
        alternatives = [self._kept.pattern] if self._kept else []
        if self._map is not None:
            # A set with a character beyond the BMP is slow in `re`: these are looked up one by one.
            alternatives += ["[\U00010000-\U0010ffff]", *_char_class(self._map.singles)]
            if self._map.seconds:
                after = "|".join([*_char_class(self._map.seconds), "[\U00010000-\U0010ffff]"])
                alternatives += [f"{first}(?={after})" for first in _char_class(self._map.firsts)]
        return re.compile("|".join(alternatives)) if alternatives else None

    def text(self, text: str) -> str:
        """The normalized text."""
        return self.clean(text, tracked=False)[0]

    def clean(self, text: str, *, tracked: bool = True) -> tuple[str, Places]:
        """The normalized text, and where its characters lie in the original."""
        places = Places()
        if not text:
            return "", places
        parts = []
        origin, pieces = 0, self._parts(text)
        if self._tidy:
            origin, pieces = self._tidied(pieces)
            if origin < 0:
                return "", places
        if self._prefix:
            parts.append(self._space)
            places.add(1, origin, False)
        for start, part, each in pieces:
            parts.append(part)
            if tracked:
                places.add(len(part), start, each)
        cleaned = "".join(parts)
        if self._escape:
            cleaned = cleaned.replace(" ", SPACE)
        end = len(text)
        if self._tidy:
            size = len(cleaned)
            cleaned = cleaned.rstrip(self._space)
            if tracked and len(cleaned) < size:
                (end,) = places.of([len(cleaned)])
        places.finish(len(cleaned), end)
        return cleaned + self._space if self._suffix else cleaned, places

    @cached_property
    def meet(self) -> Meet:
        """What becomes of two neighbours: see ``pipeline.borders``."""
        me: Cleaner = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        steps = [self._beside_kept(), lambda pair: me._mapped(pair), lambda pair: me._spaced(pair)]
        return nowhere if self._suffix else in_turn(steps)

    def _beside_kept(self) -> Meet:
        kept = self._kept_texts
        inside = {text[at : at + 2] for text in kept for at in range(len(text) - 1)}
        # At its ends, a kept piece keeps characters from being replaced.
        lefts, rights = ({text[-1] for text in kept}, {text[0] for text in kept}) if self._map else (set(), set())
        return lambda pair: None if pair in inside or pair[0] in lefts or pair[1] in rights else frozenset([pair])

    def _mapped(self, pair: str) -> Pairs | None:
        if self._map is None:
            return frozenset([pair])
        later, firsts, singles = self._map.later, self._map.firsts, self._map.singles
        if later.intersection(pair) or pair[1] in firsts:
            return None
        left, right = (self._replaced(char) if char in singles else char for char in pair)
        return frozenset([left[-1] + right[0]]) if left and right else None

    def _replaced(self, char: str) -> str:
        found = self._map and self._map.longest(char, 0)
        return found[0] if found else char

    def _spaced(self, pair: str) -> Pairs | None:
        """A text ends on the left, and with it go the spaces there."""
        if self._tidy and pair[0] in (" ", self._space):
            return None
        return frozenset([pair.replace(" ", SPACE) if self._escape else pair])

    def _parts(self, text: str) -> Iterator[_Part]:
        """The text with characters replaced and kept pieces apart."""
        if self._next is None:
            yield 0, text, True
            return
        copied = at = 0
        while match := self._next.search(text, at):
            at = match.start()
            kept = self._kept and self._kept.match(text, at)
            if kept:
                replacement, length = kept[0], len(kept[0])
            else:
                found = self._map and self._map.longest(text, at)
                if not found:
                    at += 1
                    continue
                replacement, length = found
            if copied < at:
                yield copied, text[copied:at], True
            yield at, replacement, False
            at = copied = at + length
        if copied < len(text):
            yield copied, text[copied:], True

    @staticmethod
    def _tidied(parts: Iterator[_Part]) -> tuple[int, Iterator[_Part]]:
        """Where the text begins after leading spaces (-1: there is nothing else), and the parts from
        there on with each run of spaces made one."""
        first: list[_Part] = []
        for start, part, each in parts:
            rest = part.lstrip(" ") if each else "" if part == " " else part
            if rest or not part:
                first.append((start + len(part) - len(rest), rest, each))
                break

        def rest_of() -> Iterator[_Part]:
            after_space = True
            for pieces in (first, parts):
                for start, part, each in pieces:
                    kept = part.lstrip(" ") if after_space else part
                    if kept:
                        after_space = kept[-1] == " "
                        if each:
                            yield from _single_spaces(start + len(part) - len(kept), kept)
                        else:
                            yield start, kept, False

        return (first[0][0] if first else -1), rest_of()


def _single_spaces(start: int, text: str) -> Iterator[_Part]:
    at = 0
    if "  " in text:
        for run in _SPACES.finditer(text):
            yield start + at, text[at : run.start() + 1], True
            at = run.end()
    if at < len(text):
        yield start + at, text[at:], True


def one_of(texts: Collection[str]) -> re.Pattern[str] | None:
    """Finds the longest of some texts at the leftmost place."""
    if not texts:
        return None
    long = sorted((text for text in texts if len(text) > LONG), key=len, reverse=True)
    short = [text for text in texts if len(text) <= LONG]
    pattern = trie_pattern(short)
    if pattern is None:  # texts that begin with each other many times over
        pattern = "|".join(map(re.escape, sorted(short, key=len, reverse=True)))
    return re.compile("|".join([*map(re.escape, long), *([pattern] if short else [])]))


def _char_class(chars: Collection[str]) -> list[str]:
    """A character set for those in the BMP, if there are any."""
    inside = "".join(re.escape(char) for char in sorted(chars) if char <= "\uffff")
    return [f"[{inside}]"] if inside else []
