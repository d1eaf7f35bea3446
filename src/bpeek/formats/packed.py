"""Published ``.tiktoken`` files as the page fetches them: one column of lengths, one of tokens, in the order of ranks.

Base64 compresses badly: cl100k_base has 0.36 MB this way and 0.61 as it was published (both in brotli), and is read
three times as fast. Only what ``pack`` makes of the files that ``presets`` names is read, so nothing needs a check
but the checksum.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise, starmap

from ..errors import FormatError
from .presets import Preset, presets

MAGIC = b"bpeek ranks\n"
_COUNT = slice(len(MAGIC), len(MAGIC) + 4)


def looks_like(data: bytes) -> bool:
    return data.startswith(MAGIC)


def pack(ranks: Mapping[bytes, int]) -> bytes:
    """
    >>> pack({b"a": 0, b"bc": 2})[len(MAGIC):]
    b'\\x03\\x00\\x00\\x00\\x01\\x00\\x02abc'
    """
    tokens = {rank: token for token, rank in ranks.items()}
    column = [tokens.get(rank, b"") for rank in range(max(tokens) + 1)]
    return MAGIC + len(column).to_bytes(4, "little") + bytes(map(len, column)) + b"".join(column)


def unpack(data: bytes) -> dict[bytes, int]:
    """
    >>> unpack(pack({b"a": 0, b"bc": 2}))
    {b'a': 0, b'bc': 2}
    """
    start = _COUNT.stop + int.from_bytes(data[_COUNT], "little")
    ends = accumulate(data[_COUNT.stop : start], initial=start)
    ranks = dict(zip(map(data.__getitem__, starmap(slice, pairwise(ends))), range(start), strict=False))
    ranks.pop(b"", None)  # a rank that no token has
    return ranks


def published(digest: str, name: str | None) -> Preset:
    """The preset whose ranks were packed into a file with this SHA-256."""
    for preset in presets():
        if preset.packed == digest:
            return preset
    raise FormatError("not a vocabulary that this bpeek has packed; load the .tiktoken file instead", file=name)
