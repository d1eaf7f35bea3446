"""Cuts an encoded text into what can be drawn: pieces that tokens own or share, and marks for what cannot be seen."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..unicode.graphemes import clusters
from . import Shown, ShownComparison

Span = tuple[int, int]

_FIRST_MARK = "\u0300"
_BYTE = re.compile("<0x[0-9A-F]{2}>")


class Piece(NamedTuple):
    """Text that belongs to tokens ``first`` to ``last - 1``: to none, to one, or to several, which is a character
    that is cut by token borders."""

    text: str
    first: int
    last: int


def pieces(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """The pieces of a text with tokens at these spans of code points, all of the text and every token among them.

    Nothing that people see as one character is cut: where a token border falls inside a code point, a base with its
    accents or a joined emoji, that character is one piece of all its tokens.

    >>> list(pieces("a漢 ", [(0, 1), (1, 2), (1, 2)]))
    [Piece(text='a', first=0, last=1), Piece(text='漢', first=1, last=3), Piece(text=' ', first=3, last=3)]
    """
    size = len(text)
    spans = [(min(start, size), min(end, size)) for start, end in spans]  # some of the reference's reach past the text
    breaks = _Breaks(text)
    at = token = drawn = 0  # tokens below `drawn` are in some piece
    while True:
        while token < len(spans) and spans[token][1] <= at:
            if token >= drawn:
                yield Piece("", token, token + 1)
            token += 1
        if token == len(spans):
            break
        start, end = spans[token]
        if start > at:
            yield Piece(text[at:start], token, token)
            at = start
            continue
        stop, last = breaks.before(min(end, _next_start(spans, token, size))), token + 1
        if stop <= at:
            stop = breaks.after(at)
            while last < len(spans) and spans[last][0] < stop:
                last += 1
        yield Piece(text[at:stop], token, last)
        at, drawn = stop, max(drawn, last)
    if at < size:
        yield Piece(text[at:], token, token)


def _next_start(spans: Sequence[Span], token: int, size: int) -> int:
    """Where the next token that covers text begins."""
    for index in range(token + 1, len(spans)):
        start, end = spans[index]
        if start < end:
            return start
    return size


class _Breaks:
    """Where a text may be parted without cutting what people see as one character."""

    def __init__(self, text: str) -> None:
        self._text, self._known = text, list[int]()

    def _around(self, at: int) -> Span:
        if not self._known:
            self._known = [0, *accumulate(map(len, clusters(self._text)))]
        index = bisect_right(self._known, at)
        return self._known[index - 1], self._known[index]

    def before(self, at: int) -> int:
        """The last break at or before a place. Below U+0300 nothing joins what stands before it, CR LF apart:
        those two may part."""
        return at if at >= len(self._text) or self._text[at] < _FIRST_MARK else self._around(at)[0]

    def after(self, at: int) -> int:
        return self._around(at)[1]


class Whole(NamedTuple):
    """A segment of a comparison that cuts nothing that people see as one character."""

    start: int
    end: int
    tokens: tuple[range, ...]
    agree: bool


def whole_segments(shown: ShownComparison) -> Iterator[Whole]:
    """Segments with no border inside a character; such ones are joined."""
    breaks = _Breaks(shown.text)
    open_one: Whole | None = None
    for each in shown.segments:
        whole = Whole(each.start, each.end, each.tokens, each.agree)
        if open_one:
            tokens = (range(one.start, other.stop) for one, other in zip(open_one.tokens, each.tokens, strict=True))
            whole = Whole(open_one.start, each.end, tuple(tokens), open_one.agree and each.agree)
        open_one = whole if breaks.before(each.end) < each.end else None
        if open_one is None:
            yield whole


def spans_to_draw(shown: Shown, tokens: range) -> list[Span]:
    """Spans in code points. Of the bytes of a character, SentencePiece gives the character to the last alone:
    it is drawn as that of all."""
    spans = list(shown.offsets[tokens.start : tokens.stop])
    for index in range(len(spans) - 2, -1, -1):
        (start, end), (start_after, end_after) = spans[index : index + 2]
        if start == end == start_after < end_after:
            own, after = (shown.tokens[tokens.start + each] for each in (index, index + 1))
            if _BYTE.fullmatch(own) and _BYTE.fullmatch(after):
                spans[index] = start, end_after
    return spans


_MARKS = {"\n": "↵", "\r": "␍", "\t": "⇥", " ": "·"}
UNSEEN = re.compile("[\\0-\\x20\\x7f-\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_FORMAT = re.compile(
    "[\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def mark(character: str) -> str:
    """How a character is marked that cannot be seen.

    >>> mark("\\n"), mark("\\x1b"), mark("\\u3000"), mark("\\u202e")
    ('↵', '\\\\x1b', '⍽', 'U+202E')
    """
    known = _MARKS.get(character)
    if known:
        return known
    if character < "\u0100" and character != "\xa0":
        return f"\\x{ord(character):02x}"
    return f"U+{ord(character):04X}" if character in "\u2028\u2029" or _FORMAT.match(character) else "⍽"


def invisible(text: str) -> bool:
    """Is there something, and nothing to be seen of it?

    >>> invisible("\\u200b\\ufe0f"), invisible("a\\u200b"), invisible("")
    (True, False, False)
    """
    return bool(text) and not _FORMAT.sub("", text)


REORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Text in one line that shows all it holds, for places where nothing can be drawn.

    >>> plain("a\\n\\u202eb"), plain("é 漢")
    ('a\\\\n\\\\u202eb', 'é 漢')
    """
    return "".join([char if char.isprintable() else repr(char)[1:-1] for char in text])
