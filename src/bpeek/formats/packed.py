"""Published ``.tiktoken`` files as the page fetches them: the 256 bytes in the order of their ranks, then all other
tokens with a byte between them that no text has.

Base64 compresses badly: cl100k_base has 0.33 MB this way and 0.61 as it was published (both in brotli), and is read
three times as fast. Only what ``pack`` makes of the files that ``presets`` names is read, so nothing needs a check
but the checksum.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FormatError
from .presets import Preset, presets

MAGIC = b"bpeek ranks\n"
_BYTES = slice(len(MAGIC), len(MAGIC) + 256)
_BETWEEN = b"\xff"


def looks_like(data: bytes) -> bool:
    return data.startswith(MAGIC)


def pack(ranks: Mapping[bytes, int]) -> bytes:
    """The first 256 ranks must be those of the bytes."""
    tokens = {rank: token for token, rank in ranks.items()}
    column = [tokens.get(rank, b"") for rank in range(max(tokens) + 1)]
    return MAGIC + b"".join(column[:256]) + _BETWEEN.join(column[256:])


def unpack(data: bytes) -> dict[bytes, int]:
    """
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abc": 258}
    >>> unpack(pack(ranks)) == ranks
    True
    """
    tokens = [*map(bytes, zip(data[_BYTES], strict=True)), *data[_BYTES.stop :].split(_BETWEEN)]
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    ranks.pop(b"", None)  # a rank that no token has
    return ranks


def published(digest: str, name: str | None) -> Preset:
    """The preset whose ranks were packed into a file with this SHA-256."""
    for preset in presets():
        if preset.packed == digest:
            return preset
    raise FormatError("not a vocabulary that this bpeek has packed; load the .tiktoken file instead", file=name)
