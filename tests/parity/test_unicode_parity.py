"""Every class of characters, in both dialects, on scalar values, against the references themselves.

``BPEEK_FULL=1`` takes really every one, and every script, block and property; the default is a matter of seconds.
"""

from __future__ import annotations

import os

import pytest
import tiktoken
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from bpeek.pattern import compile
from bpeek.unicode import CodePoints, category
from bpeek.unicode.unicode16 import BLOCKS, CATEGORIES, PROPERTIES, SCRIPTS

FULL = bool(os.environ.get("BPEEK_FULL"))
BYTES = {bytes([value]): value for value in range(256)}


def scalars() -> str:
    """All; by default, beyond planes 0 and 1 only the borders of what is assigned and each 61st."""
    every = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    borders = {edge + near for name in CATEGORIES for edge in category(name).edges for near in (-1, 0)}
    return "".join(chr(code) for code in every if FULL or code < 0x20000 or code % 61 == 0 or code in borders)


EVERY_SCALAR = scalars()

SHORTHANDS = [r"\s", r"\S", r"\w", r"\W", r"\d", r"\D", r"\h", r"[\s\d]", r"[^\w\s]", r"[^\s\p{L}\p{N}]", r"[\W\d]"]
GROUPS = ["L", "LC", "M", "N", "P", "S", "Z", "C"]
POSIX = "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit".split()
SCRIPT_SAMPLE = ["Han", "Latin", "Cyrillic", "Common", "Inherited", "Hiragana", "Old_Italic", "Toto"]
PROPERTY_SAMPLE = [
    "Alphabetic",
    "White_Space",
    "Emoji",
    "Extended_Pictographic",
    "Uppercase",
    "Lowercase",
    "XID_Continue",
]
BLOCK_SAMPLE = ["Basic_Latin", "CJK_Unified_Ideographs", "Emoticons"]
IGNORING_CASE = [
    r"(?i:[k])",
    r"(?i:s)",
    r"(?i:[^kſ])",
    r"(?i:\p{Lu})",
    r"(?i:\P{Lu})",
    r"(?i:[^\P{Lu}x])",
    r"(?i:[à-þ])",
]

COMMON = [
    *SHORTHANDS,
    *(rf"\p{{{name}}}" for name in [*CATEGORIES, *GROUPS]),
    *(rf"\P{{{name}}}" for name in GROUPS),
    *(rf"\p{{{name}}}" for name in (SCRIPTS if FULL else SCRIPT_SAMPLE) if name != "Unknown"),
    *(f"[[:{name}:]]" for name in POSIX),
    *(f"[^[:{name}:]]" for name in POSIX),
]
ONLY_ONIGURUMA = [
    *(rf"\p{{{name}}}" for name in POSIX),
    *(rf"\p{{In_{name}}}" for name in (BLOCKS if FULL else BLOCK_SAMPLE) if name != "No_Block"),
    r"\p{Word}",
    r"[\p{Word}]",
    r"\P{Word}",
    r"\R",
]


def properties() -> list[str]:
    return [rf"\p{{{name}}}" for name in (PROPERTIES if FULL else PROPERTY_SAMPLE)]


def by_tiktoken(pattern: str) -> str:
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    return bytes(encoding.encode_ordinary(EVERY_SCALAR)).decode()


def by_tokenizers(pattern: str) -> list[str]:
    pieces: list[tuple[str, tuple[int, int]]] = Split(Regex(pattern), "removed", invert=True).pre_tokenize_str(
        EVERY_SCALAR
    )
    return [piece for piece, _ in pieces]


def difference(ours: list[str], theirs: list[str]) -> str:
    """Short, where pytest would compare a million characters one by one."""
    if ours == theirs:
        return ""
    one, two = CodePoints.of("".join(ours)), CodePoints.of("".join(theirs))
    return f"only ours {one - two}, only theirs {two - one}, {len(ours)} and {len(theirs)} pieces"


@pytest.mark.parametrize("source", [*COMMON, *properties(), *IGNORING_CASE])
def test_rust(source: str) -> None:
    theirs = by_tiktoken(source + "+")
    assert not difference(["".join(compile(source + "+", "rust").findall(EVERY_SCALAR))], [theirs])


@pytest.mark.parametrize("source", [*COMMON, *properties(), *ONLY_ONIGURUMA, *IGNORING_CASE])
def test_oniguruma(source: str) -> None:
    source = f"(?:{source})+"
    assert not difference(compile(source, "oniguruma").findall(EVERY_SCALAR), by_tokenizers(source))
