"""Cleaned text to ids: cut at its seams, merged by score, remembered piece by piece."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from weakref import proxy

from ..bpe.scores import ByScore, merge_by_agenda, split_unused
from ..pipeline.borders import NOTHING, Meet, Pairs
from ..pipeline.seams import Seams
from ..pipeline.trie import Trie
from .cleaner import SPACE, one_of
from .packing import Bounded


class Symbols:
    """``known`` are the pieces that a symbol can be in the end, ``own`` those of the user, ``unused`` those
    that are only merged through. ``byte_ids`` are empty where unknown characters do not become bytes."""

    def __init__(
        self,
        known: Mapping[str, int],
        own: Mapping[str, int],
        unused: Mapping[str, int],
        scores: Mapping[str, float],
        unknown: int,
        byte_ids: list[int],
    ) -> None:
        self._known, self._unused, self._unknown, self._byte_ids = known, unused, unknown, byte_ids
        self._own, self._own_pieces = one_of(own), own
        self._rule = ByScore(scores)
        # How an unused piece is split depends on what was merged last anywhere in the text, so with
        # such pieces nothing can be cut or remembered. (No published model has any.)
        self._as_one = any(len(piece) > 1 for piece in unused)
        characters = None if byte_ids else {piece for piece in known if len(piece) == 1}
        self._seams = Seams((piece for piece in scores if piece not in own), characters)
        me: Symbols = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        self._trie_of_ids = Trie(self._seams, lambda part: me._part_ids(part))
        self._trie_of_widths = Trie(self._seams, lambda part: me._part_widths(part))
        self._ids_of = Bounded(lambda piece: _packed(piece, me._part_ids, me._trie_of_ids))
        self._widths_of = Bounded(lambda piece: _packed(piece, me._part_widths, me._trie_of_widths))

    def _tokens(self, symbols: Iterable[str]) -> tuple[list[int], list[int]]:
        """The ids of some symbols, and how many characters each token has. Bytes of an unknown
        character have none, but for the last; unknown neighbours are one token."""
        ids, widths = list[int](), list[int]()
        known, unknown, byte_ids = self._known.get, self._unknown, self._byte_ids
        for symbol in symbols:
            token = known(symbol, unknown)
            if token != unknown:
                ids.append(token)
                widths.append(len(symbol))
            elif byte_ids:
                data = symbol.encode()
                ids += [byte_ids[byte] for byte in data]
                widths += [0] * (len(data) - 1) + [1]
            elif ids and ids[-1] == unknown:
                widths[-1] += len(symbol)
            else:
                ids.append(unknown)
                widths.append(len(symbol))
        return ids, widths

    def _part_ids(self, part: str) -> bytes:
        symbols = self._rule.merge(part)
        try:
            return array("I", map(self._known.__getitem__, symbols)).tobytes()
        except KeyError:
            return array("I", self._tokens(symbols)[0]).tobytes()

    def _part_widths(self, part: str) -> bytes:
        return array("I", self._tokens(self._rule.merge(part))[1]).tobytes()

    @cached_property
    def meet(self) -> Meet:
        """What becomes of two neighbours: see ``pipeline.borders``. Nothing of one meets the other where no
        piece holds both."""
        inside = {piece[at : at + 2] for piece in self._own_pieces for at in range(len(piece) - 1)}
        as_one, apart = self._as_one, self._seams.apart  # and not `self`, which keeps the function: that were a cycle

        def meet(pair: str) -> Pairs | None:
            return NOTHING if not as_one and pair not in inside and apart(*pair) else None

        return meet

    def ids(self, text: str) -> bytes:
        """The ids of cleaned text, packed as native unsigned 32-bit integers."""
        return self._column(text, self._ids_of, 0)

    def widths(self, text: str) -> array[int]:
        """How many characters of the cleaned text each token has."""
        return array("I", self._column(text, self._widths_of, 1))

    def _column(self, text: str, cache: Bounded, column: int) -> bytes:
        if self._as_one:
            return array("I", self._tokens(self._symbols(text))[column]).tobytes()
        if self._own is None or self._own.search(text) is None:
            return b"".join(map(cache.__getitem__, self._seams.pieces(text)))
        packed: list[bytes] = []
        at = 0
        for match in self._own.finditer(text):
            packed += map(cache.__getitem__, self._seams.pieces(text[at : match.start()]))
            packed.append(array("I", self._tokens([match[0]])[column]).tobytes())
            at = match.end()
        packed += map(cache.__getitem__, self._seams.pieces(text[at:]))
        return b"".join(packed)

    def _symbols(self, text: str) -> list[str]:
        """The symbols of a whole text, if unused pieces must be split back as the reference does."""
        symbols, frozen, at = list[str](), list[bool](), 0
        for match in self._own.finditer(text) if self._own else ():
            symbols += [*text[at : match.start()], match[0]]
            frozen += [False] * (match.start() - at) + [True]
            at = match.end()
        symbols += text[at:]
        frozen += [False] * (len(text) - at)
        parts: dict[str, tuple[str, str]] = {}

        def found(joined: str, left: str, right: str) -> None:
            if joined in self._unused:
                parts[joined] = left, right

        return split_unused(merge_by_agenda(symbols, self._rule.rank_of, frozen, found), self._unused, parts)


def _packed(piece: str, pack: Callable[[str], bytes], trie: Trie) -> bytes:
    return pack(piece) if piece.lstrip(SPACE).isascii() else trie.pack(piece)  # words are cut nowhere
