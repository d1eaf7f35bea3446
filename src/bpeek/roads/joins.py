"""Where no token of a vocabulary can straddle two characters, a piece may be cut: exactly.

If no token holds the end of character a beside the beginning of character b, then no merge ever
crosses their border, and T(xa·by) = T(xa)·T(by). In Chinese and Japanese nearly every border is
such a cut, so that long pieces fall into short ones that can be remembered.
"""

from __future__ import annotations

import re
from itertools import compress, count, pairwise
from operator import add

_Unit = tuple[str, bytes]  # ("whole" | "head" | "tail", bytes of a character or of a part of one)


# No text has this byte, so a token that has it never occurs.
SEPARATOR = b"\xff"
_ASCII_TOKENS = re.compile("(?<![^\udcff])[\0-\x7f]+\udcff")
_IN_PART = re.compile("[^\udcff]*[\udc80-\udcfe][^\udcff]*")
MOST_PAIRS = 200_000  # remembered, 20 MB; a megabyte of Chinese has 60,000


class Joins(dict[str, bool]):
    """``joins["ab"]``: can a piece be cut between a and b? Filled on demand.

    Two ASCII characters are never cut: words are short, and the cache holds them whole.
    """

    def __init__(self, tokens: bytes) -> None:
        """``tokens`` are all tokens, joined with ``SEPARATOR``."""
        self._into: dict[str, set[bytes]] = {}  # a whole character, then the head of one
        self._out_of: dict[bytes, set[str]] = {}  # the tail of a character, then a whole one
        self._both: set[tuple[bytes, bytes]] = set()  # the tail of one, then the head of another
        # In one pass, bytes that are no whole character (and separators) being lone surrogates.
        text = _ASCII_TOKENS.sub("", tokens.decode("utf-8", "surrogateescape"))
        self._whole = set(map(add, text, text[1:]))
        for token in _IN_PART.findall(text):
            self._learn(token.encode("utf-8", "surrogateescape"))
        self._tails = {*self._out_of, *(tail for tail, _ in self._both)}

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
                self._both.add((left, right))

    def __missing__(self, pair: str) -> bool:
        if len(self) >= MOST_PAIRS:
            self.clear()
        left, right = pair[0], pair[1]
        can_cut = pair not in self._whole and not pair.isascii()
        if can_cut and (left in self._into or not self._tails.isdisjoint(_tails(left))):
            can_cut = not self._joined_in_part(left, right)  # few characters get here
        self[pair] = can_cut
        return can_cut

    def _joined_in_part(self, left: str, right: str) -> bool:
        follower, tails = right.encode(), _tails(left)
        return (
            any(right in self._out_of.get(tail, ()) for tail in tails)
            or any(map(follower.startswith, self._into.get(left, ())))
            or any(tail in tails and follower.startswith(head) for tail, head in self._both)
        )

    def cut(self, piece: str) -> list[str]:
        """The piece, cut at every border that no token straddles."""
        cuts = compress(count(1), map(self.__getitem__, map(add, piece, piece[1:])))
        return [piece[start:end] for start, end in pairwise([0, *cuts, len(piece)])]


def _tails(char: str) -> list[bytes]:
    data = char.encode()
    return [data[at:] for at in range(1, len(data))]


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
