"""The bridge under CPython: plain values in, plain values out, errors as data."""

import json
import re
from array import array

import pytest
from tests.unit.tiny import FILE, PATTERN, SPECIAL, columns
from tests.wrong import FILES, TEKKEN

from bpeek import bridge
from bpeek.kernel import available


def test_load_says_what_was_found(handle):
    loaded = bridge.call("load", FILE, "tiny.tiktoken", PATTERN, SPECIAL)["ok"]
    assert loaded["handle"] != handle
    assert loaded["format"] == "tiktoken" and loaded["name"] == "tiny"
    assert loaded["vocab_size"] == 261 and loaded["special_tokens"] == [["<|end|>", 300]]
    assert loaded["kernel"] == available()
    assert loaded["patterns"] == [PATTERN] and loaded["bytes"] == len(FILE) and len(loaded["sha256"]) == 64


def test_encode_gives_five_columns_in_utf16_and_bytes(handle):
    ids, starts, ends, byte_starts, byte_ends = columns(bridge.call("encode", handle, "hello 漢😀<|end|>", "special"))
    assert ids == [258, 259, 0xF0, 0x9F, 0x98, 0x80, 300]
    assert list(zip(starts, ends, strict=True)) == [(0, 5), (5, 7), *[(7, 9)] * 4, (9, 16)]
    assert list(zip(byte_starts, byte_ends, strict=True)) == [
        *((0, 5), (5, 9), (9, 10), (10, 11), (11, 12), (12, 13)),
        (13, 20),
    ]


@pytest.mark.parametrize("policy, count", [("special", 2), ("text", 8)])
def test_special_tokens_as_the_policy_says(handle, policy, count):
    assert bridge.call("count", handle, "he<|end|>", policy) == {"ok": count}
    assert len(columns(bridge.call("encode", handle, "he<|end|>", policy))[0]) == count


TWO = {"<|end|>": 300, "<|other|>": 301}


@pytest.mark.parametrize(
    "allowed, others, ids",
    [
        (["<|end|>"], "text", [300, 60]),
        ("all", "error", [300, 301]),
        ([], "text", [60, 60]),
        (["no"], "text", [60, 60]),
    ],
)
def test_special_tokens_allowed_by_name(allowed, others, ids):
    handle = bridge.call("load", FILE, "tiny.tiktoken", PATTERN, TWO)["ok"]["handle"]
    text, policy = "<|end|>h<|other|>", {"others": others, "allowed": allowed}
    found = columns(bridge.call("encode", handle, text, policy))[0]
    assert [found[0], found[found.index(ord("h")) + 1]] == ids
    count = len(found)
    assert bridge.call("count", handle, text, policy) == {"ok": count}
    assert [bridge.call("fits", handle, text, n, policy)["ok"] for n in (count, count - 1)] == [True, False]
    assert bridge.call("truncate", handle, text, count, "right", policy)["ok"].tolist() == [0, len(text), count]
    assert bridge.call("chunks", handle, text, count, 0, policy)["ok"].tolist() == [0, len(text), count]
    assert columns({"ok": bridge.call("open", handle, text, policy)["ok"]["columns"]})[0] == found
    stream = bridge.call("encoder", handle, policy)["ok"]
    assert bridge.call("feed", stream, text, True)["ok"].tolist() == found
    assert [token["id"] for token in bridge.call("explain", handle, text, policy)["ok"]["tokens"]] == found


@pytest.mark.parametrize("method, more", [("encode", []), ("count", []), ("fits", [9]), ("chunks", [9, 0])])
def test_one_is_allowed_and_others_are_refused(method, more):
    handle = bridge.call("load", FILE, "tiny.tiktoken", PATTERN, TWO)["ok"]["handle"]
    policy = {"others": "error", "allowed": ["<|end|>"]}
    assert "ok" in bridge.call(method, handle, "<|end|>h", *more, policy)
    error = bridge.call(method, handle, "<|end|>h<|other|>", *more, policy)["error"]
    assert error["name"] == "SpecialTokenError" and (error["token"], error["pos"]) == ("<|other|>", 8)
    assert "{ allowedSpecial: ['<|other|>'] }" in error["message"]


def test_a_forbidden_special_token_is_an_error_with_its_place(handle):
    error = bridge.call("encode", handle, "he<|end|>", "error")["error"]
    assert error["name"] == "SpecialTokenError" and error["token"] == "<|end|>" and error["pos"] == 2
    assert '{ policy: "text" }' in error["message"]


def test_ids_alone(handle):
    assert bridge.call("ids", handle, "hello 漢<|end|>")["ok"][:2] == array("I", [258, 259])
    assert len(bridge.call("ids", handle, "<|end|>")["ok"]) == 7


def test_decode_and_token(handle):
    assert bridge.call("decode", handle, [258, 259]) == {"ok": "hello 漢"}
    token = bridge.call("token", handle, 259)["ok"]
    assert bytes(token["bytes"]) == " 漢".encode() and token["text"] == " 漢" and token["special"] is False
    assert bridge.call("token", handle, 300)["ok"]["special"] is True
    assert bridge.call("token", handle, 299)["error"]["name"] == "UnknownTokenError"


def test_names_of_characters():
    assert bridge.call("names", "e\u0301\n🦜")["ok"] == ["LATIN SMALL LETTER E", "COMBINING ACUTE ACCENT", "", "PARROT"]


