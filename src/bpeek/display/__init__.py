"""Encodings and comparisons to look at: ``html`` for notebooks, ``terminal``, and ``table`` for other programs.

Nothing here is used for encoding, and nothing is imported before something is shown. What can be shown is told by
the protocols below, so that no module here knows how it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol


class Shown(Protocol):
    """What is shown of an ``Encoding``: see there."""

    @property
    def ids(self) -> Sequence[int]: ...
    @property
    def texts(self) -> tuple[str, ...]: ...
    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def offsets(self) -> Sequence[tuple[int, int]]: ...
    @property
    def offsets_utf16(self) -> Sequence[tuple[int, int]]: ...
    @property
    def offsets_bytes(self) -> Sequence[tuple[int, int]]: ...
    @property
    def word_ids(self) -> Sequence[int | None]: ...
    @property
    def type_ids(self) -> Sequence[int]: ...
    @property
    def attention_mask(self) -> Sequence[int]: ...
    @property
    def special_tokens_mask(self) -> Sequence[int]: ...
    @property
    def sequence_ids(self) -> Sequence[int | None]: ...
    @property
    def text_ids(self) -> Sequence[int | None]: ...
    @property
    def special_ids(self) -> frozenset[int]: ...
    @property
    def lookalikes(self) -> Sequence[tuple[int, int]]: ...
    @property
    def overflowing(self) -> Sequence[Shown]: ...


class ShownSegment(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def tokens(self) -> tuple[range, ...]: ...
    @property
    def agree(self) -> bool: ...


class ShownComparison(Protocol):
    """What is shown of a ``Comparison``."""

    @property
    def text(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def encodings(self) -> Sequence[Shown]: ...
    @property
    def segments(self) -> Sequence[ShownSegment]: ...
    @property
    def disagreement(self) -> float: ...


def parts(shown: Shown, limit: int | None = None) -> Iterator[tuple[str, range]]:
    """Each of its texts, and the tokens to show with it: its own, and those of a template beside them."""
    first, of = 0, 0
    count = len(shown.ids) if limit is None else min(limit, len(shown.ids))
    for index, number in enumerate(shown.text_ids[:count]):
        if number is not None and number != of:
            yield shown.texts[of], range(first, index)
            first, of = index, number
    yield shown.texts[of], range(first, count)


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "token"), counted(2000, "token")
    ('1 token', '2,000 tokens')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def facts(shown: Shown) -> list[str]:
    """What is told of every encoding in a line above it."""
    characters = sum(map(len, shown.texts))
    size = sum(len(text.encode()) for text in shown.texts)
    return [counted(len(shown.ids), "token"), counted(characters, "character"), counted(size, "byte")]


def share(shown: ShownComparison) -> str:
    """On how much of the text tokenizers differ."""
    if shown.disagreement == 0:
        return "The text is cut in the same way by all"
    return f"{shown.disagreement:.1%} of the text is not cut in the same way"
