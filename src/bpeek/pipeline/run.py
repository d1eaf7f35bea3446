"""A whole ``tokenizer.json``, put together."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, repeat
from random import Random
from typing import cast
from weakref import proxy

from ..bytechars import CHAR_TO_BYTE
from ..errors import UnknownTokenError
from ..kernel import NEVER, Kernel, Marks, OnDemand
from ..lookup import looked_up
from ..spec import Spec, Step
from ..within import Within
from . import decoders, growth, normalizers, postprocessors, pretokenizers
from .added import AddedTokens, Found
from .aligned import Aligned
from .columns import Columns, joined, pad_all, padded_length, refuse_too_many, truncated_lengths
from .growth import Room
from .model import PieceModel
from .tokens import Tokens
from .trusted import cut_within
from .whole import WholeText


class Pipeline:
    """Encodes and decodes as a ``tokenizer.json`` says.

    ``allowed`` limits which special tokens are recognised in text (``None``: all of them).
    ``random`` is used by models with dropout.
    """

    def __init__(self, spec: Spec, random: Random | None = None) -> None:
        dialect = spec.dialect
        self.spec = spec
        self.normalize = normalizers.build(spec.normalizer, dialect)
        self.normalize_plain = normalizers.plain(spec.normalizer, dialect)
        self.pre_tokenize = pretokenizers.build(spec.pre_tokenizer, dialect)
        self.added = AddedTokens(spec.added_tokens, self.normalize_plain)
        self.model = PieceModel(spec.model, random)
        self._decode = decoders.build(spec.decoder, dialect)
        me: Pipeline = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        self.kernel = OnDemand(lambda kernel: me._compile(kernel))
        # Metaspace's "first" asks where a piece comes from, so offsets are then followed always.
        self._tracked_always = _asks_origin(spec.pre_tokenizer)

    @cached_property
    def _whole(self) -> WholeText | None:
        if growth.TIMES <= _prepended(self.spec.normalizer):
            return None  # it has to be seen what becomes of each stretch
        return WholeText.of(self.spec, self.added, self.model, self.kernel)

    def _at_once(self, text: str) -> WholeText | None:
        """What encodes a whole text in one pass, if that is possible and the text is not one of the first few."""
        return None if self.model.waits(len(text)) and self.kernel(len(text)) is None else self._whole

    def _compile(self, kernel: Kernel) -> bool:
        """For the kernel: what merges, and how long added tokens are in a normalized text."""
        if not self.model.compile(kernel, max(self.added.by_id, default=0) + 1):
            return False
        replace = self._whole.replace if self._whole else str
        kernel.lengths({id: len(replace(token.content).encode()) for id, token in self.added.by_id.items()})
        return True

    # --- one text ------------------------------------------------------------------------------------------

    def segments(
        self, text: str, tracked: bool, allowed: frozenset[str] | None
    ) -> Iterator[tuple[Aligned, int | None]]:
        """The text cut at added tokens, in both passes: normalized stretches, and tokens with their id."""
        whole, room = Aligned.of(text, tracked=tracked or isinstance(allowed, Within)), Room(len(text))
        for start, end, id in self._cut(whole, False, allowed):
            segment = whole.slice(start, end)
            if id is not None:
                yield segment, id
                continue
            segment = self.normalize(segment, room)
            room.take(len(segment.text))
            for inner_start, inner_end, inner_id in self._cut(segment, True, allowed):
                yield segment.slice(inner_start, inner_end), inner_id

    def _cut(self, aligned: Aligned, normalized: bool, allowed: frozenset[str] | None) -> Iterable[Found]:
        if isinstance(allowed, Within):
            return cut_within(self.added, aligned, normalized, allowed)
        return self.added.cut(aligned.text, normalized, allowed)

    def encode_at_once(self, text: str, allowed: frozenset[str] | None) -> Tokens | None:
        """What ``encode`` gives, in a tenth of the time or less; ``None`` where that is not possible."""
        whole = self._at_once(text)
        return None if whole is None else whole.encode(text, allowed, lambda: self.encode(text, allowed=allowed).words)

    def encode(self, text: str, *, type_id: int = 0, allowed: frozenset[str] | None = None) -> Columns:
        """The tokens of one text, before post-processing."""
        columns, room = Columns(), Room(len(text))
        word = 0
        for segment, id in self.segments(text, True, allowed):
            if id is not None:
                start, end = segment.span(0, len(segment.text))
                columns.ids.append(id)
                columns.tokens.append(segment.text)
                columns.starts.append(start)
                columns.ends.append(end)
                columns.words.append(word)
                word += 1
            else:
                word = self._encode_segment(segment, columns, word, text, room)
        columns.complete(type_id)
        return columns

    def encode_words(self, words: Iterable[str], *, type_id: int = 0) -> Columns:
        """The tokens of a text that comes in words: each goes through the whole pipeline by itself, and its
        tokens' spans are within it. The word ids are the places of the words."""
        columns = Columns()
        for number, word in enumerate(words):
            of_word = self.encode(word, type_id=type_id)
            of_word.words = [number] * len(of_word)
            columns.extended(of_word)
        return columns

    def _encode_segment(self, segment: Aligned, columns: Columns, word: int, text: str, room: Room) -> int:
        aligned, spans = self.pre_tokenize(segment, room)
        room.take(len(aligned.text))
        encode, name_of = self.model.encode, self.model.names.__getitem__
        piece_text, starts, ends = aligned.text, aligned.starts or (), aligned.ends or ()
        for start, end in spans:
            ids, begins, finishes = encode(piece_text[start:end])
            columns.ids += ids
            columns.tokens += map(name_of, ids)
            columns.words += [word] * len(ids)
            word += 1
            if finishes and min(finishes) < 0:
                _append_past_end(columns, text, aligned, start, zip(begins, finishes, strict=True))
                continue
            if start:
                begins = [start + begin for begin in begins]
            columns.starts += looked_up(starts, begins)
            columns.ends += [ends[start + finish - 1] for finish in finishes]
        return word

    def encode_plain(self, text: str, allowed: frozenset[str] | None = None) -> array[int]:
        """The ids of one text, without offsets."""
        whole = self._at_once(text)
        if whole is not None and (found := whole.ids(text, allowed)) is not None:
            return found
        parts, added, room = list[str](), list[int](), Room(len(text))
        for segment, id in self.segments(text, self._tracked_always, allowed):
            if id is not None:
                parts.append(segment.text)
                added.append(id)
                continue
            aligned, spans = self.pre_tokenize(segment, room)
            room.take(len(aligned.text))
            parts += [aligned.text[start:end] for start, end in spans]
            added += repeat(NEVER, len(spans))
        return self._encode_pieces(parts, added)

    def _encode_pieces(self, pieces: list[str], added: list[int]) -> array[int]:
        """The ids of pieces, of which some are added tokens: ``added`` has the id of each, or ``NEVER``."""
        ends = [*accumulate(map(len, pieces))]
        kernel = self.kernel(ends[-1]) if ends else None
        if kernel and (found := kernel.encode("".join(pieces), Marks(ends, added), cut=False)) is not None:
            return found
        ids = array("I")
        pack = self.model.pack
        for piece, id in zip(pieces, added, strict=True):
            if id == NEVER:
                ids.frombytes(pack(piece))
            else:
                ids.append(id)
        return ids

    # --- one text or a pair --------------------------------------------------------------------------------

    def post_process(self, parts: list[Columns], add_special_tokens: bool = True) -> Columns:
        """Truncate one text or a pair, add what the template says, and pad. The columns given are used up.

        What truncation cuts off is made when it is asked for.
        """
        sizes = list(map(len, parts))
        room, lengths = growth.most(sum(sizes)), self._lengths(sizes, add_special_tokens)
        if lengths == sizes:
            return self._finished(parts, add_special_tokens, room)
        truncation = cast("Step", self.spec.truncation)
        kept = [part.alone() for part in parts]
        first = [part.first_window(to, truncation) for part, to in zip(parts, lengths, strict=True)]
        result = self._finished(first, add_special_tokens, room)

        def overflow() -> list[Columns]:
            windows = [part.windows(to, truncation, room) for part, to in zip(kept, lengths, strict=True)]
            return self._finished(windows, add_special_tokens, room).overflowing

        result.overflow = overflow
        return result

    def _lengths(self, sizes: list[int], add_special_tokens: bool) -> list[int]:
        """To how many tokens each part is truncated."""
        truncation = self.spec.truncation
        if truncation is None:
            return sizes
        budget = truncation["max_length"]
        if add_special_tokens:
            added = postprocessors.added_tokens(self.spec.post_processor, len(sizes) > 1)
            budget = budget - added if added <= budget else 1 << 62  # the reference's subtraction wraps around
        return truncated_lengths(sizes, truncation, budget)

    def _finished(self, parts: list[Columns], add_special_tokens: bool, room: int) -> Columns:
        spec = self.spec
        if spec.post_processor is not None:
            for number, part in enumerate(parts):
                part.type_ids = [number] * len(part)
                for each in (part, *part.overflowing):
                    each.of_sequence(number)
            parts = postprocessors.process(spec.post_processor, parts, add_special_tokens, room)
        elif len(parts) > 1:
            for number, part in enumerate(parts):
                part.of_sequence(number)
        refuse_too_many(parts, room, "truncation")
        result = joined(parts)
        if spec.padding is not None:
            length = padded_length([len(result)], spec.padding)
            growth.refuse_beyond(room, length * len(result.overflowing), "padding", "tokens that overflow")
            result.pad(length, spec.padding)
        return result

    def pad_batch(self, batch: list[Columns]) -> None:
        """Pad encodings, each post-processed, to the length of the longest."""
        if self.spec.padding is not None:
            pad_all(batch, self.spec.padding)

    # --- back to text --------------------------------------------------------------------------------------

    def id_to_token(self, id: int) -> str | None:
        added = self.added.spellings.get(id)
        return self.model.names.get(id) if added is None else added

    def token_to_id(self, token: str) -> int | None:
        return self.added.ids.get(token, self.model.vocab.get(token))

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        return self._decode(self.tokens_of(ids, skip_special_tokens))

    def tokens_of(self, ids: Sequence[int], skip_special_tokens: bool = True) -> list[str]:
        """The tokens to decode. Ids that no token has are skipped, as in the reference, which takes 32 bits."""
        for id in ids:
            if not 0 <= id < 1 << 32:
                raise UnknownTokenError(f"{id} cannot be an id: ids are whole numbers from 0 to {(1 << 32) - 1}", id)
        special = self.added.special_contents if skip_special_tokens else ()
        return [token for token in map(self.id_to_token, ids) if token is not None and token not in special]


