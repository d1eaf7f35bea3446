"""Places in a text, in three units: code points (Python), UTF-16 units (JavaScript), UTF-8 bytes.

Positions are sorted ascending wherever several are converted at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import compress
from typing import Any

from .errors import BpeekError

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_BEGINS = bytes(not 0x80 <= byte < 0xC0 for byte in range(256))  # bytes that begin a character


def no_text(value: object) -> TypeError:
    """The error for what is no text."""
    hint = ""
    if isinstance(value, (bytes, bytearray)):
        hint = "; decode bytes first, as with .decode('utf-8')"
    elif isinstance(value, (list, tuple)):
        hint = "; several texts go to encode_batch or count_batch"
    return TypeError(f"a text must be a str, not {type(value).__name__}{hint}")


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD, as tiktoken reads it.

    >>> well_formed("a\\ud83d\\ude00b\\ud800") == "a😀b\\ufffd"
    True
    """
    if not isinstance(text, str):
        raise no_text(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def text_or_pair(text: str | Sequence[Any]) -> tuple[str, ...]:
    """One text or two, well-formed."""
    if not isinstance(text, (tuple, list)):
        return (well_formed(text),)  # type: ignore[arg-type]  # that is what is asked there
    if len(text) != 2:
        message = f"a pair is two texts, not {len(text)}"
        raise BpeekError(message + "; a text that comes in words is to be given with is_split_into_words=True")
    return well_formed(text[0]), well_formed(text[1])


def to_utf16(text: str, positions: Sequence[int]) -> Sequence[int]:
    """Code-point positions as UTF-16 positions.

    >>> to_utf16("a😀b", [0, 1, 2, 3])
    [0, 1, 3, 4]
    """
    # Astral characters are rare: only they are looked for, and each counts one unit more.
    astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]
    if not astral:
        return positions
    return [position + bisect_left(astral, position) for position in positions]


def to_bytes(text: str, positions: Sequence[int]) -> Sequence[int]:
    """Code-point positions as UTF-8 positions.

    >>> to_bytes("aé😀", [0, 1, 2, 3])
    [0, 1, 3, 7]
    """
    if text.isascii():
        return positions
    data = text.encode("utf-8", "surrogatepass")
    before = list(compress(range(len(data) + 1), data.translate(_BEGINS) + b"\1"))
    if max(positions, default=0) > len(text):
        positions = [min(position, len(text)) for position in positions]
    return [before[position] for position in positions]
