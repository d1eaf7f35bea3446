"""The byte-pair model of ``tokenizer.json``, for one piece of text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain, pairwise
from random import Random
from typing import NamedTuple, cast
from weakref import proxy

from ..bpe import NEVER, ByPair
from ..errors import UnknownTokenError
from ..kernel import Kernel
from ..kernel.tables import by_pair_of_characters
from ..lookup import looked_up
from ..spec import Merges, Model
from .seams import SPACE, Seams
from .trie import Trie
from .widths import Widths

CACHED = 100_000  # pieces
LONG = 12  # characters: such a piece is cut into parts, if that is possible
LONGEST_CACHED = 64  # characters
FIRST = 64  # tokens of the vocabulary for each character that is encoded before tables for long texts are made
LONGEST_WORD = 12  # characters: most words have fewer, and are not looked through for seams


class Piece(NamedTuple):
    """The tokens of a piece, and where each begins and ends in it, in characters.

    Negative numbers are the reference's own: ``~n`` is byte n, for tokens that claim to reach past the piece's end.
    """

    ids: list[int]
    begins: list[int]
    ends: list[int]


class Parts(dict[str, bytes]):
    """Part of a long piece -> its ids, packed as native unsigned 32-bit integers; filled on demand. ``pack`` does so
    without remembering."""

    def __init__(self, seams: Seams, merged: Callable[[str], list[int]]) -> None:
        def merge(part: str) -> bytes:
            return array("I", merged(part)).tobytes()

        self.seams, self._merge = seams, merge
        self._trie = Trie(seams, merge)

    def __missing__(self, part: str) -> bytes:
        packed = self.pack(part)
        if len(part) <= LONGEST_CACHED:
            if len(self) >= CACHED:
                self.clear()
            self[part] = packed
        return packed

    def pack(self, part: str) -> bytes:
        if not part.lstrip(SPACE).isascii():
            return self._trie.pack(part)
        if len(part) > LONGEST_WORD and len(inner := self.seams.cut(part)) > 1:
            return b"".join(map(self.__getitem__, inner))
        return self._merge(part)


class PieceModel:
    """Encodes pieces. ``random`` decides which merges ``dropout`` leaves out."""

    def __init__(self, model: Model, random: Random | None = None) -> None:
        self.vocab = cast("Mapping[str, int]", model.vocab)
        merges = model.merges
        named = merges.names if isinstance(merges, Merges) else dict(zip(self.vocab.values(), self.vocab, strict=True))
        self.names: Mapping[int, str] = named
        self._model, self._random = model, random or Random()
        self._whole = model.ignore_merges and not model.dropout
        self.has_affixes = bool(model.continuing_subword_prefix or model.end_of_word_suffix)
        self._bytes = [self.vocab.get(f"<0x{byte:02X}>") for byte in range(256)]
        self._all_bytes = model.byte_fallback and None not in self._bytes
        self.byte_ids = cast("Sequence[int]", self._bytes if self._all_bytes else ())  # of all bytes, or none
        self._cache: dict[str, Piece] = {}
        self._waiting = len(self.vocab) // FIRST  # characters

    def compile(self, kernel: Kernel, limit: int) -> bool:
        """Write the tokens and what merges into the kernel's tables; ids are below ``limit``, or the vocabulary's.
        ``False`` if they cannot tell it."""
        model = self._model
        if model.dropout or self.has_affixes or len(self.names) != len(self.vocab):
            return False
        if self.byte_ids and not self._may_be_in_parts:  # it finds what merges by its text, and that is not in the text
            return False
        limit = max(limit, *self.vocab.values(), 0) + 1
        return by_pair_of_characters(kernel, model, limit, self.byte_ids, self._may_be_in_parts)

    def waits(self, size: int) -> bool:
        """Are ``size`` more characters too few to make tables for long texts? (Gemma's take 0.4 s.)"""
        self._waiting -= size
        return self._waiting >= 0

    @cached_property
    def rule(self) -> ByPair:
        """The merges; built when a piece first needs merging."""
        return _rule(self._model)

    def encode(self, piece: str) -> Piece:
        """The tokens of one piece.

        >>> vocab = {"a": 0, "b": 1, "ab": 2, "<unk>": 3}
        >>> PieceModel(Model("by_pair", vocab, (("a", "b"),), unk_token="<unk>")).encode("ab!")
        Piece(ids=[2, 3], begins=[0, 2], ends=[2, 3])
        """
        if self._may_be_cut(piece):
            return self._encode_in_parts(piece)
        found = self._cache.get(piece)
        if found is None:
            found = self._encode(piece)
            if len(piece) <= LONGEST_CACHED and not self._model.dropout:
                if len(self._cache) >= CACHED:
                    self._cache.clear()
                self._cache[piece] = found
        return found

    def pack(self, piece: str) -> bytes:
        """The ids of one piece as native unsigned 32-bit integers."""
        if self._may_be_cut(piece):
            return self._pack_in_parts(piece)
        return array("I", self.encode(piece).ids).tobytes()

    # --- long pieces, cut where no merge crosses -----------------------------------------------------------

    @cached_property
    def _may_be_in_parts(self) -> bool:
        """Does no merge take or make what stands for a byte or for unknown characters? Their places are as fixed, then,
        as those of characters."""
        model = self._model
        if model.dropout or self.has_affixes or not isinstance(merges := model.merges, Merges):
            return False
        apart = {*self._bytes, self.vocab.get(model.unk_token or "")}
        names = {self.names[id] for id in apart if id is not None}
        if not apart.isdisjoint(merges.made):
            return False
        # Only what is made of such a name has it inside: to look there takes a tenth of the time of asking all merges.
        found = re.findall("|".join(map(re.escape, names)) or "(?!)", "\n".join(self.vocab))
        return len(found) == len(names) or names.isdisjoint(chain.from_iterable(merges))

    @cached_property
    def parts(self) -> Parts | None:
        """Parts of long pieces and their ids, or ``None`` if a piece must be merged as a whole."""
        if not self._may_be_in_parts:
            return None
        made = [self.names[id] for id in set(cast(Merges, self._model.merges).made)]
        me: PieceModel = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        return Parts(Seams(made, None), lambda part: me._merged(part))

    @cached_property
    def widths(self) -> Widths:
        return Widths(self.names, self.byte_ids)

    @cached_property
    def _chars(self) -> frozenset[str]:
        return frozenset(token for token in self.vocab if len(token) == 1)

    def _may_be_cut(self, piece: str) -> bool:
        if len(piece) < LONG or self.waits(len(piece)) or not self._may_be_in_parts:
            return False
        if self._whole and piece in self.vocab:
            return False
        # Unknown characters that have no bytes either are dropped or wait: they are no fixed places.
        return self._all_bytes or self._chars.issuperset(piece)

    @cached_property
    def cuts_everything(self) -> bool:
        """May any text at all be cut into parts?"""
        return self._all_bytes and not self._whole and self._may_be_in_parts

    def apart(self, pair: str) -> bool:
        """Does no merge ever cross the border between these two characters, in whatever piece?"""
        if self._whole or self.parts is None or not (self._all_bytes or self._chars.issuperset(pair)):
            return False
        if not self._all_bytes and self._model.unk_token is None:
            return False  # unknown characters are dropped, and the spans of all that follows in the piece move
        return self.parts.seams.apart(*pair)

    def _pack_in_parts(self, piece: str) -> bytes:
        parts = cast(Parts, self.parts)
        return b"".join(looked_up(parts, parts.seams.pieces(piece)))

    def _encode_in_parts(self, piece: str) -> Piece:
        ids = array("I", self._pack_in_parts(piece)).tolist()
        return Piece(ids, *self.widths.spans(ids))

    def _merged(self, part: str) -> list[int]:
        vocab = self.vocab
        try:
            return self.rule.merge([vocab[char] for char in part])
        except KeyError:
            return self.rule.merge(self.symbols(part)[0])

    # --- one piece -----------------------------------------------------------------------------------------

    def _encode(self, piece: str) -> Piece:
        vocab = self.vocab
        if self._whole and piece in vocab:
            return Piece([vocab[piece]], [0], [len(piece)])
        if not self.has_affixes:
            try:
                ids = [vocab[char] for char in piece]
            except KeyError:
                pass
            else:
                merged, starts = self._merge(ids)
                return Piece(merged, starts, [*starts[1:], len(piece)])
        ids, sizes = self.symbols(piece)
        merged, starts = self._merge(ids)
        return Piece(merged, *_in_chars(piece, starts, sizes))

    def symbols(self, piece: str) -> tuple[list[int], list[int]]:
        """The start symbols and how many bytes of the piece each stands for.

        An unknown character waits until a known one follows; bytes that stand for a character of their
        own do not end its wait, so it may come after them. Such is the reference.
        """
        model, vocab = self._model, self.vocab
        ids: list[int] = []
        sizes: list[int] = []
        unknown = 0  # bytes waiting
        last = len(piece) - 1
        for index, char in enumerate(piece):
            key = char if index == 0 else model.continuing_subword_prefix + char
            if index == last:
                key += model.end_of_word_suffix
            id, size = vocab.get(key), len(char.encode())
            if id is not None:
                if unknown:
                    ids.append(self._unknown())
                    sizes.append(unknown)
                    unknown = 0
                ids.append(id)
                sizes.append(size)
                continue
            if model.byte_fallback:
                of_bytes = [self._bytes[byte] for byte in key.encode()]
                if None not in of_bytes:
                    ids += cast("list[int]", of_bytes)
                    sizes += [1] * len(of_bytes)
                    continue
            if model.unk_token is not None:
                if unknown and not model.fuse_unk:
                    ids.append(self._unknown())
                    sizes.append(unknown)
                    unknown = 0
                unknown += size
                self._unknown()
        if unknown:
            ids.append(self._unknown())
            sizes.append(unknown)
        return ids, sizes

    def _unknown(self) -> int:
        token = cast("str", self._model.unk_token)
        try:
            return self.vocab[token]
        except KeyError:
            message = f"the text has a character that is no token, and unk_token {token!r} is not in the vocabulary"
            raise UnknownTokenError(message, token) from None

    def _merge(self, ids: list[int]) -> tuple[list[int], list[int]]:
        if self._model.dropout:
            return merge_with_dropout(ids, self.rule, self._model.dropout, self._random)
        return self.rule.merge_with_starts(ids)


def _rule(model: Model) -> ByPair:
    vocab = cast("Mapping[str, int]", model.vocab)
    id_of = vocab.__getitem__
    if isinstance(merges := model.merges, Merges):
        listed = Listed(merges, vocab)
        if listed.ordered:
            return ByPair(merges.made, listed.rank)
        parts = [
            (token[:cut], token[cut:])
            for token, cut in zip(looked_up(merges.names, merges.made), merges.cuts, strict=True)
        ]
        return ByPair.of([(id_of(left), id_of(right)) for left, right in parts], merges.made)
    prefix = len(model.continuing_subword_prefix.encode())
    pairs = [(id_of(left), id_of(right)) for left, right in model.merges]
    return ByPair.of(pairs, [id_of(left + right.encode()[prefix:].decode()) for left, right in model.merges])


class Listed:
    """The ranks of merges, found in their list: by bisection, for the tokens that they make come in the order of ids.

    So it is in all known files but for the first 1,396 merges of Gemma, which are of white space; ``first`` is a table
    of some more. ``ordered`` tells whether it is so.

    >>> vocab = {"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4, "abc": 5}
    >>> merges = Merges({id: token for token, id in vocab.items()}, [4, 3, 5, 5], array("I", [1, 1, 1, 2]))
    >>> listed = Listed(merges, vocab, n_first=2)
    >>> [listed.rank(*pair) for pair in ((1, 2), (0, 1), (0, 3), (4, 2))], listed.rank(0, 2) == NEVER
    ([1, 0, 2, 3], True)
    """

    def __init__(self, merges: Merges, vocab: Mapping[str, int], n_first: int = 4_000) -> None:
        self._names, self._made, self._cuts, self._id_of = merges.names, merges.made, merges.cuts, vocab.get
        self._first = {(id, cut): rank for rank, id, cut in zip(range(n_first), self._made, self._cuts, strict=False)}
        self._start = n_first
        rest = self._made[n_first:]
        self.ordered = rest == sorted(rest)

    def rank(self, left: int, right: int) -> int:
        """The last rank of a pair."""
        start, made, names = self._start, self._made, self._names
        cut = len(names[left])
        token = self._id_of(names[left] + names[right])
        if token is None:
            return NEVER
        rank = bisect_right(made, token, start) - 1 if start < len(made) else -1
        while rank >= start and made[rank] == token:
            if self._cuts[rank] == cut:
                return rank
            rank -= 1
        return self._first.get((token, cut), NEVER)


def _in_chars(piece: str, starts: Sequence[int], sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Spans of merged tokens in characters, from the sizes of their start symbols in bytes."""
    bounds = [0, *accumulate(sizes)]
    char_at = [index for index, char in enumerate(piece) for _ in char.encode()]
    begins, ends = [], []
    for start, end in pairwise([*starts, len(sizes)]):
        begin, finish = bounds[start], bounds[end]
        if finish > len(char_at):
            begins.append(~begin)
            ends.append(~finish)
        else:
            begins.append(char_at[begin])
            ends.append(char_at[finish - 1] + 1)
    return begins, ends


def merge_with_dropout(ids: list[int], rule: ByPair, dropout: float, random: Random) -> tuple[list[int], list[int]]:
    """Merge, but pass over each candidate with a probability of ``dropout``; the next real merge brings it back."""
    ids, after = list(ids), [*range(1, len(ids)), -1][: len(ids)]
    before = list(range(-1, len(ids) - 1))
    queue = [(rank, at) for at, pair in enumerate(pairwise(ids)) if (rank := rule.rank(*pair)) != NEVER]
    heapify(queue)
    passed: list[tuple[int, int]] = []
    alive = [True] * len(ids)
    while queue:
        rank, at = heappop(queue)
        if random.random() < dropout:
            passed.append((rank, at))
            continue
        for item in passed:
            heappush(queue, item)
        passed.clear()
        right = after[at]
        if not alive[at] or right < 0 or rule.rank(ids[at], ids[right]) != rank:
            continue
        ids[at], alive[right], after[at] = rule.merged(rank), False, after[right]
        if after[at] >= 0:
            before[after[at]] = at
        for left in (before[at], at):
            if left >= 0 and after[left] >= 0 and (new := rule.rank(ids[left], ids[after[left]])) != NEVER:
                heappush(queue, (new, left))
    starts = [at for at, here in enumerate(alive) if here]
    return [ids[at] for at in starts], starts
