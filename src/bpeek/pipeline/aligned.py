"""Text that remembers where each of its characters came from.

One rule makes every edit: the edited text, and for each of its characters the *source*, that is the
index of the character before the edit whose span it takes over. What the reference (``tokenizers``)
calls a change is turned into sources by ``follow``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..lookup import looked_up

# (text, tracked) -> nothing if the text stays as it is, else (new text, sources). Sources are
# only read if ``tracked``, so a step may leave them empty otherwise.
Edit = Callable[[str, bool], "tuple[str, Sequence[int]] | None"]


class Aligned:
    """A text with the span of each character in the original, in code points.

    ``starts`` and ``ends`` are ranges as long as nothing but positions is known, lists after an edit
    that moves characters, and ``None`` where nobody asked for offsets.

    >>> cafe = Aligned.of("cafe!", origin=10)
    >>> cafe.remap("CAFÉ", [0, 1, 2, 3]).span(1, 4)
    (11, 14)
    """

    __slots__ = ("ends", "origin", "starts", "text")

    def __init__(self, text: str, starts: Sequence[int] | None, ends: Sequence[int] | None, origin: int) -> None:
        self.text, self.starts, self.ends, self.origin = text, starts, ends, origin

    @classmethod
    def of(cls, text: str, origin: int = 0, *, tracked: bool = True) -> Aligned:
        """Text that is its own original, which begins at ``origin`` of a longer one."""
        if not tracked:
            return cls(text, None, None, origin)
        return cls(text, range(origin, origin + len(text)), range(origin + 1, origin + len(text) + 1), origin)

    def apply(self, edit: Edit) -> Aligned:
        change = edit(self.text, self.starts is not None)
        return self if change is None else self.remap(*change)

    def remap(self, text: str, sources: Sequence[int]) -> Aligned:
        """The edited text. A source of -1 is an insertion before everything: it has no width."""
        if self.starts is None or self.ends is None:
            return Aligned(text, None, None, self.origin)
        if isinstance(sources, range) and sources == range(len(self.text)):
            return Aligned(text, self.starts, self.ends, self.origin)
        inserted = 0
        while inserted < len(sources) and sources[inserted] < 0:
            inserted += 1
        if inserted:
            sources = sources[inserted:]
        if isinstance(self.starts, range) and self.starts.start == 0 and not inserted:
            return Aligned(text, sources, [source + 1 for source in sources], self.origin)
        nowhere = [self.origin] * inserted
        starts = [*nowhere, *looked_up(self.starts, sources)]
        ends = [*nowhere, *looked_up(self.ends, sources)]
        return Aligned(text, starts, ends, self.origin)

    def slice(self, start: int, end: int) -> Aligned:
        """A part, as a text of its own: its origin is where its first character came from."""
        if self.starts is None or self.ends is None:
            return Aligned(self.text[start:end], None, None, self.origin + start)
        origin = self.starts[start] if start < end else self.origin
        return Aligned(self.text[start:end], self.starts[start:end], self.ends[start:end], origin)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from ``start`` to ``end`` came from."""
        if self.starts is None or self.ends is None or start >= end:
            return 0, 0
        return self.starts[start], self.ends[end - 1]


def follow(changes: Iterable[int], removed: int = 0) -> list[int]:
    """Sources from the reference's changes: 0 replaces the next character, -k also drops the k after
    it, and 1 is inserted after the character before. The first ``removed`` characters are dropped.

    >>> follow([0, 1, -2, 0])
    [0, 0, 1, 4]
    """
    sources, at = [], removed
    for change in changes:
        if change > 0:
            sources.append(at - 1)
        else:
            sources.append(at)
            at += 1 - change
    return sources


def patched(text: str, patches: Iterable[tuple[int, int, str, Sequence[int]]], tracked: bool) -> tuple[str, list[int]]:
    """Replace stretches of a text: patches are (start, end, new text, sources), in order.

    >>> patched("abcd", [(1, 3, "X", [2])], True)
    ('aXd', [0, 2, 3])
    """
    parts: list[str] = []
    sources: list[int] = []
    at = 0
    for start, end, new, new_sources in patches:
        parts += text[at:start], new
        if tracked:
            sources += range(at, start)
            sources += new_sources
        at = end
    parts.append(text[at:])
    if tracked:
        sources += range(at, len(text))
    return "".join(parts), sources
