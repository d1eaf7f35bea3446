"""Texts that come in words, each of which is encoded by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from .encoding import Encoding, Spans, text_numbers
from .offsets import well_formed
from .roads import Road
from .roads.piped import Piped

Words = tuple[str, ...]

SPLIT = "a text that comes in words is a list of str, given with is_split_into_words=True"


def words_of(text: Any) -> Words:
    """The words of one text, well-formed."""
    if isinstance(text, str) or not isinstance(text, Iterable):
        raise TypeError(f"{SPLIT}, not {type(text).__name__}")
    return tuple(map(well_formed, text))


def words_or_pair(texts: Any) -> tuple[Words, ...]:
    """Those of one text, or of two: what has two lists in it."""
    if isinstance(texts, (list, tuple)) and len(texts) == 2 and all(isinstance(text, (list, tuple)) for text in texts):
        return words_of(texts[0]), words_of(texts[1])
    return (words_of(texts),)


def encode_batch(
    road: Road, batch: Sequence[tuple[Words, ...]], allowed: frozenset[str], add_special_tokens: bool
) -> list[Encoding]:
    if isinstance(road, Piped):
        return road.encode_words(batch, allowed, add_special_tokens)
    return [_one_by_one(road, texts, allowed) for texts in batch]


def _one_by_one(road: Road, texts: tuple[Words, ...], allowed: frozenset[str]) -> Encoding:
    """For tokenizers that put nothing around a text."""
    words = list(chain.from_iterable(texts))
    each = [road.alone(word, allowed) for word in words]
    of_word = text_numbers([encoding.ids for encoding in each])
    in_text = list(chain.from_iterable(map(range, map(len, texts))))
    of_text = text_numbers(texts)
    sequences = [of_text[number] for number in of_word]

    def all_of(column: Callable[[Encoding], Iterable[Any]]) -> list[Any]:
        return list(chain.from_iterable(map(column, each)))

    def spans(kind: Callable[[Encoding], Spans]) -> Spans:
        return Spans(all_of(lambda one: kind(one).starts), all_of(lambda one: kind(one).ends))

    return Encoding(
        all_of(lambda one: one.ids),
        tuple(words) or ("",),
        spans=lambda: spans(lambda one: one.spans),
        byte_spans=lambda: spans(lambda one: one.byte_spans),
        tokens=lambda: all_of(lambda one: one.tokens),
        special_tokens_mask=lambda: all_of(lambda one: one.special_tokens_mask),
        word_ids=lambda: [in_text[number] for number in of_word],
        type_ids=sequences,
        sequence_ids=sequences,
        ranges=_ranges(sequences) if len(texts) > 1 else {},
        text_ids=lambda: list(of_word),
    )


def _ranges(sequences: list[int]) -> dict[int, tuple[int, int]]:
    first = sequences.count(0)
    return {0: (0, first), 1: (first, len(sequences))}
