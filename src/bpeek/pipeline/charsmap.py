"""SentencePiece's precompiled character map, applied as ``tokenizers`` applies it.

The map is a double-array trie of byte strings and a table of replacements. The reference cuts text
in grapheme clusters and takes, for a short cluster, the replacement of the *shortest* prefix found.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

from ..errors import FormatError
from .aligned import Edit, follow
from .graphemes import clusters


class Charsmap:
    """The replacements of a map: ``find`` looks a string up."""

    def __init__(self, data: bytes) -> None:
        if len(data) < 4:
            raise FormatError("the character map is shorter than its own header", field="precompiled_charsmap")
        size = struct.unpack_from("<I", data)[0]
        if size > len(data) - 4:
            raise FormatError("the character map ends within its trie", field="precompiled_charsmap")
        self._units = struct.unpack_from(f"<{size // 4}I", data, 4)
        self._texts = data[4 + size :]
        self._found: dict[str, str | None] = {}

    def find(self, key: str) -> str | None:
        """The replacement for the shortest prefix of ``key`` that the trie holds."""
        if key not in self._found:
            if len(self._found) > 100_000:
                self._found.clear()
            self._found[key] = self._search(key.encode())
        return self._found[key]

    def _search(self, key: bytes) -> str | None:
        units = self._units
        if not units:
            return None
        node = _offset(units[0])
        for byte in key:
            if not byte:  # the trie's strings end in NUL, so none of them holds one
                return None
            node ^= byte
            if node >= len(units):
                return None
            unit = units[node]
            if unit & 0x800000FF != byte:
                return None
            node ^= _offset(unit)
            if unit >> 8 & 1:
                if node >= len(units):
                    return None
                return self._text(units[node] & 0x7FFFFFFF)
        return None

    def _text(self, at: int) -> str | None:
        end = self._texts.find(b"\0", at)
        try:
            return self._texts[at : end if end >= 0 else None].decode()
        except UnicodeDecodeError:
            return None


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


@lru_cache(maxsize=8)
def precompiled(charsmap: str) -> Edit:
    """The edit for a map in base 64."""
    try:
        find = Charsmap(base64.b64decode(charsmap, validate=True)).find
    except (binascii.Error, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"not base 64: {error}", field="precompiled_charsmap") from None

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        new, changes, modified = _replaced(text, find)
        if not modified:
            return None
        return "".join(new), follow(changes) if tracked else ()

    return edit


def _replaced(text: str, find: Callable[[str], str | None]) -> tuple[list[str], list[int], bool]:
    new: list[str] = []
    changes: list[int] = []
    modified = False
    for cluster in clusters(text):
        whole = find(cluster) if len(cluster.encode()) < 6 else None
        for part in cluster if whole is None else [cluster]:
            found = find(part) if whole is None else whole
            if found is None:
                new.append(part)
                changes.append(0)
                continue
            modified = True
            new += found
            changes += [0] * len(found)
            growth = len(found) - len(part)
            if growth > 0:
                changes[-growth:] = [1] * growth
            elif growth < 0 and changes:
                changes[-1] += growth
    return new, changes, modified
