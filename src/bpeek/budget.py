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
    """Counts no further than ``n``, and not at all if the text is too long for ``n`` of the longest tokens."""
    left = _room(parts, _most(n))
    reach = _reach(parts.longest, left)
    if reach is not None and len(text) > reach:
        return False
    start, before = 0, ""
    while left >= 0 and start < len(text):
        end = parts.borders.next(text, start + BLOCK)
        left -= parts.count(before, text[start:end])
        start, before = end, text[end - 1]
    return left >= 0


def truncate(parts: Parts, text: str, n: float, side: Side) -> Slice:
    n = _most(n)
    if side not in ("left", "right"):
        raise BpeekError(f"side must be 'left' or 'right', not {side!r}: the side at which the text is cut off")
    return (_beginning if side == "right" else _end)(parts, text, n)


def _beginning(parts: Parts, text: str, n: int) -> Slice:
    """Looks at no more than it must: up to a border behind enough tokens. Where there is none for long, the text is cut
    off anywhere, twice as far as ``room`` tokens can reach; what comes so much later does not change them (proved where
    a bound is known: see ``theory.chain_bound``)."""
    room, size = _room(parts, n), BLOCK
    reach = _reach(parts.longest, room)
    while True:
        end = parts.borders.next(text[: 2 * size], size)
        document = Document(parts, text[:end])
        far = end < 2 * size or (reach is not None and size > reach)
        if end == len(text) or (far and document.count() > n):
            last = document.end_within(0, room) if room >= 0 else 0
            return Slice(text[:last], 0, last, document.count(0, last))
        size *= 2


def _reach(longest: int | None, n: int) -> int | None:
    """How many characters ``n`` tokens have at most."""
    return None if longest is None else max(0, n * longest)


def enough(longest: int | None, n: int) -> int | None:
    """How many characters ``truncate`` looks at, at most, to keep ``n`` tokens of the beginning."""
    reach = _reach(longest, n)
    return None if reach is None else 4 * max(BLOCK, reach + 1)


def _end(parts: Parts, text: str, n: int) -> Slice:
    """Looks back as far as the last border before enough tokens: in a run without one, all tokens may depend on where
    it begins."""
    room, size = _room(parts, n), BLOCK
    while True:
        start = parts.borders.last(text, max(0, len(text) - size))
        document = Document(parts, text[start:])
        if start == 0 or document.count() > n:
            size = len(text) - start
            first = document.start_within(size, room) if room >= 0 else size
            return Slice(text[start + first :], start + first, len(text), document.count(first))
        size *= 2


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
