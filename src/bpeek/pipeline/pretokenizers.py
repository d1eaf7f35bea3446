"""Pre-tokenizers: steps that cut a text into pieces, and some that also edit it.

The pieces are spans of one aligned text, in order; what lies between them is dropped. A new step
is one function and one row in ``PRE_TOKENIZERS``. Each piece is looked at by itself: anchors,
lookaround and prefixes know nothing of its neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, chain, pairwise
from typing import Literal, NamedTuple

from ..pattern import compile as compile_pattern
from ..spec import Dialect, Step
from ..unicode.codepoints import CodePoints
from . import chars
from .aligned import Aligned
from .growth import Room
from .normalizers import bytes_as_chars, replacement

Span = tuple[int, int]
Behavior = Literal["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
Pieces = tuple[Aligned, list[Span]]
PreTokenizer = Callable[[Aligned, list[Span]], Pieces]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def build(step: Step | None, dialect: Dialect) -> Callable[..., Pieces]:
    """The pre-tokenizer for a step; without one, the text is one piece. ``Room`` is that of ``normalizers.build``.

    >>> aligned, spans = build({"type": "Digits", "individual_digits": True}, "oniguruma")(Aligned.of("a12"))
    >>> [aligned.text[start:end] for start, end in spans]
    ['a', '1', '2']
    """
    cuts = [(f"the pre-tokenizer {name}", cut) for name, cut in _named(step, dialect)]

    def pre_tokenize(aligned: Aligned, room: Room | None = None) -> Pieces:
        room = room or Room(len(aligned.text))
        spans = [(0, len(aligned.text))] if aligned.text else []
        for name, cut in cuts:
            aligned, spans = cut(aligned, spans)
            room.check(len(aligned.text), name)
        return aligned, spans

    return pre_tokenize


def _named(step: Step | None, dialect: Dialect) -> Iterator[tuple[str, PreTokenizer]]:
    """The steps of a sequence, however nested, with their names."""
    if step is None:
        return
    if step["type"] == "Sequence":
        for inner in step["pretokenizers"]:
            yield from _named(inner, dialect)
    else:
        yield step["type"], PRE_TOKENIZERS[step["type"]](step, dialect)


# --- cutting -----------------------------------------------------------------------------------------------


def cutting(cut: Callable[[str], list[Span]]) -> PreTokenizer:
    """A step that only cuts, by a function of each piece's text."""

    def pre_tokenize(aligned: Aligned, spans: list[Span]) -> Pieces:
        text = aligned.text
        if spans == [(0, len(text))]:
            return aligned, cut(text)
        return aligned, [(start + left, start + right) for start, end in spans for left, right in cut(text[start:end])]

    return pre_tokenize


def arranged(matches: list[Span], length: int, behavior: Behavior, invert: bool = False) -> list[Span]:
    """The pieces that a text's matches make, by the reference's five behaviors.

    >>> arranged([(3, 4), (9, 10), (10, 11)], 20, "MergedWithNext")  # the-final--countdown
    [(0, 3), (3, 9), (9, 10), (10, 20)]
    """
    if behavior == "Removed":
        pieces = matches if invert else _between(matches, length)
    elif behavior == "Isolated":
        bounds = [0, *chain.from_iterable(matches), length]
        pieces = list(pairwise(bounds))
    else:
        pieces = _JOINED[behavior](_with_gaps(matches, length, invert))
    return [(start, end) for start, end in pieces if start < end]


def _between(matches: list[Span], length: int) -> list[Span]:
    bounds = [0, *chain.from_iterable(matches), length]
    return list(zip(bounds[::2], bounds[1::2], strict=True))


def _with_gaps(matches: list[Span], length: int, invert: bool) -> list[tuple[int, int, bool]]:
    """Matches and what lies between them, in order; the flag tells which are delimiters."""
    parts, at = [], 0
    for start, end in matches:
        if at < start:
            parts.append((at, start, invert))
        parts.append((start, end, not invert))
        at = end
    if at < length:
        parts.append((at, length, invert))
    return parts


def _joined_back(parts: Iterable[tuple[int, int, bool]]) -> list[Span]:
    pieces: list[Span] = []
    previous = False
    for start, end, delimits in parts:
        if delimits and not previous and pieces:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        previous = delimits
    return pieces


def _joined_ahead(parts: Sequence[tuple[int, int, bool]]) -> list[Span]:
    pieces: list[Span] = []
    previous = False
    for start, end, delimits in reversed(parts):
        if delimits and not previous and pieces:
            pieces[-1] = (start, pieces[-1][1])
        else:
            pieces.append((start, end))
        previous = delimits
    return pieces[::-1]


