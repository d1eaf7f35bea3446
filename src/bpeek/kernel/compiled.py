"""One instance of the kernel, and how texts go through it: block by block."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import urandom
from threading import RLock
from typing import Literal, NamedTuple, Protocol

from .host import Host

NEVER = 0xFFFFFFFF  # in marks: no id, but text to be encoded
MISSED = 0xFFFFFFFE  # from the kernel: there is a character that it cannot encode
BLOCK = 1 << 18  # bytes of text that go into the kernel at a time
COMPLETE, CUT, ASCII = 1, 2, 4
UNITS = ("bytes", "code points", "UTF-16")
Unit = Literal["bytes", "code points", "UTF-16"]


def numbers(values: Iterable[int]) -> bytes:
    """Packed; a list in a tenth of the time of what is no list."""
    return (values if isinstance(values, array) else array("I", [*values])).tobytes()


class Automaton(Protocol):
    """What is asked of a pattern's automaton: see ``pattern.automaton``."""

    @property
    def table(self) -> array[int]: ...
    @property
    def width(self) -> int: ...
    @property
    def starts(self) -> array[int]: ...
    def classes(self) -> tuple[bytes, bytes]: ...


class Marks(NamedTuple):
    """The stretches that a text is made of: where each ends, in code points, and the id that it is, or ``NEVER`` if it
    is to be encoded. None is empty."""

    ends: Sequence[int]
    ids: Sequence[int]


class _Block(NamedTuple):
    """Part of a text that was encoded: its bytes, the place of the first one (in characters where it comes from
    ``_encoded``), and where these, the ids and their places are."""

    data: bytes
    start: int
    at: int
    n_ids: int
    ids: int
    places: int


