"""Files become ``Spec``s. What a file is, its content decides; its name only helps.

To add a format: one module with ``looks_like`` and ``parse``, and two lines in ``_parse``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import FormatError, Worded
from ..spec import Spec
from . import tiktoken
from .archives import MAX_BYTES as MAX_BYTES
from .archives import gunzip, unzip
from .families import family

GGUF_HEADER = 64 << 20  # bytes of a GGUF file that are read at most; the largest header known has 16 million
MAX_DEPTH = 128  # as in serde_json, which the reference reads with
MAX_SMALL = 250_000
_JSON = rb'(?:\xef\xbb\xbf)?\s*(?:\{|\[\s*(?:[\[{"\d\]tfn-]|\Z))'
_FLAT = rb'\s*\{\s*"(?:[^"\\]|\\.)*+"\s*:\s*[0-9]'  # a table of numbers, as vocab.json is
_TOO_DEEP = "its steps are nested too deeply"

File = tuple[bytes, str | None]  # content and name


def parse(
    data: bytes,
    name: str | None = None,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Spec:
    """The tokenizer that some file describes. ``pattern`` is for ``.tiktoken``, ``special_tokens`` for these and for
    what merges as listed.

    Raises ``FormatError`` if the file is broken or of no known kind, ``UnsupportedError`` if it is a
    tokenizer of another kind.
    """
    return parse_files([(data, name)], pattern=pattern, special_tokens=special_tokens)


def parse_files(
    files: Sequence[File],
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Spec:
    """The same for several files that belong together: ``vocab.json`` and ``merges.txt``, in any order; and those
    beside a tokenizer, of which ``siblings`` tells."""
    packed = b"".join(data for data, _ in files)
    digest = hashlib.sha256(packed).hexdigest()
    files, beside = _chosen([inner for data, name in files for inner in _unpacked(data, name)])
    # Of the file itself, however it was packed.
    inner_digest = digest if files[0][0] is packed else hashlib.sha256(files[0][0]).hexdigest()
    if len(files) == 2:
        from . import vocab_merges

        (vocab, name), (merges, _) = files
        spec = vocab_merges.parse(vocab, merges, name)
    else:
        spec = _parse(*files[0], inner_digest, pattern, special_tokens)
    if beside:
        from . import siblings

        spec = siblings.extended(spec, beside)
    if special_tokens is not None and spec.format != "tiktoken":
        from . import siblings

        if spec.model.rule != "by_pair":
            raise _has_its_own(spec.name, "special_tokens=", "specialTokens")
        spec = siblings.with_special(spec, special_tokens)
    facts: dict[str, str | int] = {"bytes": len(packed), "sha256": digest, **spec.source}
    known = family(inner_digest)
    if known is not None:
        facts["family"] = known
    return replace(spec, source=facts)


def _unpacked(data: bytes, name: str | None) -> list[File]:
    """The file itself, or what is packed in it."""
    if len(data) > MAX_BYTES:
        raise too_large(data[:4096], len(data), name)
    if data[:2] == b"\x1f\x8b":
        return [(gunzip(data, name), name.removesuffix(".gz") if name else name)]
    if data[:4] == b"PK\x03\x04":
        files = unzip(data, name)
        if not files:
            raise FormatError("this zip archive holds no vocabulary", file=name)
        return files
    return [(data, name)]


def too_large(head: bytes, size: int, name: str | None) -> FormatError:
    """The error for a file of more than ``MAX_BYTES``: what it is, if its beginning tells."""
    from .mistakes import LOAD, told_by_content

    told = None if head.startswith(b"PK") else told_by_content(head, name)
    return told or FormatError(f"{size:,} bytes are more than a vocabulary may have ({MAX_BYTES:,}); {LOAD}", file=name)


def _chosen(files: list[File]) -> tuple[list[File], list[Mapping[str, Any]]]:
    """The one file to read, or ``vocab.json`` and ``merges.txt`` in this order; and what is beside them."""
    if len(files) == 1:
        return files, []
    if not files:
        raise FormatError("the list of files is empty: give it a tokenizer.json, or vocab.json with merges.txt")
    named = {(name or "").rsplit("/", 1)[-1]: (data, name) for data, name in files}
    if len(named) < len(files):
        named = {}  # one name was given for all
    main = [named["tokenizer.json"]] if "tokenizer.json" in named else [file for file in files if _has_model(file[0])]
    if not main and "vocab.json" in named and "merges.txt" in named:
        return [named["vocab.json"], named["merges.txt"]], []
    if not main and len(files) == 2:
        first, second = sorted(files, key=lambda file: not _is_json(file[0]))
        if _is_json(first[0]) and not (_is_json(second[0]) or _is_vocabulary(second[0])):
            return [first, second], []
    if len(main) == 1:
        from . import siblings

        others = [(file, siblings.read(*file)) for file in files if file is not main[0]]
        beside = [found for _, found in others if found is not None]
        strangers = [file for file, found in others if found is None and not _is_merges(file[0])]
        if "tokenizer.json" in named or not strangers:
            return main, beside
    shown = ", ".join(name or "a file without name" for _, name in files[:5])
    raise FormatError(
        f"of several files, bpeek reads a tokenizer.json, or vocab.json with merges.txt; these are {shown}: "
        "load one of them by itself"
    )


def _has_model(data: bytes) -> bool:
    """Is it a tokenizer.json?"""
    return _is_json(data) and re.search(rb'"model"\s*:\s*\{', data) is not None


def _is_merges(data: bytes) -> bool:
    return data.startswith(b"#version")


def _is_vocabulary(data: bytes) -> bool:
    """Is it one by itself, of a kind that is no JSON?"""
    from . import sentencepiece

    return tiktoken.looks_like(data) or sentencepiece.looks_like(data)


def _parse(
    data: bytes, name: str | None, digest: str, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Spec:
    """Read one unpacked file, whose SHA-256 is ``digest``. What needs ``json`` is imported only for JSON."""
    if not data.strip():
        raise FormatError("the file is empty; download it again", file=name, byte=0)
    if tiktoken.looks_like(data):
        return tiktoken.parse(data, name, digest, pattern=pattern, special_tokens=special_tokens)
    from . import sentencepiece

    is_model, is_json = sentencepiece.looks_like(data), _is_json(data)
    is_gguf, is_clip = data.startswith(b"GGUF"), data.startswith(b'"bpe_simple_vocab_16e6.txt#version')
    if not (is_model or is_json or is_gguf or is_clip):
        from . import mistakes

        error = mistakes.told_by_content(data, name)
        if error is not None:
            raise error
        if ".tiktoken" in (name or ""):
            return tiktoken.parse(data, name, digest)  # its own error says which line is wrong
        if ".model" not in (name or ""):
            raise mistakes.unknown(name)
    if pattern is not None:
        raise _has_its_own(name, "pattern=", "pattern")
    if is_json:
        return _parse_json(data, name)
    if is_gguf:
        from . import gguf

        return gguf.parse(data, name)
    if is_clip:
        from . import vocab_merges

        return vocab_merges.parse_clip(data, name)
    return sentencepiece.parse(data, name)


def _has_its_own(name: str | None, python: str, javascript: str) -> FormatError:
    told = "%s is for other kinds of files; this one has its own"
    return FormatError(Worded(told % python, told % javascript), file=name)


def _parse_json(data: bytes, name: str | None) -> Spec:
    from . import hf_json, mistakes, tekken

    if data.count(b"[") + data.count(b"{") > MAX_SMALL + len(data) // 32:
        # Python needs 60 bytes for `[]`, and no real file has more than one such in 50 bytes.
        raise FormatError("the file holds too many lists and objects for a vocabulary of its size", file=name)
    if tekken.looks_like(data):
        return tekken.parse(data, name)
    if re.match(_FLAT, data):
        better = mistakes.told_by_keys(hf_json.load_json(data), name)
        if better is not None:
            raise better
    try:
        spec = hf_json.parse(data, name)
    except RecursionError:
        raise FormatError(_TOO_DEEP, file=name) from None
    except FormatError as error:
        # Not worth a look before it fails, for it costs a second reading.
        raise mistakes.told_by_keys(hf_json.load_json(data), name) or error from None
    for kind in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if _depth(getattr(spec, kind)) > MAX_DEPTH:
            raise FormatError(_TOO_DEEP, file=name, field=kind)
    return spec


def _depth(value: object) -> int:
    """How deep lists and objects are nested, without recursion."""
    level, depth = [value], -1
    while level:
        inner: list[object] = []
        for node in level:
            if isinstance(node, Mapping):
                inner += node.values()
            elif isinstance(node, (list, tuple)):
                inner += node
        level, depth = inner, depth + 1
    return depth


def _is_json(data: bytes) -> bool:
    return re.match(_JSON, data) is not None
