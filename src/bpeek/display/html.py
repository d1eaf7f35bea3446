"""Encodings and comparisons as HTML that needs nothing else: no script, no font, no other file.

Text is only ever escaped text, and is whole: without its tags, the element of class ``bp-text`` holds exactly the text
(but for U+0000, which HTML cannot hold). Marks and labels are drawn by style beside the text, so that they are not
copied with it. White space stands outside of nothing that would drop it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from html import escape
from importlib.resources import files
from itertools import islice

from . import Shown, ShownComparison, counted, facts, parts, share
from .pieces import REORDERING, UNSEEN, Piece, Whole, invisible, mark, pieces, plain, spans_to_draw, whole_segments

# A notebook that is not trusted drops style sheets: these lines then part tokens, on light and on dark ground.
LINES = ["#0072b2", "#d08f00", "#009e73", "#cc79a7", "#a89b00"]
HUES = len(LINES)
MOST_TOKENS = 1000  # of an encoding in a notebook
MOST_SEGMENTS = 1000
MOST_BYTES = 24  # of a token in its tooltip

About = Callable[[int], str]
_LOOKS = "Looks like a special token, and was read as text"

_UNSEEN = re.compile(f"({UNSEEN.pattern})")


def encoding(shown: Shown, limit: int | None = None) -> str:
    """A card that shows an encoding."""
    return card(content(shown, limit))


def content(shown: Shown, limit: int | None = None) -> str:
    """What is in the card: its counts, its text in tokens, and a table of them."""
    count = len(shown.ids) if limit is None else min(limit, len(shown.ids))
    tokens = _Tokens(shown, count)
    texts = [
        f'<div class="bp-text" style="white-space:pre-wrap" dir="auto">{tokens.text(*part)}</div>'
        for part in parts(shown, count)
    ]
    first, *others = facts(shown)
    told = f'<p class="bp-facts"><b>{first}</b> · {" · ".join(others)}</p>'
    return "".join([told, *texts, _more(len(shown.ids) - count, "token"), tokens.table()])


def comparison(shown: ShownComparison, limit: int | None = None) -> str:
    """A card that shows how tokenizers cut one text. Where they agree, it is shown once; elsewhere in a frame with
    a row for each."""
    segments = list(whole_segments(shown))
    more = 0 if limit is None else max(0, len(segments) - limit)
    del segments[len(segments) - more :]
    drawn = [_Tokens(each) for each in shown.encodings]
    legend = (
        f'<span><span class="bp-number">{number}</span>{line(name)}: <b>{counted(len(each.ids), "token")}</b></span>'
        for number, (name, each) in enumerate(zip(shown.names, shown.encodings, strict=True), 1)
    )
    draw = {True: partial(_agreeing, shown.names, drawn), False: partial(_differing, drawn)}
    body = (draw[each.agree](each, shown.text[each.start : each.end]) for each in segments)
    framed = ": it is framed, with a row for each." if shown.disagreement else "."
    return card(
        f'<p class="bp-legend">{" ".join(legend)}</p>',
        f'<p class="bp-facts">{share(shown)}{framed}</p>',
        f'<div class="bp-text" style="white-space:pre-wrap" dir="auto">{"".join(body)}</div>',
        _more(more, "segment"),
    )


def report(content: str) -> str:
    """A card with a text to read, such as that of an explanation."""
    return card(f'<div class="bp-mono" style="white-space:pre-wrap">{text(content)}</div>')


def properties(rows: Iterable[tuple[str, str]]) -> str:
    """A card with a table of names and values."""
    cells = "".join(f'<tr><th scope="row">{name}</th><td>{line(value)}</td></tr>' for name, value in rows)
    return card(f'<table class="bp-table"><tbody>{cells}</tbody></table>')


def card(*content: str) -> str:
    return f'<div class="bpeek"><style>{style()}</style>{"".join(content)}</div>'


@cache
def style() -> str:
    """The style sheet, without its comments and line ends."""
    sheet = files(__package__).joinpath("style.css").read_text("utf-8")
    return re.sub(r"/\*.*?\*/|\s+", " ", sheet, flags=re.DOTALL)


def page(content: str, title: str = "Tokens") -> str:
    """A whole document, to be saved in a file."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{text(title)}</title><style>:root {{ color-scheme: light dark; }}</style></head>"
        f"<body>{content}</body></html>\n"
    )


def text(content: str) -> str:
    """Escaped text. A parser would read a carriage return as a line feed, and drop U+0000."""
    return escape(content).replace("\r", "&#13;").replace("\0", "")


def line(content: str) -> str:
    """Escaped text in one line that shows all it holds, and cannot reorder what stands beside it."""
    return escape(plain(content))


def _more(number: int, noun: str) -> str:
    return f'<p class="bp-more">… and {counted(number, f"more {noun}")}</p>' if number > 0 else ""


