"""From a piece of text to its ids, packed as native unsigned 32-bit integers, and remembered.

Most pieces of a text are remembered; half the time on text that is new goes into those that are not.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import cached_property
from struct import Struct
from typing import Protocol

from ..kernel import Kernel
from ..pipeline.trie import Trie
from .joins import Joins

# What is kept: two generations of so many characters, each piece counting as 8 more: 120,000 words, 40 MB at most on
# real text. With an eighth of it, a text in seven languages is encoded at 0.7 times the speed.
GENERATION = 1_700_000
# Characters of a piece that is kept: rulers of 70 stars, merged again each time, took a third of a German book's time.
LONGEST_CACHED = 1_000
# Bytes merged uncut before the table of cuts is made: what cutting them would have saved is what the table costs.
PATIENCE = 50_000

_PACKERS = [Struct(f"={size}I").pack for size in range(17)]


def pack(ids: list[int]) -> bytes:
    size = len(ids)
    return _PACKERS[size](*ids) if size < 17 else array("I", ids).tobytes()


class Bounded(dict[str, bytes]):
    """Text to packed ids, filled on demand. When full it becomes the old generation, whose entries
    move back when they are asked for."""

    def __init__(self, pack: Callable[[str], bytes]) -> None:
        self._pack = pack
        self._old: dict[str, bytes] = {}
        self._room = GENERATION

    def __missing__(self, text: str) -> bytes:
        packed = self._old.get(text)
        if packed is None:
            packed = self._pack(text)
            if len(text) > LONGEST_CACHED:
                return packed
        self._room -= len(text) + 8
        if self._room < 0:
            self._old = self.copy()
            self.clear()
            self._room = GENERATION
        self[text] = packed
        return packed


class Merging(Protocol):
    """How the bytes of a piece become ids."""

    def whole(self, piece: bytes) -> int | None:
        """The token that the whole piece is without merging, if the model looks for one."""

    def merge(self, piece: bytes) -> list[int]:
        """The ids that merging from single bytes gives."""

    def token_bytes(self, token_id: int) -> bytes: ...

    def joined_tokens(self) -> bytes:
        """The bytes of all tokens, with ``joins.SEPARATOR`` between them."""

    def compile(self, kernel: Kernel) -> bool:
        """Write the tokens and what merges into the kernel's tables; ``False`` if they cannot tell it."""


class Packing:
    """How a model's pieces are packed."""

    def __init__(self, model: Merging) -> None:
        self._model = model
        self._whole, self._merge = model.whole, model.merge
        self._patience = PATIENCE

    def pack(self, piece: str) -> bytes:
        data = piece.encode()
        token = self._whole(data)
        if token is not None:
            return _PACKERS[1](token)
        if len(data) - len(piece) < 2 or self._waits(data):
            return pack(self._merge(data))
        # A part that is a token need not be one that merging reaches, so `whole` is not asked.
        return self._trie.pack(piece)

    def _waits(self, data: bytes) -> bool:
        """Pieces beyond ASCII are best cut before they are merged: on unseen text, Chinese is 3 times as fast and
        Arabic 2 times. But the table for it takes 15-100 ms: a first text of 30,000 Chinese characters would take 3
        times as long with it as without."""
        self._patience -= len(data)
        return self._patience > 0

    @cached_property
    def _trie(self) -> Trie:
        merge = self._merge  # through `self` would be a cycle; but a vocabulary that is dropped is to be freed at once
        return Trie(Joins(self._model.joined_tokens()), lambda part: pack(merge(part.encode())))
