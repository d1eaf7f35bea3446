"""A tokenizer as stream, document and budget see it: one that encodes a text in parts.

A text may be cut wherever ``Road.borders`` says so. The first part is encoded as a text. The tokens of
any other are those that it adds to the one character before it: so whatever a tokenizer does where a
text begins (a space put in front, spaces stripped) is done once, and nothing here needs to know of it.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import NamedTuple

from .pipeline.borders import Borders
from .roads import Road


class Columns(NamedTuple):
    """Tokens of a part, with their spans in it: code points, and bytes."""

    ids: list[int]
    starts: list[int]
    ends: list[int]
    byte_starts: list[int]
    byte_ends: list[int]


class Parts:
    """Encodes parts of texts. ``allowed`` are the special tokens to recognise in them."""

    def __init__(self, road: Road, allowed: frozenset[str], add_special_tokens: bool) -> None:
        self._road, self._allowed, self._adds = road, allowed, add_special_tokens
        self._alone: dict[str, int] = {}

    @cached_property
    def frame(self) -> tuple[list[int], list[int]]:
        """What a template puts before and after the tokens of every text."""
        before, after = self._road.frame(self._adds)
        return list(before), list(after)

    @cached_property
    def borders(self) -> Borders:
        return self._road.borders

    @property
    def longest(self) -> int | None:
        """The most characters that a token can have: see ``Road``."""
        return self._road.longest

    def ids(self, before: str, text: str) -> bytes:
        """The ids of a part, packed as native unsigned 32-bit integers. ``before`` is the character before
        it, which it must have a border with, or nothing for the first part."""
        packed = self._road.ids(before + text, self._allowed).tobytes()
        return packed[4 * self._tokens(before) :] if before else packed

    def count(self, before: str, text: str) -> int:
        """The number of tokens of a part."""
        total = len(self._road.ids(before + text, self._allowed))
        return total - self._tokens(before) if before else total

    def columns(self, before: str, text: str) -> Columns:
        """The tokens of a part and where they lie in it."""
        encoding = self._road.alone(before + text, self._allowed)
        columns = (encoding.ids, *encoding.spans, *encoding.byte_spans)
        if not before:
            return Columns(*map(list, columns))
        skipped, size = self._tokens(before), len(before.encode())
        ids, *places = (column[skipped:] for column in columns)
        moved = [[place - by for place in column] for column, by in zip(places, (1, 1, size, size), strict=True)]
        return Columns(list(ids), *moved)

    def _tokens(self, char: str) -> int:
        count = self._alone.get(char)
        if count is None:
            count = self._alone[char] = len(self._road.ids(char, self._allowed))
        return count


def unpacked(packed: bytes) -> list[int]:
    ids = array("I")
    ids.frombytes(packed)
    return ids.tolist()