def _joined_alike(parts: Iterable[tuple[int, int, bool]]) -> list[Span]:
    pieces: list[Span] = []
    previous = False
    for start, end, delimits in parts:
        if delimits == previous and pieces:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        previous = delimits
    return pieces


_JOINED: dict[str, Callable[[list[tuple[int, int, bool]]], list[Span]]] = {
    "MergedWithPrevious": _joined_back,
    "MergedWithNext": _joined_ahead,
    "Contiguous": _joined_alike,
}


def by_matches(find: Callable[[str], list[Span]], behavior: Behavior, invert: bool = False) -> PreTokenizer:
    nothing_left = behavior == "Removed" and invert  # of a text without matches

    def cut(text: str) -> list[Span]:
        matches = find(text)
        if not matches:
            return [] if nothing_left else [(0, len(text))]
        return arranged(matches, len(text), behavior, invert)

    return cutting(cut)


def _spans_of(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [match.span() for match in pattern.finditer(text)]


@cache
def _of_set(points: Callable[[], CodePoints]) -> Callable[[str], list[Span]]:
    return partial(_spans_of, chars.finder(points))


class Matches(NamedTuple):
    """A step that only cuts by a regular expression, and what becomes of its matches."""

    source: str
    behavior: Behavior
    invert: bool = False


def matches_of(step: Step) -> list[Matches] | None:
    """A step as regular expressions, one behind the other; ``None`` if it is more than that.

    >>> matches_of({"type": "CharDelimiterSplit", "delimiter": "|"})
    [Matches(source='[\\\\x{7C}-\\\\x{7C}]', behavior='Removed', invert=False)]
    """
    match step["type"]:
        case "Split" if "Regex" in step["pattern"]:
            return [Matches(step["pattern"]["Regex"], step["behavior"], step["invert"])]
        case "Split" if string := step["pattern"].get("String"):
            source = "".join(_class_source(CodePoints.of(char)) for char in string)
            return [Matches(source, step["behavior"], step["invert"])]
        case "Digits":
            behavior: Behavior = "Isolated" if step["individual_digits"] else "Contiguous"
            return [Matches(_class_source(chars.numeric()), behavior)]
        case "Punctuation":
            return [Matches(_class_source(chars.bert_punctuation()), step.get("behavior", "Isolated"))]
        case "WhitespaceSplit":
            return [Matches(_class_source(chars.whitespace()), "Removed")]
        case "BertPreTokenizer":
            return [
                Matches(_class_source(chars.whitespace()), "Removed"),
                Matches(_class_source(chars.bert_punctuation()), "Isolated"),
            ]
        case "Whitespace":
            word, other = chars.word(), ~(chars.word() | chars.whitespace())
            return [Matches(f"{_class_source(word)}+|{_class_source(other)}+", "Removed", invert=True)]
        case "CharDelimiterSplit":
            return [Matches(_class_source(CodePoints.of(step["delimiter"])), "Removed")]
    return None


def _class_source(points: CodePoints) -> str:
    """A set as it is written in either dialect of regular expressions."""
    return "[" + "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in points.ranges) + "]"


