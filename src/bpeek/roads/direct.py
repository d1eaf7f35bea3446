"""The direct road: byte-level vocabularies without detours.

Text is cut by patterns, each piece is looked up in a cache, and a cached value is the piece's
ids as packed bytes; so a text costs one C-level pass, and a result needs no object per token.
Offsets are recovered afterwards from the tokens' lengths, which counting never pays for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from ..encoding import Spans
from ..pattern import Pattern

# Pieces kept: two generations of this many, 20 MB at most on real text. A text in seven languages
# runs at 0.7 of its unbounded speed with an eighth of this, at 0.97 with it.
GENERATION = 120_000
# Longer pieces hardly ever come again.
LONGEST_CACHED = 64


class Pieces(dict[str, bytes]):
    """Piece to packed ids, filled on demand and bounded: when full, it becomes the old generation."""

    def __init__(self, encode: Callable[[bytes], list[int]]) -> None:
        self._encode = encode
        self._old: dict[str, bytes] = {}

    def __missing__(self, piece: str) -> bytes:
        packed = self._old.get(piece)
        if packed is None:
            packed = array("I", self._encode(piece.encode())).tobytes()
            if len(piece) > LONGEST_CACHED:
                return packed
        if len(self) >= GENERATION:
            self._old = self.copy()
            self.clear()
        self[piece] = packed
        return packed


class Cut(NamedTuple):
    """One splitting step: matches are pieces; so is what lies between them, if ``gaps``."""

    pattern: Pattern
    gaps: bool

    def spans(self, text: str) -> list[tuple[int, int]]:
        matches = self.pattern.spans(text)
        if not self.gaps or self.pattern.covers:
            return matches
        bounds = [0, *chain.from_iterable(matches), len(text)]
        return [(start, end) for start, end in pairwise(bounds) if start < end]

    def pieces(self, text: str) -> list[str]:
        if not self.gaps or self.pattern.covers:
            return self.pattern.findall(text)
        return [text[start:end] for start, end in self.spans(text)]


class Segment(NamedTuple):
    """A stretch of text that is encoded by itself, or is a special token."""

    start: int
    end: int
    special: int | None  # its id


class _Table(dict[int, int]):
    """A fact about each token, computed when the token is first met."""

    def __init__(self, fact: Callable[[bytes], int], token_bytes: Callable[[int], bytes]) -> None:
        self._fact, self._token_bytes = fact, token_bytes

    def __missing__(self, token: int) -> int:
        value = self[token] = self._fact(self._token_bytes(token))
        return value


def _is_inside(byte: int) -> bool:
    return 0x80 <= byte < 0xC0


class Direct:
    """``encode`` maps the bytes of a piece to ids; ``token_bytes`` an id to its bytes."""

    def __init__(
        self, encode: Callable[[bytes], list[int]], token_bytes: Callable[[int], bytes], cuts: Sequence[Cut]
    ) -> None:
        self._cuts = tuple(cuts)
        self._cache = Pieces(encode)
        self._whole = all(cut.gaps or cut.pattern.covers for cut in cuts)
        self._sizes = _Table(len, token_bytes)
        self._chars = _Table(lambda token: sum(not _is_inside(byte) for byte in token), token_bytes)
        self._inside = _Table(lambda token: _is_inside(token[0]), token_bytes)

    def pieces(self, text: str) -> Iterable[str]:
        first, *others = self._cuts or (None,)
        pieces: Iterable[str] = [text] if first is None else first.pieces(text)
        for cut in others:
            pieces = chain.from_iterable(map(cut.pieces, pieces))
        return pieces

    def pack(self, text: str) -> bytes:
        """The ids as native unsigned 32-bit integers."""
        return b"".join(map(self._cache.__getitem__, self.pieces(text)))

    def encode(self, text: str) -> array[int]:
        return array("I", self.pack(text))

    def count(self, text: str) -> int:
        return sum(map(len, map(self._cache.__getitem__, self.pieces(text)))) // 4

    def words(self, text: str) -> list[int]:
        """How many tokens each piece has."""
        return [len(self._cache[piece]) // 4 for piece in self.pieces(text)]

    def spans(self, text: str, ids: Sequence[int], segments: Iterable[Segment]) -> Spans:
        """Where the tokens of ``text`` lie in it. Bytes are exact; a token inside a character has all of it."""
        if self._whole:
            return self._spans_of(text, ids)
        # Some text is in no piece: every piece has its own origin.
        columns: tuple[list[int], ...] = ([], [], [], [])
        at = byte_at = done = 0
        for start, end, count in self._pieces_of(text, segments):
            byte_at += len(text[at:start].encode())
            spans = self._spans_of(text[start:end], ids[done : done + count])
            for column, values, origin in zip(columns, spans, (start, start, byte_at, byte_at), strict=True):
                column.extend(value + origin for value in values or ())
            byte_at += len(text[start:end].encode())
            at, done = end, done + count
        return Spans(*columns)

    def _pieces_of(self, text: str, segments: Iterable[Segment]) -> Iterator[tuple[int, int, int]]:
        """Start, end and number of tokens of every piece."""
        for start, end, special in segments:
            if special is not None:
                yield start, end, 1
                continue
            spans = [(start, end)]
            for cut in self._cuts:
                spans = [
                    (left + begin, left + finish)
                    for left, right in spans
                    for begin, finish in cut.spans(text[left:right])
                ]
            for left, right in spans:
                if left < right:
                    yield left, right, len(self._cache[text[left:right]]) // 4

    def _spans_of(self, text: str, ids: Sequence[int]) -> Spans:
        byte_bounds = [0, *accumulate(map(self._sizes.__getitem__, ids))]
        if text.isascii():
            return Spans(byte_bounds[:-1], byte_bounds[1:], byte_bounds[:-1], byte_bounds[1:])
        # A character is counted in the token that holds its first byte.
        bounds = [0, *accumulate(map(self._chars.__getitem__, ids))]
        starts = bounds[:-1]
        inside = self._inside
        for index, token in enumerate(ids):
            if inside[token]:
                starts[index] -= 1
        return Spans(starts, bounds[1:], byte_bounds[:-1], byte_bounds[1:])
