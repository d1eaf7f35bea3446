"""A ``precompiled_charsmap``: SentencePiece's map from strings to replacements, in a double-array trie.

The file has ``size | units of a darts-clone trie | replacements, each ended by NUL``; the value of a
key is the place of its replacement. The trie is walked whole once, so that no damage shows up later.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property

from ..errors import FormatError

_START, _INSIDE = -1, 0  # a key begins; else, how many bytes of the character are still to come


class DoubleArray:
    """``longest`` finds the longest key at a place of a text.

    ``longest_text`` is how many characters the longest replacement has; ``singles`` are the characters that are keys,
    ``firsts`` those that begin longer keys, and ``seconds`` those that follow such a first one: elsewhere, ``longest``
    need not be asked.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) <= 4:
            raise _damaged("it is shorter than its own header", 0)
        size = struct.unpack_from("<I", data)[0]
        if not 0 < size < len(data) - 4 or size % 4:
            raise _damaged(f"its trie has {size:,} bytes, the whole map {len(data):,}", 0)
        if data[-1]:
            raise _damaged("its last replacement does not end", len(data) - 1)
        self._units = struct.unpack_from(f"<{size // 4}I", data, 4)
        self._texts = _Texts(data, 4 + size)
        self._children = _children(self._units)
        self._check()
        self.longest_text = max(map(len, self._texts.values()), default=0)
        roots = dict(self._characters(0))
        self.singles = {char for char, place in roots.items() if self._value(place) is not None}
        self.firsts = {char for char, place in roots.items() if self._children.get(self._base(place))}
        nodes = {self._base(place): place for char, place in roots.items() if char in self.firsts}
        self.seconds = {char for place in nodes.values() for char, _ in self._characters(place)}

    @cached_property
    def later(self) -> set[str]:
        """The characters that stand in a key anywhere but at its beginning."""
        found, seen = set[str](), set[int]()
        nodes = [place for _, place in self._characters(0)]
        while nodes:
            place = nodes.pop()
            base = self._base(place)
            after = dict(self._characters(place)) if base not in seen else {}
            seen.add(base)
            found.update(after)
            nodes += after.values()
        return found

    def longest(self, text: str, at: int) -> tuple[str, int] | None:
        """The replacement of the longest key that the text has at a place, and the key's length."""
        units, node, found = self._units, self._base(0), None
        for length, char in enumerate(text[at : at + _LONGEST], 1):
            for byte in char.encode():
                node ^= byte
                if not byte or node >= len(units) or units[node] & 0x8000_00FF != byte:
                    return found
                place, node = node, self._base(node)
            value = self._value(place)
            if value is not None:
                found = self._texts[value], length
        return found

    def shortest(self, text: str) -> str | None:
        """The replacement of the shortest key that a text begins with."""
        units, node = self._units, self._base(0)
        for char in text:
            for byte in char.encode():
                node ^= byte
                if not byte or node >= len(units) or units[node] & 0x8000_00FF != byte:
                    return None
                place, node = node, self._base(node)
            if (value := self._value(place)) is not None:
                return self._texts[value]
        return None

    def _base(self, place: int) -> int:
        unit: int = self._units[place]
        return place ^ (unit >> 10 << ((unit & 1 << 9) >> 6))

    def _value(self, place: int) -> int | None:
        return self._units[self._base(place)] & 0x7FFF_FFFF if self._units[place] >> 8 & 1 else None

    def _characters(self, place: int) -> Iterator[tuple[str, int]]:
        """The characters that may come after a node, and the nodes they lead to."""
        stack = [(place, b"")]
        while stack:
            place, head = stack.pop()
            for child in self._children.get(self._base(place), ()):
                part = head + bytes([self._units[child] & 0xFF])
                if len(part) < _size(part[0]):
                    stack.append((child, part))
                    continue
                try:
                    yield part.decode(), child
                except UnicodeDecodeError:
                    raise _damaged("a key is not UTF-8", 4 + 4 * child) from None

    def _check(self) -> None:
        """Every value lies in the file, and every key ends with a character. (Keys may share their tails.)"""
        seen = {(0, _START)}
        stack = [(0, _START)]
        while stack:
            place, left = stack.pop()
            byte = 4 + 4 * place
            if self._units[place] >> 8 & 1:
                base = self._base(place)
                if base >= len(self._units) or left != _INSIDE:
                    raise _damaged("a key ends outside the trie, within a character or before it begins", byte)
                self._texts[self._units[base] & 0x7FFF_FFFF]
            for child in self._children.get(self._base(place), ()):
                label = self._units[child] & 0xFF
                after = left - 1 if left > 0 else _size(label) - 1
                if (label & 0xC0 == 0x80) != (left > 0):
                    raise _damaged("a key is not UTF-8", 4 + 4 * child)
                if (child, after) not in seen:
                    seen.add((child, after))
                    stack.append((child, after))


LONGEST_TEXT = 256  # bytes of a replacement; in real maps it has at most 33
_LONGEST = 256  # characters of a key that are looked at; real maps have at most four


def _size(lead: int) -> int:
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


class _Texts(dict[int, str]):
    """Replacements by their place."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data, self._start = data, start

    def __missing__(self, place: int) -> str:
        start = self._start + place
        if start >= len(self._data):
            raise _damaged(f"a replacement lies {place:,} bytes after the trie, beyond the end", 0)
        end = self._data.index(b"\0", start)
        if end - start > LONGEST_TEXT:
            raise _damaged(f"a replacement has {end - start:,} bytes, more than {LONGEST_TEXT}", start)
        try:
            text = self[place] = self._data[start:end].decode()
        except UnicodeDecodeError as error:
            raise _damaged("a replacement is not UTF-8", start + error.start) from None
        return text


def _children(units: tuple[int, ...]) -> dict[int, list[int]]:
    """Child nodes by the base of their parent: a child lies at ``base ^ label`` and holds the label."""
    children: dict[int, list[int]] = {}
    for place, unit in enumerate(units):
        label = unit & 0x8000_00FF
        if 0 < label < 0x100:
            children.setdefault(place ^ label, []).append(place)
    return children


def _damaged(why: str, byte: int) -> FormatError:
    return FormatError(f"the character map is damaged: {why}", byte=byte, field="precompiled_charsmap")
