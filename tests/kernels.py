"""Tokenizers with the kernel and without, and all that they say about a text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

import bpeek
from bpeek.bytechars import BYTE_TO_CHAR
from bpeek.formats.tiktoken import spec_of
from bpeek.kernel.host import CHOICE
from bpeek.spec import AddedToken

BYTES = [bytes([byte]) for byte in range(256)]
ALL = r"(?s:.+)"  # any text is one piece
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def chosen(choice: str, make: Callable[[], Any]) -> Any:
    """What is made while the variable for the kernel has this value: it counts when a tokenizer is made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, choice)
        return make()


def with_kernel(spec: bpeek.Spec) -> bpeek.Tokenizer:
    return chosen("1", lambda: bpeek.Tokenizer(spec))


def without_kernel(spec: bpeek.Spec) -> bpeek.Tokenizer:
    return chosen("0", lambda: bpeek.Tokenizer(spec))


def runs(tokenizer: bpeek.Tokenizer) -> bool:
    """Has a kernel been made, so that it had a part in what was encoded?"""
    return tokenizer._road.kernel._kernel is not None


def columns(tokenizer: bpeek.Tokenizer, text: str, pair: str | None = None, **options: Any) -> dict[str, Any]:
    """All that there is to say of a text."""
    encoding = tokenizer.encode(text, pair, **options)
    return {
        "ids": encoding.ids,
        "tokens": encoding.tokens,
        "offsets": encoding.offsets,
        "UTF-16": encoding.offsets_utf16,
        "bytes": encoding.offsets_bytes,
        "words": encoding.word_ids,
        "ordinary": tokenizer.encode_ordinary(text),
        "count": tokenizer.count(text),
        "count of text": tokenizer.count(text, add_special_tokens=False),
    }


# --- small files ---------------------------------------------------------------------------------------------


def by_rank(tokens: Sequence[bytes], pattern: str = ALL, special: Mapping[str, int] | None = None) -> bpeek.Spec:
    """A .tiktoken file of all bytes and some tokens, in the order of their ranks."""
    vocab = {token: rank for rank, token in enumerate(dict.fromkeys([*BYTES, *tokens]))}
    return spec_of(vocab, pattern, tuple(AddedToken(content, id) for content, id in (special or {}).items()), None)


def _added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": id, "content": content, "special": True, **plain, **flags}


def by_pair(
    vocab: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    pre_tokenizer: Any = None,
    added: Sequence[Mapping[str, Any]] = (),
    normalizer: Any = None,
    **model: Any,
) -> bpeek.Spec:
    """A tokenizer.json. ``added`` are tokens with their flags; ids follow those of the vocabulary."""
    first = max(vocab.values()) + 1
    file = {
        "model": {"type": "BPE", "vocab": vocab, "merges": [f"{left} {right}" for left, right in merges], **model},
        "added_tokens": [_added(id=first + number, **each) for number, each in enumerate(added)],
        "pre_tokenizer": pre_tokenizer,
        "normalizer": normalizer,
    }
    return bpeek.load(json.dumps(file).encode(), name="tokenizer.json").spec


def byte_level(merges: Sequence[tuple[str, str]], splits: Sequence[Mapping[str, Any]] = (), **rest: Any) -> bpeek.Spec:
    """One over GPT-2's byte alphabet, whose text is cut by ``splits``: a regex with what becomes of its matches."""
    tokens = dict.fromkeys([*BYTE_TO_CHAR.values(), *(left + right for left, right in merges)])
    steps = [{"type": "Split", "pattern": {"Regex": each["regex"]}, "invert": False, **each} for each in splits]
    steps = [{key: value for key, value in step.items() if key != "regex"} for step in steps]
    vocab = {token: id for id, token in enumerate(tokens)}
    return by_pair(vocab, merges, {"type": "Sequence", "pretokenizers": [*steps, BYTE_LEVEL]}, **rest)
