"""Where no token of a vocabulary can straddle two characters, a piece may be cut: exactly.

If no token holds the end of character a beside the beginning of character b, then no merge ever
crosses their border, and T(xa·by) = T(xa)·T(by). In Chinese and Japanese nearly every border is
such a cut, so that long pieces fall into short ones that the cache knows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

_Unit = tuple[str, bytes]  # ("whole" | "head" | "tail", bytes of a character or of a part of one)


class Joins(dict[str, Collection[str]]):
    """For each character, the characters that some token may join to its right. Filled on demand.

    Two ASCII characters are never cut: words are short, and the cache holds them whole.
    """

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._whole: dict[str, set[str]] = {}  # a whole character, then a whole one
        self._into: dict[bytes, set[bytes]] = {}  # a whole character, then the head of one
        self._from: dict[bytes, set[str]] = {}  # the tail of a character, then a whole one
        self._both: set[tuple[bytes, bytes]] = set()  # the tail of one, then the head of another
        for token in tokens:
            if len(token) > 1 and not token.isascii():
                self._learn(token)

    def _learn(self, token: bytes) -> None:
        try:
            text = token.decode()
        except UnicodeDecodeError:
            pass
        else:
            for left, right in pairwise(text):
                self._whole.setdefault(left, set()).add(right)
            return
        for (left_kind, left_part), (right_kind, right_part) in pairwise(_units(token)):
            if left_kind == "whole" and right_kind == "whole":
                self._whole.setdefault(left_part.decode(), set()).add(right_part.decode())
            elif left_kind == "whole":
                self._into.setdefault(left_part, set()).add(right_part)
            elif right_kind == "whole":
                self._from.setdefault(left_part, set()).add(right_part.decode())
            else:
                self._both.add((left_part, right_part))

    def __missing__(self, char: str) -> Collection[str]:
        data = char.encode()
        joined = set(self._whole.get(char, ()))
        heads = set(self._into.get(data, ()))
        for at in range(1, len(data)):
            joined |= self._from.get(data[at:], set())
            heads |= {head for tail, head in self._both if tail == data[at:]}
        if char.isascii():
            joined |= _ASCII
        value = self[char] = _Joined(joined, tuple(heads)) if heads else frozenset(joined)
        return value

    def cut(self, piece: str) -> list[str]:
        """The piece, cut at every border that no token straddles."""
        parts, start = [], 0
        for at, (left, right) in enumerate(pairwise(piece), 1):
            if right not in self[left]:
                parts.append(piece[start:at])
                start = at
        parts.append(piece[start:])
        return parts


_ASCII = frozenset(map(chr, range(128)))


class _Joined(frozenset[str]):
    """Characters, and all those whose UTF-8 begins in certain ways."""

    _heads: tuple[bytes, ...]

    def __new__(cls, chars: Iterable[str], heads: tuple[bytes, ...]) -> _Joined:
        joined = super().__new__(cls, chars)
        joined._heads = heads
        return joined

    def __contains__(self, char: object) -> bool:
        return super().__contains__(char) or (isinstance(char, str) and char.encode().startswith(self._heads))


def _units(token: bytes) -> list[_Unit]:
    """A token as parts of characters. Empty if it cannot occur inside valid UTF-8."""
    units: list[_Unit] = []
    at = 0
    while at < len(token) and 0x80 <= token[at] < 0xC0:
        at += 1
    if at:
        units.append(("tail", token[:at]))
    while at < len(token):
        size = _SIZES[token[at] >> 4]
        part = token[at : at + size]
        at += size
        if len(part) < size:
            units.append(("head", part))
            continue
        try:
            part.decode()
        except UnicodeDecodeError:
            return []
        units.append(("whole", part))
    return units


_SIZES = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4]  # of a character, by the high half of its first byte
