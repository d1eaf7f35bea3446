"""A text that is edited and stays encoded: what an edit cannot change is not looked at again.

The text lies in segments that end at borders (see ``pipeline.borders``), each with its ids. An edit
encodes anew the segments that it touches, and neighbours as long as the new characters have no border
with them. So its cost is that of the text between two borders, whatever the size of the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import NamedTuple

from .arguments import whole_number
from .errors import BpeekError
from .offsets import to_utf16, well_formed
from .parts import Columns, Parts, unpacked
from .rope import Rope, Sizes

SEGMENT = (
    512  # characters of a segment, at least; its end is the next border. An edit costs as many, a text a call for each
)

CHARS, UNITS, BYTES, TOKENS = range(4)  # columns of sizes: code points, UTF-16 units, UTF-8 bytes, tokens


class Segment(NamedTuple):
    sizes: Sizes
    text: str
    ids: bytes

    @classmethod
    def of(cls, text: str, ids: bytes) -> Segment:
        size = len(text)
        if text.isascii():
            return cls((size, size, size, len(ids) // 4), text, ids)
        return cls((size, len(text.encode("utf-16-le")) // 2, len(text.encode()), len(ids) // 4), text, ids)


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit did to the tokens: ``removed`` of them, from ``index`` on, gave way to ``ids``.

    Spans are places in the new document: ``offsets`` in code points, ``offsets_bytes`` in bytes of UTF-8,
    ``offsets_utf16`` in UTF-16 units. Tokens further behind have moved by as much as the text has grown.
    """

    index: int
    removed: int
    ids: list[int]
    offsets: list[tuple[int, int]]
    offsets_bytes: list[tuple[int, int]]
    offsets_utf16: list[tuple[int, int]]


