"""Extended grapheme clusters of Unicode 16.0 (UAX #29): what people see as one character. The Precompiled normalizer
cuts text in them, and nothing that is shown parts them."""

from __future__ import annotations

import re
from functools import cache

from .codepoints import CodePoints
from .properties import binary, grapheme_break

_LINKERS = CodePoints.of("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d")  # viramas that join consonants


def _ranges(points: CodePoints) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in points.ranges)


def _class(points: CodePoints) -> str:
    return f"[{_ranges(points)}]"


@cache
def _pattern() -> re.Pattern[str]:
    """One cluster, as the tables of UAX #29 write it (section 3, 1b and 1c)."""
    from .normal import INDIC_CONSONANT

    names = ("Prepend", "SpacingMark", "Extend", "ZWJ", "L", "V", "T", "LV", "LVT", "Regional_Indicator")
    prepend, spacing, extend, zwj, lead, vowel, trail, lv, lvt, regional = map(_class, map(grapheme_break, names))
    control = f"[{_ranges(grapheme_break('Control'))}\r\n]"
    linker, consonant = _class(_LINKERS), _class(CodePoints.unpack(INDIC_CONSONANT))
    joint = _class((grapheme_break("Extend") | grapheme_break("ZWJ")) - CodePoints.of("\u200c"))
    emoji = _class(binary("Extended_Pictographic"))
    hangul = f"{lead}*(?:{vowel}+|{lv}{vowel}*|{lvt}){trail}*|{lead}+|{trail}+"
    conjunct = f"{consonant}(?:(?:(?!{linker}){joint})*{linker}{joint}*{consonant})*"
    core = f"{hangul}|{regional}{{2}}|{emoji}(?:{extend}*{zwj}{emoji})*|{conjunct}|(?!{control})."
    tail = f"(?:{extend}|{zwj}|{spacing})*"
    return re.compile(f"\r\n|{control}|{prepend}*(?:{core}){tail}|{prepend}+{tail}|.", re.S)


def clusters(text: str) -> list[str]:
    """The grapheme clusters of a text.

    >>> [len(cluster) for cluster in clusters("e\\u0301x")]
    [2, 1]
    """
    # CR LF is the only cluster of ASCII that has two characters.
    if text.isascii() and "\r\n" not in text:
        return list(text)
    return _pattern().findall(text)
