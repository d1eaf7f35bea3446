"""The road of SentencePiece BPE models: clean the text, cut it at its seams, merge by score."""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple, cast

from ..bpe.scores import ByScore, merge_by_agenda, split_unused
from ..encoding import Encoding, Spans
from ..errors import BpeekError, UnknownTokenError
from ..spec import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, SentencePiece, Spec
from .cleaner import SPACE, Cleaner, one_of
from .direct import Bounded
from .seams import Seams


class _Stretch(NamedTuple):
    """Text between special tokens, cleaned; or a special token."""

    start: int
    end: int
    special: int | None
    text: str = ""
    places: Sequence[int] = ()  # of each cleaned character and of the end, from ``start``


class Scored:
    def __init__(self, spec: Spec) -> None:
        model = spec.model
        facts = cast(SentencePiece, model.sentencepiece)
        self.id_of = cast("Mapping[str | bytes, int]", model.vocab)
        self._pieces = cast("list[str]", list(model.vocab))
        self._types, self._unk_surface = facts.types, facts.unk_surface
        of_type: dict[int, dict[str, int]] = {kind: {} for kind in range(NORMAL, BYTE + 1)}
        for token, (piece, kind) in enumerate(zip(self._pieces, facts.types, strict=True)):
            of_type[kind][piece] = token
        self._unknown = next(iter(of_type[UNKNOWN].values()))
        self._byte_ids = [of_type[BYTE][f"<0x{byte:02X}>"] for byte in range(256)] if model.byte_fallback else []
        self._byte_of = {token: byte for byte, token in enumerate(self._byte_ids)}
        self._known = of_type[NORMAL] | of_type[USER_DEFINED]  # what a symbol can be in the end
        self._controls = of_type[CONTROL] | of_type[UNKNOWN]
        self.special_contents = frozenset(self._controls)

        own = of_type[USER_DEFINED]
        self._own = one_of(own)
        self._cleaner = Cleaner(facts.normalizer, own, facts.treat_whitespace_as_suffix)
        self._finish = Cleaner(facts.denormalizer).text if facts.denormalizer else None
        cleaning = facts.normalizer
        self._drops_space = cleaning.add_dummy_prefix or cleaning.remove_extra_whitespaces
        self._drops_spaces = cleaning.remove_extra_whitespaces

        self._unused = of_type[UNUSED]
        mergeable = {piece: facts.scores[token] for piece, token in (self._known | self._unused).items()}
        self._rule = ByScore(mergeable)
        # How an unused piece is split depends on what was merged last anywhere in the text, so with
        # such pieces nothing can be cut or remembered. (No published model has any.)
        self._as_one = any(len(piece) > 1 for piece in self._unused)
        known = None if model.byte_fallback else {piece for piece in self._known if len(piece) == 1}
        self._seams = Seams((piece for piece in mergeable if piece not in own), known)
        self._ids_of_part = Bounded(self._part_ids)
        self._widths_of_part = Bounded(self._part_widths)
        self._ids_of = Bounded(lambda piece: self._packed(piece, self._part_ids, self._ids_of_part))
        self._widths_of = Bounded(lambda piece: self._packed(piece, self._part_widths, self._widths_of_part))

    # From cleaned text to ids and widths

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

    def _packed(self, piece: str, pack: Callable[[str], bytes], parts: Bounded) -> bytes:
        if piece.lstrip(SPACE).isascii():  # words are cut nowhere
            return pack(piece)
        return b"".join([parts[part] for part in self._seams.cut(piece)])

    def _column(self, text: str, cache: Bounded, column: int) -> bytes:
        """Ids (column 0) or widths (1) of cleaned text, packed."""
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

    # What Tokenizer asks for

    def recognised(self, add_special_tokens: bool) -> frozenset[str]:
        """None: SentencePiece takes ``<s>`` in a text for text."""
        return frozenset()

    def _stretches(self, text: str, allowed: frozenset[str], tracked: bool) -> Iterator[_Stretch]:
        """The text cut at special tokens; what lies between them is cleaned as a text of its own."""
        at, found = 0, one_of(allowed)
        for match in found.finditer(text) if found else ():
            if at < match.start():
                yield _Stretch(at, match.start(), None, *self._cleaner.clean(text[at : match.start()], tracked=tracked))
            at = match.end()
            yield _Stretch(match.start(), at, self._controls[match[0]])
        if at < len(text):
            yield _Stretch(at, len(text), None, *self._cleaner.clean(text[at:], tracked=tracked))

    def ids(self, text: str, allowed: frozenset[str]) -> array[int]:
        ids = array("I")
        for stretch in self._stretches(text, allowed, tracked=False):
            if stretch.special is None:
                ids.frombytes(self._column(stretch.text, self._ids_of, 0))
            else:
                ids.append(stretch.special)
        return ids

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int:
        del add_special_tokens
        return len(self.ids(text, allowed))

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding:
        del add_special_tokens
        columns = [self.ids(text, allowed).tolist() for text in texts]
        ids = list(chain.from_iterable(columns))
        numbers = [number for number, column in enumerate(columns) for _ in column]

        def each_text(make: Callable[[str, frozenset[str]], Sequence[list[int]]]) -> list[list[int]]:
            made = [make(text, allowed) for text in texts]
            return [list(chain.from_iterable(parts)) for parts in zip(*made, strict=True)]

        return Encoding(
            ids,
            texts,
            spans=lambda: Spans(*each_text(self._spans)),
            tokens=lambda: [token for text in texts for token in self._spellings(text, allowed)],
            special_tokens_mask=lambda: [0] * len(ids),
            word_ids=lambda: list[int | None](each_text(self._words)[0]),
            type_ids=numbers,
            sequence_ids=numbers,
        )

    def _laid_out(self, text: str, allowed: frozenset[str]) -> Iterator[tuple[_Stretch, list[int]]]:
        """Each stretch, with the borders of its tokens in the cleaned text."""
        for stretch in self._stretches(text, allowed, tracked=True):
            widths = array("I")
            widths.frombytes(self._column(stretch.text, self._widths_of, 1))
            yield stretch, [0, *accumulate(widths)]

    def _spans(self, text: str, allowed: frozenset[str]) -> tuple[list[int], list[int]]:
        starts, ends = list[int](), list[int]()
        for stretch, bounds in self._laid_out(text, allowed):
            if stretch.special is not None:
                starts.append(stretch.start)
                ends.append(stretch.end)
                continue
            places = [stretch.start + stretch.places[bound] for bound in bounds]
            starts += places[:-1]
            ends += places[1:]
        return starts, ends

    def _words(self, text: str, allowed: frozenset[str]) -> tuple[list[int]]:
        """Words are what begins with a space; a special token is one by itself."""
        numbers, total = list[int](), 0
        for stretch, bounds in self._laid_out(text, allowed):
            if stretch.special is not None:
                numbers.append(total)
                total += 1
                continue
            cleaned = stretch.text
            begins = [at for at, char in enumerate(cleaned) if not at or (char == SPACE and cleaned[at - 1] != SPACE)]
            numbers += [total + bisect_right(begins, bound) - 1 for bound in bounds[:-1]]
            total += len(begins)
        return (numbers,)

    def _spellings(self, text: str, allowed: frozenset[str]) -> Iterator[str]:
        """Pieces; an unknown stretch as it is in the cleaned text."""
        for stretch, bounds in self._laid_out(text, allowed):
            if stretch.special is not None:
                yield self._pieces[stretch.special]
                continue
            ids = array("I")
            ids.frombytes(self._column(stretch.text, self._ids_of, 0))
            for token, start, end in zip(ids, bounds, bounds[1:], strict=False):
                yield stretch.text[start:end] if token == self._unknown else self._pieces[token]

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        return [self.encode(texts, allowed, add_special_tokens) for texts in batch]

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool, errors: str) -> str:
        """As the reference decodes: a space at the beginning is dropped if cleaning would add one, and
        each bad byte becomes U+FFFD."""
        out, run = list[str](), bytearray()
        fresh, dropped = True, False  # nothing was put out yet; the added space is gone
        for token in ids:
            byte = self._byte_of.get(token)
            if byte is not None:
                run.append(byte)
                continue
            if run:
                out.append(_text_of(run, errors))
                run.clear()
            fresh = fresh and not dropped and not any(out)
            dropped = False
            kind = self._type(token)
            piece = self._pieces[token]
            if kind == CONTROL:
                out.append("" if skip_special_tokens else piece)
            elif kind == UNKNOWN:
                out.append(self._unk_surface)
            else:
                if fresh and self._drops_space and piece.startswith(SPACE):
                    piece = piece[1:]
                    dropped = not self._drops_spaces
                out.append(piece.replace(SPACE, " "))
        out.append(_text_of(run, errors))
        text = "".join(out)
        return self._finish(text) if self._finish else text

    def _type(self, token_id: int) -> int:
        if not 0 <= token_id < len(self._pieces):
            message = f"Invalid id: {token_id}; this model has the ids 0 to {len(self._pieces) - 1:,}"
            raise UnknownTokenError(message, token_id)
        return self._types[token_id]

    def token_bytes(self, token_id: int) -> bytes:
        kind, piece = self._type(token_id), self._pieces[token_id]
        if kind == BYTE:
            return bytes([self._byte_of[token_id]])
        return (piece if kind in (CONTROL, UNKNOWN) else piece.replace(SPACE, " ")).encode()

    def spelling(self, token_id: int) -> str:
        self._type(token_id)
        return self._pieces[token_id]

    def token_to_id(self, token: str | bytes) -> int | None:
        return self.id_of.get(token.decode("utf-8", "replace") if isinstance(token, bytes) else token)


def _each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise BpeekError(f"{error} cannot be mended")
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("bpeek.each_byte", _each_byte)


def _text_of(run: bytearray, errors: str) -> str:
    """Byte pieces as text: one U+FFFD for each bad byte, where Python has one for a broken sequence."""
    return run.decode("utf-8", "bpeek.each_byte" if errors == "replace" else errors)
