"""How several tokenizers cut one text: ``tok.compare(text, other)``, ``bpeek.compare(text, {name: tok, …})``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Any, Protocol, TextIO

from .arguments import at_most, text_file
from .encoding import Encoding
from .errors import BpeekError
from .offsets import well_formed
from .spec import Spec


class Encoder(Protocol):
    def encode(self, text: str, *, add_special_tokens: bool) -> Encoding: ...


@dataclass(frozen=True, slots=True)
class Segment:
    """The shortest part of a text that no tokenizer has a token across the ends of.

    ``start`` and ``end`` are in code points, ``byte_start`` and ``byte_end`` in bytes of UTF-8. ``tokens`` has for
    each tokenizer the range of its tokens; ``agree``: all cut the segment in the same way, most often not at all.
    """

    start: int
    end: int
    byte_start: int
    byte_end: int
    tokens: tuple[range, ...]
    agree: bool


@dataclass(frozen=True)
class Comparison:
    """A text as several tokenizers see it, named and in one order everywhere.

    ``segments`` make up the text, and hold every token that comes from it; those that a template adds are only in
    ``encodings``.
    """

    text: str
    names: tuple[str, ...]
    encodings: tuple[Encoding, ...] = field(repr=False)
    segments: tuple[Segment, ...] = field(repr=False)

    __hash__ = None  # type: ignore[assignment]  # encodings are not

    def __repr__(self) -> str:
        return f"Comparison(counts={self.counts}, disagreement={self.disagreement:.3g})"

    @property
    def counts(self) -> dict[str, int]:
        """The number of tokens of each tokenizer, those of a template with them."""
        return dict(zip(self.names, map(len, self.encodings), strict=True))

    @cached_property
    def disagreement(self) -> float:
        """The share of the text, in code points, that is not cut in the same way by all."""
        differing = sum(segment.end - segment.start for segment in self.segments if not segment.agree)
        return differing / len(self.text) if self.text else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; ranges of tokens are ``[first, behind the last]``."""
        columns = zip(self.names, self.encodings, strict=True)
        return {
            "text": self.text,
            "disagreement": self.disagreement,
            "tokenizers": [
                {"name": name, "ids": list(each.ids), "tokens": list(each.tokens)} for name, each in columns
            ],
            "segments": [
                {
                    "start": segment.start,
                    "end": segment.end,
                    "byte_start": segment.byte_start,
                    "byte_end": segment.byte_end,
                    "tokens": [[tokens.start, tokens.stop] for tokens in segment.tokens],
                    "agree": segment.agree,
                }
                for segment in self.segments
            ],
        }

    def show(self, file: TextIO | None = None, *, limit: int | None = 500, color: bool | None = None) -> None:
        """Print a row for each tokenizer, aligned by segments, with ``≠`` below those that are cut differently; at
        most ``limit`` of them. ``color`` as in ``Encoding.show``."""
        from .display import terminal

        terminal.comparison(self, text_file(file), at_most(limit), color)

    def to_html(self, *, limit: int | None = None, page: bool = False) -> str:
        """As ``Encoding.to_html``; ``limit`` counts segments."""
        from .display import html

        content = html.comparison(self, at_most(limit))
        return html.page(content) if page else content

    def _repr_html_(self) -> str:
        from .display import html

        return html.comparison(self, html.MOST_SEGMENTS)


def compare(text: str, tokenizers: Mapping[str, Encoder], *, add_special_tokens: bool = True) -> Comparison:
    """How two or more tokenizers cut a text, each under its name; ``add_special_tokens`` as in ``encode``.

    >>> from bpeek import Tokenizer
    >>> letters = Tokenizer.from_pieces(["<unk>", "▁", "a", "b"], [0, -1, -2, -3], [2, 1, 1, 1])
    >>> words = Tokenizer.from_pieces(["<unk>", "▁", "a", "b", "ab"], [0, -1, -2, -3, 0], [2, 1, 1, 1, 1])
    >>> found = compare("ab a", {"letters": letters, "words": words})
    >>> [(found.text[each.start : each.end], each.agree) for each in found.segments], found.segments[0].tokens
    ([('ab', False), (' ', True), ('a', True)], (range(0, 3), range(0, 2)))
    >>> found.counts, found.disagreement
    ({'letters': 5, 'words': 4}, 0.5)
    """
    if not isinstance(tokenizers, Mapping):
        raise TypeError(f"compare takes tokenizers by name, {{name: tok, …}}, not {type(tokenizers).__name__}")
    for name, tokenizer in tokenizers.items():
        if not isinstance(name, str):
            raise TypeError(f"a name must be a str, not {type(name).__name__}")
        if not isinstance(getattr(tokenizer, "spec", None), Spec):
            raise TypeError(f"{name!r} must name a tokenizer such as bpeek.load gives, not {type(tokenizer).__name__}")
    if len(tokenizers) < 2:
        raise BpeekError(f"To compare takes two tokenizers or more, and this is {len(tokenizers)}")
    text = well_formed(text)
    encodings = [tokenizer.encode(text, add_special_tokens=add_special_tokens) for tokenizer in tokenizers.values()]
    return Comparison(text, tuple(tokenizers), tuple(encodings), tuple(_segments(text, encodings)))


