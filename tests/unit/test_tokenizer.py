"""The public class, whatever the kind of vocabulary: what it takes, what it says to what it does not take."""

import gc
import io
import json
import math
import pickle
import tempfile
import weakref
from functools import partial

import pytest
from tests.wrong import FILES, PATTERN, SENTENCEPIECE, TIKTOKEN

import bpeek


def load(name):
    return bpeek.load(FILES[name], **({"pattern": PATTERN} if FILES[name] == TIKTOKEN else {}))


each_kind = pytest.mark.parametrize("tok", list(map(load, FILES)), ids=list(FILES))


@each_kind
def test_ids_come_from_any_iterable(tok):
    ids = tok.encode_ordinary("ab b")
    assert len(ids) > 1
    assert tok.decode(iter(ids)) == tok.decode(ids) == tok.decode(tok.encode_to_array("ab b"))
    assert tok.decode_with_offsets(iter(ids)) == tok.decode_with_offsets(ids)


@each_kind
def test_budgets_without_a_bound(tok):
    assert tok.fits("ab b", math.inf)
    assert tok.truncate("ab b", math.inf).text == "ab b"
    assert [chunk.text for chunk in tok.chunks("ab b", math.inf)] == ["ab b"]
    for wrong in (-math.inf, math.nan):
        with pytest.raises(TypeError, match="a number of tokens must be a whole number, not float"):
            tok.fits("ab b", wrong)


def test_a_character_that_no_chunk_can_hold():
    tok = bpeek.Tokenizer.from_pieces(
        ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))], [0] * 257, [2, *[6] * 256], byte_fallback=True
    )
    with pytest.raises(bpeek.BpeekError) as error:
        list(tok.chunks("漢", 1))
    assert str(error.value) == "The character at 0 has more than 1 token; take chunks of more than 1 token"
    with pytest.raises(bpeek.BpeekError, match="more than 2 tokens; take chunks of more than 2 tokens"):
        list(tok.chunks("漢", 2))


@each_kind
def test_encodings_are_pickled_with_all_their_columns(tok):
    encoding = tok.encode("ab b", "a")
    copy = pickle.loads(pickle.dumps(encoding))
    assert copy == encoding
    for column in ("tokens", "offsets_utf16", "offsets_bytes", "word_ids", "type_ids", "special_tokens_mask"):
        assert getattr(copy, column) == getattr(encoding, column)


@each_kind
@pytest.mark.parametrize("method", ["encode_ordinary", "encode_to_array", "count"])
def test_what_is_no_text(tok, method):
    with pytest.raises(TypeError, match="must be a str, not NoneType"):
        getattr(tok, method)(None)
    with pytest.raises(TypeError, match="decode bytes first"):
        getattr(tok, method)(b"a")


@each_kind
def test_what_are_no_ids(tok):
    for wrong in (5, "5"):
        with pytest.raises(TypeError, match="ids must be"):
            tok.decode(wrong)


def test_what_is_no_file():
    for wrong in (None, 3, {"model": {}}):
        with pytest.raises(TypeError, match="load takes a path"):
            bpeek.load(wrong)
    with pytest.raises(TypeError, match="'rb'"):
        bpeek.load(io.StringIO("{}"))
    with pytest.raises(bpeek.FormatError, match="list of files is empty"):
        bpeek.load([])


def test_the_name_of_an_open_file(tmp_path):
    (tmp_path / "my.model").write_bytes(SENTENCEPIECE)
    with open(tmp_path / "my.model", "rb") as file:
        assert bpeek.load(file).spec.name == "my.model"
    with tempfile.TemporaryFile(buffering=0) as unnamed:
        unnamed.write(TIKTOKEN)
        unnamed.seek(0)
        assert bpeek.load(unnamed, pattern=PATTERN).spec.name is None


def test_ids_of_special_tokens_are_whole_numbers():
    for wrong in ("300", 300.5, None):
        with pytest.raises(bpeek.SpecialTokenError, match="must be an int"):
            bpeek.load(TIKTOKEN, pattern=PATTERN, special_tokens={"<s>": wrong})


def roberta():
    """Its post-processor trims the first token of a text, so that where it may be cut depends on its tokens."""
    byte_chars = map(chr, (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100), *range(0x100, 0x144)))
    post = {"type": "RobertaProcessing", "sep": ["b", 1], "cls": ["a", 0], "trim_offsets": True}
    post["add_prefix_space"] = True
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": {char: code for code, char in enumerate(byte_chars)}, "merges": []}
    return bpeek.load(json.dumps({"model": model, "pre_tokenizer": step, "post_processor": post}).encode())


@pytest.mark.parametrize("make", [*(partial(load, name) for name in FILES), roberta])
def test_a_tokenizer_that_is_dropped_is_freed_at_once(make):
    """In the browser memory never shrinks, so it must not wait for the collector of cycles."""
    gc.disable()
    try:
        tok = make()
        encoding = tok.encode("ab b " * 20)
        tok.decode(encoding.ids)
        text = "ab b" * 20 + "é漢" * 20
        assert tok.encode_ordinary(text)
        assert list(tok.chunks(text, 20)) and tok.truncate(text, 5)
        tok.document(text).replace(1, 2, "b")
        tok.stream_encoder().feed(text)
        parts = [tok._road, *(part for part in vars(tok._road).values() if hasattr(part, "__weakref__"))]
        kept = [
            weakref.ref(part) for part in parts if type(part).__module__.startswith(("bpeek.roads", "bpeek.pipeline"))
        ]
        del parts
        del tok
        assert encoding.offsets_bytes  # still
        assert len(encoding.word_ids) == len(encoding)
        del encoding
        assert [part() for part in kept] == [None] * len(kept)
    finally:
        gc.enable()


@each_kind
def test_what_a_session_shows_is_short(tok):
    for shown in (tok, tok.spec, tok.spec.model, tok.encode("ab")):
        assert len(repr(shown)) < 250


def test_a_session_completes_public_names_alone():
    assert {name for name in dir(bpeek) if not name.startswith("_")} == set(bpeek.__all__)
