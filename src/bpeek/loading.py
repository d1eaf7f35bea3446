"""``bpeek.load``: from a file, wherever it is, to a ``Tokenizer``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import BinaryIO

from . import formats
from .tokenizer import Tokenizer


def load(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """A tokenizer from a path, from bytes, or from an open binary file.

    What the file is, its content decides. ``name`` stands for a file name where there is none,
    and chooses among encodings that share their ranks (``gpt2``, ``p50k_edit``, ``o200k_harmony``).
    A ``.tiktoken`` file that bpeek does not know needs ``pattern`` and ``special_tokens``.

    Raises ``FormatError``, ``PatternError`` or ``UnsupportedError``; never returns half a tokenizer.

    >>> from base64 import b64encode
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> tok = load((ranks + "YWI= 256").encode(), pattern=r"\\w+|\\W", special_tokens={"<|end|>": 257})
    >>> tok.encode("ab é<|end|>").ids
    [256, 32, 195, 169, 257]
    """
    if isinstance(source, (str, os.PathLike)):
        name = name or os.path.basename(source)
        with open(source, "rb") as file:
            data = file.read()
    elif isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        name = name or getattr(source, "name", None)
        data = source.read()
    return Tokenizer(formats.parse(data, name, pattern=pattern, special_tokens=special_tokens))