def _split(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(replacement(step, dialect), step["behavior"], step["invert"])


def _whitespace(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(partial(_spans_of, _words_or_others()), "Removed", invert=True)


@cache
def _words_or_others() -> re.Pattern[str]:
    word = chars.char_class(chars.word())
    return re.compile(f"[{word}]+|[^{word}{chars.char_class(chars.whitespace())}]+")


def _whitespace_split(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(_of_set(chars.whitespace), "Removed")


def _punctuation(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(_of_set(chars.bert_punctuation), step.get("behavior", "Isolated"))


def _bert(step: Step, dialect: Dialect) -> PreTokenizer:
    words, marks = _whitespace_split(step, dialect), by_matches(_of_set(chars.bert_punctuation), "Isolated")
    return lambda aligned, spans: marks(*words(aligned, spans))


def _digits(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(_of_set(chars.numeric), "Isolated" if step["individual_digits"] else "Contiguous")


def _char_delimiter(step: Step, dialect: Dialect) -> PreTokenizer:
    return by_matches(partial(_spans_of, re.compile(re.escape(step["delimiter"]))), "Removed")


def _fixed_length(step: Step, dialect: Dialect) -> PreTokenizer:
    length = step.get("length", 5)
    return cutting(lambda text: [(at, min(at + length, len(text))) for at in range(0, len(text), length)])


@cache
def _script_of() -> Callable[[str], str | None]:
    """Character -> script of Unicode 9.0; ``None`` is "Any", which goes with either side."""
    from ..unicode.normal import SCRIPTS

    ranges = sorted((*edges, name) for name, packed in SCRIPTS.items() for edges in CodePoints.unpack(packed).ranges)
    firsts = [first for first, _, _ in ranges]
    known: dict[str, str | None] = {" ": None, "\u30fc": "Han"}

    def script_of(char: str) -> str | None:
        if char not in known:
            _, last, script = ranges[max(0, bisect_right(firsts, ord(char)) - 1)]
            merged = "Han" if script in ("Hiragana", "Katakana") else script
            known[char] = merged if ord(char) <= last else None
        return known[char]

    return script_of


def _scripts(text: str) -> list[Span]:
    script_of, last, bounds = _script_of(), None, list[int]()
    for at, char in enumerate(text):
        script = script_of(char)
        if script is not None and script != last:
            bounds.append(at)
            last = script
    bounds.append(len(text))  # what stands before the first script is lost, as in the reference
    return list(pairwise(bounds))


def _unicode_scripts(step: Step, dialect: Dialect) -> PreTokenizer:
    return cutting(_scripts)


# --- editing -----------------------------------------------------------------------------------------------


def prefixed(aligned: Aligned, spans: list[Span], prefix: str, wanted: Callable[[str, int], bool]) -> Pieces:
    """Put ``prefix`` before the pieces that want it; it takes the span of the piece's first character."""
    text = aligned.text
    wants = [wanted(text, start) for start, _ in spans]
    if not any(wants):
        return aligned, spans
    parts: list[str] = []
    sources: list[int] = []
    pieces, at = [], 0
    for (start, end), want in zip(spans, wants, strict=True):
        begin = at
        if want:
            parts.append(prefix)
            sources += [start] * len(prefix)
            at += len(prefix)
        parts.append(text[start:end])
        sources += range(start, end)
        at += end - start
        pieces.append((begin, at))
    return aligned.remap("".join(parts), sources), pieces


def _byte_level(step: Step, dialect: Dialect) -> PreTokenizer:
    prefix, pattern = step["add_prefix_space"], None
    if step.get("use_regex", True):
        pattern = by_matches(compile_pattern(GPT2, "oniguruma").spans, "Isolated")

    def pre_tokenize(aligned: Aligned, spans: list[Span]) -> Pieces:
        if prefix:
            aligned, spans = prefixed(aligned, spans, " ", lambda text, start: text[start] != " ")
        if pattern is not None:
            aligned, spans = pattern(aligned, spans)
        return as_bytes(aligned, spans)

    return pre_tokenize


def as_bytes(aligned: Aligned, spans: list[Span]) -> Pieces:
    """Write every character as its bytes; the spans of the pieces grow with them."""
    text = aligned.text
    written = aligned.apply(bytes_as_chars())
    if text.isascii():
        return written, spans
    sizes = map(len, map(str.encode, text))
    places = [0, *accumulate(sizes)]
    return written, [(places[start], places[end]) for start, end in spans]


def _metaspace(step: Step, dialect: Dialect) -> PreTokenizer:
    mark, scheme = step["replacement"], step.get("prepend_scheme", "always")
    cut = by_matches(partial(_spans_of, re.compile(re.escape(mark))), "MergedWithNext")

    def replace(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        return (text.replace(" ", mark), range(len(text))) if " " in text else None

    def pre_tokenize(aligned: Aligned, spans: list[Span]) -> Pieces:
        aligned = aligned.apply(replace)
        if scheme == "always":
            aligned, spans = prefixed(aligned, spans, mark, lambda text, start: text[start] != mark)
        elif scheme == "first":
            origins = aligned.starts if aligned.starts is not None else range(aligned.origin, aligned.origin + 1 << 62)
            aligned, spans = prefixed(
                aligned, spans, mark, lambda text, start: text[start] != mark and origins[start] == 0
            )
        return cut(aligned, spans) if step.get("split", True) else (aligned, spans)

    return pre_tokenize


PRE_TOKENIZERS: dict[str, Callable[[Step, Dialect], PreTokenizer]] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Metaspace": _metaspace,
    "Whitespace": _whitespace,
    "WhitespaceSplit": _whitespace_split,
    "Punctuation": _punctuation,
    "Digits": _digits,
    "BertPreTokenizer": _bert,
    "CharDelimiterSplit": _char_delimiter,
    "UnicodeScripts": _unicode_scripts,
    "FixedLength": _fixed_length,
}
