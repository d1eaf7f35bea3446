"""The header of a GGUF file, and what may be wrong with it."""

import os
import struct

import pytest
from tests.ggufs import SMALL, gguf, of_pieces
from tests.wrong import MODEL_GGUF, outcome

import bpeek
from bpeek import formats
from bpeek.formats import gguf_pre

BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
PIECES = [
    *[("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), *BYTES, ("▁", -9.0, 1), ("a", -8.0, 1), ("b", -7.0, 1)],
    *[("ab", -1.0, 1), ("▁ab", -2.0, 1), ("<|sep|>", 0.0, 4)],
]


def test_bytes_merge_as_listed():
    tok = bpeek.load(MODEL_GGUF, name="x.gguf")
    assert (tok.spec.format, tok.spec.name, tok.vocab_size) == ("GGUF", "x.gguf", 261)
    assert tok.encode("hello<|end|>é").tokens == ["<s>", "hell", "o", "<|end|>", "Ã", "©"]
    assert tok.encode("hell", "o").tokens == ["<s>", "hell", "<s>", "o"] and tok.special_tokens["<|end|>"] == 259
    assert list(tok.encode_ordinary("<s>")) == [tok.token_to_id(char) for char in "<s>"]
    assert tok.decode(tok.encode("hé\n").ids) == "hé\n"


def test_scores_are_sentencepieces():
    tok = bpeek.load(gguf(of_pieces(PIECES)))
    assert tok.encode("abé ab<|sep|>ab</s>").tokens == [
        *("<s>", "▁ab", "<0xC3>", "<0xA9>", "▁ab", "<|sep|>", "▁ab", "</s>")
    ]
    assert tok.decode(tok.encode("abé ab").ids) == "abé ab"
    bare = bpeek.load(gguf(of_pieces(PIECES, add_space_prefix=False, add_bos_token=False, add_eos_token=True)))
    assert bare.encode("ab b").tokens == ["ab", "▁", "b", "</s>"]


def test_only_the_header_of_a_file_is_read(tmp_path, monkeypatch):
    """The file says that it has a terabyte: nothing of it is there, and nothing is asked for."""
    path = tmp_path / "model.gguf"
    path.write_bytes(MODEL_GGUF)
    os.truncate(path, 1 << 40)
    monkeypatch.setattr(formats, "GGUF_HEADER", 1 << 20)
    with open(path, "rb") as file:
        for source in (path, file):
            tok = bpeek.load(source)
            assert tok.spec == bpeek.load(MODEL_GGUF, name="model.gguf").spec
            assert tok.spec.source == {"bytes": len(MODEL_GGUF) - 40, "sha256": tok.spec.source["sha256"]}
    assert bpeek.load(MODEL_GGUF + b"weights").spec.source == tok.spec.source


@pytest.mark.parametrize("version", [2, 3])
def test_versions(version):
    assert bpeek.load(gguf(SMALL, version)).vocab_size == 261


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"model": "bert"}, r"WordPiece \('bert'\)"),
        ({"model": "nonsense"}, r"does not know \('nonsense'\)"),
        ({"pre": "kimi-k2"}, "pre-tokenizer 'kimi-k2'"),
    ],
)
def test_what_is_refused_by_name(fields, words):
    with pytest.raises(bpeek.UnsupportedError, match=words) as caught:
        bpeek.load(gguf(SMALL | fields))
    assert caught.value.where == f"tokenizer.ggml.{next(iter(fields))}"
    assert caught.value.feature == next(iter(fields.values()))


@pytest.mark.parametrize("pre", [name for names in gguf_pre._KNOWN for name in names.split()])
def test_every_pre_tokenizer_can_be_used(pre):
    """Its patterns are ones that bpeek translates, and nothing of a text is lost."""
    tok = bpeek.load(gguf(SMALL | {"pre": pre}))
    for text in ("Hell's HELL'LL 1234 ÉCOLE été, 漢字かな 한국 ไทย!?…\n\n\t  x \r\n", "  ", "a\u0301ſ's 🦊<s>"):
        assert tok.decode(tok.encode_ordinary(text)) == text