def named(named: Sequence[tuple[str | None, Encoder]]) -> dict[str, Encoder]:
    """Tokenizers by name, where a name may be missing, or that of several."""
    found: dict[str, Encoder] = {}
    for name, tokenizer in named:
        name = base = name or "unnamed"
        number = 1
        while name in found:
            number += 1
            name = f"{base} ({number})"
        found[name] = tokenizer
    return found


class _Cuts:
    """Where an encoding lets its text be cut, in bytes, and how many tokens are then before the cut.

    Between two neighbouring tokens that is any place from where all before have ended to where all after begin:
    most often one place, more where text is in no token, and none inside a character that several tokens share.
    """

    def __init__(self, encoding: Encoding, size: int) -> None:
        spans = encoding.offsets_bytes
        own = [index for index, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
        self.first = own[0] if own else 0
        # Some of the reference's spans reach past the text.
        starts = [min(spans[index][0], size) for index in own]
        ends = [min(spans[index][1], size) for index in own]
        self._starts, self._ends = starts, ends
        reached = accumulate(ends, max, initial=0)
        ahead = [*accumulate(reversed(starts), min, initial=size)]
        gaps = zip(reached, reversed(ahead), strict=True)
        self.gaps = [(low, high, count) for count, (low, high) in enumerate(gaps) if low <= high]
        self.count = len(own)

    def edges(self) -> Iterator[int]:
        return chain.from_iterable((low, high) for low, high, _ in self.gaps)

    def counts(self, places: Sequence[int]) -> Iterator[int | None]:
        """For each place in ascending order the number of tokens before it, or ``None`` if no cut is there.
        Tokens without text come after the cut."""
        gaps = iter(self.gaps)
        gap = next(gaps)  # there are cuts at the beginning and the end at least
        for place in places:
            while gap[1] < place:
                gap = next(gaps)
            yield gap[2] if gap[0] <= place else None

    def spans(self, tokens: range) -> list[tuple[int, int]]:
        return list(zip(self._starts[tokens.start : tokens.stop], self._ends[tokens.start : tokens.stop], strict=True))


def _segments(text: str, encodings: Sequence[Encoding]) -> Iterator[Segment]:
    data = text.encode()
    cuts = [_Cuts(encoding, len(data)) for encoding in encodings]
    # The edges of each encoding ascend, so that sorting merges them, in linear time.
    edges = sorted(chain.from_iterable(each.edges() for each in cuts))
    places = [place for place in dict.fromkeys(edges) if place == len(data) or data[place] & 0xC0 != 0x80]
    before = [(place, counts) for place, *counts in zip(places, *(each.counts(places) for each in cuts), strict=True)]
    bounds = [(place, counts) for place, counts in before if None not in counts]
    if len(bounds) == 1:  # no text, but it may have tokens
        bounds *= 2 if any(each.count for each in cuts) else 1
    if len(bounds) > 1:
        bounds[-1] = (len(data), [each.count for each in cuts])
    start = 0
    for (byte_start, firsts), (byte_end, lasts) in pairwise(bounds):
        ranges = list(map(range, firsts, lasts))
        end = start + len(data[byte_start:byte_end].decode())
        agree = _agree([each.spans(tokens) for each, tokens in zip(cuts, ranges, strict=True)], byte_end - byte_start)
        placed = (range(each.first + own.start, each.first + own.stop) for each, own in zip(cuts, ranges, strict=True))
        yield Segment(start, end, byte_start, byte_end, tuple(placed), agree)
        start = end


def _agree(spans: Sequence[list[tuple[int, int]]], size: int) -> bool:
    """Is a segment of that many bytes cut in the same way by all? One token may leave out a space at its edge,
    and where bytes of a character are tokens, their spans follow the references, which tell them in three ways."""
    first = spans[0]
    if any(len(each) != len(first) for each in spans):
        return False
    return len(first) in (0, 1, size) or all(each == first for each in spans)
