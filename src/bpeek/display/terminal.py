"""Encodings and comparisons for terminals: colours where they are shown, and a layout that does without them.

Nothing of a text reaches the terminal that would not show as itself: control and format characters are marks.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from ..unicode.graphemes import clusters
from . import Shown, ShownComparison, counted, facts, parts, share
from .pieces import REORDERING, UNSEEN, Piece, Whole, invisible, mark, pieces, plain, spans_to_draw, whole_segments

MOST_TOKENS = 500
MOST_SEGMENTS = 500
LONGEST_NAME = 24

# Of the 256 colours, the nearest to the five hues of the page. Both ground and letters are set: a terminal may be dark.
_HUES = ["48;5;153;38;5;16", "48;5;223;38;5;16", "48;5;158;38;5;16", "48;5;225;38;5;16", "48;5;229;38;5;16"]
_SPECIAL, _DIFFERS, _DIM = "48;5;238;38;5;255", "1;38;5;203", "2"
# Terminals that write from right to left would do so across cells, each of which is over its id.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_LEFT_TO_RIGHT = "\u200e"
_SHARED = "╌"  # the place of further tokens of a character


@dataclass
class _Cell:
    """Styled text and its width in columns."""

    parts: list[tuple[str, str]] = field(default_factory=list)
    width: int = 0

    def add(self, text: str, style: str = "") -> _Cell:
        self.parts.append((text, style))
        self.width += width(text)
        return self

    def to(self, size: int) -> _Cell:
        return self.add(" " * (size - self.width)) if self.width < size else self


def encoding(
    shown: Shown, file: TextIO | None = None, limit: int | None = MOST_TOKENS, colour: bool | None = None
) -> None:
    """Each token over its id, in lines that break where those of the text do."""
    out = _Out(file, colour)
    count = len(shown.ids) if limit is None else min(limit, len(shown.ids))
    out.line([_Cell().add(" · ".join(facts(shown)))])
    for text, tokens in parts(shown, count):
        if tokens.stop == count < len(shown.ids):
            text = text[: max((shown.offsets[index][1] for index in tokens), default=0)]
        for group in _in_lines(_groups(shown, text, tokens), out.width):
            out.line([])
            out.line(cells[0] for cells in group)
            out.line(cells[1] for cells in group)
    if count < len(shown.ids):
        out.line([_Cell().add(f"… and {counted(len(shown.ids) - count, 'more token')}", _DIM)])


def comparison(
    shown: ShownComparison, file: TextIO | None = None, limit: int | None = MOST_SEGMENTS, colour: bool | None = None
) -> None:
    """A row for each tokenizer, aligned by segments; ``≠`` stands under those that are cut differently."""
    out = _Out(file, colour)
    segments = list(whole_segments(shown))
    more = 0 if limit is None else max(0, len(segments) - limit)
    del segments[len(segments) - more :]
    names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in map(plain, shown.names)]
    margin = max(map(width, names)) + 2
    for name, each in zip(names, shown.encodings, strict=True):
        out.line([_Cell().add(name).to(margin), _Cell().add(counted(len(each.ids), "token"))])
    out.line([_Cell().add(share(shown))])
    columns = (_segment(shown, segment) for segment in segments)
    for group in _in_lines(columns, out.width - margin):
        out.line([])
        marks = [""] if any(cells[-1].parts[0][1] for cells in group) else []
        for row, name in enumerate([*names, *marks]):
            out.line([_Cell().add(name, _DIM).to(margin), *(cells[row] for cells in group)])
    if more:
        out.line([_Cell().add(f"… and {counted(more, 'more segment')}", _DIM)])


class _Out:
    """Where lines go, and how."""

    def __init__(self, file: TextIO | None, colour: bool | None) -> None:
        self._file = sys.stdout if file is None else file
        self._terminal = terminal = bool(getattr(self._file, "isatty", bool)())
        without = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._colour = (terminal and not without) if colour is None else colour
        self.width = max(40, shutil.get_terminal_size((100, 24)).columns if terminal else 100)
        self._encoding = getattr(self._file, "encoding", None) or "utf-8"

    def line(self, cells: Iterable[_Cell]) -> None:
        parts = [part for cell in cells for part in (_in_place(cell.parts) if self._terminal else cell.parts)]
        if self._colour:
            line = "".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for text, style in parts)
        else:
            line = "".join(text for text, _ in parts).rstrip()
        # Not every terminal has every character.
        self._file.write(line.encode(self._encoding, "replace").decode(self._encoding) + "\n")


def _in_place(parts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A cell that a terminal writing from right to left does not join with the next."""
    turns = [bool(_RIGHT_TO_LEFT.search(text)) for text, _ in parts]
    for (text, style), turned, next_turned in zip(parts, turns, [*turns[1:], False], strict=True):
        yield text + _LEFT_TO_RIGHT * (turned and not next_turned), style


