"""The parts of pieces, between borders that no token straddles: each is merged once, then met in one walk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container
from itertools import pairwise

# Characters of a part that is kept. Longer ones hardly ever come again, and each of their beginnings is kept, too.
LONGEST = 64
# Parts and beginnings of parts that are kept, 30 MB, and what may follow them; a megabyte of Chinese has 15,000.
MOST = 100_000
# So much may be lost to find out that cutting does not pay; in a new language the first parts are never known.
LUCK = 2_000


# Characters of which it is remembered; few texts have more.
MOST_CHARACTERS = 20_000


class Neighbours(dict[str, Container[str]]):
    """``neighbours["a"]`` are the characters that a piece is not cut before, behind an "a". Filled on demand."""

    def followers(self, left: str) -> Container[str]:
        """What is remembered for a character."""
        raise NotImplementedError

    def __missing__(self, left: str) -> Container[str]:
        if len(self) >= MOST_CHARACTERS:
            self.clear()
        followers = self[left] = self.followers(left)
        return followers

    def cut(self, piece: str) -> list[str]:
        """The piece, cut wherever it may be."""
        cuts = [at for at, (left, right) in enumerate(pairwise(piece), 1) if right not in self[left]]
        return [piece[start:end] for start, end in pairwise([0, *cuts, len(piece)])]


class _Part:
    __slots__ = ("followers", "longer", "packed", "text")

    def __init__(self, text: str, followers: Container[str]) -> None:
        self.text = text
        self.followers = followers  # the characters that make it longer
        self.longer: dict[str, _Part] = {}  # by such a character
        self.packed: bytes | None = None  # its ids, once they are asked for


class _TooLongError(Exception):
    """A part has more characters than are kept."""


class Trie:
    """Packs pieces part by part. ``pack`` gives the packed ids of a part, or of a piece, that is merged as a whole."""

    def __init__(self, neighbours: Neighbours, pack: Callable[[str], bytes]) -> None:
        self._neighbours, self._pack = neighbours, pack
        self._first: dict[str, _Part] = {}
        self._made = 0  # parts and beginnings of parts
        # Cutting pays where pieces fall into many parts, most of them known; not where a vocabulary knows a script
        # well, as Russian: there a piece is one part or two, and all their beginnings have to be made. Counted for
        # each 128 code points.
        self._luck: defaultdict[int, int] = defaultdict(lambda: LUCK)

    def pack(self, piece: str) -> bytes:
        """The packed ids of a piece."""
        script = ord(piece[-1]) >> 7
        luck = self._luck[script]
        if luck < 0:
            return self._pack(piece)
        before = self._made
        parts = self.walk(piece)
        self._luck[script] = min(luck + 2 * len(parts) - 1 - (self._made - before), LUCK)
        return b"".join(parts)

    def walk(self, piece: str) -> list[bytes]:
        """The packed ids of each part. (On unseen Chinese in 0.4 of the time of cutting, then looking parts up.)"""
        packed = list[bytes]()
        first = self._first
        try:
            char = piece[0]
            part = first.get(char) or self._keep(first, char, char)
            for char in piece[1:]:
                if char in part.followers:
                    part = part.longer.get(char) or self._keep(part.longer, char, part.text + char)
                else:
                    packed.append(part.packed or self._merge(part))
                    part = first.get(char) or self._keep(first, char, char)
        except _TooLongError:
            return list(map(self._pack, self._neighbours.cut(piece)))
        packed.append(part.packed or self._merge(part))
        return packed

    def _merge(self, part: _Part) -> bytes:
        part.packed = packed = self._pack(part.text)
        return packed

    def _keep(self, among: dict[str, _Part], char: str, text: str) -> _Part:
        if len(text) > LONGEST:
            raise _TooLongError
        self._made += 1
        if self._made % MOST == 0:
            self._first.clear()
        part = among[char] = _Part(text, self._neighbours[char])
        return part