def _append_past_end(
    columns: Columns, text: str, aligned: Aligned, start: int, spans: Iterable[tuple[int, int]]
) -> None:
    """Spans of a piece some of whose tokens claim to reach past its end (see ``model.Piece``)."""
    for begin, finish in spans:
        span = aligned.span(start + begin, start + finish) if finish >= 0 else _past_end(text, ~begin, ~finish)
        columns.starts.append(span[0])
        columns.ends.append(span[1])


def _past_end(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the reference puts such a token: its byte numbers within the piece, taken for those of the whole text."""
    char_at = [index for index, char in enumerate(text) for _ in char.encode()]
    if start >= len(char_at):
        return start, end
    if end < len(char_at):
        return char_at[start], char_at[end]
    return char_at[start], (char_at[end - 1] if end <= len(char_at) else char_at[start] + 1) + 1


def _prepended(step: Step | None) -> int:
    """How many characters a normalizer puts before each stretch of text, at most."""
    return 0 if step is None else len(step.get("prepend", "")) + sum(map(_prepended, step.get("normalizers", ())))


def _asks_origin(step: Step | None) -> bool:
    if step is None:
        return False
    return step.get("prepend_scheme") == "first" or any(map(_asks_origin, step.get("pretokenizers", ())))


_NORMAL_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def is_plain_byte_level(spec: Spec) -> bool:
    """Whether text is cut by patterns alone, then merged as bytes: what needs no aligned text.

    True if the pre-tokenizer is any number of steps that are regular expressions, and a ``ByteLevel`` without prefix
    at the end; the vocabulary is written in the byte alphabet with all 256 bytes in it; and the normalizer is at most
    a normal form.
    """
    model = spec.model
    if model.unk_token is not None or model.byte_fallback or model.dropout:
        return False
    if model.continuing_subword_prefix or model.end_of_word_suffix:
        return False
    normalizer, step = spec.normalizer, spec.pre_tokenizer
    if normalizer is not None:
        inner = normalizer.get("normalizers", [normalizer])
        if any(each["type"] not in _NORMAL_FORMS for each in inner):
            return False
    steps = [] if step is None else step["pretokenizers"] if step["type"] == "Sequence" else [step]
    if not steps:
        return False
    *splits, last = steps
    if last["type"] != "ByteLevel" or last["add_prefix_space"] or None in map(pretokenizers.matches_of, splits):
        return False
    added = {token.content for token in spec.added_tokens}
    vocab = cast("Mapping[str, int]", model.vocab)
    return all(map(vocab.__contains__, CHAR_TO_BYTE)) and _in_byte_alphabet(vocab, added)


def _in_byte_alphabet(vocab: Mapping[str, int], added: set[str]) -> bool:
    fits = re.compile(f"[{re.escape(''.join(CHAR_TO_BYTE))}]*").fullmatch
    return fits("".join(vocab)) is not None or fits("".join(vocab.keys() - added)) is not None
