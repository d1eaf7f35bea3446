"""SentencePiece's precompiled character map, applied as ``tokenizers`` applies it.

The reference cuts text in grapheme clusters and takes, for a short cluster, the replacement of the *shortest*
key that it begins with; the rest of the cluster is lost. Characters of other clusters are looked up one by one.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from ..errors import FormatError
from ..unicode.graphemes import clusters
from .aligned import Edit, follow
from .double_array import DoubleArray
from .growth import Size


@lru_cache(maxsize=8)
def _map(charsmap: str) -> tuple[DoubleArray, Callable[[str], str | None]]:
    """A map in base 64, and what looks up in it."""
    try:
        data = base64.b64decode(charsmap, validate=True)
    except ValueError as error:  # binascii.Error is one; so is what characters beyond ASCII raise
        raise FormatError(f"not base 64: {error}", field="precompiled_charsmap") from None
    found = DoubleArray(data)
    return found, lru_cache(maxsize=100_000)(found.shortest)


def precompiled(charsmap: str) -> Edit:
    """The edit for a map in base 64."""
    find = _map(charsmap)[1]

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        new, changes, modified = _replaced(text, find)
        if not modified:
            return None
        return "".join(new), follow(changes) if tracked else ()

    return edit


def precompiled_size(charsmap: str) -> Size:
    """How long that edit makes a text."""
    longest, find = _map(charsmap)[0].longest_text, _map(charsmap)[1]

    def size(text: str, exact: bool) -> int:
        if not exact:
            return len(text) * max(1, longest)
        return sum(1 if new is None else len(new) for _, new in _parts(text, find))

    return size


def _parts(text: str, find: Callable[[str], str | None]) -> Iterator[tuple[str, str | None]]:
    """Clusters with what replaces them, or characters with what replaces them, if anything does."""
    for cluster in clusters(text):
        whole = find(cluster) if len(cluster.encode()) < 6 else None
        if whole is not None:
            yield cluster, whole
        else:
            yield from ((char, find(char)) for char in cluster)


def _replaced(text: str, find: Callable[[str], str | None]) -> tuple[list[str], list[int], bool]:
    new: list[str] = []
    changes: list[int] = []
    modified = False
    for part, found in _parts(text, find):
        if found is None:
            new.append(part)
            changes.append(0)
            continue
        modified = True
        new += found
        changes += [0] * len(found)
        growth = len(found) - len(part)
        if growth > 0:
            changes[-growth:] = [1] * growth
        elif growth < 0 and changes:
            changes[-1] += growth
    return new, changes, modified
