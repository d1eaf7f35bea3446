"""Small files make no small text explode: what they may make of it is bounded, and refused before it is made."""

import json
import tracemalloc

import pytest

import bpeek
from bpeek import bridge
from bpeek.bytechars import BYTE_TO_CHAR
from bpeek.errors import BpeekError
from bpeek.formats import hf_json
from bpeek.pipeline import growth

MODEL = {"type": "BPE", "vocab": {char: at for at, char in enumerate([*BYTE_TO_CHAR.values(), "▁"])}, "merges": []}
FLAGS = dict.fromkeys(("special", "single_word", "lstrip", "rstrip", "normalized"), False)


def load(**steps):
    return bpeek.Tokenizer(hf_json.parse(json.dumps({"model": MODEL, **steps}).encode()))


def added(content, **flags):
    return {"id": 0, "content": content, **FLAGS, **flags}


def replace(string, content):
    return {"type": "Replace", "pattern": {"String": string}, "content": content}


def sequence(kind, *steps):
    return {"type": "Sequence", kind: list(steps)}


def peak(call):
    """What a call takes in memory at most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


PREPENDS = {"type": "Prepend", "prepend": "a" * 10_000_000}
BY_REGEX = {"type": "Replace", "pattern": {"Regex": "[ab]"}, "content": "a" * 10}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
BOMBS = {
    "Replace": {"normalizer": sequence("normalizers", *[replace("a", "a" * 10)] * 7)},
    "Replace by regex": {"normalizer": sequence("normalizers", *[BY_REGEX] * 7)},
    "Replace by nothing": {"normalizer": sequence("normalizers", *[replace("", "aaaaaaaaaa")] * 7)},
    "Prepend": {"normalizer": PREPENDS},
    "ByteLevel": {"normalizer": sequence("normalizers", *[{"type": "ByteLevel"}] * 40)},
    "ByteLevel as pre-tokenizer": {"pre_tokenizer": sequence("pretokenizers", *[BYTES] * 40)},
}


def streamed(tok, text):
    stream = tok.stream_encoder()
    return stream.feed(text) + stream.finish()


WAYS = {
    "encode": lambda tok, text: tok.encode(text),
    "encode_ordinary": lambda tok, text: tok.encode_ordinary(text),
    "count": lambda tok, text: tok.count(text),
    "document": lambda tok, text: tok.document(text),
    "stream": streamed,
    "fits": lambda tok, text: tok.fits(text, 10),
    "explain": lambda tok, text: tok.explain(text),
}


@pytest.mark.parametrize("name", BOMBS)
def test_steps_that_make_a_text_explode(name):
    tok = load(**BOMBS[name])
    for way in WAYS.values() if name in ("Replace", "Prepend") else [WAYS["encode_ordinary"]]:
        with pytest.raises(BpeekError, match=name.split()[0] + r" would make [\d,]+ characters of this text"):
            way(tok, "éaaa")
    if name not in ("Prepend", "Replace by nothing"):
        assert tok.decode(tok.encode_ordinary("-")) == "-"  # it still works


def test_nothing_large_is_made_first():
    tok = load(**BOMBS["Prepend"])

    def encode():
        with pytest.raises(BpeekError):
            tok.encode("a")

    assert peak(encode) < 1_000_000


def test_the_bound_is_for_the_whole_text():
    """Not for each of the stretches between added tokens."""
    tok = load(normalizer={"type": "Prepend", "prepend": "a" * 900_000}, added_tokens=[added("<s>")])
    assert len(tok.encode_ordinary("a")) == 900_001
    with pytest.raises(BpeekError, match="the normalizer Prepend would make"):
        tok.encode_ordinary("a<s>" * 3)


@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_no_bomb_is_encoded(size):
    """Up to the bound."""
    longer = growth.TIMES - 1
    tok = load(normalizer=sequence("normalizers", replace("a", "b" * longer), {"type": "Prepend", "prepend": "cc"}))
    assert tok.count("a" * size) == longer * size + 2


def test_a_text_taken_at_once_has_the_same_bound():
    """Texts of Llama's kind are, after the first few."""
    prepend = {"type": "Prepend", "prepend": "▁" * 900_000}
    tok = load(normalizer=sequence("normalizers", prepend, replace(" ", "▁")), added_tokens=[added("<s>")])
    for _ in range(2):
        with pytest.raises(BpeekError, match="the normalizer Prepend would make"):
            tok.encode_ordinary("a<s>" * 3000)


@pytest.mark.parametrize("name", ["continuing_subword_prefix", "end_of_word_suffix"])
def test_affixes_are_short(name):
    """They are put to every character."""
    hf_json.read_model({**MODEL, name: "#" * 256})
    with pytest.raises(BpeekError, match=f"model.{name}: it has 257 characters; bpeek reads at most 256"):
        hf_json.read_model({**MODEL, name: "#" * 257})


# What is put around a text, and what is cut off


