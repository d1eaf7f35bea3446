"""Files become ``Spec``s. What a file is, its content decides; its name only helps.

To add a format: one module with ``parse``, and one line in ``_sniff``.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Mapping
from dataclasses import replace

from ..errors import FormatError
from ..spec import Spec
from . import tiktoken

MAX_BYTES = 512 << 20

# First bytes of files that people drop by mistake, and what to load instead.
_NOT_VOCABULARIES = {
    b"version https://git-lfs": "a Git LFS pointer, not the file itself: download the real file (`git lfs pull`)",
    b"GGUF": "a GGUF model: load the tokenizer.json of the same model instead",
    b"PK\x03\x04": "a zip archive: unpack it and load the vocabulary inside",
    b"\x89PNG": "an image: load a .tiktoken or tokenizer.json file",
    b"\xff\xd8\xff": "an image: load a .tiktoken or tokenizer.json file",
    b"%PDF": "a PDF document: load a .tiktoken or tokenizer.json file",
    b"<": "a web page or XML, perhaps an error page that was saved as the file: download the file again",
}


def parse(
    data: bytes,
    name: str | None = None,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Spec:
    """The tokenizer that some file describes. ``pattern`` and ``special_tokens`` are for ``.tiktoken``.

    Raises ``FormatError`` if the file is broken or of no known kind.
    """
    content = _gunzip(data, name) if data[:2] == b"\x1f\x8b" else data
    kind = _sniff(content, name)
    if kind == "sentencepiece":
        from . import sentencepiece

        spec = sentencepiece.parse(content, name)
    elif kind == "tiktoken":
        spec = tiktoken.parse(content, name, pattern=pattern, special_tokens=special_tokens)
    else:
        if pattern is not None or special_tokens is not None:
            raise FormatError("pattern= and special_tokens= are for .tiktoken files; this file has its own", file=name)
        from . import hf_json  # `json` is not needed for the other formats

        spec = hf_json.parse(content, name)
    facts = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return replace(spec, source={**spec.source, **facts})


def _gunzip(data: bytes, name: str | None) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"the gzip data is damaged ({error}); download the file again", file=name) from None
    if len(content) > MAX_BYTES:
        raise FormatError(f"more than {MAX_BYTES:,} bytes when unpacked", file=name)
    return content


def _sniff(data: bytes, name: str | None) -> str:
    if not data.strip():
        raise FormatError("the file is empty; download it again", file=name, byte=0)
    if len(data) > MAX_BYTES:
        raise FormatError(f"{len(data):,} bytes are more than a vocabulary may have ({MAX_BYTES:,})", file=name)
    if tiktoken.looks_like(data):
        return "tiktoken"
    if data[0] == 10 and data[2] == 10:
        return "sentencepiece"
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"{", b"["):
        return "tokenizer.json"
    for magic, what in _NOT_VOCABULARIES.items():
        if head.startswith(magic):
            raise FormatError(f"this is {what}", file=name, byte=0)
    if name is not None and ".tiktoken" in name:
        return "tiktoken"  # its own error says which line is wrong
    raise FormatError(
        "this is neither a .tiktoken file (lines of `BASE64 RANK`) nor a tokenizer.json (a JSON object)",
        file=name,
        byte=0,
    )
