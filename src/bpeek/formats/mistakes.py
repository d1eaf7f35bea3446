"""What people drop by mistake, told by its first bytes or its keys: what it is, and what to load instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError, UnsupportedError

LOAD = "load the model's tokenizer.json, tokenizer.model or .tiktoken file"
_AGAIN = "download the file again"

_BY_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: download the real file (`git lfs pull`)"),
    (b"\x89PNG", f"a PNG image: {LOAD}"),
    (b"\xff\xd8\xff", f"a JPEG image: {LOAD}"),
    (b"GIF8", f"a GIF image: {LOAD}"),
    (b"RIFF", f"an image, a sound or a film (RIFF): {LOAD}"),
    (b"%PDF", f"a PDF document: {LOAD}"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd: unpack it first"),
    (b"BZh", "packed with bzip2: unpack it first"),
    (b"\xfd7zXZ", "packed with xz: unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive: unpack it and load the vocabulary inside"),
    (b"\x80\x02", f"a Python pickle: {LOAD}"),
    (b"\x80\x03", f"a Python pickle: {LOAD}"),
    (b"\x80\x04", f"a Python pickle: {LOAD}"),
    (b"\x7fELF", f"a program: {LOAD}"),
    (b"\x93NUMPY", f"a NumPy array: {LOAD}"),
    (b"\xff\xfe", "text in UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16: save it as UTF-8"),
    (b"<", f"a web page or XML, perhaps an error page that was saved as the file: {_AGAIN}"),
    (b"---", f"a README or other Markdown: {LOAD}"),
    (b"#version", "merges.txt, half of a vocabulary: load it together with its vocab.json"),
    (b"Entry not found", f"an error message that was saved as the file: {_AGAIN}"),
    (b"Invalid username", f"an error message that was saved as the file: log in and {_AGAIN}"),
    (b"Access to model", f"an error message that was saved as the file: ask for access and {_AGAIN}"),
    (b"404: Not Found", f"an error message that was saved as the file: {_AGAIN}"),
)
_BMP = re.compile(rb"BM[\s\S]{4}\0{4}")
_SAFETENSORS = re.compile(rb'[\s\S]{8}\{\s*"')
_MERGES = re.compile(r"[^\s]+ [^\s]+(?:\r?\n[^\s]+ [^\s]+)*")
_SCORED = re.compile(r"[^\t\n]+\t-?[0-9.e-]+(?:\r?\n[^\t\n]+\t-?[0-9.e-]+)*")


def told_by_content(data: bytes, name: str | None) -> FormatError | None:
    """The error for a file that is no vocabulary, and no JSON; ``None`` if nothing tells what it is."""
    lines = "\n".join(data[:2000].decode("utf-8", "replace").splitlines()[:-1][:20])
    if "[UNK]" in lines.split() or "[PAD]" in lines.split():
        what = "vocab.txt, a WordPiece vocabulary, and bpeek reads byte-pair models (BPE) only: load a tokenizer.json"
        return FormatError(f"this is {what} of such a model", file=name, byte=0)
    if _SCORED.fullmatch(lines):
        what = "a .vocab file, SentencePiece's list for people: load the .model file beside it"
        return FormatError(f"this is {what}", file=name, byte=0)
    head = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    for magic, what in _BY_MAGIC:
        if head.startswith(magic):
            return FormatError(f"this is {what}", file=name, byte=0)
    if _BMP.match(data):
        return FormatError(f"this is a BMP image: {LOAD}", file=name, byte=0)
    if _SAFETENSORS.match(data):
        return FormatError(f"this is a .safetensors file, which holds weights: {LOAD} instead", file=name, byte=0)
    if not data.strip(b"\0"):
        return FormatError(f"the file holds nothing but NUL bytes; {_AGAIN}", file=name, byte=0)
    if _MERGES.fullmatch(lines) and ".tiktoken" not in (name or ""):
        return FormatError("this may be merges.txt: load it together with its vocab.json", file=name, byte=0)
    return None


def unknown(name: str | None) -> FormatError:
    return FormatError(
        "this is none of the files that bpeek reads: .tiktoken (lines of `BASE64 RANK`), tokenizer.json, "
        "SentencePiece .model, tekken.json, vocab.json with merges.txt",
        file=name,
        byte=0,
    )


_BY_KEY: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset(["added_tokens_decoder"]), "tokenizer_config.json: load the tokenizer.json beside it"),
    (frozenset(["tokenizer_class"]), "tokenizer_config.json: load the tokenizer.json beside it"),
    (frozenset(["chat_template"]), "tokenizer_config.json: load the tokenizer.json beside it"),
    (frozenset(["weight_map"]), f"the index of a model's weights: {LOAD}"),
    (frozenset(["architectures"]), f"a model's config.json: {LOAD}"),
    (frozenset(["model_type"]), f"a model's config.json: {LOAD}"),
    (frozenset(["transformers_version"]), f"a model's generation_config.json: {LOAD}"),
    (frozenset(["bos_token", "eos_token"]), "special_tokens_map.json: load the tokenizer.json beside it"),
    (frozenset(["unk_token"]), "special_tokens_map.json: load the tokenizer.json beside it"),
    (frozenset(["error"]), f"an error message that was saved as the file: {_AGAIN}"),
    (frozenset(["bpe_ranks"]), "the ranks of the npm package tiktoken: load the .tiktoken file of the same name"),
    (frozenset(["cells"]), f"a notebook: {LOAD}"),
)


def told_by_keys(top: Any, name: str | None) -> FormatError | UnsupportedError | None:
    """The error for JSON that is no vocabulary; ``None`` if its keys tell nothing."""
    if isinstance(top, list):
        return FormatError(f"this is a list, and a tokenizer.json is an object: {LOAD}", file=name, field="$")
    if not isinstance(top, Mapping):
        return None
    if top and all(type(value) is int for value in top.values()):
        if "[UNK]" in top or "[CLS]" in top:
            message = f"this is a WordPiece vocabulary, and bpeek reads byte-pair models (BPE) only: {LOAD}"
            return UnsupportedError(message, feature="WordPiece", where="$")
        what = "vocab.json, half of a vocabulary: load it together with its merges.txt, or the tokenizer.json"
        return FormatError(f"this is {what}", file=name, field="$")
    for keys, what in () if "model" in top else _BY_KEY:
        if keys <= top.keys():
            return FormatError(f"this is {what}", file=name, field="$")
    return None