@pytest.mark.parametrize("start", [b"GGUF\1\0\0\0", b"GGUF\0\0\0\3", b"GGUF\4\0\0\0"])
def test_other_versions(start):
    with pytest.raises(bpeek.UnsupportedError, match="version"):
        bpeek.load(start + MODEL_GGUF[8:])


def without(key):
    return {name: value for name, value in SMALL.items() if name != key}


@pytest.mark.parametrize(
    "fields, field, words",
    [
        ({"general.architecture": "x"}, "model", "GGUF of the model itself"),
        ({"split.no": 2}, "model", "first part"),
        (SMALL | {"model": 3}, "model", "a string"),
        (SMALL | {"model": ["gpt2"]}, "model", "a string"),
        (SMALL | {"pre": True}, "pre", "a string"),
        (without("tokens"), "tokens", "missing"),
        (without("merges"), "merges", "missing"),
        (SMALL | {"merges": [1, 2]}, "merges", "missing"),
        (SMALL | {"tokens": ["a", "a"]}, "tokens[0]", "twice"),
        (SMALL | {"tokens": [b"\xff"]}, "tokens[0]", "UTF-8"),
        (SMALL | {"token_type": [1, 2]}, "token_type", "261 numbers"),
        (SMALL | {"token_type": "x"}, "token_type", "261 numbers"),
        (SMALL | {"bos_token_id": 300}, "bos_token_id", "does not name"),
        (without("bos_token_id"), "bos_token_id", "does not name"),
        (SMALL | {"add_bos_token": 1}, "add_bos_token", "true or false"),
        (of_pieces(PIECES) | {"scores": []}, "scores", "numbers"),
        (of_pieces([*PIECES, ("c", float("nan"), 1)]), "scores", "not a number"),
        (of_pieces(PIECES[5:]), "tokens", "256 byte tokens"),
    ],
)
def test_wrong_fields(fields, field, words):
    with pytest.raises(bpeek.FormatError, match=words) as caught:
        bpeek.load(gguf(fields), name="x.gguf")
    assert (caught.value.file, caught.value.field) == ("x.gguf", f"tokenizer.ggml.{field}")


def test_merges_of_no_token():
    with pytest.raises(bpeek.FormatError, match="the file is damaged"):
        bpeek.load(gguf(SMALL | {"merges": ["h e", "q x"]}))


def test_cut_off_anywhere():
    for size in range(4, len(MODEL_GGUF) - 40, 7):
        error = outcome(MODEL_GGUF[:size], "model.gguf")
        assert isinstance(error, bpeek.FormatError) and error.byte == size and "cut off" in str(error)


@pytest.mark.parametrize(
    "tail",
    [
        struct.pack("<I", 99),  # no type
        struct.pack("<IIQ", 9, 9, 1),  # a list of lists
        struct.pack("<IIQ", 9, 8, 1 << 60),
        struct.pack("<IIQ", 9, 5, 1 << 60),
        struct.pack("<IQ", 8, 1 << 62),
    ],
)
def test_sizes_that_cannot_be(tail):
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + tail
    assert isinstance(outcome(data, "model.gguf"), bpeek.FormatError)


def test_pieces_that_are_long():
    """Each could be cut at every place: soon found to be too much."""
    pieces = [*PIECES, *((str(number) + "x" * 60_000, -10.0 - number, 1) for number in range(30))]
    assert isinstance(outcome(gguf(of_pieces(pieces)), "model.gguf"), bpeek.FormatError)


@pytest.mark.parametrize("sizes", [[2, 4, 8, 3], [4, 2, 3], [2, 3, 4], [2, 4, 3], [2, 4]])
def test_runs_of_one_score_merge_as_sentencepiece_merges_them(sizes):
    """The leftmost first; or it is said that pairs do not say so."""
    runs = [("▁" * size, -99.0, 1) for size in sizes]
    error = outcome(gguf(of_pieces([*PIECES, *runs])), "model.gguf")
    assert (error is None) == (sizes in ([2, 4, 8, 3], [2, 4, 3], [2, 4]))
    assert error is None or error.feature == "scores"
    mixed = gguf(of_pieces([*PIECES, *runs, ("▁▁a", -50.0, 1)]))
    assert isinstance(outcome(mixed, "model.gguf"), bpeek.UnsupportedError)