class _Tokens:
    """The elements of the tokens of an encoding."""

    def __init__(self, shown: Shown, count: int | None = None) -> None:
        self._shown = shown
        self._data = [content.encode() for content in shown.texts]
        self._count = len(shown.ids) if count is None else count
        self._special = {index for index, token in enumerate(shown.ids[: self._count]) if token in shown.special_ids}
        self._special |= {index for index, added in enumerate(shown.special_tokens_mask[: self._count]) if added}

    def text(self, content: str, tokens: range) -> str:
        """A text in its tokens. Of a text that has more of them, the end is left out."""
        spans = spans_to_draw(self._shown, tokens)
        if tokens.stop == self._count < len(self._shown.ids):
            content = content[: max((end for _, end in spans), default=0)]
        drawn, at = list[tuple[int, str]](), 0
        for piece in pieces(content, spans):
            drawn.append((at, self._piece(piece, tokens.start, self.about)))
            at += len(piece.text)
        return "".join(_framed(drawn, self._shown.lookalikes))

    def within(self, start: int, content: str, tokens: range, about: About | None = None) -> str:
        """A part of a text, which begins at ``start``, in its tokens."""
        spans = [(max(0, left - start), max(0, right - start)) for left, right in spans_to_draw(self._shown, tokens)]
        return "".join(self._piece(piece, tokens.start, about or self.about) for piece in pieces(content, spans))

    def _piece(self, piece: Piece, origin: int, about: About) -> str:
        content, first, last = piece
        if first == last:
            return f'<span class="bp-rest{_fence(content)}">{_marked(content)}</span>'
        if last == first + 1:
            return self._token(origin + first, content, about)
        slices = "".join(self._token(origin + index, None, about) for index in range(first, last))
        return (
            f'<span class="bp-char"><span class="bp-slices">{slices}</span>'
            f'<span class="bp-glyph">{_marked(content)}</span></span>'
        )

    def _token(self, index: int, content: str | None, about: About) -> str:
        """A token with its text, or as one of several that share a character."""
        classes = "bp-t bp-special" if index in self._special else f"bp-t bp-{index % HUES + 1}"
        label = ""
        if content == "":
            classes += " bp-empty"
            label = f' data-label="{line(self._shown.tokens[index] or "∅")}"'
        elif content:
            classes += _fence(content)
        under = f"border-bottom:2px solid {LINES[index % HUES]};margin-right:1px"
        told = escape(about(index))
        return f'<span class="{classes}" style="{under}" title="{told}"{label}>{_marked(content or "")}</span>'

    def about(self, index: int) -> str:
        """All that is known of a token, in lines."""
        shown = self._shown
        start, end = shown.offsets[index]
        byte_start, byte_end = shown.offsets_bytes[index]
        told = f"{plain(shown.tokens[index])}\nid {shown.ids[index]}, token {index}\n"
        of = shown.text_ids[index]
        if of is None:
            return told + "not from the text"
        data = self._data[of][byte_start:byte_end]
        many = " …" if len(data) > MOST_BYTES else ""
        return f"{told}characters {start}–{end}\nbytes {byte_start}–{byte_end}: {data[:MOST_BYTES].hex(' ')}{many}"

    def table(self) -> str:
        """The same for eyes and ears that want it in order; closed at first."""
        if not self._count:
            return ""
        shown = self._shown
        columns = zip(shown.ids, shown.tokens, shown.offsets, shown.offsets_bytes, strict=True)
        rows = (
            f'<tr><td class="bp-n">{index}</td><td class="bp-n">{token}</td><td><code>{line(name)}</code></td>'
            f"<td>{start}–{end}</td><td>{byte_start}–{byte_end}</td></tr>"
            for index, (token, name, (start, end), (byte_start, byte_end)) in islice(enumerate(columns), self._count)
        )
        head = '<th scope="col" class="bp-n">#</th><th scope="col" class="bp-n">id</th><th scope="col">token</th>'
        head += '<th scope="col">characters</th><th scope="col">bytes</th>'
        return (
            '<details><summary>Ids and offsets</summary><div class="bp-scroll" tabindex="0" role="region" '
            'aria-label="Ids and offsets"><table class="bp-table">'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
        )


def _framed(drawn: Sequence[tuple[int, str]], places: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Elements, each with where it begins in the text, and a frame around those that begin where a special token is
    written, or that hold its beginning."""
    starts = [start for start, _ in drawn]
    done = 0
    for start, end in places:
        first = max(done, bisect_right(starts, start) - 1)
        last = max(first, bisect_left(starts, end))
        yield from (element for _, element in drawn[done:first])
        yield f'<span class="bp-like" title="{_LOOKS}">{"".join(element for _, element in drawn[first:last])}</span>'
        done = last
    yield from (element for _, element in drawn[done:])


def _agreeing(names: Sequence[str], drawn: Sequence[_Tokens], segment: Whole, content: str) -> str:
    """The tokens of the first tokenizer, which tell of those of the others."""
    first = segment.tokens[0].start

    def about(index: int) -> str:
        columns = zip(names, drawn, segment.tokens, strict=True)
        return "\n\n".join(f"{plain(name)}: {each.about(own.start + index - first)}" for name, each, own in columns)

    return drawn[0].within(segment.start, content, segment.tokens[0], about)


def _differing(drawn: Sequence[_Tokens], segment: Whole, content: str) -> str:
    rows = (
        f'<span class="bp-row" data-n="{number}">{each.within(segment.start, content, tokens)}</span>'
        for number, (each, tokens) in enumerate(zip(drawn, segment.tokens, strict=True), 1)
    )
    broken = "<br>" * ("\n" in content)
    return f'<span class="bp-differ" role="group" aria-label="cut differently">{"".join(rows)}</span>{broken}'


def _fence(content: str) -> str:
    """The class of what would reorder its surroundings."""
    return " bp-fenced" if REORDERING.search(content) else ""


def _marked(content: str) -> str:
    """Text with marks beside what cannot be seen. They are drawn by style, and so are not copied."""
    if invisible(content):
        return "".join(map(_mark, content))
    return "".join([_mark(part) if at % 2 else text(part) for at, part in enumerate(_UNSEEN.split(content))])


def _mark(character: str) -> str:
    shown = mark(character)
    kind = {"↵": " bp-br", "␍": "", "⇥": " bp-o", "·": " bp-o", "⍽": " bp-o"}.get(shown, " bp-x")
    return f'<span class="bp-m{kind}" data-m="{shown}">{text(character)}</span>'