Column = tuple[list[_Cell], bool]  # one cell for each row, all as wide; does the line end with it?


def _in_lines(columns: Iterable[Column], room: int) -> Iterator[list[list[_Cell]]]:
    """Columns side by side, as many as there is room for."""
    line: list[list[_Cell]] = []
    used = 0
    for cells, ends in columns:
        if line and used + cells[0].width > room:
            yield line
            line, used = [], 0
        line.append(cells)
        used += cells[0].width
        if ends:
            yield line
            line, used = [], 0
    if line:
        yield line


def _groups(shown: Shown, text: str, tokens: range) -> Iterator[Column]:
    """Two cells for each token, or for some that share a character: the text, and the ids below."""
    spans = spans_to_draw(shown, tokens)
    for group in _joined(pieces(text, spans)):
        first, last = group[0].first + tokens.start, max(piece.last for piece in group) + tokens.start
        ids = _Cell()
        for index in range(first, last):
            ids.add(" " * bool(ids.width) + str(shown.ids[index]), _DIM)
        drawn = _drawn(shown, group, tokens.start)
        if last > first + 1:
            drawn.add(_SHARED * (ids.width - drawn.width), _style(shown, last - 1))
        size = max(drawn.width, ids.width) + 1
        yield [drawn.to(size), ids.to(size)], group[-1].text.endswith("\n")


def _joined(found: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces that share a token are one group."""
    group: list[Piece] = []
    reach = 0
    for piece in found:
        if group and (piece.first >= reach or piece.first == piece.last or group[-1].first == group[-1].last):
            yield group
            group = []
        group.append(piece)
        reach = piece.last
    if group:
        yield group


def _drawn(shown: Shown, group: Sequence[Piece], origin: int) -> _Cell:
    cell = _Cell()
    for text, first, last in group:
        if first == last:
            cell.add(visible(text), _DIM)
        else:
            index = origin + first
            cell.add(visible(text) if text else visible(shown.tokens[index] or "∅"), _style(shown, index))
    return cell


def _style(shown: Shown, index: int) -> str:
    special = shown.ids[index] in shown.special_ids or shown.special_tokens_mask[index]
    return _SPECIAL if special else _HUES[index % len(_HUES)]


def _segment(shown: ShownComparison, segment: Whole) -> Column:
    """A cell for each tokenizer, and one for the mark below."""
    text = shown.text[segment.start : segment.end]
    cells = [_row(each, text, segment.start, own) for each, own in zip(shown.encodings, segment.tokens, strict=True)]
    size = max(cell.width for cell in cells)
    mark_below = _Cell() if segment.agree else _Cell().add("≠" * size, _DIFFERS)
    return [cell.to(size + 2) for cell in (*cells, mark_below)], text.endswith("\n")


def _row(shown: Shown, text: str, start: int, tokens: range) -> _Cell:
    spans = [(max(0, left - start), max(0, right - start)) for left, right in spans_to_draw(shown, tokens)]
    cell = _Cell()
    for group in _joined(pieces(text, spans)):
        if cell.width:
            cell.add("│")
        drawn = _drawn(shown, group, tokens.start)
        for index in range(group[0].first + 1, max(piece.last for piece in group)):
            drawn.add(_SHARED, _style(shown, tokens.start + index))
        cell.parts += drawn.parts
        cell.width += drawn.width
    return cell


def visible(text: str) -> str:
    """Text with marks in place of what cannot be seen, or would not stay in its place.

    >>> visible("a b\\n\\x1b[31m"), visible("\\u202ea"), visible("\\u200d")
    ('a·b↵\\\\x1b[31m', 'U+202Ea', 'U+200D')
    """
    if invisible(text):
        return "".join(map(mark, text))
    for pattern in (UNSEEN, REORDERING):
        text = pattern.sub(lambda match: mark(match.group()), text)
    return (
        text
        if text.isascii()
        else "".join(
            [
                char if unicodedata.category(char)[0] != "C" or char == "\u200d" else f"U+{ord(char):04X}"
                for char in text
            ]
        )
    )


def width(text: str) -> int:
    """The columns that a text takes, as far as terminals agree.

    >>> width("a漢e\\u0301"), width("👩\\u200d💻")
    (4, 2)
    """
    return len(text) if text.isascii() else sum(map(_cluster_width, clusters(text)))


def _cluster_width(cluster: str) -> int:
    wide = "\ufe0f" in cluster or any(unicodedata.east_asian_width(char) in "WF" for char in cluster)
    return 2 if wide else 1
