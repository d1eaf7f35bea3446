"""Added tokens in a text of which only some runs may hold special ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import cast

from ..spec import AddedToken
from ..within import Within
from . import chars
from .added import AddedTokens, Found, touches_word
from .aligned import Aligned


def cut_within(added: AddedTokens, aligned: Aligned, normalized: bool, allowed: Within) -> Iterator[Found]:
    """As ``Finder.cut``: special tokens are looked for in the runs first, the others in what is left."""
    others = added.finder(normalized, frozenset())
    text, at = aligned.text, 0
    for start, end, id in [*_specials(added, aligned, normalized, allowed), (len(text), len(text), None)]:
        yield from ((at + left, at + right, other) for left, right, other in others.cut(text[at:start]))
        if id is not None:
            yield start, end, id
        at = end


def _specials(added: AddedTokens, aligned: Aligned, normalized: bool, allowed: Within) -> Iterator[Found]:
    finder, text = added.finder(normalized, frozenset(allowed)), aligned.text
    starts, ends = cast("list[int]", aligned.starts), cast("list[int]", aligned.ends)
    for first, last in allowed.runs:
        low, high = bisect_left(starts, first), bisect_right(ends, last)
        for start, end, id in finder.cut(text[low:high]):
            token = None if id is None else added.by_id[id]
            if token is not None and token.content in added.special_contents:
                start, end = low + start, low + end
                if not (token.single_word and touches_word(text, *_core(text, start, end, token))):
                    yield start, end, id


def _core(text: str, start: int, end: int, token: AddedToken) -> tuple[int, int]:
    """A token's own place, without the space that it takes in."""
    spaces, found = chars.whitespace_chars(), text[start:end]
    left = len(found) - len(found.lstrip(spaces)) if token.lstrip else 0
    right = len(found) - len(found.rstrip(spaces)) if token.rstrip else 0
    return start + left, end - right