class Kernel:
    """A tokenizer's tables in one instance of the kernel. Threads take turns.

    What fills tables is called once, in the order in which it stands here. Raises ``MemoryError`` where the memory
    cannot grow; what was there before is whole then.
    """

    def __init__(self, host: Host) -> None:
        self._host, self._call = host, host.call
        self._lock, self._busy = RLock(), False
        self._base = self._room = 0  # where texts go, and how many bytes have room there
        self._call("seed", *array("I", urandom(16)))

    @property
    def free(self) -> bool:
        """May this thread call it, when it is its turn? Not from what interrupts a call of its own, such as a signal
        handler or a ``__del__``; nor while Python ends."""
        if not self._host.open:
            return False
        if not self._lock.acquire(blocking=False):  # another thread has its turn
            return True
        busy = self._busy
        self._lock.release()
        return not busy

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self._lock:
            if self._busy:
                raise RuntimeError("a call of the kernel was interrupted by another of the same thread")
            try:
                self._busy = True
                yield
            finally:
                self._busy = False

    # --- tables --------------------------------------------------------------------------------------------

    def _needed(self, function: str, *arguments: int) -> int:
        answer = self._call(function, *arguments)
        if not answer:
            raise MemoryError("the kernel's memory cannot grow")
        return answer

    def _written(self, data: bytes) -> int:
        at = self._needed("alloc", len(data))
        self._host.write(at, data)
        return at

    def tokens(
        self,
        joined: bytes,
        lengths: Collection[int],
        ids: Collection[int],
        limit: int,
        *,
        alphabet: bytes = b"",
        in_characters: bool = False,
    ) -> bool:
        """All tokens, one after the other, as UTF-8 or bytes; ``lengths`` are in bytes, or in characters. ``limit`` is
        above all ids, those of added tokens, too. ``alphabet`` has the byte that each code point below 512 stands for,
        if they stand for any. ``False`` if two tokens have the same hash, which is no reason to expect it again."""
        at = self._needed("reserveTokens", len(ids), len(joined), limit)
        self._host.write(at, joined)
        with self._for_now():
            if alphabet:
                self._call("spellBytes", len(joined), self._written(alphabet))
            return bool(self._tabled("enterTokens", numbers(lengths), numbers(ids), in_characters))

    def lengths(self, lengths: dict[int, int]) -> None:
        """How many bytes of a text tokens have that are not in it as the vocabulary spells them."""
        with self._for_now():
            self._tabled("setLengths", numbers(lengths), numbers(lengths.values()))

    def merges(self, made: Sequence[int], cuts: Sequence[int], in_characters: bool) -> None:
        """Merges in order, by the token that each makes and how much of that is its left part."""
        self._needed("reserveMerges", len(made))
        with self._for_now():
            self._tabled("enterMerges", numbers(made), numbers(cuts), in_characters)

    def start(
        self,
        byte_ids: Sequence[int],
        *,
        listed: bool = False,
        in_characters: bool = False,
        ranks: Sequence[int] = (),
        unknown: int | None = None,
        whole: bool = False,
        cutting: bool = True,
    ) -> None:
        """How pieces are encoded. Two neighbours merge if what they have together is a token; if ``listed``, only by
        one of the ``merges``. The lowest rank goes first: that of the merge, or of the token, which is its id where
        there are no ``ranks`` by id.

        Merging begins with single bytes, or with characters; those that are no token become ``byte_ids``, or
        ``unknown``. ``whole``: a piece that is a token is that token. ``cutting``: pieces may be merged in parts.
        """
        bytes_at, ranks_at = (self._written(numbers(each)) if each else 0 for each in (byte_ids, ranks))
        other = NEVER if unknown is None else unknown
        self._needed("startPieces", listed, in_characters, bytes_at, ranks_at, other, whole, cutting)
        self._began()

    def automaton(self, automaton: Automaton, mode: int) -> bool:
        """A pattern that cuts what those before it made, into what ``mode`` says. ``False`` if there are too many."""
        first, classes = automaton.classes()
        places = [self._written(each) for each in (first, classes, automaton.table.tobytes())]
        starts = self._written(automaton.starts.tobytes()) if any(automaton.starts) else 0
        states = len(automaton.table) // automaton.width
        added = self._call("addAutomaton", *places, states, automaton.width, starts, mode)
        self._began()
        return bool(added)

    @contextmanager
    def _for_now(self) -> Iterator[None]:
        """What is written meanwhile is needed no longer."""
        mark = self._call("mark")
        yield
        self._call("release", mark)

    def _tabled(self, function: str, one: bytes, two: bytes, *rest: int) -> int:
        """Call with two columns of numbers."""
        return self._call(function, len(one) // 4, self._written(one), self._written(two), *rest)

    def _began(self) -> None:
        self._base, self._room = self._call("mark"), 0

    # --- texts ---------------------------------------------------------------------------------------------

    def encode(self, text: str, marks: Marks | None = None, cut: bool = True) -> array[int] | None:
        """The ids of a text, which is one stretch without ``marks``. Without ``cut``, each stretch is a piece. ``None``
        if a character cannot be encoded."""
        ids = array("I")
        with self._turn():
            for block in self._encoded(text, marks, cut):
                if block.n_ids == MISSED:
                    return None
                ids.frombytes(self._host.read(block.ids, 4 * block.n_ids))
        return ids

    def count(self, text: str, marks: Marks | None = None) -> int | None:
        """How many ids there are."""
        total = 0
        with self._turn():
            for block in self._encoded(text, marks, True):
                if block.n_ids == MISSED:
                    return None
                total += block.n_ids
        return total

    def begins(self, text: str, marks: Marks | None = None) -> list[int]:
        """For each token 1 if it begins a piece, else 0."""
        begins = list[int]()
        with self._turn():
            for block in self._encoded(text, marks, True, placed=True):
                places = array("I", self._host.read(block.places, 4 * block.n_ids))
                begins += [place >> 31 for place in places]
        return begins

    def spans_of_pieces(self, text: str, unit: Unit, marks: Marks | None = None) -> tuple[array[int], array[int]]:
        """Where each token begins and ends; what lies between pieces is in none."""
        begins, ends = array("I"), array("I")
        at = before = 0
        with self._turn():
            for block in self._encoded(text, marks, True, placed=True):
                before += size_in(unit, text[at : block.start])
                at = block.start
                self._spans(block, before, unit, begins, ends)
        return begins, ends

    def spans(
        self, text: str, ids: array[int], unit: Unit, prefix: int = 0, at_end: bool = False
    ) -> tuple[array[int], array[int]]:
        """Where each token begins and ends, if each follows the one before. One inside a character has all of it; with
        ``at_end``, the last one there has it, and the others nothing.

        ``prefix`` characters at the beginning are not counted. A token of nothing else has the first character that is,
        or, with ``at_end``, nothing.
        """
        begins, ends = array("I"), array("I")
        data = text.encode()
        if len(data) == len(text) and not prefix:
            unit = "bytes"  # all units are the same
        at = inside = 0  # bytes; and how many of the character there are the last token's
        before = 0  # units
        with self._turn():
            for start in range(0, len(ids), BLOCK):
                part = ids[start : start + BLOCK]
                places = self._place(8 * len(part)) + 4 * len(part)
                self._host.write(self._base, part.tobytes())
                end = at + self._call("follow", self._base, len(part), inside, places)
                known = _border(data, end + 1, 1)  # one character more, which a token of the prefix may have
                block = _Block(data[at:known], at, 0, len(part), self._base, places)
                self._spans(block, before, unit, begins, ends, 0 if start else prefix, at_end)
                if start + BLOCK < len(ids):
                    done = _border(data, end, -1)
                    before += size_in(unit, data[at:done].decode()) - (0 if start else prefix)
                    at, inside = done, end - done
        return begins, ends

    def _spans(
        self, block: _Block, before: int, unit: Unit, begins: array[int], ends: array[int], prefix: int = 0,
        at_end: bool = False,
    ) -> None:  # fmt: skip
        """The spans of a block's tokens, in addition to others."""
        host, size = self._host, 4 * block.n_ids
        data = block.data
        asked = block.places + size + 7 & ~7
        text_at = block.at or asked + 48
        begins_at = asked + 48 + (0 if block.at else len(data) + 16) + 7 & ~7
        self._place(begins_at + 2 * size - self._base)
        before &= 0xFFFFFFFF  # less than 0 inside a prefix
        fields = (text_at, len(data), before, UNITS.index(unit), block.ids, block.places, block.n_ids, begins_at)
        host.write(asked, numbers((*fields, begins_at + size, at_end, prefix, 0)) + (b"" if block.at else data))
        self._call("spans", asked)
        begins.frombytes(host.read(begins_at, size))
        ends.frombytes(host.read(begins_at + size, size))

    def _encoded(self, text: str, marks: Marks | None, cut: bool, placed: bool = False) -> Iterator[_Block]:
        """The text block by block. What is certain of one is encoded, and the next begins behind it."""
        marks = Marks([len(text)], [NEVER]) if marks is None else marks
        start, size = 0, BLOCK
        while start < len(text):
            known, part, own, complete = _part(text, start, size, marks, cut)
            data = part.encode()
            n, head = len(data), 24 + 8 * len(own.ends)
            at = self._place(head + n + 24 + 4 * (n + 2) * (1 + placed))
            ids_at = at + head + n + 23 & ~7
            places_at = ids_at + 4 * n if placed else 0
            flags = COMPLETE * complete | CUT * cut | ASCII * (n == len(part))
            before = len(part[:known].encode())
            fields = (before, n, len(own.ends), flags, ids_at, places_at)
            self._host.write(at, numbers(fields) + numbers(own.ends) + numbers(own.ids) + data)
            count = self._call("encode", at)
            if count == NEVER:
                raise MemoryError(
                    f"a piece of this text ({len(part):,} characters) is too long for the memory there is"
                )
            done = n if complete else self._call("consumed")
            if done == before:
                size *= 2
                continue
            yield _Block(data, start - known, at + head, count, ids_at, places_at)
            start += len(part) - known if done == n else len(data[before:done].decode())
            size = BLOCK

    def _place(self, size: int) -> int:
        """Where a text goes that needs so much room. What is there already stays."""
        if size > self._room:
            self._room = 0
            self._call("release", self._base)
            self._needed("alloc", size)
            self._room = size
        return self._base


def _part(text: str, start: int, size: int, marks: Marks, cut: bool) -> tuple[int, str, Marks, bool]:
    """The part of a text that begins at ``start`` and has about ``size`` characters: 1 if it has one more before it, to
    be looked back at, all these characters, its own marks, and whether its last stretch is complete."""
    end = min(start + size, len(text))
    first, last = (bisect_right(marks.ends, place) for place in (start, end))
    ends, ids = marks.ends[first:last], marks.ids[first:last]
    complete = bool(ends) and ends[-1] == end
    if not complete and cut and marks.ids[last] == NEVER:
        ends, ids = [*ends, end], [*ids, NEVER]
    elif not complete:  # no token is cut, nor a piece: it is left for the next part, or taken as a whole
        if not ends:
            ends, ids = marks.ends[first : first + 1], marks.ids[first : first + 1]
        end, complete = ends[-1], True
    known = int(start > (marks.ends[first - 1] if first else 0))
    base = start - known
    return known, text[base:end], Marks([end - base for end in ends] if base else ends, ids), complete


def _border(data: bytes, at: int, step: Literal[1, -1]) -> int:
    """Where the character that ``at`` is inside of ends, or, going back, begins."""
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at += step
    return min(at, len(data))


def size_in(unit: Unit, text: str) -> int:
    """How many units some characters have."""
    if unit == "code points" or text.isascii():
        return len(text)
    return len(text.encode()) if unit == "bytes" else len(text.encode("utf-16-le")) // 2
