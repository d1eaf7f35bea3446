"""Normalizers: each step of ``tokenizer.json`` as an edit of aligned text.

A new step is one function and one row in ``NORMALIZERS``. Most of them write each character
anew by itself; ``per_char`` makes an edit of such a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain, repeat

from ..bytechars import BYTE_TO_CHAR
from ..pattern import compile as compile_pattern
from ..spec import Dialect, Step
from ..unicode.codepoints import CodePoints
from . import chars
from .aligned import Aligned, Edit, patched
from .charsmap import precompiled, precompiled_size
from .growth import Room, Size
from .normal_forms import normal_form


def build(step: Step | None, dialect: Dialect) -> Callable[..., Aligned]:
    """The normalizer for a step: of aligned text, and of the room that there is for it, if it is part of a longer one.

    >>> lower = build({"type": "Lowercase"}, "oniguruma")
    >>> lower(Aligned.of("ÀB")).text
    'àb'
    """
    edits = [(f"the normalizer {name}", edit, getattr(edit, "size", None)) for name, edit in named(step, dialect)]

    def normalize(aligned: Aligned, room: Room | None = None) -> Aligned:
        room = room or Room(len(aligned.text))
        for name, edit, size in edits:
            if size is not None:
                room.check_before(size, [aligned.text], name)
            aligned = aligned.apply(edit)
            room.check(len(aligned.text), name)
        return aligned

    return normalize


def plain(step: Step | None, dialect: Dialect) -> Callable[[str], str]:
    """The same normalizer for text without offsets; returns the same object where nothing changes.

    >>> plain({"type": "Strip", "strip_left": True, "strip_right": False}, "oniguruma")(" a ")
    'a '
    """
    normalize = build(step, dialect)
    return lambda text: normalize(Aligned.of(text, tracked=False)).text


def edits_of(step: Step | None, dialect: Dialect) -> list[Edit]:
    """A step as the edits it makes, in order."""
    return [edit for _, edit in named(step, dialect)]


def named(step: Step | None, dialect: Dialect) -> Iterator[tuple[str, Edit]]:
    """The edits, each with the name of the step that makes it."""
    if step is None:
        return
    kind = step["type"]
    if kind == "Sequence":
        for inner in step["normalizers"]:
            yield from named(inner, dialect)
    else:
        for edit in NORMALIZERS[kind](step, dialect):
            yield kind, edit


class Growing:
    """An edit that can make a text much longer, and tells before how long."""

    def __init__(self, edit: Edit, size: Size) -> None:
        self._edit, self.size = edit, size

    def __call__(self, text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        return self._edit(text, tracked)


# --- one character at a time -------------------------------------------------------------------------------


class CharMap(dict[int, "str | int | None"]):
    """Code point -> what it becomes, computed when first met; a table for ``str.translate``."""

    def __init__(self, becomes: Callable[[str], str]) -> None:
        self._becomes = becomes

    def __missing__(self, code: int) -> str:
        becomes = self[code] = self._becomes(chr(code))
        return becomes


def per_char(table: Mapping[int, str | int | None], concerned: re.Pattern[str] | None = None) -> Edit:
    """An edit that writes each character by ``table``; what it becomes takes over its span.

    ``concerned`` finds the characters that can change, where they are few.
    """
    if concerned is None:

        def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
            new = text.translate(table)
            if new == text:
                return None
            if not tracked:
                return new, ()
            sizes = [1 if isinstance(item, int) else len(item or "") for item in map(table.__getitem__, map(ord, text))]
            if len(new) == len(text) and max(sizes) == 1:
                return new, range(len(text))
            return new, list(chain.from_iterable(map(repeat, range(len(text)), sizes)))

        return edit

    search = concerned.finditer

    def sparse_edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        patches = []
        for match in search(text):
            start, end = match.span()
            new: list[str] = [str(table[ord(char)]) for char in match.group()]
            sources = [index for index, item in enumerate(new, start) for _ in item] if tracked else ()
            patches.append((start, end, "".join(new), sources))
        return patched(text, patches, tracked) if patches else None

    return sparse_edit


def removing(concerned: re.Pattern[str]) -> Edit:
    """An edit that removes what a pattern finds."""

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        spans = [match.span() for match in concerned.finditer(text)]
        return patched(text, [(start, end, "", ()) for start, end in spans], tracked) if spans else None

    return edit


@cache
def lowercase() -> Edit:
    """Lower case of Unicode 17.0, each character by itself: a final Σ becomes σ."""
    from ..unicode.normal import LOWER, UPPER

    table = str.maketrans(UPPER, LOWER) | {0x130: "i\u0307"}
    table |= {code: code + 32 for code in range(65, 91)}
    whole = per_char(CharMap(lambda char: char.translate(table)))

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        if text.isascii():
            return None if text.islower() else (text.lower(), range(len(text)))
        return whole(text, tracked)

    return edit


@cache
def bytes_as_chars() -> Edit:
    """Each byte of UTF-8 as a character of GPT-2's alphabet."""
    return per_char(CharMap(lambda char: "".join(BYTE_TO_CHAR[byte] for byte in char.encode())))


def _lowercase(step: Step, dialect: Dialect) -> list[Edit]:
    return [lowercase()]


def _byte_level(step: Step, dialect: Dialect) -> list[Edit]:
    return [bytes_as_chars()]


@cache
def _nmt_edits() -> tuple[Edit, ...]:
    spaces = "\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd"
    removed = removing(re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]+"))
    return removed, per_char(CharMap(lambda char: " "), re.compile(f"[{spaces}]+"))


