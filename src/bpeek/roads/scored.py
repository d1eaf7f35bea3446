"""The road of SentencePiece BPE models: clean the text, cut it at its seams, merge by score."""

from __future__ import annotations

import codecs
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import NamedTuple, cast

from ..encoding import Encoding, Spans, text_numbers, together
from ..errors import BpeekError, UnknownTokenError
from ..kernel import Unit
from ..pipeline.borders import Borders, beside_added
from ..pipeline.tokens import converted
from ..spec import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, SentencePiece, Spec
from ..within import matches
from . import Decoding, Frame
from .cleaner import SPACE, Cleaner, Places, one_of
from .symbols import Symbols


class _Stretch(NamedTuple):
    """Text between special tokens, cleaned; or a special token."""

    start: int
    end: int
    special: int | None
    text: str = ""
    places: Places | None = None  # from ``start``


# With the ids of its tokens, and their borders in the cleaned text.
_LaidOut = tuple[_Stretch, list[int], list[int]]


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
        self.byte_of = {token: byte for byte, token in enumerate(self._byte_ids)}
        self._controls = of_type[CONTROL] | of_type[UNKNOWN]
        self.special_contents = frozenset(self._controls)

        own = of_type[USER_DEFINED]
        self._cleaner = Cleaner(facts.normalizer, own, facts.treat_whitespace_as_suffix)
        self.finish = Cleaner(facts.denormalizer).text if facts.denormalizer else None
        cleaning = facts.normalizer
        self.drops_space = cleaning.add_dummy_prefix or cleaning.remove_extra_whitespaces
        self.drops_spaces = cleaning.remove_extra_whitespaces

        known, unused = of_type[NORMAL] | own, of_type[UNUSED]
        scores = {piece: facts.scores[token] for piece, token in (known | unused).items()}
        self._symbols = Symbols(known, own, unused, scores, self._unknown, self._byte_ids)
        self.kernel = self._symbols.kernel

    # What Tokenizer asks for

    @cached_property
    def borders(self) -> Borders:
        return Borders([beside_added((), self.special_contents), self._cleaner.meet, self._symbols.meet])

    @cached_property
    def longest(self) -> int | None:
        # Unknown characters that are not bytes are one token with their neighbours.
        return max(map(len, self._pieces)) if self._byte_ids and self._cleaner.keeps else None

    def alone(self, text: str, allowed: frozenset[str]) -> Encoding:
        return self.encode((text,), allowed, False)

    def frame(self, add_special_tokens: bool) -> Frame:
        del add_special_tokens
        return (), ()

    @property
    def size(self) -> int:
        return len(self.id_of)

    def recognised(self, add_special_tokens: bool) -> frozenset[str]:
        """None: SentencePiece takes ``<s>`` in a text for text."""
        return frozenset()

    def _stretches(self, text: str, allowed: frozenset[str], tracked: bool) -> Iterator[_Stretch]:
        """The text cut at special tokens; what lies between them is cleaned as a text of its own."""
        at, found = 0, one_of(allowed)
        for match in matches(found, text, allowed) if found else ():
            if at < match.start():
                yield _Stretch(at, match.start(), None, *self._cleaner.clean(text[at : match.start()], tracked=tracked))
            at = match.end()
            yield _Stretch(match.start(), at, self._controls[match[0]])
        if at < len(text):
            yield _Stretch(at, len(text), None, *self._cleaner.clean(text[at:], tracked=tracked))

    def ids(self, text: str, allowed: frozenset[str]) -> array[int]:
        return self._encode(text, allowed)[0]

    def _encode(self, text: str, allowed: frozenset[str]) -> tuple[array[int], list[int]]:
        """The ids, and how many each stretch has."""
        ids, sizes = array("I"), list[int]()
        for stretch in self._stretches(text, allowed, tracked=False):
            before = len(ids)
            if stretch.special is None:
                ids.frombytes(self._symbols.ids(stretch.text))
            else:
                ids.append(stretch.special)
            sizes.append(len(ids) - before)
        return ids, sizes

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int:
        del add_special_tokens
        return len(self.ids(text, allowed))

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding:
        del add_special_tokens
        encoded = [self._encode(text, allowed) for text in texts]
        columns = [ids.tolist() for ids, _ in encoded]
        ids, numbers = together(columns), text_numbers(columns)

        def each_text(make: Callable[[Iterator[_LaidOut]], Sequence[list[int]]]) -> list[list[int]]:
            return list(map(together, zip(*map(make, laid_out()), strict=True)))

        def laid_out() -> Iterator[Iterator[_LaidOut]]:
            for text, column, (_, sizes) in zip(texts, columns, encoded, strict=True):
                yield self._laid_out(text, allowed, column, sizes)

        def spans(unit: Unit) -> Spans | None:
            return self._plain_spans(texts[0], allowed, ids, unit) if len(texts) == 1 else None

        def char_spans() -> Spans:
            return spans("code points") or Spans(*each_text(self._spans))

        return Encoding(
            ids,
            texts,
            spans=char_spans,
            utf16_spans=(lambda: spans("UTF-16") or converted("UTF-16", texts[0], char_spans()))
            if len(texts) == 1
            else None,
            tokens=lambda: [token for one in laid_out() for token in self._spellings(one)],
            special_tokens_mask=lambda: [0] * len(ids),
            word_ids=lambda: list[int | None](each_text(self._words)[0]),
            type_ids=numbers,
            sequence_ids=numbers,
        )

    def _plain_spans(self, text: str, allowed: frozenset[str], ids: list[int], unit: Unit) -> Spans | None:
        """The spans of a text that cleaning leaves as it is but for a prefix, and for how spaces are written."""
        stretch, *others = self._stretches(text, allowed, tracked=True) if text else [_Stretch(0, 0, 0)]
        prefix = None if others or stretch.places is None else stretch.places.prefix(len(text))
        if prefix is None or len(stretch.text) != prefix + len(text):  # a suffix is added to some
            return None
        return self._symbols.spans(stretch.text, ids, unit, prefix)

    def _laid_out(self, text: str, allowed: frozenset[str], ids: list[int], sizes: list[int]) -> Iterator[_LaidOut]:
        """Each stretch with its ids, and the borders of these tokens in the cleaned text."""
        at = 0
        for stretch, size in zip(self._stretches(text, allowed, tracked=True), sizes, strict=True):
            of_stretch = ids[at : at + size]
            at += size
            ends = self._symbols.ends(stretch.text, of_stretch) if stretch.special is None else ()
            yield stretch, of_stretch, [0, *ends]

    @staticmethod
    def _spans(laid_out: Iterator[_LaidOut]) -> tuple[list[int], list[int]]:
        starts, ends = list[int](), list[int]()
        for stretch, _, bounds in laid_out:
            if stretch.places is None:
                starts.append(stretch.start)
                ends.append(stretch.end)
                continue
            places = stretch.places.of(bounds)
            if stretch.start:
                places = [stretch.start + place for place in places]
            starts += places[:-1]
            ends += places[1:]
        return starts, ends

    @staticmethod
    def _words(laid_out: Iterator[_LaidOut]) -> tuple[list[int]]:
        """Words are what begins with a space; a special token is one by itself."""
        numbers, total = list[int](), 0
        for stretch, _, bounds in laid_out:
            if stretch.special is not None:
                numbers.append(total)
                total += 1
                continue
            cleaned = stretch.text
            begins = [at for at, char in enumerate(cleaned) if not at or (char == SPACE and cleaned[at - 1] != SPACE)]
            numbers += [total + bisect_right(begins, bound) - 1 for bound in bounds[:-1]]
            total += len(begins)
        return (numbers,)

    def _spellings(self, laid_out: Iterator[_LaidOut]) -> Iterator[str]:
        """Pieces; an unknown stretch as it is in the cleaned text."""
        for stretch, ids, bounds in laid_out:
            if stretch.special is not None:
                yield self._pieces[stretch.special]
                continue
            for token, start, end in zip(ids, bounds, bounds[1:], strict=False):
                yield stretch.text[start:end] if token == self._unknown else self._pieces[token]

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        return [self.encode(texts, allowed, add_special_tokens) for texts in batch]

    # Decoding

    def decode(self, ids: Sequence[int], skip_special_tokens: bool, errors: str) -> str:
        return self.decoding(skip_special_tokens, errors)(ids, last=True)

    def decoding(self, skip_special_tokens: bool, errors: str) -> Decoding:
        return _Decoding(self, skip_special_tokens, errors)

    def text_of(self, token: int, skip_special_tokens: bool) -> tuple[str, bool]:
        """What a token that is no byte stands for, and whether it begins with a space of its own."""
        kind, piece = self._type(token), self._pieces[token]
        if kind == CONTROL:
            return "" if skip_special_tokens else piece, False
        if kind == UNKNOWN:
            return self._unk_surface, False
        return piece.replace(SPACE, " "), piece.startswith(SPACE)

    def _type(self, token_id: int) -> int:
        if not 0 <= token_id < len(self._pieces):
            message = f"Invalid id: {token_id}; this model has the ids 0 to {len(self._pieces) - 1:,}"
            raise UnknownTokenError(message, token_id)
        return self._types[token_id]

    def token_bytes(self, token_id: int) -> bytes:
        kind, piece = self._type(token_id), self._pieces[token_id]
        if kind == BYTE:
            return bytes([self.byte_of[token_id]])
        return (piece if kind in (CONTROL, UNKNOWN) else piece.replace(SPACE, " ")).encode()

    def spelling(self, token_id: int) -> str:
        self._type(token_id)
        return self._pieces[token_id]

    def token_to_id(self, token: str | bytes) -> int | None:
        return self.id_of.get(token.decode("utf-8", "replace") if isinstance(token, bytes) else token)


