"""``tekken.json``: Mistral's files of tiktoken ranks, with the pattern and, in newer ones, special tokens.

Special tokens have the lowest ids; the id of any other token is its rank plus their number.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from ..errors import FormatError
from ..spec import AddedToken, Model, Spec
from .hf_json import load_json
from .hf_steps import an_object, fail, natural, string

_MARK = re.compile(rb'"default_num_special_tokens"\s*:|"token_bytes"\s*:\s*"')
_MAX_SPECIAL = 1_000_000

# What files up to version v7 leave unsaid, as mistral-common has it; the rest are <SPECIAL_20> and so on.
_SPECIAL = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)


def looks_like(data: bytes) -> bool:
    """Do the keys of such a file occur near the beginning?"""
    return _MARK.search(data, 0, 1 << 16) is not None


def parse(data: bytes, name: str | None = None) -> Spec:
    """Read a file of either version. Raises ``FormatError`` with the JSON path."""
    try:
        return _spec(load_json(data), name)
    except FormatError as error:
        raise FormatError(error.message, file=name, line=error.line, byte=error.byte, field=error.field) from None


def _spec(top: Any, name: str | None) -> Spec:
    top = an_object(top, "$")
    for key in ("config", "vocab"):
        if key not in top:
            raise fail(f'the field "{key}" is missing', "$")
    config = an_object(top["config"], "config")
    for key in ("pattern", "default_vocab_size", "default_num_special_tokens"):
        if key not in config:
            raise fail(f'the field "{key}" is missing', "config")
    size = natural(config["default_vocab_size"], "config.default_vocab_size")
    n_special = natural(config["default_num_special_tokens"], "config.default_num_special_tokens", _MAX_SPECIAL)
    vocab = top["vocab"]
    if type(vocab) is not list:
        raise fail("expected a list", "vocab")
    count = size - n_special
    if not 256 <= count <= len(vocab):
        message = f"{size:,} tokens, {n_special:,} of them special, cannot come from {len(vocab):,} entries"
        raise fail(message, "config.default_vocab_size")
    ranks = {_token(entry, rank): rank + n_special for rank, entry in enumerate(vocab[:count])}
    if len(ranks) < count:
        raise _twice(vocab)
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise fail(f"{len(missing)} of the 256 single bytes are not tokens (0x{missing[0]:02x}, …)", "vocab")
    pattern = string(config["pattern"], "config.pattern")
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    added = _special_tokens(top.get("special_tokens"), n_special)
    return Spec("tekken.json", name, "rust", Model("by_rank", ranks), added, pre_tokenizer=split)


def _token(entry: Any, rank: int) -> bytes:
    if type(entry) is not dict or entry.get("rank") != rank or type(entry["rank"]) is not int:
        raise fail(f"expected an object with rank {rank}", f"vocab[{rank}]")
    try:
        token = base64.b64decode(entry["token_bytes"], validate=True)
    except KeyError:
        raise fail('the field "token_bytes" is missing', f"vocab[{rank}]") from None
    except (binascii.Error, TypeError, ValueError):
        raise fail("not base64", f"vocab[{rank}].token_bytes") from None
    if not token:
        raise fail("the token is empty", f"vocab[{rank}].token_bytes")
    return token


def _twice(vocab: list[Mapping[str, Any]]) -> FormatError:
    first: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab):
        token = _token(entry, rank)
        if first.setdefault(token, rank) != rank:
            return fail(f"the token {token!r} is there already, with rank {first[token]}", f"vocab[{rank}]")
    return fail("a token is there twice", "vocab")


def _special_tokens(given: Any, count: int) -> tuple[AddedToken, ...]:
    """Named ones, and ``<SPECIAL_N>`` for all other ids below ``count``."""
    names = dict(enumerate(_SPECIAL[:count]))
    if given is not None:
        names = {}
        if type(given) is not list:
            raise fail("expected a list", "special_tokens")
        for index, entry in enumerate(given):
            where = f"special_tokens[{index}]"
            fields = an_object(entry, where)
            token_id = natural(fields.get("rank"), f"{where}.rank", count)
            content = string(fields.get("token_str"), f"{where}.token_str")
            if token_id in names or not content or content in names.values():
                raise fail(f"the rank {token_id} or the token {content!r} is there twice, or empty", where)
            names[token_id] = content
    filled = [names.get(token_id, f"<SPECIAL_{token_id}>") for token_id in range(count)]
    if len(set(filled)) < count:
        raise fail("a special token is there twice", "special_tokens")
    return tuple(AddedToken(content, token_id) for token_id, content in enumerate(filled))
