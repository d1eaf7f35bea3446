"""SentencePiece's precompiled character map, applied as ``tokenizers`` applies it.

The reference cuts text in grapheme clusters and takes, for a short cluster, the replacement of the *shortest*
key that it begins with; the rest of the cluster is lost. Characters of other clusters are looked up one by one.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import lru_cache

from ..errors import FormatError
from ..unicode.graphemes import clusters
from .aligned import Edit, follow
from .double_array import DoubleArray


@lru_cache(maxsize=8)
def precompiled(charsmap: str) -> Edit:
    """The edit for a map in base 64."""
    try:
        data = base64.b64decode(charsmap, validate=True)
    except ValueError as error:  # binascii.Error is one; so is what characters beyond ASCII raise
        raise FormatError(f"not base 64: {error}", field="precompiled_charsmap") from None
    find = lru_cache(maxsize=100_000)(DoubleArray(data).shortest)

    def edit(text: str, tracked: bool) -> tuple[str, Sequence[int]] | None:
        new, changes, modified = _replaced(text, find)
        if not modified:
            return None
        return "".join(new), follow(changes) if tracked else ()

    return edit


def _replaced(text: str, find: Callable[[str], str | None]) -> tuple[list[str], list[int], bool]:
    new: list[str] = []
    changes: list[int] = []
    modified = False
    for cluster in clusters(text):
        whole = find(cluster) if len(cluster.encode()) < 6 else None
        for part in cluster if whole is None else [cluster]:
            found = find(part) if whole is None else whole
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
