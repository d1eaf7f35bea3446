"""GGUF files, written for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from bpeek.bytechars import BYTE_TO_CHAR

TYPES = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}


def _string(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, (str, bytes)):
        return struct.pack("<I", 8) + _string(value)
    if isinstance(value, (list, tuple)):
        if not value or isinstance(value[0], (str, bytes)):
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_string, value))
        number, code = (5, "i") if type(value[0]) is int else TYPES[type(value[0])]
        return struct.pack(f"<IIQ{len(value)}{code}", 9, number, len(value), *value)
    number, code = TYPES[type(value)]
    return struct.pack(f"<I{code}", number, value)


def gguf(fields: Mapping[str, Any], version: int = 3, behind: bytes = b"") -> bytes:
    """A file with these fields. Short names are those of ``tokenizer.ggml``."""
    named = {key if "." in key else f"tokenizer.ggml.{key}": value for key, value in fields.items()}
    pairs = b"".join(_string(key) + _value(value) for key, value in named.items())
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(named)) + pairs + behind


def of_tokenizer_json(top: Mapping[str, Any], pre: str, **fields: Any) -> dict[str, Any]:
    """The fields that llama.cpp's converter writes for a byte-level tokenizer.json."""
    ids: dict[str, int] = {**top["model"]["vocab"], **{each["content"]: each["id"] for each in top["added_tokens"]}}
    tokens = [f"[PAD{id}]" for id in range(max(ids.values()) + 1)]
    types = [5] * len(tokens)
    special = {each["content"]: each["special"] for each in top["added_tokens"]}
    for token, id in ids.items():
        tokens[id], types[id] = token, {None: 1, True: 3, False: 4}[special.get(token)]
    merges: Sequence[Any] = top["model"]["merges"]
    written = [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
    return {"model": "gpt2", "pre": pre, "tokens": tokens, "token_type": types, "merges": written, **fields}


def of_pieces(pieces: Sequence[tuple[str, float, int]], **fields: Any) -> dict[str, Any]:
    """The fields of a SentencePiece model, from its pieces, their scores and their types."""
    tokens, scores, types = zip(*pieces, strict=True)
    return {"model": "llama", "tokens": tokens, "scores": scores, "token_type": types, **fields}


_TOKENS = [*BYTE_TO_CHAR.values(), "he", "ll", "hell", "<|end|>", "<s>"]
SMALL = {
    **{"general.architecture": "gpt2", "general.block_count": 2, "model": "gpt2", "pre": "gpt-2"},
    **{"tokens": _TOKENS, "token_type": [*[1] * 259, 3, 3], "merges": ["h e", "l l", "he ll"]},
    **{"bos_token_id": 260, "add_bos_token": True, "tokenizer.chat_template": "{{ x }}"},
}