class _Decoding:
    """As the reference decodes: a space at the beginning is dropped if cleaning would add one, and each bad
    byte becomes U+FFFD, where Python has one for a broken sequence."""

    def __init__(self, road: Scored, skip_special_tokens: bool, errors: str) -> None:
        self._road, self._skip = road, skip_special_tokens
        self._errors = "bpeek.each_byte" if errors == "replace" else errors
        self._rest = b""  # of an unfinished character
        self._held = ""  # for a denormalizer, which looks at the whole text
        self._fresh, self._dropped = True, False  # nothing was put out yet; the added space is gone

    def __call__(self, ids: Sequence[int], last: bool = False) -> str:
        road, byte_of = self._road, self._road.byte_of
        out, run = list[str](), bytearray(self._rest)
        for token in ids:
            byte = byte_of.get(token)
            if byte is not None:
                run.append(byte)
                continue
            if run:
                out.append(run.decode("utf-8", self._errors))
                run.clear()
            text, spaced = road.text_of(token, self._skip)
            if self._fresh:
                text = self._begun(text, spaced, out)
            out.append(text)
        text, used = codecs.utf_8_decode(run, self._errors, last)
        out.append(text)
        self._fresh = self._fresh and not any(out)
        self._rest = bytes(run[used:])
        text = "".join(out)
        if road.finish is None:
            return text
        self._held += text
        return road.finish(self._held) if last else ""

    def _begun(self, text: str, spaced: bool, out: list[str]) -> str:
        """What is put out for a token while nothing has been before."""
        self._fresh = not self._dropped and not any(out)
        if not (self._fresh and spaced and self._road.drops_space):
            return text
        self._dropped = not self._road.drops_spaces
        return text[1:]

    def copy(self) -> _Decoding:
        return copy(self)


def _each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise BpeekError(f"{error} cannot be mended")
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("bpeek.each_byte", _each_byte)
