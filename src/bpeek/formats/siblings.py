"""Files beside a ``tokenizer.json``: what ``transformers`` adds to it from them, and what it leaves alone.

``added_tokens_decoder`` of ``tokenizer_config.json`` (where there is none, ``added_tokens.json``) and the special
tokens that it or ``special_tokens_map.json`` names are added behind those of the tokenizer.json: each gets the id that
it has in the vocabulary, or the next free one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

from ..errors import FormatError, SpecialTokenError
from ..spec import AddedToken, Spec
from .hf_json import MAX_ID, assign_ids, load_json
from .hf_steps import an_object, boolean, fail, fields, need, string

_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_LISTED = ("additional_special_tokens", "extra_special_tokens")
_USED = {*_NAMED, *_LISTED, "added_tokens_decoder"}
# Keys of a model's other files, which say nothing of tokens.
_OTHERS = {"architectures", "model_type", "transformers_version", "weight_map", "tokenizer_class", "chat_template"}
_MAX_BYTES = 16 << 20
_TOKEN = fields(
    content=need(string),
    single_word=(boolean, False),
    lstrip=(boolean, False),
    rstrip=(boolean, False),
    normalized=(boolean, None),
    special=(boolean, False),
)
Token = dict[str, Any]


def read(data: bytes, name: str | None = None) -> Mapping[str, Any] | None:
    """A file that may stand beside a tokenizer, as JSON; ``None`` for any other."""
    if len(data) > _MAX_BYTES or not re.match(rb"\s*\{", data):
        return None
    try:
        top = load_json(data)
    except FormatError as error:
        raise FormatError(error.message, file=name, line=error.line, byte=error.byte) from None
    found: Mapping[str, Any] = top
    if "model" in found or not (_table(found) or found.keys() & (_USED | _OTHERS) or not found):
        return None
    return found


def _table(top: Mapping[str, Any]) -> bool:
    return bool(top) and all(type(value) is int for value in top.values())


def extended(spec: Spec, files: Sequence[Mapping[str, Any]]) -> Spec:
    """The tokenizer with the tokens that the files beside it have."""
    vocab = cast("Mapping[str, int]", spec.model.vocab)
    here = {token.content: asdict(token) for token in spec.added_tokens}
    config, tables = _sorted(files)
    named, listed = list(_special(config, _NAMED)), list(_special(config, _LISTED))
    if "added_tokens_decoder" in config:
        added = _decoder(config["added_tokens_decoder"])
    else:
        taken = {token.id for token in spec.added_tokens}
        known = {token["content"] for token in (*named, *listed)}
        # One like a vocab.json says nothing new.
        added = [
            _plain(content, content in known)
            for table in tables
            if not table.keys() <= vocab.keys()
            for content in sorted(table, key=table.__getitem__)
            if table[content] not in taken
        ]
        added += [here[token["content"]] for token in named if token["content"] in here]  # special from now on
    for token in (*named, *listed):
        if token["content"] not in here and all(token["content"] != each["content"] for each in added):
            added.append(token)
    names = {token["content"] for token in named}
    added = [token | {"special": token["special"] or token["content"] in names} for token in added]
    return replace(spec, added_tokens=assign_ids([*here.values(), *added], vocab))


def _sorted(files: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[Mapping[str, int]]]:
    """What is said of tokens in the configuration, over which ``special_tokens_map.json`` goes if it does not list
    added tokens; and tables of tokens."""
    tables = [file for file in files if _table(file)]
    maps = [file for file in files if file not in tables and file.keys() <= {*_NAMED, *_LISTED}]
    config = {key: value for file in files if file not in tables and file not in maps for key, value in file.items()}
    if "added_tokens_decoder" not in config:
        for each in maps:
            config |= each
    return config, tables


def _plain(content: str, special: bool) -> Token:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    return {"content": content, **flags, "normalized": not special, "special": special}


def _token(value: Any, where: str, special: bool) -> Token:
    token: Token = _TOKEN(value, where)
    token["special"] = special or token["special"]
    if token["normalized"] is None:
        token["normalized"] = not token["special"]
    return token


def _decoder(value: Any) -> list[Token]:
    where = "added_tokens_decoder"
    table = an_object(value, where)
    for id in table:
        if not (id.isascii() and id.isdecimal() and len(id) < 11 and int(id) <= MAX_ID):
            raise fail("expected a whole number", f"{where}.{id}")
    return [_token(table[id], f"{where}.{id}", False) for id in sorted(table, key=int)]


def _special(config: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Token]:
    """The special tokens that are named, one by one or in lists."""
    for key in keys:
        found = config.get(key)
        if isinstance(found, list):
            for index, value in enumerate(found):
                yield _one(value, f"{key}[{index}]")
        elif found is not None and key in _NAMED:
            yield _one(found, key)


def _one(value: Any, where: str) -> Token:
    return _plain(value, True) if isinstance(value, str) else _token(value, where, True)


def with_special(spec: Spec, special_tokens: Mapping[str, int]) -> Spec:
    """The tokenizer with more special tokens, each with the id that is given."""
    vocab = cast("Mapping[str, int]", spec.model.vocab)
    contents = {id: token for token, id in vocab.items()} | {token.id: token.content for token in spec.added_tokens}
    ids = {**vocab, **{token.content: token.id for token in spec.added_tokens}}
    for content, id in special_tokens.items():
        if not isinstance(id, int) or not 0 <= id <= MAX_ID or not content:
            raise SpecialTokenError(f"the special token {content!r} needs an id from 0 on, not {id!r}", content, 0)
        if ids.get(content, id) != id or contents.get(id, content) != content:
            taken = f"it has the id {ids[content]}" if content in ids else f"{id} is the id of {contents[id]!r}"
            raise SpecialTokenError(f"the special token {content!r} cannot have the id {id}: {taken}", content, 0)
        contents[id], ids[content] = content, id
    new = tuple(AddedToken(content, id) for content, id in special_tokens.items())
    kept = tuple(token for token in spec.added_tokens if token.content not in special_tokens)
    return replace(spec, added_tokens=kept + new)
