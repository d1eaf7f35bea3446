"""The road of ``tokenizer.json``: its pipeline, with the plain byte-level middle taken directly.

Where the pipeline is only patterns and bytes, ``direct`` cuts and merges; the pipeline still does
what comes before (added tokens, normal forms) and after (templates, truncation, padding).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple, cast
from weakref import proxy

from ..bytechars import to_chars
from ..encoding import Encoding, Spans
from ..errors import UnknownTokenError, UnsupportedError
from ..lookup import looked_up
from ..offsets import to_bytes as bytes_before
from ..pipeline.aligned import Aligned
from ..pipeline.border_rules import normalizing, pre_tokenizing
from ..pipeline.borders import NOTHING, Borders, Pairs, anywhere, beside_added, nowhere
from ..pipeline.columns import Columns, joined
from ..pipeline.decoding import Decoding as TokenDecoding
from ..pipeline.postprocessors import added_tokens, process, trims
from ..pipeline.run import Pipeline, is_plain_byte_level
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

    def _yields_tokens(self, pair: str) -> Pairs | None:
        """What follows must not be the first token of the text."""
        return frozenset([pair]) if self.ids(pair[0], self.special_contents) else None

    def alone(self, text: str, allowed: frozenset[str]) -> Encoding:
        source = self._tokens_of(text, 0, allowed)
        size = len(source.columns)
        parts, step = [_numbered(source, 0, self._trims)], self._pipeline.spec.post_processor
        columns = parts[0] if step is None else joined(process(step, parts, False))
        return _encoding(columns, (text,), _Places([source], [size]))

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
        direct = self._direct
        if direct is None:
            return array("I", self._pipeline.encode_plain(text, self._limit(allowed)))
        ids = array("I")
        for segment, added in self._pipeline.segments(text, False, self._limit(allowed)):
            if added is None:
                ids.frombytes(direct.pack(segment.text))
            else:
                ids.append(added)
        return ids

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int:
        spec = self._pipeline.spec
        if spec.truncation or spec.padding or _repeats_the_text(spec.post_processor):
            return len(self.encode((text,), allowed, add_special_tokens))
        return len(self.ids(text, allowed)) + (added_tokens(spec.post_processor, False) if add_special_tokens else 0)

    # Ids and where they come from

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding:
        return self.encode_batch([texts], allowed, add_special_tokens)[0]

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        sources = [[self._tokens_of(text, number, allowed) for number, text in enumerate(texts)] for texts in batch]
        return self._encodings(sources, batch, add_special_tokens)

    def encode_words(
        self, batch: Sequence[tuple[Sequence[str], ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        """The same for texts that come in words: each goes through the pipeline by itself."""
        sources = [[self._tokens_of_words(words, at, allowed) for at, words in enumerate(each)] for each in batch]
        return self._encodings(
            sources, [tuple(chain.from_iterable(each)) or ("",) for each in batch], add_special_tokens
        )

    def _encodings(
        self, sources: Sequence[list[_Tokens]], batch: Sequence[tuple[str, ...]], add_special_tokens: bool
    ) -> list[Encoding]:
        results, places = [], []
        for of_batch in sources:
            sizes = [len(source.columns) for source in of_batch]
            totals = accumulate(sizes, initial=0)
            parts = [_numbered(source, before, self._trims) for source, before in zip(of_batch, totals, strict=False)]
            results.append(self._pipeline.post_process(parts, add_special_tokens))
            places.append(_Places(of_batch, sizes))
        self._pipeline.pad_batch(results)
        return list(map(_encoding, results, batch, places))

    def _tokens_of_words(self, words: Sequence[str], number: int, allowed: frozenset[str]) -> _Tokens:
        each = [self._tokens_of(word, number, allowed) for word in words]
        columns = Columns()
        for source in each:
            columns.extended(source.columns)
        numbers = [at for at, source in enumerate(each) for _ in source.columns.ids]

        def byte_spans() -> Spans:
            return _joined_spans(source.byte_spans() for source in each if source.byte_spans)

        return _Tokens(
            words,
            columns,
            lambda: [token for source in each for token in source.tokens()],
            lambda: numbers,
            None if any(source.byte_spans is None for source in each) else byte_spans,
            numbers,
        )

    def _tokens_of(self, text: str, number: int, allowed: frozenset[str]) -> _Tokens:
        limit = self._limit(allowed)
        direct = self._direct
        if direct is None:
            pipeline = self._pipeline
            at_once = pipeline.encode_at_once(text, number, limit)
            if at_once is not None:
                return _Tokens((text,), *at_once, lambda: pipeline.encode(text, allowed=limit).words, None)
            columns = pipeline.encode(text, type_id=number, allowed=limit)
            tokens, words = cast("list[str]", columns.tokens), columns.words
            return _Tokens((text,), columns, lambda: tokens, lambda: words, None)
        columns, stretches = Columns(), list[_Stretch]()
        for segment, added in self._pipeline.segments(text, True, limit):
            if added is None:
                ids: Sequence[int] = direct.encode(segment.text).tolist()
                spans = direct.spans(segment.text, ids, [Segment(0, len(segment.text), None)])
            else:
                ids, spans = [added], Spans([0], [len(segment.text)])
            stretches.append(_Stretch(segment, ids, spans, added is None))
            self._append(columns, segment, ids, spans)
        columns.complete(number)
        names = self._pipeline.model.names
        return _Tokens(
            (text,),
            columns,
            lambda: list(_spellings(names, stretches)),
            lambda: _words(direct, stretches),
            lambda: _byte_spans(direct, text, stretches),
        )

    def _append(self, columns: Columns, segment: Aligned, ids: Sequence[int], spans: Spans) -> None:
        starts, ends = _sources(segment)
        columns.ids += ids
        if isinstance(starts, range):  # the text as it was: what begins at 0 is where it is
            first = starts.start
            columns.starts += [first + each for each in spans.starts] if first else spans.starts
            columns.ends += [first + each for each in spans.ends] if first else spans.ends
            return
        columns.starts += looked_up(starts, spans.starts)
        columns.ends += [ends[end - 1] for end in spans.ends]

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


class _Stretch(NamedTuple):
    """A normalized part of the text (or an added token in it) and where its tokens lie in that part."""

    segment: Aligned
    ids: Sequence[int]
    spans: Spans
    direct: bool


class _Tokens(NamedTuple):
    """The tokens of one text before post-processing; what is rarely asked for is computed when it is. If it came in
    words, ``numbers`` tells which of them each token comes from."""

    texts: Sequence[str]
    columns: Columns
    tokens: Callable[[], list[str]]
    words: Callable[[], Sequence[int | None]]
    byte_spans: Callable[[], Spans] | None
    numbers: Sequence[int] | None = None


def _joined_spans(spans: Iterable[Spans]) -> Spans:
    starts, ends = list[int](), list[int]()
    for each in spans:
        starts += each.starts
        ends += each.ends
    return Spans(starts, ends)


def _numbered(source: _Tokens, before: int, spelled: bool) -> Columns:
    """Its columns, with the number of each token in place of its word, and of its spelling if that need not be
    ``spelled`` yet.

    The numbers come through truncation, templates and padding, and tell afterwards where each
    token's word, bytes and spelling are to be found.
    """
    columns = source.columns
    columns.words = list(range(before, before + len(columns)))
    columns.tokens = [*(source.tokens() if spelled else columns.words)]  # a list of its own: others may be joined on
    return columns


class _Places:
    """Where the tokens of all texts come from, computed once for an encoding and all that overflowed from it."""

    def __init__(self, sources: Sequence[_Tokens], sizes: Sequence[int]) -> None:
        self._sources, self._sizes = sources, sizes

    @cached_property
    def tokens(self) -> list[str]:
        return [token for source in self._sources for token in source.tokens()]

    @cached_property
    def words(self) -> list[int | None]:
        return [word for source in self._sources for word in source.words()]

    @cached_property
    def exact(self) -> bool:
        """Are the bytes of tokens more than those of their characters?"""
        return all(source.byte_spans is not None for source in self._sources)

    @cached_property
    def bytes(self) -> Spans:
        return _joined_spans(source.byte_spans() for source in self._sources if source.byte_spans is not None)

    @cached_property
    def texts(self) -> list[int]:
        """The numbers of the texts, or of the words of them all."""
        numbers, before = list[int](), 0
        for source, size in zip(self._sources, self._sizes, strict=True):
            numbers += [before + at for at in source.numbers or [0] * size]
            before += len(source.texts)
        return numbers


def _encoding(columns: Columns, texts: tuple[str, ...], places: _Places) -> Encoding:
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

    def byte_spans() -> Spans:
        starts, ends = places.bytes
        return Spans(
            [0 if number is None else starts[number] for number in numbers],
            [0 if number is None else ends[number] for number in numbers],
        )

    return Encoding(
        columns.ids,
        texts,
        spans=lambda: Spans(columns.starts, columns.ends),
        byte_spans=byte_spans if places.exact else None,
        tokens=tokens,
        special_tokens_mask=lambda: columns.special_mask,
        word_ids=word_ids,
        type_ids=columns.type_ids,
        attention_mask=columns.attention_mask,
        sequence_ids=columns.sequence_ids(),
        overflowing=lambda: [_encoding(each, texts, places) for each in columns.overflowing],
        ranges=columns.ranges,
        text_ids=text_ids if len(texts) > 1 else None,
    )


def _spellings(names: Mapping[int, str], stretches: Iterable[_Stretch]) -> Iterator[str]:
    for stretch in stretches:
        if stretch.direct:
            yield from looked_up(names, stretch.ids)
        else:
            yield stretch.segment.text  # with the spaces that `lstrip` or `rstrip` took


def _words(direct: Direct, stretches: Iterable[_Stretch]) -> list[int | None]:
    words: list[int | None] = []
    word = 0
    for stretch in stretches:
        for count in direct.words(stretch.segment.text) if stretch.direct else [1]:
            words += [word] * count
            word += 1
    return words


def _byte_spans(direct: Direct, text: str, stretches: Iterable[_Stretch]) -> Spans:
    """Exact bytes for a token of characters that went in as they are; for others those of whole characters."""
    at = bytes_before(text, range(len(text) + 1))
    starts, ends = list[int](), list[int]()
    for segment, ids, spans, merged in stretches:
        text_starts, text_ends = _sources(segment)
        normalized = segment.text
        if merged:
            of_stretch = direct.byte_spans(normalized, ids, [Segment(0, len(normalized), None)])
        else:
            of_stretch = Spans([0], [len(normalized.encode())])
        if isinstance(text_starts, range):
            origin = at[text_starts.start]
            starts += [origin + each for each in of_stretch.starts]
            ends += [origin + each for each in of_stretch.ends]
            continue
        at_normalized = bytes_before(normalized, range(len(normalized) + 1))
        for start, end, byte_start, byte_end in zip(*spans, *of_stretch, strict=True):
            first, last = text_starts[start], text_ends[end - 1]
            if text[first:last] == normalized[start:end]:
                origin = at[first] - at_normalized[start]
                starts.append(origin + byte_start)
                ends.append(origin + byte_end)
            else:
                starts.append(at[first])
                ends.append(at[last])
    return Spans(starts, ends)


def _sources(segment: Aligned) -> tuple[Sequence[int], Sequence[int]]:
    return cast("Sequence[int]", segment.starts), cast("Sequence[int]", segment.ends)


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