def test_explain_has_places_in_utf16_and_plain_values(handle):
    told = bridge.call("explain", handle, "😀hello<|end|>", "special")["ok"]
    json.dumps(told)
    assert [
        (piece["text"], piece["start"], piece["end"]) for part in told["stretches"] for piece in part["pieces"]
    ] == [
        ("😀", 0, 2),
        ("hello", 2, 7),
        ("<|end|>", 7, 14),
    ]
    assert [(notice["start"], notice["end"], notice["taken"]) for notice in told["notices"]] == [(7, 14, True)]
    assert (told["tokens"][-2]["start"], told["tokens"][-2]["piece"]) == (2, 1)
    assert [merge["made"] for merge in told["stretches"][0]["pieces"][1]["merges"]] == ["he"]
    error = bridge.call("explain", handle, "<|end|>", "error")["error"]
    assert error["name"] == "SpecialTokenError"


def test_around_gives_what_is_enough_to_explain_a_token(handle):
    text = "hello 😀 hello " * 40
    start = 3 * 15 + 9  # the second word of the fourth line: of 15 UTF-16 units each
    first, last = bridge.call("around", handle, text, start, start + 5)["ok"]
    assert 0 < first < start - 6 and start + 11 < last < start + 60
    units = text.encode("utf-16-le")
    part = units[2 * first : 2 * last].decode("utf-16-le")
    whole, told = (bridge.call("explain", handle, each)["ok"]["tokens"] for each in (text, part))
    at = [{**token, "start": token["start"] - first, "end": token["end"] - first, "piece": 0} for token in whole]
    assert all({**token, "piece": 0} in at for token in told[1:])
    assert bridge.call("around", handle, "he", 0, 2)["ok"].tolist() == [0, 2]
    assert bridge.call("around", handle, "", 0, 0)["ok"].tolist() == [0, 0]


def test_inspect_is_plain_values_and_a_report(handle):
    told = bridge.call("inspect", handle)["ok"]
    json.dumps(told)
    assert told["rules"]["useful"] and told["report"].startswith("tiny (tiktoken, by_rank): 261 tokens")


def test_a_broken_file_is_an_error_with_its_line():
    error = bridge.call("load", FILE + b"!!! 9\n", "tiny.tiktoken")["error"]
    assert error["name"] == "FormatError" and error["line"] == 261 and error["file"] == "tiny.tiktoken"


def test_an_unknown_vocabulary_asks_for_its_pattern():
    error = bridge.call("load", FILE, "tiny.tiktoken")["error"]
    assert error["name"] == "FormatError" and error["field"] == "pattern" and "specialTokens" in error["message"]


def test_empty_text(handle):
    assert bridge.call("encode", handle, "", "special") == {"ok": array("I")}
    assert bridge.call("count", handle, "", "special") == {"ok": 0}


def test_sentences_name_the_options_of_javascript(handle):
    step = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}], "pair": []}
    model = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
    file = json.dumps({"model": model, "post_processor": {**step, "special_tokens": {}}}).encode()
    templated = bridge.call("load", file, "tokenizer.json")["ok"]["handle"]
    errors = {
        'or use { policy: "text" }': bridge.call("encode", templated, "a", "special"),
        'pass { policy: "special" }': bridge.call("encode", handle, "he<|end|>", "error"),
        'pass { policy: "text" }': bridge.call("fits", handle, "he<|end|>", 3, "error"),
        "specialTokens: {": bridge.call("load", FILE, "tiny.tiktoken"),
        "pattern is for": bridge.call("load", file, "tokenizer.json", PATTERN),
        "specialTokens is for": bridge.call("load", TEKKEN, "tekken.json", None, {"<new>": 9}),
    }
    for told, answer in errors.items():
        message = answer["error"]["message"]
        assert told in message and not re.search(r"[a-z]+_special|special_tokens?=|pattern=", message)


def test_files_beside_a_tokenizer_json_have_one_name_for_all():
    files = [FILES["tokenizer.json"], b'{"added_tokens_decoder": {"11": {"content": "<new>", "special": true}}}']
    for each in (files, files[::-1]):
        loaded = bridge.call("load", each, "tokenizer.json")["ok"]
        assert ["<new>", 11] in loaded["special_tokens"]


def test_texts_within_a_number_of_tokens(handle):
    text = "hello 漢😀<|end|>hello"
    count = bridge.call("count", handle, text, "special")["ok"]
    assert [bridge.call("fits", handle, text, n, "special")["ok"] for n in (count, count - 1)] == [True, False]
    assert bridge.call("truncate", handle, text, 6, "right", "special")["ok"].tolist() == [0, 9, 6]
    assert bridge.call("truncate", handle, text, 5, "right", "special")["ok"].tolist() == [0, 7, 2]
    assert bridge.call("truncate", handle, text, 3, "left", "special")["ok"].tolist() == [9, len(text) + 1, 2]
    starts, ends, counts = columns_of_three(bridge.call("chunks", handle, text, 6, 0, "special")["ok"])
    assert starts == [0, *ends[:-1]] and ends[-1] == len(text) + 1 and max(counts) <= 6 and sum(counts) == count
    assert bridge.call("truncate", handle, text, 5, "right", "error")["error"]["name"] == "SpecialTokenError"
    assert bridge.call("chunks", handle, text, 0, 0, "text")["error"]["name"] == "BpeekError"


def columns_of_three(packed):
    size = len(packed) // 3
    return [packed[i * size : (i + 1) * size].tolist() for i in range(3)]


def test_warmed_up_it_is_as_before(handle):
    assert bridge.call("warm_up") == {"ok": None}
    assert bridge.call("ids", handle, "hello 漢")["ok"] == array("I", [258, 259])