def truncated(length, stride, direction="Right"):
    return {"max_length": length, "stride": stride, "strategy": "LongestFirst", "direction": direction}


def template(single, ids=(0,)):
    pieces = [{"Sequence": {"id": "A", "type_id": 0}} if each == "A" else {"SpecialToken": {"id": "<s>", "type_id": 0}}
              for each in single]  # fmt: skip
    special = {"<s>": {"id": "<s>", "ids": [*ids], "tokens": ["<s>"] * len(ids)}}
    return {"type": "TemplateProcessing", "single": pieces, "pair": pieces, "special_tokens": special}


@pytest.mark.parametrize("direction", ["Left", "Right"])
def test_windows_are_made_when_they_are_asked_for(direction):
    tok, text = load(truncation=truncated(1000, 999, direction)), "a" * 20_000

    def encode():
        encoding = tok.encode(text)
        assert len(encoding) == tok.count(text) == 1000
        with pytest.raises(
            BpeekError, match="truncation to 1,000 tokens with a stride of 999 would make 19,000,000 tok"
        ):
            len(encoding.overflowing)

    assert peak(encode) < 40_000_000


def test_windows_of_a_usual_kind():
    tok = load(truncation=truncated(512, 128))
    encoding = tok.encode("ab" * 10_000)
    assert [len(part) for part in encoding.overflowing] == [512] * 50 + [416]
    assert encoding.overflowing is encoding.overflowing
    assert sum(len(part) - 128 for part in encoding.overflowing) + 512 == 20_000


def test_windows_of_pairs_are_all_with_all():
    tok = load(truncation=truncated(20, 9))
    assert len(tok.encode("a" * 30, "b" * 30).overflowing) == 21 * 21 - 1
    encoding = tok.encode("a" * 5000, "b" * 5000)
    assert len(encoding) == 20
    with pytest.raises(BpeekError, match="truncation would make"):
        len(encoding.overflowing)


def test_windows_that_are_padded():
    padding = {
        "strategy": {"Fixed": (1 << 20) - 1},
        "direction": "Right",
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "a",
    }
    tok = load(truncation=truncated(10, 0), padding={**padding, "pad_to_multiple_of": None})
    encoding = tok.encode("a" * 1000)
    with pytest.raises(BpeekError, match="padding would make 103,808,925 tokens that overflow"):
        len(encoding.overflowing)
    with pytest.raises(BpeekError, match="a whole number from 0 to 1,048,575"):
        load(padding={**padding, "pad_to_multiple_of": 1 << 20})


def test_a_template_that_repeats_the_text():
    tok = load(post_processor=template("A" * 10_000))
    assert len(tok.encode("a" * 10)) == 100_000
    for way in (tok.encode, tok.count, tok.explain):
        with pytest.raises(BpeekError, match=r"the template would make [\d,]+ tokens of this text"):
            way("a" * 1000)


def test_a_template_of_special_tokens():
    tok = load(post_processor=template("S" * 2000 + "A", range(1000)))
    for way in (tok.encode, lambda text: tok.document(text).count(), lambda text: streamed(tok, text)):
        with pytest.raises(BpeekError, match="the template would make 2,000,000 special tokens"):
            way("a-")
    assert len(tok.encode("a", add_special_tokens=False)) == 1


def test_a_template_that_repeats_what_overflows():
    tok = load(post_processor=template("AAAAAAAAAA"), truncation=truncated(10, 0))
    encoding = tok.encode("a" * 1000)
    assert len(encoding) == 100
    with pytest.raises(BpeekError, match="the template would make"):
        len(encoding.overflowing)


# Back to text


@pytest.mark.parametrize("step", [replace("a", "a" * 10), {"type": "BPEDecoder", "suffix": ""}, BY_REGEX], ids=str)
def test_decoders_that_make_a_text_explode(step):
    held = [{"type": "Strip", "content": " ", "start": 0, "stop": 1}, {"type": "Fuse"}] if step is BY_REGEX else []
    tok = load(decoder=sequence("decoders", *held, *[step] * 30))
    stream = tok.stream_decoder()
    for decode in (tok.decode, lambda ids: stream.feed(ids) + stream.finish()):
        with pytest.raises(BpeekError, match=r"the decoder \w+ would make [\d,]+ characters of this text"):
            decode(tok.encode_ordinary("aaaa"))


@pytest.mark.parametrize("method", ["encode", "ids", "count", "open", "explain"])
def test_the_page_is_told(method):
    data = json.dumps({"model": MODEL, **BOMBS["Replace"]}).encode()
    handle = bridge.call("load", [data], "tokenizer.json")["ok"]["handle"]
    error = bridge.call(method, handle, "éaaa")["error"]
    assert error["name"] == "BpeekError"
    assert error["message"].startswith("the normalizer Replace would make 3,000,001 characters of this text")
    assert bridge.call("ids", handle, "-")["ok"].tolist() == [MODEL["vocab"]["-"]]
