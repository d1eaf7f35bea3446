"""Why an added or special token that is written in a text was taken for one, or was not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..roads.cleaner import one_of
from .tree import Notice

NOT_IN_THIS_CALL = "it is a special token, and this call takes those for text"


class Seen(NamedTuple):
    """What a search came upon, leftmost and longest: either taken, or passed over as a whole."""

    token: str
    start: int
    end: int
    taken: bool
    why: str


def notices(
    text: str, ids: Mapping[str, int], seen: Iterable[Seen], place: Callable[[int, int], tuple[int, int]]
) -> Iterator[Notice]:
    """What was seen, and what is written in the text besides, in order. Tokens inside of one that was taken
    need no explanation. ``place`` tells where a part of ``text`` lies in the text as it was given."""
    known = list(seen)
    found = sorted([*known, *_missed(text, ids, known)], key=lambda each: (each.start, -each.end))
    for token, start, end, taken, why in found:
        yield Notice(token, ids[token], *place(start, end), taken, why)


def _missed(text: str, ids: Mapping[str, int], seen: list[Seen]) -> Iterator[Seen]:
    for token in ids:
        for at, end in _occurrences(text, token):
            others = [each for each in seen if each.start < end and at < each.end]
            known = any((each.token, each.start) == (token, at) for each in seen)
            if others and not known and not any(each.taken and each.start <= at and end <= each.end for each in others):
                yield Seen(token, at, end, False, f"it overlaps {others[0].token!r}, which was looked at first")


def listed(
    text: str, ids: Mapping[str, int], allowed: frozenset[str]
) -> tuple[list[Notice], list[tuple[int, int, int | None]]]:
    """Where special tokens are simply looked for: what is to be said of them, and the text cut at them."""
    seen: list[Seen] = []
    segments: list[tuple[int, int, int | None]] = []
    at, found = 0, one_of(allowed)
    for match in found.finditer(text) if found else ():
        start, end = match.span()
        seen.append(Seen(match[0], start, end, True, "this call recognises it"))
        segments += [(at, start, None)] if at < start else []
        segments.append((start, end, ids[match[0]]))
        at = end
    segments += [(at, len(text), None)] if at < len(text) else []
    taken = list(seen)
    for token in ids.keys() - allowed:
        for start, end in _occurrences(text, token):
            if not any(each.start < end and start < each.end for each in taken):
                seen.append(Seen(token, start, end, False, NOT_IN_THIS_CALL))
    return list(notices(text, ids, seen, lambda start, end: (start, end))), segments


def _occurrences(text: str, token: str) -> Iterator[tuple[int, int]]:
    at = text.find(token)
    while token and at >= 0:
        yield at, at + len(token)
        at = text.find(token, at + 1)
