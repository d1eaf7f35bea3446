"""What encoding yields, one list per field, and the reference's ways of joining, truncating and padding it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import BpeekError
from ..spec import Step
from .growth import refuse_beyond


@dataclass(slots=True)
class Columns:
    """Tokens in columns. A number among ``tokens`` stands for a spelling that is looked up later. ``ranges`` tells, by
    sequence number, which tokens come from which input; without any, all of them are the first's. ``overflow`` is what
    truncation cut off, or makes it."""

    ids: list[int] = field(default_factory=list)
    tokens: list[str | int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    words: list[int | None] = field(default_factory=list)
    type_ids: list[int] = field(default_factory=list)
    special_mask: list[int] = field(default_factory=list)
    attention_mask: list[int] = field(default_factory=list)
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)
    overflow: list[Columns] | Callable[[], list[Columns]] = field(default_factory=list)

    @property
    def overflowing(self) -> list[Columns]:
        """What truncation cut off, made when it is first asked for."""
        if callable(self.overflow):
            self.overflow = self.overflow()
        return self.overflow

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def added(cls, ids: list[int], tokens: list[str], type_id: int) -> Columns:
        """Tokens that a template adds."""
        n = len(ids)
        # The reference takes lists of unequal length as they come.
        zeros = [0] * n
        return cls(ids[:], [*tokens], zeros, zeros[:], [None] * n, [type_id] * n, [1] * n, [1] * n)

    def complete(self, type_id: int) -> None:
        """Fill in what is the same for all tokens of a text."""
        n = len(self)
        self.type_ids, self.special_mask, self.attention_mask = [type_id] * n, [0] * n, [1] * n

    def of_sequence(self, number: int) -> None:
        self.ranges[number] = (0, len(self))

    def sequence_ids(self) -> list[int | None]:
        """The input that each token comes from, or ``None``."""
        if not self.ranges:
            return [0] * len(self)
        numbers: list[int | None] = [None] * len(self)
        for number in range(len(self.ranges)):
            start, end = self.ranges.get(number, (0, len(self)))
            numbers[start:end] = [number] * (end - start)
        return numbers

    def part(self, start: int, end: int) -> Columns:
        return Columns(*(getattr(self, name)[start:end] for name in _COLUMNS))

    def alone(self) -> Columns:
        """A copy without overflow."""
        columns = self.part(0, len(self))
        columns.ranges = dict(self.ranges)
        return columns

    def append(self, other: Columns) -> None:
        """Join another one on, and every overflow of either with the other and its overflows."""
        overflowing = []
        for mine in self.overflowing:
            overflowing += [mine.alone().extended(theirs) for theirs in (other, *other.overflowing)]
        overflowing += [self.alone().extended(theirs) for theirs in other.overflowing]
        self.extended(other).overflow = overflowing

    def extended(self, other: Columns) -> Columns:
        n = len(self)
        for number, (start, end) in other.ranges.items():
            self.ranges[number] = (n + start, n + end)
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name))
        return self

    def first_window(self, length: int, truncation: Step) -> Columns:
        """The ``length`` tokens that truncation keeps."""
        if length >= len(self):
            return self
        if length and truncation["stride"] >= length:
            stride = truncation["stride"]
            message = f"the stride of truncation ({stride}) must be less than the tokens it keeps ({length})"
            raise BpeekError(message + "; lower the stride, or raise max_length")
        start = len(self) - length if _leftwards(truncation) else 0
        return self.part(start, start + length)

    def windows(self, length: int, truncation: Step, room: int) -> Columns:
        """The same, with the other tokens as overflow: in windows of ``length``, each of which shares ``stride``
        tokens with the one before. Raises ``BpeekError`` if they have more than ``room`` tokens."""
        n, first = len(self), self.first_window(length, truncation)
        if length >= n:
            return self.alone()
        if not length:
            first.overflow = [self.alone()]
            return first
        step = length - truncation["stride"]
        count = -(-(n - length) // step)
        name = f"truncation to {length:,} tokens with a stride of {truncation['stride']:,}"
        refuse_beyond(room, count * length, name, "tokens that overflow")
        places = [(at * step, min(at * step + length, n)) for at in range(1, count + 1)]
        if _leftwards(truncation):
            places = [(n - end, n - start) for start, end in places]
        first.overflow = [self.part(start, end) for start, end in places]
        return first

    def pad(self, length: int, padding: Step) -> None:
        if callable(make := self.overflow):
            self.overflow = lambda: [each.padded(length, padding) for each in make()]
        else:
            for each in make:
                each.pad(length, padding)
        missing = length - len(self)
        if missing <= 0:
            return
        left = padding["direction"] == "Left"
        values: tuple[Any, ...] = (
            padding["pad_id"], padding["pad_token"], 0, 0, None, padding["pad_type_id"], 1, 0,
        )  # fmt: skip
        for name, value in zip(_COLUMNS, values, strict=True):
            column = getattr(self, name)
            setattr(self, name, [value] * missing + column if left else column + [value] * missing)
        if left:
            self.ranges = {number: (start + missing, end + missing) for number, (start, end) in self.ranges.items()}

    def padded(self, length: int, padding: Step) -> Columns:
        self.pad(length, padding)
        return self


_COLUMNS = ("ids", "tokens", "starts", "ends", "words", "type_ids", "special_mask", "attention_mask")


def joined(parts: list[Columns]) -> Columns:
    """All parts as one. The first part is what becomes it."""
    whole, *others = parts or [Columns()]
    for part in others:
        whole.append(part)
    return whole


def refuse_too_many(parts: Iterable[Columns], room: int, step: str) -> None:
    """Raise ``BpeekError`` if the parts joined, with what overflows from each, would have more than ``room`` tokens."""
    tokens, ways = 0, 1
    for part in parts:
        overflow = part.overflowing
        tokens += max(map(len, (part, *overflow)))
        ways *= 1 + len(overflow)
        refuse_beyond(room, tokens * ways, step, "tokens")


def _leftwards(truncation: Step) -> bool:
    return bool(truncation.get("direction", "Right") == "Left")


def truncated_lengths(sizes: list[int], truncation: Step, budget: int) -> list[int]:
    """To how many tokens one input, or each of a pair, is truncated so that there are ``budget`` in all."""
    excess = sum(sizes) - budget
    if excess <= 0:
        return sizes
    if budget == 0:
        return [0] * len(sizes)
    first, *others = sizes
    strategy = truncation["strategy"]
    if strategy == "LongestFirst":
        lengths = _longest_first(first, others[0], budget) if others else [budget]
        return list(map(min, sizes, lengths))
    if strategy == "OnlySecond" and not others:
        raise BpeekError("truncation is set to the second text only (OnlySecond), but there is one text")
    target = 0 if strategy == "OnlyFirst" else 1
    size = sizes[target]
    if size <= excess:
        tokens = f"{size:,} token" + "s" * (size != 1)
        message = f"truncation ({strategy}) cannot reach max_length: the text has {tokens}, {excess:,} too many"
        raise BpeekError(message + "; raise max_length, or use LongestFirst")
    return [each - excess * (number == target) for number, each in enumerate(sizes)]


def _longest_first(first: int, second: int, budget: int) -> list[int]:
    shorter, longer = sorted((first, second))
    longer = shorter if shorter > budget else max(shorter, budget - shorter)
    if shorter + longer > budget:
        shorter = budget // 2
        longer = shorter + budget % 2
    return [longer, shorter] if first > second else [shorter, longer]


def pad_all(parts: list[Columns], padding: Step) -> None:
    """Pad to one length."""
    length = padded_length(map(len, parts), padding)
    for part in parts:
        part.pad(length, padding)


def padded_length(lengths: Iterable[int], padding: Step) -> int:
    """The longest, or a fixed one; a multiple of what the padding says."""
    strategy, multiple = padding["strategy"], padding.get("pad_to_multiple_of")
    length: int = max(lengths, default=0) if strategy == "BatchLongest" else strategy["Fixed"]
    return -(-length // multiple) * multiple if multiple else length