def _nmt(step: Step, dialect: Dialect) -> list[Edit]:
    return list(_nmt_edits())


@cache
def _marks_removed() -> Edit:
    return removing(chars.finder(chars.mark, many=True))


def _strip_accents(step: Step, dialect: Dialect) -> list[Edit]:
    return [_marks_removed()]


# --- BERT --------------------------------------------------------------------------------------------------

# As in the reference, with its gap: 2B820-2B91F is missing.
_CJK = "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf"
_CJK += "\uf900-\ufaff\U0002f800-\U0002fa1f"


@cache
def _clean() -> tuple[Edit, ...]:
    kept = CodePoints.of("\t\n\r")
    dropped = (chars.control() | CodePoints.of("\0\ufffd")) - kept
    spaces = chars.whitespace() | kept
    dropping = removing(re.compile(f"[{chars.char_class(dropped)}]+"))
    return dropping, per_char(CharMap(lambda char: " "), re.compile(f"[{chars.char_class(spaces)}]+"))


@cache
def _cjk_padded() -> Edit:
    return per_char(CharMap(" {} ".format), re.compile(f"[{_CJK}]+"))


@cache
def _nonspacing_removed() -> Edit:
    return removing(chars.finder(chars.nonspacing_mark, many=True))


def _bert(step: Step, dialect: Dialect) -> list[Edit]:
    accents, lower = step.get("strip_accents"), step["lowercase"]
    edits: list[Edit] = []
    if step["clean_text"]:
        edits += _clean()
    if step["handle_chinese_chars"]:
        edits.append(_cjk_padded())
    if lower if accents is None else accents:
        edits += normal_form("NFD"), _nonspacing_removed()
    if lower:
        edits.append(lowercase())
    return edits


# --- ends, beginnings, replacements ------------------------------------------------------------------------


def _form(step: Step, dialect: Dialect) -> list[Edit]:
    return [normal_form(step["type"])]


def _strip(step: Step, dialect: Dialect) -> list[Edit]:
    left, right = step["strip_left"], step["strip_right"]

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        spaces = chars.whitespace_chars()
        start = len(text) - len(text.lstrip(spaces)) if left else 0
        new = text[start:].rstrip(spaces) if right else text[start:]
        return None if len(new) == len(text) else (new, range(start, start + len(new)))

    return [edit]


def _prepend(step: Step, dialect: Dialect) -> list[Edit]:
    prefix = step["prepend"]

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        if not text:
            return None
        if not tracked:
            return prefix + text, ()
        if not prefix:  # still takes the first character's span away
            return text, [-1, *range(1, len(text))]
        return prefix + text, [0] * len(prefix) + list(range(len(text)))

    return [Growing(edit, lambda text, exact: len(text) and len(prefix) + len(text))]


def replacement(step: Step, dialect: Dialect) -> Callable[[str], list[tuple[int, int]]]:
    """The finder of what a Replace or Split step matches, as spans."""
    pattern = step["pattern"]
    if "Regex" in pattern:
        spans: Callable[[str], list[tuple[int, int]]] = compile_pattern(pattern["Regex"], dialect).spans
        return spans
    return partial(_occurrences, pattern["String"])


def _occurrences(string: str, text: str) -> list[tuple[int, int]]:
    """Where a string occurs. The empty string occurs before each character."""
    if not string:
        return [(at, at) for at in range(len(text))] + ([(len(text), len(text))] if text else [])
    size, at, spans = len(string), text.find(string), []
    while at >= 0:
        spans.append((at, at + size))
        at = text.find(string, at + size)
    return spans


def _replace(step: Step, dialect: Dialect) -> list[Edit]:
    find, content = replacement(step, dialect), step["content"]
    string = step["pattern"].get("String", "")
    same_length = len(string) == len(content) == 1

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        if string and (same_length or not tracked):
            new = text.replace(string, content)
            return None if new is text or new == text else (new, range(len(text)))
        spans = find(text) if text else []
        # Every character of the content takes the span of the last one replaced.
        patches = [(start, end, content, [end - 1] * len(content)) for start, end in spans]
        return patched(text, patches, tracked) if patches else None

    size = replaced_size(step, dialect)
    return [edit] if size is None else [Growing(edit, size)]


def replaced_size(step: Step, dialect: Dialect) -> Size | None:
    """How long a Replace step makes a text; ``None`` if not longer."""
    find, content = replacement(step, dialect), step["content"]
    string = step["pattern"].get("String", "")
    if len(content) <= len(string):
        return None

    def size(text: str, exact: bool) -> int:
        if not exact:
            return len(text) + (len(text) // (len(string) or 1) + 1) * len(content)
        if string:
            return len(text) + text.count(string) * (len(content) - len(string))
        return len(text) + sum(len(content) - (end - start) for start, end in find(text))

    return size


def _precompiled(step: Step, dialect: Dialect) -> list[Edit]:
    charsmap = step["precompiled_charsmap"]
    return [Growing(precompiled(charsmap), precompiled_size(charsmap))]


NORMALIZERS: dict[str, Callable[[Step, Dialect], list[Edit]]] = {
    "NFC": _form,
    "NFD": _form,
    "NFKC": _form,
    "NFKD": _form,
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Strip": _strip,
    "Prepend": _prepend,
    "Replace": _replace,
    "Nmt": _nmt,
    "Precompiled": _precompiled,
    "BertNormalizer": _bert,
    "ByteLevel": _byte_level,
}
