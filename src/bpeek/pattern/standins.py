"""Astral characters by proxy.

``re`` looks a character of the Basic Multilingual Plane up in a bitmap, but tries ranges one by one for
those beyond: six times slower. A pattern cannot tell characters apart that are in the same of its sets,
so each astral character is replaced by one from the BMP that is in the same sets: one for one, hence all places
stay what they are. Where the BMP has no such character, a surrogate is set aside for the role, which the
regular expression then knows as a member of these sets; a text's own surrogate of that number steps aside too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ..unicode import CodePoints
from ..unicode.codepoints import partition

BEYOND = re.compile("[\U00010000-\U0010ffff]+")
_BEYOND_OR_SURROGATE = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]+")
_SURROGATES = range(0xD800, 0xE000)


def has_astral(text: str) -> bool:
    """Five times faster than a search. Not for ASCII, where the answer is known."""
    return len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


class StandIns(dict[int, int]):
    """Code points of a text -> those that stand for them; filled as they are met."""

    def __init__(self, sets: Sequence[CodePoints]) -> None:
        super().__init__()
        self._starts, self._masks = partition(sets, 0x10000)
        bmp, astral = _members(self._starts, self._masks)
        missing = astral - bmp.keys()
        self._bits = {chars: 1 << i for i, chars in enumerate(sets)}
        self.reserved: dict[int, int] = {}
        self._chosen = dict(bmp)
        if missing:
            self._reserve(sorted(missing))
        self._run = _BEYOND_OR_SURROGATE if missing else BEYOND

    def _reserve(self, masks: list[int]) -> None:
        """Set surrogates aside for kinds of characters that the BMP lacks; another one plays their own part."""
        last = _SURROGATES[-1]
        if len({self._mask(code) for code in _SURROGATES}) > 1 or len(masks) >= len(_SURROGATES):
            raise ValueError("surrogates are not all alike to this pattern")
        self.reserved = dict(zip(_SURROGATES, masks, strict=False))
        self._chosen |= {mask: code for code, mask in self.reserved.items()}
        self._chosen[self._mask(last)] = last

    def _mask(self, code: int) -> int:
        return self._masks[bisect_right(self._starts, code) - 1]

    def __missing__(self, code: int) -> int:
        self[code] = chosen = self._chosen[self._mask(code)]
        return chosen

    def replace(self, text: str) -> str:
        return self._run.sub(lambda run: run[0].translate(self), text)

    def translate(self, chars: CodePoints) -> CodePoints:
        """A set of the pattern, with the surrogates that were set aside in their roles."""
        if not self.reserved:
            return chars
        bit = self._bits[chars]
        roles = CodePoints.from_ranges((code, code) for code, mask in self.reserved.items() if mask & bit)
        return (chars - CodePoints.from_ranges((c, c) for c in self.reserved)) | roles


def _members(starts: list[int], masks: list[int]) -> tuple[dict[int, int], set[int]]:
    """The combinations of sets that the BMP has, each with its first character; those of the rest."""
    border = starts.index(0x10000)
    bmp = dict(zip(reversed(masks[:border]), reversed(starts[:border]), strict=True))
    return bmp, {mask for start, mask in zip(starts[border:], masks[border:], strict=True)}
