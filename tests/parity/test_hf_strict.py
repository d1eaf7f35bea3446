"""Which files are refused: what ``tokenizers`` accepts is accepted, what it refuses is refused, with the place."""

# ruff: noqa: E501  (tables)

from __future__ import annotations

import json
from typing import Any

import pytest
from tokenizers import Tokenizer

from bpeek.formats import hf_json
from bpeek.pipeline.run import Pipeline

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
GOOD: dict[str, Any] = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}
TOKEN = {"id": 7, "content": "<s>", **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), True)}


def model(**changes: Any) -> dict[str, Any]:
    return {"model": GOOD["model"] | changes}


def without(step: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in step.items() if key != field}


METASPACE = {"type": "Metaspace", "replacement": "▁"}
SPLIT = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": False}
BERT = {"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [],
    "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
}
PADDING = {"strategy": "BatchLongest", "direction": "Left", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
TRUNCATION = {"max_length": 3, "strategy": "LongestFirst", "stride": 0}
CHANGES: list[dict[str, Any]] = [
    {},
    *({key: None} for key in ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")),
    *({key: value} for key in ("version", "added_tokens", "foo") for value in (None, 1, [], "1.0", {})),
    {"model": None}, {"model": []}, {"model": {}}, {"model": {"type": "BPE"}},
    *(model(type=value) for value in ("Foo", None, 3, "bpe")),
    *(model(vocab=value) for value in (None, [], {"a": -1}, {"a": 0.0, "b": 1, "ab": 2}, {"a": 1 << 32}, {"a": True}, {})),
    *(model(vocab={"a": 0, "b": 1, "ab": value}) for value in ("2", 2.5, (1 << 32) - 1, 7)),
    *(model(merges=value) for value in (None, {}, [], ["a"], ["a b c"], ["a  b"], [["a", "b"]], [["a", "b", "c"]], [["a"]])),
    *(model(merges=value) for value in (["a b", ["a", "b"]], [["a", 1]], [1], ["#version: 0.2", "a b"], ["a b", "#versio"])),
    *(model(merges=value) for value in (["a c"], ["b a"], ["a b", "a b"], [["a", "b"], ["#version", "b"]], ["ab "])),
    *(model(**{key: value}) for key in ("fuse_unk", "byte_fallback", "ignore_merges") for value in (None, True, 1, "x")),
    *(model(**{key: value}) for key in ("unk_token", "end_of_word_suffix") for value in (None, "x", 1)),
    *(model(dropout=value) for value in (None, 0, 0.5, 1, 1.5, -0.1, "x", True)),
    model(continuing_subword_prefix="b"), model(continuing_subword_prefix="##"), model(foo=1),
    {"model": without(GOOD["model"], "type")}, {"model": without(GOOD["model"], "merges")},
    *({"added_tokens": [value]} for value in (TOKEN, TOKEN | {"foo": 1}, TOKEN | {"id": -1}, TOKEN | {"id": 1.0}, None, [])),
    *({"added_tokens": [without(TOKEN, key)]} for key in TOKEN),
    *({"added_tokens": [TOKEN | {key: None}]} for key in TOKEN),
    *({"normalizer": {"type": name}} for name in ("NFC", "nfc", "Bert", "BertNormalizer", "Strip", "Foo", "Split", None)),
    *({"normalizer": value} for value in ("NFC", {}, [], 3, {"type": "NFC", "x": 1}, {"prepend": "x"}, {"type": 3})),
    {"normalizer": {"strip_left": True, "strip_right": True}}, {"normalizer": {"type": "Foo", "prepend": "x"}},
    {"normalizer": {"type": "Strip", "prepend": "x"}}, {"normalizer": {"type": "Prepend", "prepend": 1}},
    {"normalizer": {"clean_text": True, "handle_chinese_chars": True, "lowercase": True}},
    {"normalizer": {"type": "Bert", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}},
    *({"normalizer": {"type": "Sequence", "normalizers": value}} for value in ([], [{"type": "NFC"}], None, [None], [3])),
    {"normalizer": {"pattern": {"String": "a"}, "content": "b"}},
    *({"normalizer": {"type": "Replace", "pattern": value, "content": "b"}} for value in ("a", {}, {"regex": "a"}, {"Regex": "("})),
    *({"pre_tokenizer": value} for value in ({"type": "Delimiter", "delimiter": "x"}, {"delimiter": "x"}, METASPACE)),
    *({"pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": value}} for value in ("x", "xy", "", 3)),
    *({"pre_tokenizer": METASPACE | {"prepend_scheme": value}} for value in ("first", "First", None, "never")),
    *({"pre_tokenizer": METASPACE | {"add_prefix_space": value}} for value in (True, False, None, 3)),
    {"pre_tokenizer": METASPACE | {"add_prefix_space": False, "prepend_scheme": "never"}},
    *({"pre_tokenizer": METASPACE | {key: value}} for key in ("split", "str_rep") for value in (None, 3, "x", True)),
    *({"pre_tokenizer": METASPACE | {"replacement": value}} for value in ("ab", "", None)),
    *({"pre_tokenizer": without(SPLIT, key)} for key in SPLIT),
    *({"pre_tokenizer": SPLIT | {"behavior": value}} for value in ("isolated", "removed", None, "Contiguous")),
    *({"pre_tokenizer": {"type": "Digits", "individual_digits": value}} for value in (True, None, 1)),
    *({"pre_tokenizer": {"type": name}} for name in ("Digits", "Punctuation", "FixedLength", "ByteLevel", "Whitespace")),
    *({"pre_tokenizer": without(BYTE_LEVEL, key)} for key in BYTE_LEVEL),
    *({"post_processor": value} for value in (BERT, BERT | {"type": "Foo"}, without(BERT, "type"), without(BERT, "sep"), {})),
    *({"post_processor": BERT | {"sep": value}} for value in (["a"], ["a", 1, 2], [1, "a"], {"a": 1}, ["a", -1], None)),
    {"post_processor": BERT | {"trim_offsets": True, "add_prefix_space": True}}, {"post_processor": BERT | {"trim_offsets": 1}},
    *({"post_processor": without(TEMPLATE, key)} for key in TEMPLATE), {"post_processor": TEMPLATE},
    *({"post_processor": TEMPLATE | {"single": value}} for value in ("$A", [{"Sequence": {"id": "C", "type_id": 0}}], ["a"])),
    {"post_processor": TEMPLATE | {"special_tokens": {"a": {"id": "a", "ids": [0, 1], "tokens": ["a"]}}}},
    {"post_processor": BYTE_LEVEL}, {"post_processor": without(BYTE_LEVEL, "type")},
    *({"decoder": value} for value in ({"suffix": "x"}, {"type": "Fuse"}, {"type": "ByteLevel"}, {}, {"type": "Foo"})),
    {"decoder": {"prefix": "x", "cleanup": True}}, {"decoder": {"content": "a", "start": 1, "stop": 0}},
    *({"decoder": {"type": "Strip", "content": "a", "start": value, "stop": 0}} for value in (1, -1, 1.0, None)),
    {"decoder": METASPACE}, {"decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"suffix": "x"}]}},
    *({"padding": without(PADDING, key)} for key in PADDING), {"padding": PADDING},
    *({"padding": PADDING | {"strategy": value}} for value in ({"Fixed": 3}, {"Fixed": -1}, "Fixed", "batchlongest", None)),
    *({"padding": PADDING | {"pad_to_multiple_of": value}} for value in (None, 0, 8, -1)),
    *({"truncation": without(TRUNCATION, key)} for key in TRUNCATION), {"truncation": TRUNCATION},
    *({"truncation": TRUNCATION | {"direction": value}} for value in ("Left", "left", None)),
]  # fmt: skip


def refused_by_reference(data: str) -> bool:
    try:
        Tokenizer.from_str(data)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return True
    return False


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: json.dumps(change, ensure_ascii=False)[:70])
def test_strictness(change: dict[str, Any]) -> None:
    data = json.dumps(GOOD | change)
    try:
        Pipeline(hf_json.parse(data.encode(), "file.json"))
    except hf_json.FormatError as error:
        assert refused_by_reference(data), str(error)
        assert error.message[0].islower() or error.message[0] in "'\""
    except ValueError:
        assert refused_by_reference(data)
    else:
        assert not refused_by_reference(data)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[1, 2]", b"\xef\xbb\xbf{}", b'{"a": "\\ud800"}', b'{"a": NaN}', b'{"a": Infinity}', b"\xff", b"{" * 99999,
        b"[" * 99999, b'{"a": "\x01"}', b"1" * 9999, b'{"model": {"type": "BPE"', b"{'a': 1}", b"nul", b'"x"', b"\x00",
        b'{"model": {"type": "BPE", "vocab": {"a": 1e400}, "merges": []}}', b'{"model": {"vocab": {}, "merges": []}} x',
    ],
    ids=lambda data: repr(data[:30]),
)  # fmt: skip
def test_broken_json(data: bytes) -> None:
    with pytest.raises(hf_json.FormatError):
        hf_json.parse(data)


def test_surrogate_pairs_are_fine() -> None:
    data = b'{"model": {"vocab": {"\\ud83d\\ude00": 0, "\\\\ud800": 1}, "merges": []}}'
    assert dict(hf_json.parse(data).model.vocab) == {"\U0001f600": 0, "\\ud800": 1}
    assert not refused_by_reference(data.decode())
