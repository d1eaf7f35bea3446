"""What encoding yields, one list per field, and the reference's ways of joining, truncating and padding it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ..errors import BpeekError
from ..spec import Step


@dataclass(slots=True)
class Columns:
    """Tokens in columns. A number among ``tokens`` stands for a spelling that is looked up later. ``ranges`` tells, by
    sequence number, which tokens come from which input; without any, all of them are the first's."""

    ids: list[int] = field(default_factory=list)
    tokens: list[str | int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    words: list[int | None] = field(default_factory=list)
    type_ids: list[int] = field(default_factory=list)
    special_mask: list[int] = field(default_factory=list)
    attention_mask: list[int] = field(default_factory=list)
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)
    overflowing: list[Columns] = field(default_factory=list)

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
        self.extended(other).overflowing = overflowing

    def extended(self, other: Columns) -> Columns:
        n = len(self)
        for number, (start, end) in other.ranges.items():
            self.ranges[number] = (n + start, n + end)
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name))
        return self

    def truncate(self, length: int, stride: int, direction: str) -> None:
        """Keep ``length`` tokens; the others become overflow, in windows that share ``stride`` tokens."""
        n = len(self)
        if length >= n:
            return
        if length == 0:
            whole = replace(self)
            self._become(Columns(overflowing=[whole]))
            return
        if stride >= length:
            message = f"the stride of truncation ({stride}) must be less than the tokens it keeps ({length})"
            raise BpeekError(message + "; lower the stride, or raise max_length")
        step = length - stride
        if direction == "Right":
            last = max(0, -(-(n - length) // step))
            windows = [(at, min(at + length, n)) for at in range(0, last * step + 1, step)]
        else:
            ends = range(n, 0, -step)
            windows = [(max(0, end - length), end) for end in ends]
            windows = windows[: 1 + next(index for index, (start, _) in enumerate(windows) if start == 0)]
        first, *others = [self.part(start, end) for start, end in windows]
        first.overflowing = others
        self._become(first)

    def _become(self, other: Columns) -> None:
        for item in fields(self):
            setattr(self, item.name, getattr(other, item.name))

    def pad(self, length: int, padding: Step) -> None:
        for overflow in self.overflowing:
            overflow.pad(length, padding)
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


_COLUMNS = ("ids", "tokens", "starts", "ends", "words", "type_ids", "special_mask", "attention_mask")


def joined(parts: list[Columns]) -> Columns:
    """All parts as one. The first part is what becomes it."""
    whole, *others = parts or [Columns()]
    for part in others:
        whole.append(part)
    return whole


def truncate_all(parts: list[Columns], truncation: Step, budget: int) -> None:
    """Truncate one input, or a pair, to ``budget`` tokens in all."""
    first, *others = parts
    stride, direction = truncation["stride"], truncation.get("direction", "Right")
    if budget == 0:
        for part in parts:
            part.truncate(0, stride, direction)
        return
    excess = sum(map(len, parts)) - budget
    if excess <= 0:
        return
    strategy = truncation["strategy"]
    if strategy == "LongestFirst":
        lengths = _longest_first(len(first), len(others[0]), budget) if others else [budget]
        for part, length in zip(parts, lengths, strict=True):
            part.truncate(length, stride, direction)
        return
    if strategy == "OnlySecond" and not others:
        raise BpeekError("truncation is set to the second text only (OnlySecond), but there is one text")
    target = first if strategy == "OnlyFirst" else others[0]
    if len(target) <= excess:
        message = (
            f"truncation ({strategy}) cannot reach max_length: the text has {len(target)} tokens, {excess} too many"
        )
        raise BpeekError(message + "; raise max_length, or use LongestFirst")
    target.truncate(len(target) - excess, stride, direction)


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
