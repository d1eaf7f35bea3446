"""What an explanation holds: plain data, from the text down to the single merge.

Places in the text are in code points of the text as it was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

MOST_SHOWN = 100  # symbols: of longer pieces, ``str()`` shows only what each merge makes


@dataclass(frozen=True, slots=True)
class Change:
    """A normalizing step that changed the text."""

    step: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A step that cut the piece out: by which alternative of its pattern, counted from 0.

    ``alternative`` is ``None`` where the piece is what lies between matches, or the step has no pattern.
    """

    step: str
    pattern: str | None = None
    alternative: int | None = None
    written: str | None = None

    def __str__(self) -> str:
        if self.written is not None and self.alternative is not None:
            return f"{self.step}, alternative {self.alternative + 1}: {self.written}"
        return self.step if self.pattern is None else f"{self.step}, between matches"


@dataclass(frozen=True, slots=True)
class Merge:
    """Two neighbours become one. Places count the start symbols of the piece: ``[start, middle)`` and
    ``[middle, end)`` become ``[start, end)``. Of the lowest rank, the leftmost pair goes first."""

    rank: int
    start: int
    middle: int
    end: int
    left: str
    right: str
    made: str


@dataclass(frozen=True, slots=True)
class Piece:
    """What is merged by itself. ``text`` is as the model sees it; an added token is a piece of its own.

    ``whole``: the piece was found in the vocabulary, so that nothing was merged; ``merges`` are then what
    merging would do.
    """

    text: str
    start: int
    end: int
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    cuts: tuple[Cut, ...] = ()
    symbols: tuple[str, ...] = ()
    merges: tuple[Merge, ...] = ()
    whole: bool = False
    added: bool = False

    def states(self) -> Iterator[tuple[str, ...]]:
        """The symbols at first, and after each merge."""
        now = dict(enumerate(self.symbols))
        yield self.symbols
        for merge in self.merges:
            now[merge.start] = merge.made
            del now[merge.middle]
            yield tuple(now.values())


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text between added tokens, or one of these: normalized by itself, then cut into pieces."""

    start: int
    end: int
    text: str
    changes: tuple[Change, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """A place in the text where an added or special token is written, and whether it was taken for one."""

    token: str
    id: int
    start: int
    end: int
    taken: bool
    why: str


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the result. ``piece`` counts the pieces of all stretches; ``None`` for what a template adds."""

    id: int
    token: str
    start: int
    end: int
    piece: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a text became tokens. ``str()`` is for reading, ``to_dict()`` for other programs."""

    text: str
    notices: tuple[Notice, ...]
    stretches: tuple[Stretch, ...]
    tokens: tuple[Token, ...]

    def __repr__(self) -> str:
        ids = [token.id for token in self.tokens]
        more = "…" if len(ids) > 8 else ""
        return f"Explanation(num_tokens={len(ids)}, ids={ids[:8]}{more}, pieces={len(self.pieces)})"

    @property
    def pieces(self) -> list[Piece]:
        """Those of all stretches."""
        return [piece for stretch in self.stretches for piece in stretch.pieces]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    def _repr_html_(self) -> str:
        from ..display import html

        return html.report(str(self))

    def __str__(self) -> str:
        lines = [f"text    {self.text!r}"]
        for notice in self.notices:
            taken = "taken" if notice.taken else "not taken"
            lines.append(f"        {notice.token!r} at {notice.start} {taken}: {notice.why}")
        for stretch in self.stretches:
            for change in stretch.changes:
                lines += [f"{change.step}", f"        {change.before!r}", f"      → {change.after!r}"]
            for piece in stretch.pieces:
                lines += _of_piece(piece)
        return "\n".join([*lines, "tokens  " + " ".join(f"{token.id}:{token.token!r}" for token in self.tokens)])


def _of_piece(piece: Piece) -> list[str]:
    kind = "added  " if piece.added else "piece  "
    lines = [f"{kind} {piece.start}-{piece.end} {piece.text!r}"]
    lines += [f"        cut by {cut}" for cut in piece.cuts]
    if piece.whole:
        lines.append("        found whole in the vocabulary" + "; merging would do:" * bool(piece.merges))
    if not piece.added:
        if len(piece.symbols) <= MOST_SHOWN:
            first, *later = (" ".join(map(_shown, state)) for state in piece.states())
            lines.append(f"             {first}")
        else:
            later = [_shown(merge.made) for merge in piece.merges]
        lines += [f"    {merge.rank:8} {state}" for merge, state in zip(piece.merges, later, strict=True)]
    return [*lines, "      → " + " ".join(f"{id}:{token!r}" for id, token in zip(piece.ids, piece.tokens, strict=True))]


def _shown(symbol: str) -> str:
    return symbol if symbol.isprintable() and " " not in symbol else repr(symbol)
