"""Texts within a number of tokens. What is cut off is cut at a place of the original text, never by decoding."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .arguments import whole_number
from .document import Document
from .errors import BpeekError
from .parts import Parts

Side = Literal["left", "right"]

BLOCK = 4096  # characters that are counted at a time, at least


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a text: ``text``, from ``start`` to ``end`` in code points of the whole, and ``count``, the number of
    its tokens when it is encoded by itself.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    >>> tok.truncate("a a b a", 2)
    Slice(text='a a', start=0, end=3, count=2)
    """

    text: str
    start: int
    end: int
    count: int


def fits(parts: Parts, text: str, n: float) -> bool:
    """Counts no further than ``n``."""
    left = _room(parts, _most(n))
    start, before = 0, ""
    while left >= 0 and start < len(text):
        end = parts.borders.next(text, start + BLOCK)
        left -= parts.count(before, text[start:end])
        start, before = end, text[end - 1]
    return left >= 0


def truncate(parts: Parts, text: str, n: float, side: Side) -> Slice:
    n = _most(n)
    room, size = _room(parts, n), BLOCK
    while True:
        start, end = _extent(parts, text, size, side)
        document = Document(parts, text[start:end])
        if end - start == len(text) or document.count() > n:
            break
        size *= 2
    if room < 0:
        at = start if side == "right" else end
        return Slice("", at, at, document.count(0, 0))
    if side == "right":
        first, last = 0, document.end_within(0, room)
    else:
        first, last = document.start_within(end - start, room), end - start
    return Slice(text[start + first : start + last], start + first, start + last, document.count(first, last))


def _extent(parts: Parts, text: str, size: int, side: Side) -> tuple[int, int]:
    """About ``size`` characters at the side that is kept; the tokens in it are those of the whole text."""
    if side not in ("left", "right"):
        raise BpeekError(f"side must be 'left' or 'right', not {side!r}: the side at which the text is cut off")
    if side == "right":
        return 0, parts.borders.next(text, size)
    return parts.borders.last(text, max(0, len(text) - size)), len(text)


def chunks(parts: Parts, text: str, n: float, overlap: int) -> Iterator[Slice]:
    n = _most(n)
    room = _room(parts, n)
    if n < 1:
        raise BpeekError(f"A chunk must have room for at least one token, not {n}")
    overlap = whole_number(overlap, "the overlap")
    if not 0 <= overlap < n:
        raise BpeekError(f"The overlap must be at least 0 and less than the size of a chunk ({n}), not {overlap}")
    document = Document(parts, text)
    most = max(BLOCK, 16 * n)  # so that a run without borders is not encoded anew for each of its chunks
    start, end = 0, 0
    while end < len(text):
        end = document.end_within(start, room, most)
        if end == start:
            raise BpeekError(
                f"The character at {start} has more than {_tokens(room)}; take chunks of more than {_tokens(n)}"
            )
        yield Slice(text[start:end], start, end, document.count(start, end))
        following = document.start_within(end, overlap, most) if overlap else end
        # A chunk repeats the last one's end only if it then goes beyond it.
        goes_on = start < following < end < document.end_within(following, room, most)
        start = following if goes_on else end


def _most(n: float) -> int:
    """How many tokens there may be; ``math.inf`` stands for any number of them."""
    n = sys.maxsize if n == math.inf else whole_number(n, "a number of tokens")
    if n < 0:
        raise BpeekError(f"A number of tokens is an integer that is not negative, not {n!r}")
    return n


def _room(parts: Parts, n: int) -> int:
    """How many tokens the text may have, after those that are added to every text."""
    return n - sum(map(len, parts.frame))


def _tokens(n: int) -> str:
    return f"{max(0, n):,} token" + "s" * (n != 1)
