"""NFC, NFD, NFKC and NFKD at Unicode 9.0, with the reference's bookkeeping, on any Python.

Only characters that Unicode 9.0 knew take part; for these every later ``unicodedata`` gives the
same answers (Unicode promises it), so no decompositions are shipped, only the sets of the
characters that can change. A text is left alone but for the *stretches* that hold such characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal
from unicodedata import combining, normalize

from ..unicode.codepoints import CodePoints
from .aligned import Edit, follow, patched
from .chars import char_class

_ASTRAL = CodePoints((0x10000, 0x110000))


@cache
def _points(name: str) -> CodePoints:
    from ..unicode.normal import NORMAL_FORMS

    return CodePoints.unpack(NORMAL_FORMS[name])


@cache
def _chars(name: str) -> frozenset[str]:
    return frozenset(map(chr, _points(name)))


@cache
def _stretches(form: str) -> re.Pattern[str]:
    """Stretches that may change. Every character beyond the BMP counts as one that may: so the
    class stays a table look-up in ``re``."""
    combined = _points("combining") | _ASTRAL
    decomposed = _points("compatible" if "K" in form else "canonical")
    if form.endswith("D"):
        return re.compile(f"[{char_class(combined | decomposed)}]+")
    changed = decomposed if "K" in form else _points("changed")
    inner = char_class(combined | changed | _points("seconds"))
    # What stands before may compose with them, or be composed itself and let one slip between its parts.
    before = char_class(_points("firsts") | decomposed | _points("canonical") | _ASTRAL)
    return re.compile(f"[{before}]?[{inner}]+")


def left_alone(form: str, char: str, *, before_others: bool) -> bool:
    """Does a character stay what it is, whatever stands before it, and (``before_others``) whatever follows?

    >>> left_alone("NFC", "e", before_others=False), left_alone("NFC", "e", before_others=True)
    (True, False)
    """
    stretches = _stretches(form)
    return not (stretches.match(char) or (before_others and stretches.match(char + "\u0301")))


class _Form(dict[str, tuple[str, list[int]] | None]):
    """Stretch -> (its normal form, sources), or ``None`` if it is in normal form already."""

    def __init__(self, form: str) -> None:
        self.decomposed = _chars("compatible" if "K" in form else "canonical")
        self.form: Literal["NFD", "NFKD"] = "NFKD" if "K" in form else "NFD"
        self.compose = form.endswith("C")

    def __missing__(self, stretch: str) -> tuple[str, list[int]] | None:
        changes = self._decompose(stretch)
        if self.compose:
            changes = _compose(changes)
        text = "".join([char for char, _ in changes])
        sources = follow([change for _, change in changes])
        result = None if text == stretch and sources == list(range(len(text))) else (text, sources)
        if len(self) < 100_000 and len(stretch) <= 32:
            self[stretch] = result
        return result

    def _decompose(self, stretch: str) -> list[tuple[str, int]]:
        """Characters with their change: 0 for the first of a decomposition, 1 for the others."""
        decomposed, form = self.decomposed, self.form
        changes: list[tuple[str, int]] = []
        for char in stretch:
            if char in decomposed:
                changes += [(part, int(at > 0)) for at, part in enumerate(normalize(form, char))]
            else:
                changes.append((char, 0))
        return _reordered(changes)


def _class(char: str) -> int:
    return combining(char) if char in _chars("combining") else 0


def _reordered(changes: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Runs of combining characters sorted by their class; each takes its change along."""
    ordered: list[tuple[str, int]] = []
    run: list[tuple[str, int]] = []
    for change in changes:
        if _class(change[0]):
            run.append(change)
            continue
        if run:
            ordered += sorted(run, key=lambda item: _class(item[0]))
            run = []
        ordered.append(change)
    return ordered + sorted(run, key=lambda item: _class(item[0]))


def _compose(changes: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Compose each starter with the unblocked characters after it; a composed change is the sum minus 1."""
    firsts, seconds = _chars("firsts"), _chars("seconds")
    done: list[tuple[str, int]] = []
    starter, last_class = -1, 0  # place of the starter in `done`; class of what follows it so far
    for char, change in changes:
        char_class_ = _class(char)
        if starter >= 0 and char in seconds and (last_class == 0 or last_class < char_class_):
            base, base_change = done[starter]
            # Something of class 0 between them blocks; then `starter` has moved on already.
            if base in firsts and len(composed := normalize("NFC", base + char)) == 1:
                done[starter] = (composed, base_change + change - 1)
                continue
        if char_class_ == 0:
            starter, last_class = len(done), 0
        else:
            last_class = char_class_
        done.append((char, change))
    return done


@cache
def normal_form(form: str) -> Edit:
    """The edit for ``"NFC"``, ``"NFD"``, ``"NFKC"`` or ``"NFKD"``.

    >>> normal_form("NFC")("ae\\u0301b", True)
    ('aéb', [0, 1, 3])
    >>> normal_form("NFC")("plain", True) is None
    True
    """
    forms = _Form(form)
    stretches = _stretches(form)

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        if text.isascii():
            return None
        patches = []
        for match in stretches.finditer(text):
            result = forms[match.group()]
            if result is not None:
                start, end = match.span()
                patches.append((start, end, result[0], [start + source for source in result[1]] if tracked else ()))
        return patched(text, patches, tracked) if patches else None

    return edit
