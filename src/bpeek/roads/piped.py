"""The road of ``tokenizer.json``: its pipeline, with the plain byte-level middle taken directly.

Where the pipeline is only patterns and bytes, ``direct`` cuts and merges; the pipeline still does
what comes before (added tokens, normal forms) and after (templates, truncation, padding).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, chain, repeat
from math import prod
from typing import Any, cast
from weakref import proxy

from ..bytechars import to_chars
from ..encoding import Encoding, Spans
from ..errors import UnknownTokenError, UnsupportedError
from ..kernel import Unit
from ..lookup import looked_up
from ..offsets import to_bytes as bytes_before
from ..pipeline.aligned import Aligned
from ..pipeline.border_rules import normalizing, pre_tokenizing
from ..pipeline.borders import NOTHING, Borders, Pairs, anywhere, beside_added, nowhere
from ..pipeline.columns import Columns, joined
from ..pipeline.decoding import Decoding as TokenDecoding
from ..pipeline.postprocessors import added_tokens, process, trims
from ..pipeline.run import Pipeline, is_plain_byte_level
from ..pipeline.tokens import Listed, Tokens, converted
from ..spec import Spec, Step
from ..within import Within
from . import Decoding, Frame
from .alphabet import ByteAlphabetModel, cuts, token_bytes
from .direct import Direct, Segment


class Piped:
    def __init__(self, spec: Spec) -> None:
        self.pipeline = self._pipeline = pipeline = Pipeline(spec)
        # Tokens are measured by their ids, so no two may share one.
        direct = len(pipeline.model.names) == len(pipeline.model.vocab) and is_plain_byte_level(spec)
        self._direct = Direct(ByteAlphabetModel(pipeline), cuts(spec)) if direct else None
        self.kernel = self._direct.kernel if self._direct else pipeline.kernel
        self.special_contents = pipeline.added.special_contents
        self._trims = trims(spec.post_processor)

    @property
    def size(self) -> int:
        vocab = self._pipeline.model.vocab
        return len(vocab) + sum(content not in vocab for content in self._pipeline.added.ids)

    @cached_property
    def id_of(self) -> Mapping[str | bytes, int]:
        ids = cast("dict[str | bytes, int]", dict(self._pipeline.model.vocab))
        return ids | self._pipeline.added.ids

    def recognised(self, add_special_tokens: bool) -> frozenset[str]:
        del add_special_tokens
        return self.special_contents

    def _limit(self, allowed: frozenset[str]) -> frozenset[str] | None:
        return None if allowed == self.special_contents and not isinstance(allowed, Within) else allowed

    # Parts of a text

    @cached_property
    def borders(self) -> Borders:
        spec, pipeline = self._pipeline.spec, self._pipeline
        tokens, added = spec.added_tokens, pipeline.added
        if spec.model.dropout or (spec.model.byte_fallback and pipeline.model.has_affixes):
            return Borders([nowhere])
        me: Piped = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        return Borders(
            [
                (lambda pair: me._yields_tokens(pair)) if _trims_after_prefix(spec.post_processor) else anywhere,
                beside_added(tokens, added.contents(normalized=False)),
                normalizing(spec.normalizer, spec.dialect),
                beside_added(tokens, added.contents(normalized=True)),
                pre_tokenizing(spec.pre_tokenizer, spec.dialect),
                lambda pair: NOTHING if pipeline.model.apart(pair) else None,
            ]
        )

    @cached_property
    def longest(self) -> int | None:
        spec, pipeline = self._pipeline.spec, self._pipeline
        factor = _condensed(spec.normalizer)
        kept = self._direct.whole if self._direct else _keeps(spec.pre_tokenizer) and bool(pipeline.model.byte_ids)
        if factor is None or not kept or any(token.lstrip or token.rstrip for token in spec.added_tokens):
            return None
        contents = [token.content for token in spec.added_tokens]
        names = chain(pipeline.model.names.values(), contents, map(pipeline.normalize_plain, contents))
        return factor * max(map(len, names), default=0)

    def _yields_tokens(self, pair: str) -> Pairs | None:
        """What follows must not be the first token of the text."""
        return frozenset([pair]) if self.ids(pair[0], self.special_contents) else None

    def alone(self, text: str, allowed: frozenset[str]) -> Encoding:
        source = self._tokens_of(text, allowed)
        parts, step = [_numbered(source, 0, 0, self._trims)], self._pipeline.spec.post_processor
        columns = parts[0] if step is None else joined(process(step, parts, False))
        return _encoding(columns, (text,), _Places([source]), self._trims)

    def frame(self, add_special_tokens: bool) -> Frame:
        step = self._pipeline.spec.post_processor
        if step is None:
            return (), ()
        text = -1  # stands for the tokens of the text
        ids = joined(process(step, [Columns.added([text], [""], 0)], add_special_tokens)).ids
        if ids.count(text) != 1:
            message = "this tokenizer's template does not hold the text once; give whole texts to `encode`"
            raise UnsupportedError(message, feature="TemplateProcessing", where="post_processor.single")
        at = ids.index(text)
        return ids[:at], ids[at + 1 :]

    # Ids alone

    def ids(self, text: str, allowed: frozenset[str]) -> array[int]:
        if self._direct is None:
            return array("I", self._pipeline.encode_plain(text, self._limit(allowed)))
        return self._direct.ids(*_laid_out(self._pipeline.segments(text, False, self._limit(allowed))))

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int:
        spec = self._pipeline.spec
        if spec.truncation or spec.padding or _repeats_the_text(spec.post_processor):
            return len(self.encode((text,), allowed, add_special_tokens))
        return len(self.ids(text, allowed)) + (added_tokens(spec.post_processor, False) if add_special_tokens else 0)

    # Ids and where they come from

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding:
        return self.encode_batch([texts], allowed, add_special_tokens)[0]

    @cached_property
    def _frames(self) -> dict[bool, tuple[Columns, Columns, Columns, bool]]:
        """With special tokens and without, what comes before the tokens of a text, one token in their place, and what
        comes behind, and whether it is told which are the text's; nothing where it depends on these tokens."""
        spec, frames = self._pipeline.spec, dict[bool, tuple[Columns, Columns, Columns, bool]]()
        if self._trims or spec.truncation is not None or spec.padding is not None:
            return frames
        for add_special_tokens in (False, True):
            if added_tokens(spec.post_processor, False) > _MOST_AROUND:
                break
            text = Columns([-1], [""], [0], [0], [0])
            text.complete(0)
            whole = self._pipeline.post_process([text], add_special_tokens)
            if whole.ids.count(-1) == 1:
                at = whole.ids.index(-1)
                around = whole.part(0, at), whole.part(at, at + 1), whole.part(at + 1, len(whole))
                frames[add_special_tokens] = (*around, bool(whole.ranges))
        return frames

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        frame = self._frames.get(add_special_tokens)
        if frame is not None and all(len(texts) == 1 for texts in batch):
            return [_framed(self._tokens_of(text, allowed), *frame) for (text,) in batch]
        return self._encodings(
            [[self._tokens_of(text, allowed) for text in texts] for texts in batch], batch, add_special_tokens
        )

    def encode_words(
        self, batch: Sequence[tuple[Sequence[str], ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        """The same for texts that come in words: each goes through the pipeline by itself."""
        sources = [[_Words([self._tokens_of(word, allowed) for word in words]) for words in each] for each in batch]
        return self._encodings(
            sources, [tuple(chain.from_iterable(each)) or ("",) for each in batch], add_special_tokens
        )

    def _encodings(
        self, sources: Sequence[Sequence[Tokens]], batch: Sequence[tuple[str, ...]], add_special_tokens: bool
    ) -> list[Encoding]:
        results = []
        for of_batch in sources:
            totals = accumulate((len(source.ids) for source in of_batch), initial=0)
            parts = [
                _numbered(source, before, number, self._trims)
                for number, (source, before) in enumerate(zip(of_batch, totals, strict=False))
            ]
            results.append(self._pipeline.post_process(parts, add_special_tokens))
        self._pipeline.pad_batch(results)
        return list(map(_encoding, results, batch, map(_Places, sources), repeat(self._trims)))

    def _tokens_of(self, text: str, allowed: frozenset[str]) -> Tokens:
        limit = self._limit(allowed)
        direct, pipeline = self._direct, self._pipeline
        if direct is not None:
            return _Merged(text, direct, pipeline.model.names, list(pipeline.segments(text, True, limit)))
        return pipeline.encode_at_once(text, limit) or Listed(text, pipeline.encode(text, allowed=limit))

    # Back to text

    def decode(self, ids: Sequence[int], skip_special_tokens: bool, errors: str) -> str:
        del errors  # the decoders of the file decide
        return self._pipeline.decode(ids, skip_special_tokens)

    def decoding(self, skip_special_tokens: bool, errors: str) -> Decoding:
        del errors
        return _Decoding(self._pipeline, skip_special_tokens)

    def token_bytes(self, token_id: int) -> bytes:
        token = self.spelling(token_id)
        if self._direct is None or token_id in self._pipeline.added.by_id:
            return token.encode()
        return token_bytes(token)

    def spelling(self, token_id: int) -> str:
        token = self._pipeline.id_to_token(token_id)
        if token is None:
            raise UnknownTokenError(f"no token has the id {token_id}; ids are those of `get_vocab()`", token_id)
        return token

    def token_to_id(self, token: str | bytes) -> int | None:
        if isinstance(token, bytes):
            token = to_chars(token) if self._direct is not None else token.decode("utf-8", "replace")
        return self._pipeline.token_to_id(token)


class _Decoding:
    def __init__(self, pipeline: Pipeline, skip_special_tokens: bool) -> None:
        self._pipeline, self._skip = pipeline, skip_special_tokens
        self._decode = TokenDecoding(pipeline.spec.decoder, pipeline.spec.dialect)

    def __call__(self, ids: Sequence[int], last: bool = False) -> str:
        return self._decode(self._pipeline.tokens_of(ids, self._skip), last)

    def copy(self) -> _Decoding:
        other = copy(self)
        other._decode = self._decode.copy()
        return other


class _Merged(Tokens):
    """Tokens of a text that was merged as bytes, in ``stretches``: normalized parts of it, and added tokens."""

    exact = True

    def __init__(
        self, text: str, direct: Direct, names: Mapping[int, str], stretches: list[tuple[Aligned, int | None]]
    ):
        self.text, self._direct, self._names, self._stretches = text, direct, names, stretches
        self._normalized, self._segments = _laid_out(stretches)
        self._ids = direct.ids(self._normalized, self._segments)
        super().__init__(text, self._ids.tolist())
        ranges = all(isinstance(stretch.starts, range) for stretch, _ in stretches)
        self._as_it_was = ranges and len(self._normalized) == len(text)

    def tokens(self) -> list[str]:
        names = self._names
        if not self._segments:
            return list(looked_up(names, self.ids))
        spelled = list[str]()
        for stretch, added in self._stretches:
            if added is None:
                end = len(spelled) + self._direct.count(stretch.text)
                spelled += looked_up(names, self.ids[len(spelled) : end])
            else:
                spelled.append(stretch.text)  # with the spaces that `lstrip` or `rstrip` took
        return spelled

    def words(self) -> Sequence[int | None]:
        sizes = self._direct.word_sizes(self._normalized, self._segments)
        return [number for number, size in enumerate(sizes) for _ in range(size)]

    def spans(self, unit: Unit) -> Spans:
        """Exact bytes for a token of characters that went in as they are; for others those of whole characters."""
        if self._as_it_was:
            return self._direct.spans(self._normalized, self._ids, self._segments, unit)
        spans = self._direct.spans(self._normalized, self._ids, self._segments)
        froms = list[int](chain.from_iterable(stretch.starts or () for stretch, _ in self._stretches))
        tos = list[int](chain.from_iterable(stretch.ends or () for stretch, _ in self._stretches))
        starts, ends = looked_up(froms, spans.starts), [tos[end - 1] for end in spans.ends]
        if unit == "bytes":
            return self._bytes(spans, Spans(starts, ends))
        return converted(unit, self.text, Spans(starts, ends))

    def _bytes(self, spans: Spans, sources: Spans) -> Spans:
        text, normalized = self.text, self._normalized
        at, at_normalized = (bytes_before(each, range(len(each) + 1)) for each in (text, normalized))
        exact = self._direct.spans(normalized, self._ids, self._segments, "bytes")
        starts, ends = list[int](), list[int]()
        for start, end, first, last, byte_start, byte_end in zip(*spans, *sources, *exact, strict=True):
            if text[first:last] == normalized[start:end]:
                origin = at[first] - at_normalized[start]
                starts.append(origin + byte_start)
                ends.append(origin + byte_end)
            else:
                starts.append(at[first])
                ends.append(at[last])
        return Spans(starts, ends)


class _Words(Tokens):
    """The tokens of a text that comes in words."""

    def __init__(self, words: Sequence[Tokens]) -> None:
        super().__init__("", [id for word in words for id in word.ids])
        self._words, self.n_texts = words, len(words)
        self.exact = all(word.exact for word in words)

    def text_numbers(self) -> list[int]:
        return [number for number, word in enumerate(self._words) for _ in word.ids]

    def tokens(self) -> list[str]:
        return [token for word in self._words for token in word.tokens()]

    def words(self) -> Sequence[int | None]:
        return self.text_numbers()

    def spans(self, unit: Unit) -> Spans:
        each = [word.spans(unit) for word in self._words]
        return Spans(*(_end_to_end(spans[side] for spans in each) for side in (0, 1)))


def _laid_out(stretches: Iterable[tuple[Aligned, int | None]]) -> tuple[str, list[Segment]]:
    """Stretches as one text, and its segments; none if it is but one."""
    segments, texts, at = list[Segment](), list[str](), 0
    for stretch, added in stretches:
        if stretch.text:
            texts.append(stretch.text)
            segments.append(Segment(at, at := at + len(stretch.text), added))
    plain = len(segments) < 2 and all(segment.special is None for segment in segments)
    return "".join(texts), [] if plain else segments


def _numbered(source: Tokens, before: int, number: int, trimmed: bool) -> Columns:
    """Columns of numbers, one for each token of all texts.

    The numbers come through truncation, templates and padding, and tell afterwards where each token's word, spelling
    and place are to be found. Only what is ``trimmed`` must have its spelling and its span before.
    """
    n = len(source.ids)
    numbers = list[int | None](range(before, before + n))
    columns = Columns([*source.ids], words=numbers)  # lists of their own, for they are used up
    columns.tokens = [*(source.tokens() if trimmed else range(before, before + n))]
    columns.starts, columns.ends = (
        (list(column) for column in source.spans("code points")) if trimmed else ([0] * n, [0] * n)
    )
    columns.complete(number)
    return columns


class _Places:
    """Where the tokens of all texts come from, computed once for an encoding and all that overflowed from it."""

    def __init__(self, sources: Sequence[Tokens]) -> None:
        self._sources = sources
        self._spans = dict[Unit, Spans]()

    @cached_property
    def tokens(self) -> list[str]:
        return [token for source in self._sources for token in source.tokens()]

    @cached_property
    def words(self) -> list[int | None]:
        return [word for source in self._sources for word in source.words()]

    @cached_property
    def exact(self) -> bool:
        """Are the bytes of tokens more than those of their characters?"""
        return all(source.exact for source in self._sources)

    def spans(self, unit: Unit, numbers: Sequence[int | None]) -> Spans:
        """Those of the tokens with these numbers; of others, nothing."""
        spans = self._spans.get(unit)
        if spans is None:
            each = [source.spans(unit) for source in self._sources]
            spans = self._spans[unit] = each[0] if len(each) == 1 else Spans(*map(_end_to_end, zip(*each, strict=True)))
        return Spans(*([0 if number is None else column[number] for number in numbers] for column in spans))

    @cached_property
    def texts(self) -> list[int]:
        """The numbers of the texts, or of the words of them all."""
        numbers, before = list[int](), 0
        for source in self._sources:
            numbers += [before + at for at in source.text_numbers()]
            before += source.n_texts
        return numbers


def _end_to_end(columns: Iterable[Sequence[int]]) -> list[int]:
    return list(chain.from_iterable(columns))


_MOST_AROUND = 1_000  # tokens of a template that are kept; of more, each text is to be refused or served by itself


def _framed(source: Tokens, before: Columns, text: Columns, after: Columns, ranged: bool) -> Encoding:
    """The tokens of one text with what a template puts around them."""
    n = len(source.ids)

    def spans(unit: Unit) -> Spans:
        return Spans(*(_with_zeros(column, len(before), len(after)) for column in source.spans(unit)))

    def around(column: str) -> list[Any]:
        return [*getattr(before, column), *getattr(text, column) * n, *getattr(after, column)]

    return Encoding(
        [*before.ids, *source.ids, *after.ids],
        (source.text,),
        spans=lambda: spans("code points"),
        utf16_spans=lambda: spans("UTF-16"),
        byte_spans=(lambda: spans("bytes")) if source.exact else None,
        tokens=lambda: [*map(str, before.tokens), *source.tokens(), *map(str, after.tokens)],
        special_tokens_mask=lambda: around("special_mask"),
        word_ids=lambda: [*before.words, *source.words(), *after.words],
        type_ids=around("type_ids"),
        sequence_ids=[None] * len(before) + [0] * n + [None] * len(after),
        ranges={0: (len(before), len(before) + n)} if ranged else {},
    )


def _with_zeros(column: Sequence[int], before: int, after: int) -> Sequence[int]:
    """A column in which the tokens around those of a text are nowhere."""
    if not before and not after:
        return column
    if isinstance(column, array):
        return array("I", [0] * before) + column + array("I", [0] * after)
    return [*repeat(0, before), *column, *repeat(0, after)]


def _encoding(columns: Columns, texts: tuple[str, ...], places: _Places, trimmed: bool) -> Encoding:
    numbers = columns.words

    def tokens() -> list[str]:
        spelled = places.tokens
        return [token if isinstance(token, str) else spelled[token] for token in columns.tokens]

    def word_ids() -> list[int | None]:
        words = places.words
        return [None if number is None else words[number] for number in numbers]

    def text_ids() -> list[int | None]:
        of = places.texts
        return [None if number is None else of[number] for number in numbers]

    return Encoding(
        columns.ids,
        texts,
        spans=lambda: Spans(columns.starts, columns.ends) if trimmed else places.spans("code points", numbers),
        utf16_spans=None if trimmed else lambda: places.spans("UTF-16", numbers),
        byte_spans=(lambda: places.spans("bytes", numbers)) if places.exact else None,
        tokens=tokens,
        special_tokens_mask=lambda: columns.special_mask,
        word_ids=word_ids,
        type_ids=columns.type_ids,
        attention_mask=columns.attention_mask,
        sequence_ids=columns.sequence_ids(),
        overflowing=lambda: [_encoding(each, texts, places, trimmed) for each in columns.overflowing],
        ranges=columns.ranges,
        text_ids=text_ids if len(texts) > 1 else None,
    )


def _condensed(normalizer: Step | None) -> int | None:
    """How many characters may become one; ``None`` if they may become nothing, or that is not known."""
    if normalizer is None:
        return 1
    if normalizer["type"] == "Sequence":
        each = [_condensed(step) for step in normalizer["normalizers"]]
        known = [factor for factor in each if factor is not None]
        return prod(known) if len(known) == len(each) else None
    if normalizer["type"] == "Replace" and normalizer["content"]:
        return len(normalizer["pattern"].get("String", "")) or None
    return {"NFC": 4, "Prepend": 1}.get(normalizer["type"])  # a character has at most four in NFD


def _keeps(pre_tokenizer: Step | None) -> bool:
    return pre_tokenizer is None or (pre_tokenizer["type"] == "Split" and pre_tokenizer["behavior"] != "Removed")


def _trims_after_prefix(post_processor: Step | None) -> bool:
    """Does a post-processor treat the first token differently from others?"""
    if post_processor is None:
        return False
    if post_processor["type"] == "Sequence":
        return any(map(_trims_after_prefix, post_processor["processors"]))
    return bool(post_processor.get("trim_offsets") and post_processor.get("add_prefix_space"))


def _repeats_the_text(post_processor: Step | None) -> bool:
    """May a template leave the text out, or take it twice?"""
    if post_processor is None:
        return False
    if post_processor["type"] == "Sequence":
        return any(map(_repeats_the_text, post_processor["processors"]))
    return (
        post_processor["type"] == "TemplateProcessing"
        and sum("Sequence" in item for item in post_processor["single"]) != 1
    )
