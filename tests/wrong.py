"""Small sound files of every format, ways to damage them, and what must hold of a damaged one."""

from __future__ import annotations

import base64
import copy
import json
import time
from collections.abc import Iterator
from typing import Any

import bpeek
from tests.ggufs import SMALL, gguf
from tests.spmodels import BYTES, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, charsmap, model, spec

SECONDS = 5  # of this process
PATTERN = r"\s?\w+|\W"

_TOKENS = [*(bytes([byte]) for byte in range(256)), b"he", b"ll", b"hell", b"hello", " 漢".encode()]
TIKTOKEN = b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(_TOKENS))

SENTENCEPIECE = model(
    [
        *[("<unk>", 0.0, UNKNOWN), ("▁", -1.0, NORMAL), ("h", -2.0, NORMAL), ("e", -3.0, NORMAL), ("l", -4.0, NORMAL)],
        *[("he", -5.0, NORMAL), ("ll", -6.5, NORMAL), ("hell", -7.0, UNUSED), ("<sep>", 0.0, USER_DEFINED)],
        *BYTES,
    ],
    byte_fallback=True,
    unk_surface="?",
    normalizer=spec(True, False, True, charsmap({"A": "a", "ﬁ": "fi", "a\u0301": "á", "\t": " "}), "nfkc"),
    denormalizer=spec(False, False, False, charsmap({"x": "y"})),
)

TEKKEN = json.dumps(
    {
        "config": {
            "pattern": PATTERN,
            "num_vocab_tokens": len(_TOKENS),
            "default_vocab_size": len(_TOKENS) + 5,
            "default_num_special_tokens": 5,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(_TOKENS)
        ],
        "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": True}],
    }
).encode()


def _flags(content: str, token_id: int) -> dict[str, Any]:
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    return {"id": token_id, "content": content, **flags, "special": True}


_TEMPLATE = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
_VOCAB = {"<s>": 0, "h": 1, "e": 2, "l": 3, "o": 4, "he": 5, "ll": 6, "hell": 7, "▁": 8, "<0x0A>": 9}

TOKENIZER_JSON: dict[str, Any] = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 512, "strategy": "LongestFirst", "stride": 0},
    "padding": {
        **{"strategy": {"Fixed": 4}, "direction": "Right", "pad_to_multiple_of": None},
        **{"pad_id": 0, "pad_type_id": 0, "pad_token": "<s>"},
    },
    "added_tokens": [_flags("<s>", 0), _flags("<end>", 10)],
    "normalizer": {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            {"type": "Replace", "pattern": {"Regex": "a{2,3}"}, "content": "b"},
            {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
            {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap({"A": "a"})).decode()},
            {"type": "NFKC"},
        ],
    },
    "pre_tokenizer": {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": r"\d+|[^\d]+"}, "behavior": "Isolated", "invert": False},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
            {"type": "Punctuation", "behavior": "Contiguous"},
        ],
    },
    "post_processor": {
        "type": "TemplateProcessing",
        "single": _TEMPLATE,
        "pair": [*_TEMPLATE, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
    },
    "decoder": {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
    "model": {
        **{"type": "BPE", "dropout": None, "unk_token": "<s>", "continuing_subword_prefix": None},
        **{"end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False},
        "vocab": _VOCAB,
        "merges": ["h e", "l l", "he ll"],
    },
}
VOCAB_JSON = json.dumps(_VOCAB).encode()
MERGES = b"#version: 0.2\nh e\nl l\nhe ll\n"

MODEL_GGUF = gguf(SMALL, behind=bytes(40))

FILES: dict[str, bytes] = {
    "x.tiktoken": TIKTOKEN,
    "tokenizer.model": SENTENCEPIECE,
    "model.gguf": MODEL_GGUF,
    "tekken.json": TEKKEN,
    "tokenizer.json": json.dumps(TOKENIZER_JSON, ensure_ascii=False).encode(),
}


def outcome(data: bytes | list[bytes], name: str) -> bpeek.BpeekError | None:
    """Load and use what may be damaged. It must load whole, or fail as it should, and soon."""
    options = {"pattern": PATTERN, "special_tokens": {}} if name.endswith(".tiktoken") else {}
    begun = time.process_time()
    try:
        tokenizer = bpeek.load(data, name=name, **options)
    except bpeek.BpeekError as error:
        assert str(error)
        return error
    finally:
        spent = time.process_time() - begun
        assert spent < SECONDS, f"{spent:.1f} s"
    try:
        for text in ("", "hello", " Ahe 漢🦊\n\t<sep><s>ﬁ 12"):
            encoding = tokenizer.encode(text)
            columns = {len(encoding.offsets), len(encoding.tokens), len(encoding.ids)}
            # A template may have more ids than tokens: the reference takes it, and so do we.
            assert len(columns) == 1 or tokenizer.spec.post_processor
            tokenizer.decode(encoding.ids)
            tokenizer.decode(encoding.ids, skip_special_tokens=False)
    except bpeek.BpeekError as error:
        return error
    return None


def sound() -> None:
    for name, data in FILES.items():
        assert outcome(data, name) is None, name


# Kinds of damage

WRONG_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 1e400, 1 << 32, 1 << 64, 10**30, "", "x", "\0", "🦊", "a b"),
    *([], {}, [[]], [None], [0], ["x"], {"x": 0}, {"type": "x"}, {"type": None}, {"type": []}),
]


def json_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path but those to many like entries: of a long list or table, the first and the last."""
    if path:
        yield path
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for key in keys if len(keys) <= 12 else [keys[0], keys[-1]]:
        yield from json_paths(value[key], (*path, key))


def replaced(top: Any, path: tuple[Any, ...], value: Any) -> Any:
    top = copy.deepcopy(top)
    node = top
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return top


def removed(top: Any, path: tuple[Any, ...]) -> Any:
    top = copy.deepcopy(top)
    node = top
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return top


def doubled(top: Any, path: tuple[Any, ...]) -> Any:
    """A list entry twice; a table entry under another key as well."""
    top = copy.deepcopy(top)
    node = top
    for key in path[:-1]:
        node = node[key]
    if isinstance(node, list):
        node.insert(path[-1], node[path[-1]])
    else:
        node[f"{path[-1]}x"] = node[path[-1]]
    return top
