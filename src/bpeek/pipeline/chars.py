"""Sets of characters that pipeline steps ask for, at the Unicode version that the reference uses for each.

Each is built when first asked for. ``char_class`` writes a set for the standard library's ``re``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from string import punctuation

from ..unicode.codepoints import CodePoints
from ..unicode.properties import binary, category


def char_class(points: CodePoints) -> str:
    """The members of a set, as they stand between brackets in ``re``.

    >>> char_class(CodePoints.of("abc]"))
    '\\\\U0000005d\\\\U00000061-\\\\U00000063'
    """
    return "".join(f"\\U{a:08x}" if a == b else f"\\U{a:08x}-\\U{b:08x}" for a, b in points.ranges)


@cache
def whitespace() -> CodePoints:
    """White_Space, 16.0: what Rust calls white space (``str.isspace`` adds U+001C to U+001F)."""
    return binary("White_Space")


@cache
def whitespace_chars() -> str:
    """White space as a string: the argument of ``str.strip``."""
    return "".join(map(chr, whitespace()))


@cache
def word() -> CodePoints:
    r"""``\w`` of Rust's regular expressions, 16.0."""
    joiners = CodePoints.of("\u200c\u200d")
    return binary("Alphabetic") | category("M") | category("Nd") | category("Pc") | joiners


def _pinned(name: str) -> CodePoints:
    from ..unicode import normal

    return CodePoints.unpack(getattr(normal, name))


@cache
def numeric() -> CodePoints:
    """Category N of Unicode 17.0: ``char::is_numeric``."""
    return _pinned("NUMERIC")


@cache
def bert_punctuation() -> CodePoints:
    """ASCII punctuation with its symbols, and category P of Unicode 8.0."""
    return _pinned("PUNCTUATION") | CodePoints.of(punctuation)


@cache
def nonspacing_mark() -> CodePoints:
    return _pinned("NONSPACING_MARK")


@cache
def mark() -> CodePoints:
    """Category M of Unicode 9.0."""
    return _pinned("MARK")


@cache
def control() -> CodePoints:
    """Control, format and private use characters of Unicode 8.0."""
    return _pinned("CONTROL")


def finder(points: Callable[[], CodePoints], many: bool = False) -> re.Pattern[str]:
    """A pattern for one character of a set, or (``many``) for a run of them."""
    return re.compile(f"[{char_class(points())}]" + ("+" if many else ""))
