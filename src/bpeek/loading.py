"""``bpeek.load``: from a file, wherever it is, to a ``Tokenizer``."""

from __future__ import annotations

import gc
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from itertools import islice
from typing import BinaryIO, Protocol, cast

from . import formats
from .errors import BpeekError
from .tokenizer import Tokenizer


class Readable(Protocol):
    """An open binary file: of ``open``, ``gzip.open``, a resource of a package."""

    def read(self) -> bytes: ...


Source = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable


def load(
    source: Source | Sequence[Source],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """A tokenizer from a path, from bytes, or from an open binary file; from a list of these for
    ``[vocab.json, merges.txt]``. Files may be packed with gzip or zip; of a GGUF only the header
    is read; a folder stands for the tokenizer in it.

    What the file is, its content decides. ``name`` stands for a file name where there is none,
    and chooses among encodings that share their ranks (``gpt2``, ``p50k_edit``, ``o200k_harmony``, ``whisper_v3``).
    Beside a ``tokenizer.json`` in a list or folder, ``tokenizer_config.json``, ``special_tokens_map.json`` and
    ``added_tokens.json`` add the tokens that only they have. ``special_tokens`` add some to it, too.
    A ``.tiktoken`` file that bpeek does not know needs ``pattern`` and ``special_tokens``. For one that it knows,
    ``special_tokens`` take the place of those known (``{**tok.special_tokens, "<|new|>": 100264}`` adds one), and
    ``pattern`` that of pattern and special tokens.

    Raises ``FormatError``, ``PatternError`` or ``UnsupportedError``, and ``OSError`` for a file that cannot be read;
    never returns half a tokenizer.

    >>> from base64 import b64encode
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> tok = load((ranks + "YWI= 256").encode(), pattern=r"\\w+|\\W", special_tokens={"<|end|>": 257})
    >>> tok.encode("ab é<|end|>").ids
    [256, 32, 195, 169, 257]
    """
    for argument, value in (("name", name), ("pattern", pattern)):
        if not (value is None or isinstance(value, str)):
            raise TypeError(f"{argument} must be a str, not {type(value).__name__}")
    if not (special_tokens is None or isinstance(special_tokens, Mapping)) or any(
        not isinstance(token, str) for token in special_tokens or ()
    ):
        raise TypeError(
            f"special_tokens must map special tokens to ids, as in {{'<|end|>': 5}}, not {special_tokens!r:.80}"
        )
    sources = source if isinstance(source, (list, tuple)) else [cast(Source, source)]
    files = [_read(file, name) for each in sources for file in _files(each)]
    with collector_paused():
        return Tokenizer(formats.parse_files(files, pattern=pattern, special_tokens=special_tokens))


@contextmanager
def collector_paused() -> Iterator[None]:
    """A vocabulary is half a million objects that stay: looking for garbage among them costs a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


BESIDE = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
FOLDER = (("tokenizer.json",), ("vocab.json", "merges.txt"), ("tekken.json",), ("tokenizer.model",))


def in_folder(folder: str) -> list[str]:
    """The files of the tokenizer that is in a folder; with a tokenizer.json, those that tell of more tokens."""
    for names in FOLDER:
        files = [os.path.join(folder, name) for name in names]
        if all(map(os.path.isfile, files)):
            beside = [os.path.join(folder, name) for name in BESIDE if names == FOLDER[0]]
            return files + list(filter(os.path.isfile, beside))
    known = ", ".join(" with ".join(names) for names in FOLDER)
    raise BpeekError(f"{folder}: this folder holds no {known}; give the path of a file")


def _files(source: Source) -> Sequence[Source]:
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        return in_folder(os.fsdecode(source))
    return [source]


def _read(source: Source, name: str | None) -> tuple[bytes, str | None]:
    if isinstance(source, (str, os.PathLike)):
        with _opened(source) as file:
            name = name or os.path.basename(source)
            return _content(file, name), name
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), name
    if not hasattr(source, "read"):
        raise TypeError(f"load takes a path, the bytes of a file or an open file, not {type(source).__name__}")
    data = _content(source, name) if isinstance(source, BufferedReader) else source.read()
    if not isinstance(data, bytes):
        raise TypeError("the file is open as text; open it with mode 'rb', or pass its path")
    own = getattr(source, "name", None)  # a number for files that have none
    return data, name or (os.path.basename(own) if isinstance(own, str) else None)


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        advice = "bpeek brings no vocabulary and downloads none; give the path of a file, such as cl100k_base.tiktoken"
        raise FileNotFoundError(error.errno, f"{error.strerror} ({advice})", error.filename) from None


_MEBIBYTE = 1 << 20


def _content(file: BinaryIO, name: str | None) -> bytes:
    """No more than a vocabulary may have is read: weights have gigabytes, and a device may never end."""
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode):
        head = file.read(4096)
        if head.startswith(b"GGUF"):
            return head + file.read(formats.GGUF_HEADER)
        if status.st_size > formats.MAX_BYTES:
            raise formats.too_large(head, status.st_size, name)
        return head + file.read()
    return b"".join(islice(iter(partial(file.read, _MEBIBYTE), b""), formats.MAX_BYTES // _MEBIBYTE + 1))
