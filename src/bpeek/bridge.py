"""What JavaScript calls: plain arguments in, plain results out, errors as data.

Imports nothing of Pyodide, so it runs and is tested under CPython as well. Tokenizers are kept
here under small numbers, because objects do not cross to JavaScript cheaply.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from . import loading
from .encoding import Encoding
from .errors import BpeekError
from .tokenizer import Tokenizer

_tokenizers: dict[int, Tokenizer] = {}
_handles = count(1)

_POLICIES: dict[str, dict[str, Any]] = {
    "special": {},
    "text": {"add_special_tokens": False, "allowed_special": (), "disallowed_special": ()},
    "error": {"add_special_tokens": False, "allowed_special": (), "disallowed_special": "all"},
}


def call(method: str, *args: Any) -> dict[str, Any]:
    """Run one method; ``{"ok": result}``, or ``{"error": facts}`` for an error made on purpose."""
    try:
        return {"ok": _METHODS[method](*args)}
    except BpeekError as error:
        facts = {key: value for key, value in vars(error).items() if isinstance(value, (str, int, type(None)))}
        return {"error": {"name": type(error).__name__, **facts, "message": str(error)}}
    except MemoryError:
        return {"error": {"name": "MemoryError", "message": "There is not enough memory for this file or text."}}


def load(
    files: bytes | list[bytes],
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """A tokenizer from one file, or from the bytes of ``vocab.json`` and ``merges.txt``."""
    tokenizer = loading.load(files, name=name, pattern=pattern, special_tokens=special_tokens)
    handle = next(_handles)
    _tokenizers[handle] = tokenizer
    spec = tokenizer.spec
    special = tokenizer.special_tokens
    return {
        "handle": handle,
        "format": spec.format,
        "name": spec.name,
        "vocab_size": tokenizer.vocab_size,
        "n_special": len(special),
        "special_tokens": [[content, token_id] for content, token_id in special.items()],
        "patterns": _patterns(spec.pre_tokenizer),
        **spec.source,
    }


def _patterns(step: Any) -> list[str]:
    """The regular expressions of a pre-tokenizer, in order."""
    if not isinstance(step, Mapping):
        return []
    inner = [source for part in step.get("pretokenizers", ()) for source in _patterns(part)]
    pattern = step.get("pattern")
    return [*inner, *([pattern["Regex"]] if isinstance(pattern, Mapping) and "Regex" in pattern else [])]


def encode(handle: int, text: str, policy: str = "special") -> array[int]:
    """``ids · starts · ends · byte_starts · byte_ends``, one after the other; UTF-16 units and bytes."""
    encoding = _encoding(handle, text, policy)
    columns = array("I", encoding.ids)
    for column in (*encoding.utf16_columns(), *encoding.byte_columns()):
        columns.extend(column)
    return columns


def _encoding(handle: int, text: str, policy: str) -> Encoding:
    return _tokenizers[handle].encode(text, **_POLICIES[policy])


def ids(handle: int, text: str) -> array[int]:
    """Ids alone, special tokens being text."""
    return _tokenizers[handle].encode_to_array(text)


def count_tokens(handle: int, text: str, policy: str = "special") -> int:
    if policy == "special":
        return _tokenizers[handle].count(text)
    return len(_encoding(handle, text, policy))


def decode(handle: int, ids: list[int]) -> str:
    return _tokenizers[handle].decode(ids)


def token(handle: int, token_id: int) -> dict[str, Any]:
    """What the vocabulary says of one id."""
    tokenizer = _tokenizers[handle]
    return {
        "id": token_id,
        "bytes": array("B", tokenizer.token_bytes(token_id)),
        "text": tokenizer.id_to_token(token_id),
        "special": token_id in tokenizer.special_tokens.values(),
    }


def unload(handle: int) -> None:
    _tokenizers.pop(handle, None)


_METHODS: dict[str, Callable[..., Any]] = {
    "load": load,
    "encode": encode,
    "ids": ids,
    "count": count_tokens,
    "decode": decode,
    "token": token,
    "unload": unload,
}
