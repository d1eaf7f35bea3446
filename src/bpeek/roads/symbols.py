"""Cleaned text to ids: cut at its seams, merged by score, remembered piece by piece."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from weakref import proxy

from ..bpe.scores import ByScore, merge_by_agenda, split_unused
from ..encoding import Spans
from ..kernel import NEVER, Kernel, Marks, OnDemand, Unit
from ..kernel.tables import by_score
from ..lookup import looked_up
from ..pipeline.borders import NOTHING, Meet, Pairs
from ..pipeline.seams import Seams
from ..pipeline.trie import Trie
from ..pipeline.widths import Widths
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
        self._scores, self._rule = scores, ByScore(scores)
        # How an unused piece is split depends on what was merged last anywhere in the text, so with
        # such pieces nothing can be cut or remembered. (No published model has any.)
        self._as_one = any(len(piece) > 1 for piece in unused)
        characters = None if byte_ids else {piece for piece in known if len(piece) == 1}
        self._seams = Seams((piece for piece in scores if piece not in own), characters)
        me: Symbols = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        self._trie = Trie(self._seams, lambda part: me._part_ids(part))
        self._ids_of = Bounded(lambda piece: me._packed(piece))

        self.kernel = OnDemand(lambda kernel: me._compile(kernel))

    def _compile(self, kernel: Kernel) -> bool:
        if self._as_one:
            return False
        return by_score(kernel, self._known, self._scores, self._unknown, self._byte_ids)

    @cached_property
    def _widths(self) -> Widths:
        return Widths({token: piece for piece, token in self._known.items()}, self._byte_ids)

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
            return array("I", [self._known[symbol] for symbol in symbols]).tobytes()
        except KeyError:
            return array("I", self._tokens(symbols)[0]).tobytes()

    def _packed(self, piece: str) -> bytes:
        own = self._own_pieces.get(piece)
        if own is not None:
            return array("I", [own]).tobytes()
        # Words are cut nowhere.
        return self._part_ids(piece) if piece.lstrip(SPACE).isascii() else self._trie.pack(piece)

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
        if self._as_one:
            return array("I", self._tokens(self._symbols(text))[0]).tobytes()
        kernel = self.kernel(len(text))
        if kernel is not None and (found := kernel.encode(text, self._marks(text))) is not None:
            return found.tobytes()
        return b"".join(looked_up(self._ids_of, self._pieces(text)))

    def ends(self, text: str, ids: list[int]) -> Sequence[int]:
        """Where each token of cleaned text ends in it: of those that are bytes of a character, the last one has it."""
        if self._byte_ids or self._unknown not in ids:
            kernel = self.kernel(len(text))
            if kernel is not None:
                return kernel.spans(text, array("I", ids), "code points", at_end=True)[1]
            return list(accumulate(self._widths.at_ends(ids)))
        if self._as_one:
            return list(accumulate(self._tokens(self._symbols(text))[1]))
        return list(accumulate(chain.from_iterable(map(self._widths_of_unknown, self._pieces(text)))))

    def spans(self, text: str, ids: list[int], unit: Unit, prefix: int) -> Spans | None:
        """Spans, but for ``prefix`` characters that are not counted; ``None`` without a kernel, or with unknown tokens,
        whose ids do not tell where they end."""
        kernel = self.kernel(len(text))
        if kernel is None or (not self._byte_ids and self._unknown in ids):
            return None
        return Spans(*kernel.spans(text, array("I", ids), unit, prefix, at_end=True))

    def _marks(self, text: str) -> Marks | None:
        """The user's own pieces, and what lies between them."""
        if self._own is None or self._own.search(text) is None:
            return None
        ends, ids, at = list[int](), list[int](), 0
        for match in self._own.finditer(text):
            if at < match.start():
                ends.append(match.start())
                ids.append(NEVER)
            ends.append(at := match.end())
            ids.append(self._own_pieces[match[0]])
        return Marks([*ends, len(text)], [*ids, NEVER]) if at < len(text) else Marks(ends, ids)

    def _widths_of_unknown(self, piece: str) -> list[int]:
        """The widths of a piece's tokens, for an unknown one's id does not tell it."""
        ids = array("I", self._ids_of[piece]).tolist()
        if self._unknown in ids:
            return self._tokens([piece] if piece in self._own_pieces else self._rule.merge(piece))[1]
        return self._widths.at_ends(ids)

    def _pieces(self, text: str) -> list[str]:
        """The text cut at seams and at the user's own pieces."""
        if self._own is None or self._own.search(text) is None:
            return self._seams.pieces(text)
        pieces, at = list[str](), 0
        for match in self._own.finditer(text):
            pieces += [*self._seams.pieces(text[at : match.start()]), match[0]]
            at = match.end()
        return pieces + self._seams.pieces(text[at:])

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