class Document:
    """A text with its tokens; ``Tokenizer.document`` makes one. Always equal to a full encode:
    ``document.ids == tokenizer.encode(document.text).ids``, but that nothing is truncated or padded.

    Places are code points of the text as it is then. Those outside it raise ``BpeekError``.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    >>> document = tok.document("a a b")
    >>> document.ids, len(document), document.size
    ([1, 1, 2, 4], 4, 5)
    >>> change = document.replace(2, 3, "b")
    >>> change.index, change.removed, change.ids, change.offsets
    (1, 1, [2, 4], [(1, 2), (2, 3)])
    >>> document.text, document.count(0, 3)
    ('a b b', 3)
    """

    def __init__(self, parts: Parts, text: str) -> None:
        self._parts = parts
        self._before, self._after = parts.frame
        self._rope: Rope[Segment] = Rope(list(self._segments("", well_formed(text))), 4)

    def __repr__(self) -> str:
        return f"<Document: {self.size:,} characters, {len(self):,} tokens>"

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self._before) + self._rope.sizes[TOKENS] + len(self._after)

    @property
    def size(self) -> int:
        """The number of characters."""
        return self._rope.sizes[CHARS]

    @property
    def text(self) -> str:
        """The text as it is now."""
        return "".join([segment.text for segment in self._rope])

    @property
    def ids(self) -> list[int]:
        """All ids, as ``encode`` gives them."""
        return [*self._before, *unpacked(b"".join([segment.ids for segment in self._rope])), *self._after]

    def _segments(self, before: str, text: str) -> Iterator[Segment]:
        """A text cut at borders, every segment with its ids; ``before`` is the character before it."""
        start, borders, encode = 0, self._parts.borders, self._parts.ids
        while start < len(text):
            end = borders.next(text, start + SEGMENT)
            part = text[start:end]
            yield Segment.of(part, encode(before, part))
            before, start = part[-1], end

    def _check(self, start: int, end: int) -> None:
        if not 0 <= whole_number(start, "a place") <= whole_number(end, "a place") <= self.size:
            raise BpeekError(f"From {start} to {end} is no part of a text of {self.size:,} characters")

    # Editing

    def replace(self, start: int, end: int, new: str) -> Change:
        """Put ``new`` in the place of the characters from ``start`` to ``end``, at the cost of encoding about as much
        text as the edit has, however long the document is. Raises ``BpeekError`` for places outside the text."""
        self._check(start, end)
        rope, new = self._rope, well_formed(new)
        if not len(rope):
            first = last = 0
            text, sizes = new, rope.sizes
        else:
            first, sizes = rope.find(CHARS, start)
            # A segment whose left neighbour changes is encoded anew: a token of single words looks at it.
            last, sizes_at_end = rope.find(CHARS, end) if end > start else (first, sizes)
            right = rope[last].text[end - sizes_at_end[CHARS] :]
            text = rope[first].text[: start - sizes[CHARS]] + new + right
            first, last, text = self._widened(first, last + 1, text)
            sizes = rope.before(first)
        before = rope[first - 1].text[-1] if first else ""
        change = self._change(rope.items(first, last), before, text, sizes)
        rope.replace(first, last, list(self._segments(before, text)))
        return change

    def _widened(self, first: int, last: int, text: str) -> tuple[int, int, str]:
        """As many segments more, on either side, as it takes to end at borders."""
        rope, borders = self._rope, self._parts.borders
        count = len(rope)
        while last < count and not (text and borders[text[-1] + rope[last].text[0]]):
            text += rope[last].text
            last += 1
        while first and text and not borders[rope[first - 1].text[-1] + text[0]]:
            first -= 1
            text = rope[first].text + text
        return first, last, text

    def _change(self, segments: list[Segment], before: str, text: str, origin: Sizes) -> Change:
        """Only tokens that are others now, or lie elsewhere in what was encoded anew."""
        new = self._parts.columns(before, text)
        old_text = "".join([segment.text for segment in segments])
        old = self._parts.columns(before, old_text)
        head = _common(_from_start(old, old_text), _from_start(new, text))
        limit = min(len(old.ids), len(new.ids)) - head
        tail = min(limit, _common(_from_end(old, old_text), _from_end(new, text)))
        kept = slice(head, len(new.ids) - tail)

        def placed(starts: Sequence[int], ends: Sequence[int], column: int) -> list[tuple[int, int]]:
            base = origin[column]
            return [(base + start, base + end) for start, end in zip(starts, ends, strict=True)]

        starts, ends = new.starts[kept], new.ends[kept]
        return Change(
            len(self._before) + origin[TOKENS] + head,
            len(old.ids) - head - tail,
            new.ids[kept],
            placed(starts, ends, CHARS),
            placed(new.byte_starts[kept], new.byte_ends[kept], BYTES),
            placed(to_utf16(text, starts), to_utf16(text, ends), UNITS),
        )

    # Asking

    def columns(self, utf16: bool = False) -> Columns:
        """All tokens and where they lie, as ``encode`` gives them: in code points or ``utf16`` units, and in bytes."""
        columns = self._parts.columns("", self.text, utf16)
        if not self._before and not self._after:
            return columns
        ids, *places = columns
        before, after = [0] * len(self._before), [0] * len(self._after)
        return Columns([*self._before, *ids, *self._after], *([*before, *column, *after] for column in places))

    def count(self, start: int = 0, end: int | None = None) -> int:
        """The number of tokens of a part of the text by itself: ``tokenizer.count(document.text[start:end])``,
        at the cost of encoding a segment at either end. Raises ``BpeekError`` for places outside the text."""
        end = self.size if end is None else end
        self._check(start, end)
        return len(self._before) + self._count(start, end) + len(self._after)

    def _count(self, start: int, end: int) -> int:
        rope, count = self._rope, self._parts.count
        if start == end:
            return count("", "")
        first, at_first = rope.find(CHARS, start)
        last, at_last = rope.find(CHARS, end)
        left, right = start - at_first[CHARS], end - at_last[CHARS]
        text = rope[first].text
        if first == last:
            return count("", text[left:right])
        total = count("", text[left:]) + at_last[TOKENS] - at_first[TOKENS] - rope[first].sizes[TOKENS]
        return total + (count(rope[last - 1].text[-1], rope[last].text[:right]) if right else 0)

    def end_within(self, start: int, room: int, most: int | None = None) -> int:
        """Where the longest part from ``start`` on ends that ends with a token and has at most ``room`` by itself.

        ``most`` bounds the cost where there is no border in as many characters: tokens are then those of the text up
        to there, or of twice as much, and so on, until there are more than ``room``."""
        rope, count = self._rope, self._parts.count
        self._check(start, self.size)
        room = whole_number(room, "room")
        if start == self.size:
            return start
        first, sizes = rope.find(CHARS, start)
        text = rope[first].text[start - sizes[CHARS] :]
        while most is not None and most < len(text):
            if count("", text[:most]) > room:
                return start + self._longest("", text[:most], room)
            most *= 2
        used = count("", text)
        if used > room:
            return start + self._longest("", text, room)
        target = sizes[TOKENS] + rope[first].sizes[TOKENS] + room - used
        if target >= rope.sizes[TOKENS]:
            return self.size
        last, sizes = rope.find(TOKENS, target)
        return sizes[CHARS] + self._longest(rope[last - 1].text[-1], rope[last].text, target - sizes[TOKENS])

    def _longest(self, before: str, text: str, room: int) -> int:
        """The end of as many tokens as there is room for, that are no more when what follows is gone."""
        columns = self._parts.columns(before, text)
        for number in range(min(room, len(columns.ids)), 0, -1):
            end = columns.ends[number - 1]
            if number < len(columns.ids) and columns.starts[number] < end:
                continue  # inside a character
            if self._parts.count(before, text[:end]) <= room:
                return end
        return 0

    def start_within(self, end: int, room: int, most: int | None = None) -> int:
        """Where the longest part up to ``end`` starts that starts with a token and has at most ``room`` by itself.
        ``most`` is that of ``end_within``."""
        rope = self._rope
        self._check(0, end)
        room = whole_number(room, "room")
        if not end:
            return 0
        last, sizes = rope.find(CHARS, end)
        at = end - sizes[CHARS]
        while most is not None and most < at:
            columns = self._parts.columns("", rope[last].text[at - most : at])
            if len(columns.ids) > room:
                starts = _starts(columns, len(columns.ids) - room, end - most)
                return next((start for start in starts if self._count(start, end) <= room), end)
            most *= 2
        part = rope[last].text[:at]
        tokens = self._parts.count(rope[last - 1].text[-1] if last else "", part) if part else 0
        starts = self._token_starts(max(0, sizes[TOKENS] + tokens - room))
        return next((start for start in starts if start >= end or self._count(start, end) <= room), end)

    def _token_starts(self, number: int) -> Iterator[int]:
        """Where segments and tokens start, from a token on, but for those inside a character."""
        rope = self._rope
        index = rope.find(TOKENS, number)[0] if number else 0
        for at in range(index, len(rope)):
            columns = self._parts.columns(rope[at - 1].text[-1] if at else "", rope[at].text)
            base = rope.before(at)
            if number <= base[TOKENS]:
                yield base[CHARS]
            yield from _starts(columns, max(1, number - base[TOKENS]), base[CHARS])

    def from_utf16(self, position: int) -> int:
        """A place in UTF-16 units as one in code points; within a character it is that character's."""
        position = max(0, whole_number(position, "a place"))
        if not len(self._rope):
            return 0
        index, before = self._rope.find(UNITS, position)
        data = self._rope[index].text.encode("utf-16-le")[: 2 * (position - before[UNITS])]
        return before[CHARS] + len(data.decode("utf-16-le", "ignore"))


def _starts(columns: Columns, first: int, base: int) -> Iterator[int]:
    """Where tokens start, from one on, but for those inside a character."""
    for token in range(first, len(columns.starts)):
        if columns.ends[token - 1] <= columns.starts[token]:
            yield base + columns.starts[token]


def _from_start(columns: Columns, text: str) -> Iterator[tuple[object, ...]]:
    """All that makes a token the same: id, spans, and what it stands for."""
    return zip(*columns, map(text.__getitem__, map(slice, columns.starts, columns.ends)), strict=True)


def _from_end(columns: Columns, text: str) -> Iterator[tuple[object, ...]]:
    """The same read backwards, with places counted from the end."""
    _, *places = (column[::-1] for column in columns)
    chars, size = len(text), len(text.encode())
    ends = (chars, chars, size, size)
    backwards = Columns(
        columns.ids[::-1], *([at - end for at in column] for column, end in zip(places, ends, strict=True))
    )
    texts = map(text.__getitem__, map(slice, columns.starts[::-1], columns.ends[::-1]))
    return zip(*backwards, texts, strict=True)


def _common(one: Iterator[object], other: Iterator[object]) -> int:
    """How many they have in common at the beginning."""
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))
