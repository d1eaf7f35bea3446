"""Which tokens a text can be encoded to. What is said of a token is found by encoding its own text, and that in
the company of others."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Literal, NamedTuple

Reason = Literal[
    "keeps a place",
    "not UTF-8",
    "no merge path",
    "shadowed by an added token",
    "changed by normalization",
    "cut by the pattern",
    "its character is a token",
    "other",
]

# Neighbours of every kind that patterns tell apart, and the letters of contractions.
NEIGHBOURS = ["", " ", "a", "A", "!", "\n", "1", "☃", "'", "漢", "\u0301", "\t", "/", *"smdtlvreb", "ſ", "\u0e01"]
MOST_ENCODINGS = 40_000  # in search of a text for tokens that their own text does not give


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A token that its own text is not encoded to, nor any text that was tried around it.

    ``proved``: no text at all is. ``ids`` are what its own text is encoded to.
    """

    id: int
    token: str
    reason: Reason
    detail: str
    proved: bool
    ids: tuple[int, ...]


@dataclass(slots=True)
class Reach:
    """What was found out about all tokens; ids ascend."""

    unreachable: list[Unreachable] = field(default_factory=list)
    only_whole: list[int] = field(default_factory=list)
    only_in_context: list[tuple[int, str]] = field(default_factory=list)
    partial: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token of the model. ``texts`` are ways to write it by itself; none if its bytes are no text.

    ``made``: merging its own symbols gives it. ``piece``: its text comes to the model as it is.
    """

    id: int
    token: str
    data: bytes
    texts: tuple[str, ...]
    made: bool
    piece: bool


class Why(NamedTuple):
    """What keeps a text from being one piece; ``proved``: and from being part of any piece."""

    reason: Reason
    detail: str
    proved: bool = False


Encode = Callable[[str], Sequence[int]]
EMPTY = Why("keeps a place", "it is empty", True)
NO_PATH = Why("no merge path", "its own symbols do not merge into it, so no text's do", True)
NOT_UTF8 = Why("not UTF-8", "no text in UTF-8 has these bytes", True)


def reach(
    tokens: Iterable[Candidate], encode: Encode, looks_whole: bool, sure: bool, why: Callable[[str], Why]
) -> Reach:
    """``looks_whole``: whole pieces are looked up before merging. ``sure``: only a token's own symbols can merge
    into it."""
    no_path = NO_PATH._replace(proved=sure)
    found, doubtful = Reach(), list[Candidate]()
    for token in tokens:
        if not token.data:
            found.unreachable.append(_never(token, EMPTY))
        elif not token.texts:
            found.partial.append(token.id)
            if not fits_utf8(token.data) or not token.made:
                found.unreachable.append(_never(token, no_path if fits_utf8(token.data) else NOT_UTF8))
        elif not (token.made and token.piece) and not any(token.id in encode(text) for text in token.texts):
            doubtful.append(token)
        elif not token.made:
            found.only_whole.append(token.id)
    most = max(len(NEIGHBOURS) * 2, MOST_ENCODINGS // max(len(doubtful), 1))
    for token in doubtful:
        text = token.texts[0]
        reason = no_path if not token.made and not looks_whole else why(text)
        if not reason.proved and (context := _giving(token.id, islice(_contexts(text), most), encode)) is not None:
            found.only_in_context.append((token.id, context))
        else:
            found.unreachable.append(_never(token, reason, encode(text)))
    return found


def _never(token: Candidate, why: Why, ids: Sequence[int] = ()) -> Unreachable:
    return Unreachable(token.id, token.token, *why, tuple(ids))


def _giving(token: int, texts: Iterable[str], encode: Encode) -> str | None:
    """The first text that is encoded to a token, perhaps among others."""
    return next((text for text in texts if token in encode(text)), None)


def _contexts(text: str) -> Iterator[str]:
    """One neighbour, then one on each side, then two."""
    one = sorted(product(NEIGHBOURS, repeat=2), key=lambda pair: (all(pair), sum(map(NEIGHBOURS.index, pair))))
    for before, after in one:
        yield before + text + after
    for before, after in product(NEIGHBOURS, repeat=2):
        for more in NEIGHBOURS[1:]:
            yield before + text + after + more


def fits_utf8(data: bytes) -> bool:
    """May these bytes stand in a text?

    >>> fits_utf8(b"\\x9f\\x98a\\xf0\\x9f"), fits_utf8(b"\\xc0"), fits_utf8(b"\\xed\\xa0"), fits_utf8(b"\\x80" * 4)
    (True, False, False, False)
    """
    start = next((at for at, byte in enumerate(data) if not 0x80 <= byte < 0xC0), len(data))
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(data[start:])
    except UnicodeDecodeError:
        return False
    begun = decoder.getstate()[0]  # of a last character that is not complete
    return start <= 3 and _can_end(begun)


def _can_end(begun: bytes) -> bool:
    """Is there a character that begins so?"""
    if not begun:
        return True
    missing = (2 if begun[0] < 0xE0 else 3 if begun[0] < 0xF0 else 4) - len(begun)
    ends = (bytes([byte]) + b"\x80" * (missing - 1) for byte in (0x80, 0x90, 0xA0))
    return any((begun + end).decode("utf-8", "ignore") for end in ends)


def byte_tokens(ids: Mapping[int, int], encode: Encode) -> dict[int, str]:
    """For each byte whose token some character is encoded to: such a character. ``ids`` are by byte.

    >>> byte_tokens({0x41: 1, 0xC3: 2}, lambda char: {"A": [7], "é": [2, 3]}.get(char, []))
    {195: 'é'}
    """
    found = {byte: _giving(token, _with_byte(byte), encode) for byte, token in ids.items()}
    return {byte: char for byte, char in found.items() if char is not None}


def _with_byte(byte: int) -> Iterator[str]:
    """Characters that have a byte in UTF-8: all, if it begins those of one or two bytes, else some."""
    if byte < 0x80:
        codes: Sequence[int] = [byte]
    elif byte < 0xC0:
        codes = [first + (byte & 0x3F) for first in (0xE000, 0x100000, 0x80, 0x180, 0x380, 0x1400, 0xA000, 0x20000)]
    elif byte < 0xE0:
        codes = range((byte & 0x1F) << 6, ((byte & 0x1F) + 1) << 6)
    elif byte < 0xF0:
        codes = range((byte & 0x0F) << 12, ((byte & 0x0F) + 1) << 12, 17)
    else:
        codes = range((byte & 0x07) << 18, min(((byte & 0x07) + 1) << 18, 0x110000), 1021)
    for code in codes:
        if code < 0x110000 and not 0xD800 <= code < 0xE000 and byte in chr(code).encode():
            yield chr(code)
