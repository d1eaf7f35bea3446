"""The direct road: byte-level vocabularies without detours.

Text is cut by patterns, and pieces become ids: in the kernel, where there is one and the text is long enough. In Python
each piece is looked up in a cache, and a cached value is the piece's ids as packed bytes; so a text costs one C-level
pass, and a result needs no object per token. Offsets are recovered afterwards from the tokens' lengths, which counting
never pays for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, count, pairwise, repeat
from typing import NamedTuple
from weakref import proxy

from ..encoding import Spans
from ..kernel import NEVER, Kernel, Marks, OnDemand, Unit, size_in
from ..lookup import looked_up
from ..offsets import to_utf16
from ..pattern import Pattern, Seams
from ..pipeline.pretokenizers import Behavior, arranged
from .packing import Bounded, Merging, Packing

# Characters that are cut and looked up at a time.
BLOCK = 16_384


# What becomes of matches and of what lies between them, as the kernel numbers it.
_MATCHES, _GAPS, _INVERTED = 1, 2, 32
_MODES = {"Isolated": _MATCHES | _GAPS, "MergedWithPrevious": 4, "MergedWithNext": 8, "Contiguous": 16}


class Cut(NamedTuple):
    """One splitting step: a pattern, and what becomes of its matches and of what lies between them."""

    pattern: Pattern
    behavior: Behavior
    invert: bool = False

    @property
    def covers(self) -> bool:
        """Is every character of every text in a piece?"""
        return self.behavior != "Removed" or (self.invert and self.pattern.covers)

    @property
    def by_matches(self) -> bool:
        """Are pieces just matches?"""
        return (self.behavior == "Isolated" and self.pattern.covers) or (self.behavior == "Removed" and self.invert)

    @property
    def compilable(self) -> bool:
        """Can the kernel do it?"""
        automaton = self.pattern.automaton
        return automaton is not None and automaton.overrun is not None

    def compile(self, kernel: Kernel) -> bool:
        automaton = self.pattern.automaton
        removed = _MATCHES if self.invert else _GAPS
        mode = _MODES.get(self.behavior, removed) | _INVERTED * self.invert
        return automaton is not None and kernel.automaton(automaton, mode)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return arranged(self.pattern.spans(text), len(text), self.behavior, self.invert)

    def pieces(self, text: str) -> list[str]:
        pattern = self.pattern
        if self.by_matches and not pattern.nullable:
            return pattern.findall(text)
        # Most patterns leave nothing out, of most texts: to ask is 3 times as fast as to work with places.
        if self.behavior == "Isolated" and not pattern.nullable:  # an empty match cuts, too
            found = pattern.findall(text)
            if sum(map(len, found)) == len(text):
                return found
        return [text[start:end] for start, end in self.spans(text)]


class Segment(NamedTuple):
    """A stretch of text that is encoded by itself, or is a special token."""

    start: int
    end: int
    special: int | None  # its id


class _Sizes(dict[int, int]):
    """How many bytes each token that was met has."""

    def __init__(self, model: Merging) -> None:
        self._model = model

    def __missing__(self, token: int) -> int:
        size = self[token] = len(self._model.token_bytes(token))
        return size


_INSIDE = bytes(range(0x80, 0xC0))  # the bytes that begin no character


class _Chars(dict[int, int]):
    """How many characters begin in each token that was met. ``inside`` are those that begin inside a character."""

    def __init__(self, model: Merging) -> None:
        self._model = model
        self.inside = set[int]()

    def __missing__(self, token: int) -> int:
        data = self._model.token_bytes(token)
        if data[0] in _INSIDE:
            self.inside.add(token)
        count = self[token] = len(data.translate(None, _INSIDE))
        return count


class Direct:
    """Text to ids and spans, for a model that merges bytes after cutting text by patterns.

    A text may be given in ``segments``, some of which are special tokens; without, it is encoded as a whole. ``whole``
    tells whether each character of any text is in some token.
    """

    def __init__(self, model: Merging, cuts: Sequence[Cut]) -> None:
        self._model, self._cuts = model, tuple(cuts)
        self._cache = Bounded(Packing(model).pack)
        self.whole = all(cut.covers for cut in cuts)
        self._sizes = _Sizes(model)
        self._chars = _Chars(model)
        me: Direct = proxy(self)  # no cycle: a vocabulary that is dropped is to be freed at once
        self.kernel = OnDemand(lambda kernel: me._compile(kernel))
        self._cut_by_automata = False

    def _compile(self, kernel: Kernel) -> bool:
        """Write down what merges, and the patterns if all of them have automata; if not, Python cuts."""
        self._cut_by_automata = all(cut.compilable for cut in self._cuts)
        return self._model.compile(kernel) and (
            not self._cut_by_automata or all(cut.compile(kernel) for cut in self._cuts)
        )

    # --- ids -----------------------------------------------------------------------------------------------

    def ids(self, text: str, segments: Sequence[Segment] = ()) -> array[int]:
        kernel = self.kernel(len(text))
        if kernel is not None:
            found = kernel.encode(*self._compiled(text, segments), self._cut_by_automata)
            if found is not None:
                return found
        ids = array("I")
        for start, end, special in segments or [Segment(0, len(text), None)]:
            if special is None:
                ids.frombytes(self._pack(text[start:end]))
            else:
                ids.append(special)
        return ids

    def count(self, text: str, segments: Sequence[Segment] = ()) -> int:
        kernel = self.kernel(len(text))
        if kernel is not None and self._cut_by_automata:
            found = kernel.count(*self._compiled(text, segments))
            if found is not None:
                return found
        return len(self.ids(text, segments))

    def _compiled(self, text: str, segments: Sequence[Segment]) -> tuple[str, Marks | None]:
        """A text as the kernel takes it, and the stretches that it is made of."""
        if self._cut_by_automata:
            return text, _marks(segments) if segments else None
        parts, ids = list[str](), list[int]()
        for start, end, special in segments or [Segment(0, len(text), None)]:
            pieces = [*filter(None, self.pieces(text[start:end]))] if special is None else [text[start:end]]
            parts += pieces
            ids += repeat(NEVER if special is None else special, len(pieces))
        return "".join(parts), Marks([*accumulate(map(len, parts))], ids)

    @cached_property
    def _seams(self) -> Seams | None:
        """Where a text can be cut before all the patterns: see ``pattern.seams``. What lies between matches, and is
        kept, could span a seam."""
        if not self._cuts or not self._cuts[-1].by_matches:
            return None
        steps = [cut.pattern.steps for cut in self._cuts]
        return None if None in steps else Seams([each for each in steps if each])

    def _blocks(self, text: str) -> Iterator[str]:
        """The text in blocks that stay in the processor's cache (10-20 % faster), cut at seams."""
        seams = self._seams
        start = 0
        while seams is not None and len(text) - start > 2 * BLOCK:
            end = seams.next(text, start + BLOCK)
            yield text[start:end]
            start = end
        yield text[start:] if start else text

    def pieces(self, text: str) -> Iterable[str]:
        first, *others = self._cuts or (None,)
        pieces: Iterable[str] = [text] if first is None else first.pieces(text)
        for cut in others:
            pieces = chain.from_iterable(map(cut.pieces, pieces))
        return pieces

    def _pack(self, text: str) -> bytes:
        """The ids as native unsigned 32-bit integers."""
        cache = self._cache
        if len(text) <= 2 * BLOCK:
            return b"".join(looked_up(cache, self.pieces(text)))
        return b"".join([b"".join(looked_up(cache, self.pieces(block))) for block in self._blocks(text)])

    # --- places --------------------------------------------------------------------------------------------

    def word_sizes(self, text: str, segments: Sequence[Segment] = ()) -> list[int]:
        """How many tokens each piece has; a special token is one."""
        kernel = self.kernel(len(text))
        if kernel is not None and self._cut_by_automata:
            begins = kernel.begins(*self._compiled(text, segments))
            at = [*compress(count(), begins), len(begins)]
            return [end - start for start, end in pairwise(at)]
        return [size for _, _, size in self._pieces_of(text, segments or [Segment(0, len(text), None)])]

    def spans(
        self, text: str, ids: Sequence[int], segments: Sequence[Segment] = (), unit: Unit = "code points"
    ) -> Spans:
        """Where the tokens of ``text`` lie in it. In units larger than bytes, a token inside a character has all of
        it."""
        if not all(map(self._is_as_long, repeat(text), segments)):
            return self._spans_by_segment(text, segments, unit)
        kernel = self.kernel(len(text))
        if kernel is not None and self.whole:
            return Spans(*kernel.spans(text, ids if isinstance(ids, array) else array("I", ids), unit))
        if kernel is not None and self._cut_by_automata:
            return Spans(*kernel.spans_of_pieces(text, unit, _marks(segments) if segments else None))
        if unit == "bytes":
            return self._byte_spans(text, ids, segments or [Segment(0, len(text), None)])
        spans = self._char_spans(text, ids, segments or [Segment(0, len(text), None)])
        return spans if unit == "code points" else Spans(to_utf16(text, spans.starts), to_utf16(text, spans.ends))

    def _is_as_long(self, text: str, segment: Segment) -> bool:
        """Has a special token no white space around it that it took, and was it not normalized? Mostly its length is
        told by its id."""
        start, end, special = segment
        return special is None or self._model.token_bytes(special) == text[start:end].encode()

    def _spans_by_segment(self, text: str, segments: Sequence[Segment], unit: Unit) -> Spans:
        starts, ends, origin = list[int](), list[int](), 0
        for start, end, special in segments:
            part = text[start:end]
            size = size_in(unit, part)
            spans = self.spans(part, self.ids(part), (), unit) if special is None else Spans([0], [size])
            starts += [origin + each for each in spans.starts]
            ends += [origin + each for each in spans.ends]
            origin += size
        return Spans(starts, ends)

    def _char_spans(self, text: str, ids: Sequence[int], segments: Iterable[Segment]) -> Spans:
        if self.whole:
            return self._spans_of(text, ids)
        starts, ends = list[int](), list[int]()
        for start, end, tokens in self._laid_out(text, ids, segments):
            spans = self._spans_of(text[start:end], tokens)
            starts += [start + each for each in spans.starts]
            ends += [start + each for each in spans.ends]
        return Spans(starts, ends)

    def _byte_spans(self, text: str, ids: Sequence[int], segments: Iterable[Segment]) -> Spans:
        if self.whole:
            return Spans(*self._bounds(self._sizes, ids))
        starts, ends = list[int](), list[int]()
        at = byte_at = 0
        for start, end, tokens in self._laid_out(text, ids, segments):
            byte_at += len(text[at:start].encode())
            of_piece = self._bounds(self._sizes, tokens)
            starts += [byte_at + each for each in of_piece[0]]
            ends += [byte_at + each for each in of_piece[1]]
            byte_at += len(text[start:end].encode())
            at = end
        return Spans(starts, ends)

    def _laid_out(
        self, text: str, ids: Sequence[int], segments: Iterable[Segment]
    ) -> Iterator[tuple[int, int, Sequence[int]]]:
        """Start, end and tokens of every piece, where some text is in none, so that each has its own origin."""
        done = 0
        for start, end, n_tokens in self._pieces_of(text, segments):
            yield start, end, ids[done : done + n_tokens]
            done += n_tokens

    def _pieces_of(self, text: str, segments: Iterable[Segment]) -> Iterator[tuple[int, int, int]]:
        """Start, end and number of tokens of every piece."""
        for start, end, special in segments:
            if special is not None:
                yield start, end, 1
                continue
            spans = [(start, end)]
            for cut in self._cuts:
                spans = [
                    (left + begin, left + finish)
                    for left, right in spans
                    for begin, finish in cut.spans(text[left:right])
                ]
            for left, right in spans:
                if left < right:
                    yield left, right, len(self._cache[text[left:right]]) // 4

    def _spans_of(self, text: str, ids: Sequence[int]) -> Spans:
        if text.isascii():
            return Spans(*self._bounds(self._sizes, ids))
        # A character is counted in the token that holds its first byte.
        starts, ends = self._bounds(self._chars, ids)
        inside = self._chars.inside
        if not inside.isdisjoint(ids):  # in most languages there are none: to ask is 5 times as fast as to look at each
            for index in compress(count(), [token in inside for token in ids]):
                starts[index] -= 1
        return Spans(starts, ends)

    @staticmethod
    def _bounds(sizes: Mapping[int, int], ids: Sequence[int]) -> tuple[list[int], list[int]]:
        """Where tokens begin and end that follow each other."""
        ends = list(accumulate(looked_up(sizes, ids)))
        return [0, *ends][:-1], ends


def _marks(segments: Sequence[Segment]) -> Marks:
    """Segments that make up a text."""
    _, ends, ids = zip(*segments, strict=True)
    return Marks(ends, [NEVER if special is None else special for special in ids])
