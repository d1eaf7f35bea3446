"""Vocabulary files, from where the caller says; never from the network.

What tiktoken would download by URL is looked for in the source given to ``read_from``, or else in the
directory that ``TIKTOKEN_CACHE_DIR`` (or ``DATA_GYM_CACHE_DIR``) names, as ``cl100k_base.tiktoken`` or
under the name that tiktoken's own cache gives it.
"""

from __future__ import annotations

import binascii
import hashlib
import os
from base64 import b64encode
from collections.abc import Callable

from ...bytechars import CHAR_TO_BYTE, to_bytes
from ...errors import FormatError

Source = str | os.PathLike[str] | Callable[[str], bytes | None]

_source: Source | None = None


def read_from(source: Source | None) -> None:
    """Say where vocabulary files are: in a directory, or what a function returns for a file's URL
    (its bytes, or ``None`` if there is no such file). ``None`` leaves it to the environment again.

    >>> files = {"toy.tiktoken": b"YQ== 0\\nYg== 1\\nYWI= 2\\n"}
    >>> read_from(lambda url: files.get(url.rpartition("/")[2]))
    >>> load_tiktoken_bpe("https://example.org/toy.tiktoken")
    {b'a': 0, b'b': 1, b'ab': 2}
    >>> read_from(None)
    """
    if not (source is None or callable(source) or isinstance(source, (str, os.PathLike))):
        raise TypeError(f"read_from takes a directory or a function, not {type(source).__name__}")
    global _source
    _source = source


def read_file(blobpath: str) -> bytes:
    """The bytes of a local file, or of the local file that stands for a URL.

    Raises ``FileNotFoundError`` that says where it was looked for and what to do.
    """
    if "://" not in blobpath:
        with open(blobpath, "rb") as file:
            return file.read()
    source = _source or os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    name = blobpath.rpartition("/")[2]
    if source is None:
        looked = "no place to look for it is known"
    elif callable(source):
        data = source(blobpath)
        if data is not None:
            return bytes(data)
        looked = "the function given to read_from has none"
    else:
        names = (name, hashlib.sha1(blobpath.encode()).hexdigest())
        for path in (os.path.join(source, each) for each in names):
            if os.path.exists(path):
                return read_file(path)
        looked = f"{os.fspath(source)} holds neither that nor {names[1]}"
    raise FileNotFoundError(
        f"{name} is needed and {looked}. bpeek downloads nothing: fetch {blobpath} yourself, put it into a directory, "
        "and name that in the environment variable TIKTOKEN_CACHE_DIR or give it to "
        "bpeek.compat.tiktoken.load.read_from(), which also takes a function from a URL to bytes"
    )


def check_hash(data: bytes, expected_hash: str) -> bool:
    return hashlib.sha256(data).hexdigest() == expected_hash


def read_file_cached(blobpath: str, expected_hash: str | None = None) -> bytes:
    """The bytes of a file, whose SHA-256 must be the expected one."""
    data = read_file(blobpath)
    if expected_hash and not check_hash(data, expected_hash):
        raise ValueError(
            f"Hash mismatch for data downloaded from {blobpath} (expected {expected_hash}). "
            "The local file is not the published one; fetch it again."
        )
    return data


def load_tiktoken_bpe(tiktoken_bpe_file: str, expected_hash: str | None = None) -> dict[bytes, int]:
    """The ranks in a ``.tiktoken`` file."""
    ranks = {}
    for line in filter(None, read_file_cached(tiktoken_bpe_file, expected_hash).splitlines()):
        try:
            token, rank = line.split()
            ranks[binascii.a2b_base64(token)] = int(rank)
        except ValueError as error:
            raise FormatError(f"Error parsing line {line!r} in {tiktoken_bpe_file}") from error
    return ranks


def dump_tiktoken_bpe(bpe_ranks: dict[bytes, int], tiktoken_bpe_file: str) -> None:
    """Write ranks to a local ``.tiktoken`` file."""
    with open(tiktoken_bpe_file, "wb") as file:
        for token, rank in sorted(bpe_ranks.items(), key=lambda item: item[1]):
            file.write(b"%b %d\n" % (b64encode(token), rank))


def data_gym_to_mergeable_bpe_ranks(
    vocab_bpe_file: str,
    encoder_json_file: str,
    vocab_bpe_hash: str | None = None,
    encoder_json_hash: str | None = None,
    clobber_one_byte_tokens: bool = False,
) -> dict[bytes, int]:
    """Ranks from GPT-2's ``vocab.bpe`` and ``encoder.json``, which must agree."""
    import json

    merges = read_file_cached(vocab_bpe_file, vocab_bpe_hash).decode().split("\n")[1:-1]
    tokens = [*map(to_bytes, sorted(CHAR_TO_BYTE)), *(to_bytes("".join(merge.split())) for merge in merges)]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    listed = json.loads(read_file_cached(encoder_json_file, encoder_json_hash))
    expected = {to_bytes(token): rank for token, rank in listed.items()}
    for special in (b"<|endoftext|>", b"<|startoftext|>"):
        expected.pop(special, None)
    if clobber_one_byte_tokens:
        ranks |= {token: rank for token, rank in expected.items() if len(token) == 1}
    if ranks != expected:
        raise FormatError(f"{vocab_bpe_file} and {encoder_json_file} do not belong together: their ranks differ")
    return ranks
