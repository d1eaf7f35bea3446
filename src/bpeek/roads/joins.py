"""Where no token of a vocabulary can straddle two characters, a piece may be cut: exactly.

If no token holds the end of character a beside the beginning of character b, then no merge ever
crosses their border, and T(xa·by) = T(xa)·T(by). In Chinese and Japanese nearly every border is
such a cut, so that long pieces fall into short ones that can be remembered.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache
from itertools import pairwise
from operator import add

from ..pipeline.trie import Neighbours

_Unit = tuple[str, bytes]  # ("whole" | "head" | "tail", bytes of a character or of a part of one)


# No text has this byte, so a token that has it never occurs.
SEPARATOR = b"\xff"
_ASCII_TOKENS = re.compile("(?<![^\udcff])[\0-\x7f]+\udcff")
_IN_PART = re.compile("[^\udcff]*[\udc80-\udcfe][^\udcff]*")
_ASCII = frozenset(map(chr, range(128)))


class _Followers(set[str]):
    """Characters by name, and by the bytes that they begin with."""

    def __init__(self, heads: set[bytes]) -> None:
        self.heads = heads

    def __contains__(self, char: object) -> bool:
        return super().__contains__(char) or not self.heads.isdisjoint(_heads(str(char)))


class Joins(Neighbours):
    """``"b" in joins["a"]``: could a token straddle the border of a and b?

    Two ASCII characters are never cut: words are short, and the cache holds them whole.
    """

    def __init__(self, tokens: bytes) -> None:
        """``tokens`` are all tokens, joined with ``SEPARATOR``."""
        self._into: dict[str, set[bytes]] = {}  # a whole character, then the head of one
        self._out_of: dict[bytes, set[str]] = {}  # the tail of a character, then a whole one
        self._both: dict[bytes, set[bytes]] = {}  # the tail of one, then the head of another
        # In one pass, bytes that are no whole character (and separators) being lone surrogates.
        text = _ASCII_TOKENS.sub("", tokens.decode("utf-8", "surrogateescape"))
        self._whole: dict[str, set[str]] = {}
        for left, right in set(map(add, text, text[1:])):
            self._whole.setdefault(left, set()).add(right)
        for token in _IN_PART.findall(text):
            self._learn(token.encode("utf-8", "surrogateescape"))

    def _learn(self, token: bytes) -> None:
        """A token that holds parts of characters."""
        for (left_kind, left), (right_kind, right) in pairwise(_units(token)):
            if left_kind == right_kind == "whole":
                continue
            if left_kind == "whole":
                self._into.setdefault(left.decode(), set()).add(right)
            elif right_kind == "whole":
                self._out_of.setdefault(left, set()).add(right.decode())
            else:
                self._both.setdefault(left, set()).add(right)

    def followers(self, left: str) -> Container[str]:
        tails = _tails(left)
        heads = self._into.get(left, set()).union(*(self._both.get(tail, ()) for tail in tails))
        few = [head for head in heads if _SIZES[head[0] >> 4] - len(head) == 1]
        many = heads.difference(few)
        followers: set[str] = _Followers(many) if many else set()
        followers.update(
            self._whole.get(left, ()),
            *(self._out_of.get(tail, ()) for tail in tails),
            *map(_beginning_with, few),
            _ASCII if left.isascii() else (),
        )
        return followers


def _tails(char: str) -> list[bytes]:
    data = char.encode()
    return [data[at:] for at in range(1, len(data))]


@cache
def _beginning_with(head: bytes) -> list[str]:
    """The characters that begin with all their bytes but one."""
    return [char for last in range(0x80, 0xC0) for char in (head + bytes([last])).decode("utf-8", "ignore")]


def _heads(char: str) -> list[bytes]:
    data = char.encode()
    return [data[:at] for at in range(1, len(data))]


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
