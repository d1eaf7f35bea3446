"""The pipeline of tokenizer.json by itself, above all where the reference crashes, hangs or leaves it to chance."""

from __future__ import annotations

import json
import random
import time
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpeek
from bpeek.bpe import NEVER
from bpeek.bytechars import BYTE_TO_CHAR
from bpeek.errors import BpeekError, FormatError, UnknownTokenError, UnsupportedError
from bpeek.formats import hf_json, vocab_merges
from bpeek.pipeline.added import finder
from bpeek.pipeline.aligned import Aligned
from bpeek.pipeline.columns import Columns
from bpeek.pipeline.model import Listed, PieceModel
from bpeek.pipeline.normalizers import build, plain
from bpeek.pipeline.run import Pipeline
from bpeek.pipeline.seams import Seams

MODEL: dict[str, Any] = {
    "type": "BPE",
    "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "c": 4, "▁": 5},
    "merges": [["a", "b"]],
    "unk_token": "<unk>",
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def pipeline(model: dict[str, Any] | None = None, **steps: Any) -> Pipeline:
    return Pipeline(hf_json.parse(json.dumps({"model": MODEL | (model or {}), **steps}).encode()))


def added(content: str, **flags: bool) -> dict[str, Any]:
    names = ("special", "single_word", "lstrip", "rstrip", "normalized")
    return {"id": 0, "content": content, **dict.fromkeys(names, False), **flags}


def offsets(columns: Columns) -> list[tuple[int, int]]:
    return list(zip(columns.starts, columns.ends, strict=True))


def template(single: list[dict[str, Any]], **special: Any) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": special}


A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")


def test_edits_keep_spans():
    aligned = Aligned.of("  Äx", origin=4)
    for step in ({"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "NFD"}, {"type": "Lowercase"}):
        aligned = build(step, "oniguruma")(aligned)
    assert (aligned.text, aligned.starts, aligned.ends) == ("a\u0308x", [6, 6, 7], [7, 7, 8])


@pytest.mark.parametrize("name", ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"])
def test_a_text_that_stays_as_it_is_stays_the_same_object(name):
    text = "plain text"
    assert plain({"type": name}, "oniguruma")(text) is text


def test_an_added_token_of_which_nothing_is_left_is_refused():
    with pytest.raises(FormatError, match="leaves nothing of the added token ' '"):
        pipeline(
            normalizer={"type": "Strip", "strip_left": True, "strip_right": True},
            added_tokens=[added(" ", normalized=True)],
        )


@pytest.mark.parametrize(
    ("first", "text"),
    [
        ({"type": "Replace", "pattern": {"Regex": "^"}, "content": "c"}, "cab"),
        ({"type": "Prepend", "prepend": ""}, "ab"),
    ],
)
def test_an_insertion_before_everything_has_no_width(first, text):
    steps = {"type": "Sequence", "normalizers": [first, {"type": "NFD"}, {"type": "Lowercase"}]}
    aligned = build(steps, "oniguruma")(Aligned.of("AB"))
    assert (aligned.text, aligned.span(0, 1)) == (text, (0, 0))


def test_a_token_behind_space_that_is_taken_already_is_not_matched():
    tokens = [added("<r>", rstrip=True), added(" ", lstrip=True)]
    assert pipeline(added_tokens=tokens).encode("<r>   a").tokens == ["<r>   ", "a"]


def byte_level_tokenizer(tokens: list[dict[str, Any]], **steps: Any) -> bpeek.Tokenizer:
    vocab = {char: 2 * byte for byte, char in BYTE_TO_CHAR.items()}
    config = {"model": {"type": "BPE", "vocab": vocab, "merges": []}, "pre_tokenizer": BYTE_LEVEL, **steps}
    return bpeek.load(json.dumps(config | {"added_tokens": tokens}).encode(), name="tokenizer.json")


def test_a_token_that_takes_spaces_shows_them_and_they_are_trimmed():
    """As RoBERTa's `<mask>`."""
    mask = added("<mask>", lstrip=True, special=True)
    plain, trimmed = (byte_level_tokenizer([mask], post_processor=step) for step in (None, BYTE_LEVEL))
    assert plain.encode("a  <mask>").tokens == ["a", "  <mask>"]
    assert (plain.encode("a  <mask>").offsets, trimmed.encode("a  <mask>").offsets) == (
        [(0, 1), (1, 9)],
        [(0, 1), (3, 9)],
    )


def test_an_added_token_that_gets_the_id_of_another_token():
    """Ids of added tokens go on from the number of tokens, and here ids have holes."""
    tok = byte_level_tokenizer([added("<s>")])
    byte = BYTE_TO_CHAR[128]
    assert tok.token_to_id("<s>") == tok.token_to_id(byte) == 256
    found = tok.encode("\u0400<s>x")  # 0xD0 0x80
    assert (found.ids[1:3], found.tokens[1:3]) == ([256, 256], [byte, "<s>"])
    assert found.offsets_bytes == [(0, 1), (1, 2), (2, 5), (5, 6)]


def test_spans_beyond_the_text_end_with_it_in_other_units():
    """In code points they are the reference's own numbers (bytes that count the suffix)."""
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True, "end_of_word_suffix": "</w>"}
    tok = bpeek.load(json.dumps({"model": model}).encode(), name="tokenizer.json")
    for texts in (("é",), ("é", "é")):
        found = tok.encode(*texts)
        assert max(end for _, end in found.offsets) > 1
        assert max(end for _, end in found.offsets_bytes) == 2
        assert len(found.offsets_utf16) == len(found)


@pytest.mark.parametrize("stride", [2, 5])
def test_a_stride_that_is_too_long_is_an_error(stride):
    truncation = {"max_length": 2, "stride": stride, "strategy": "LongestFirst"}
    loaded = pipeline(truncation=truncation)
    with pytest.raises(BpeekError, match="lower the stride"):
        loaded.post_process([loaded.encode("ccccc")])
    assert loaded.post_process([loaded.encode("cc")]).ids == [4, 4]


@pytest.mark.parametrize(("strategy", "texts"), [("OnlyFirst", ["c", "cccc"]), ("OnlySecond", ["cccc"])])
def test_truncation_that_cannot_succeed_is_an_error(strategy, texts):
    loaded = pipeline(truncation={"max_length": 2, "stride": 0, "strategy": strategy})
    with pytest.raises(BpeekError, match=r"OnlySecond|LongestFirst"):
        loaded.post_process([loaded.encode(text) for text in texts])


def test_templates_that_cannot_be_filled_are_errors():
    unknown = pipeline(post_processor=template([{"SpecialToken": {"id": "x", "type_id": 0}}, A]))
    with pytest.raises(BpeekError, match="names 'x'"):
        unknown.post_process([unknown.encode("a")])
    assert unknown.post_process([unknown.encode("a")], False).ids == [1]
    second = pipeline(post_processor=template([A, B]))
    with pytest.raises(BpeekError, match=r"second one \(B\)"):
        second.post_process([second.encode("a")])
    token = {"SpecialToken": {"id": "x", "type_id": 0}}
    step = template([token, A, token], x={"id": "x", "ids": [9], "tokens": ["x"]})
    twice = pipeline(post_processor={"type": "Sequence", "processors": [step, step]})
    with pytest.raises(BpeekError, match="cannot follow another"):
        twice.post_process([twice.encode("a")])


def test_decoders_strip_what_there_is():
    step = {"type": "Strip", "content": "a", "start": 1, "stop": 2}
    assert pipeline(decoder=step).decode([1, 3, 1]) == "b"
    assert pipeline(decoder={"type": "BPEDecoder", "suffix": "b"}).decode([]) == ""


def test_files_that_crash_the_reference_are_refused():
    for broken in (
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "!"}},
        {"model": {"vocab": {"a": 0, "é": 1, "aé": 2}, "merges": [["a", "é"]], "continuing_subword_prefix": "#"}},
    ):
        with pytest.raises(FormatError):
            pipeline(**{"model": {}, **broken})


def test_an_unknown_character_without_unk_token_in_the_vocabulary_is_an_error_when_met():
    loaded = pipeline({"unk_token": "missing"})
    assert loaded.encode("ab").ids == [3]
    with pytest.raises(UnknownTokenError, match="missing"):
        loaded.encode("x")


@pytest.mark.parametrize("bad", [-1, 1 << 32])
def test_ids_beyond_32_bits_are_errors(bad):
    with pytest.raises(UnknownTokenError):
        pipeline().decode([1, bad])
    assert pipeline().decode([1, 99]) == "a"


def test_other_models_are_named():
    for kind in ("WordPiece", "WordLevel", "Unigram"):
        with pytest.raises(UnsupportedError, match=kind) as error:
            pipeline({"type": kind})
        assert (error.value.feature, error.value.where) == (kind, "model.type")


def test_dropout_can_be_repeated():
    spec = hf_json.parse(json.dumps({"model": MODEL | {"dropout": 0.95}}).encode())
    text = "ab" * 50
    runs = [Pipeline(spec, random.Random(seed)).encode(text) for seed in (1, 1, 2)]
    assert runs[0].ids == runs[1].ids != runs[2].ids
    assert {3, 1, 2} == set(runs[0].ids)
    assert offsets(runs[0])[-1][1] == len(text)
    never, always = (
        Pipeline(hf_json.parse(json.dumps({"model": MODEL | {"dropout": rate}}).encode())) for rate in (0, 1.0)
    )
    assert never.encode(text).ids == [3] * 50
    assert always.encode(text).ids == [1, 2] * 50


def test_overflow_is_flat():
    loaded = pipeline(truncation={"max_length": 2, "stride": 0, "strategy": "LongestFirst"})
    result = loaded.post_process([loaded.encode("cccc"), loaded.encode("cc", type_id=1)])
    assert [each.ids for each in result.overflowing] == [[4, 4]] * (4 * 2 - 1)
    assert not any(each.overflowing for each in result.overflowing)


def test_words_are_encoded_one_by_one():
    columns = pipeline(pre_tokenizer=BYTE_LEVEL | {"add_prefix_space": True}).encode_words(["ab", "", "xc"])
    assert (columns.words, offsets(columns)) == ([0, 0, 2, 2, 2], [(0, 1), (0, 2), (0, 1), (0, 1), (1, 2)])


def test_only_allowed_specials_are_recognised():
    loaded = pipeline(added_tokens=[added("<s>", special=True), added("<x>")])
    tokens = loaded.encode("<s><x>", allowed=frozenset()).tokens
    assert tokens[-1] == "<x>" and tokens[0] == "<unk>"
    assert loaded.encode_plain("<s><x>").tolist() == [6, 7]


def test_two_files():
    spec = vocab_merges.parse(b'{"a": 0, "b": 1, "ab": 2, "<s>": 3, "</s>": 4}', b"#version: 0.2\r\na b\r\n\r\n")
    loaded = Pipeline(spec)
    assert loaded.post_process([loaded.encode("ab<s>")]).tokens == ["<s>", "ab", "<s>", "</s>"]
    with pytest.raises(FormatError, match=r"merges.txt, line 3: merge 'a' \+ 'c'") as error:
        vocab_merges.parse(b'{"a": 0, "b": 1, "ab": 2}', b"#version: 0.2\na b\na c\n")
    assert (error.value.file, error.value.line) == ("merges.txt", 3)
    with pytest.raises(FormatError, match=r"vocab.json, line 1, byte 8"):
        vocab_merges.parse(b'{"a": 0 "b": 1}', b"")


def test_errors_tell_the_place():
    for change, field in (
        ({"merges": ["a b", "b"]}, "model.merges[1]"),
        ({"merges": [["a", "b"], ["b", "a"]]}, "model.merges[1]"),
        ({"vocab": {"a": -1}}, "model.vocab['a']"),
        ({"dropout": 2}, "model.dropout"),
    ):
        with pytest.raises(FormatError) as error:
            pipeline(change)
        assert error.value.field == field
    with pytest.raises(FormatError) as error:
        hf_json.parse('{"é": 1,\n x}'.encode(), "f.json")
    assert (error.value.file, error.value.line, error.value.byte) == ("f.json", 2, 11)


def test_nothing_is_quadratic():
    start = time.process_time()
    marks = "a" + "\u0301\u0316" * 50_000
    assert len(plain({"type": "NFC"}, "oniguruma")(marks)) == 100_000
    nested = [added("a" * length) for length in range(1, 400)]
    assert pipeline(added_tokens=nested).encode("ba" * 20_000 + "a" * 5000).ids
    spaces = pipeline(added_tokens=[added("a", lstrip=True, rstrip=True)])
    assert spaces.encode((" " * 50 + "a") * 2000 + " " * 100_000).ids
    assert pipeline().encode("xab" * 50_000).ids
    assert time.process_time() - start < 20


def test_finding_nested_strings():
    words = {"a" * length for length in range(1, 90)} | {"b"}
    assert list(finder(words)("xaab" + "a" * 100)) == [(1, 3), (3, 4), (4, 93), (93, 104)]


def test_the_first_texts_are_cut_at_added_tokens_without_a_finder():
    tokens = [added("<s>", special=True), added("<s>>", lstrip=True), added("a", normalized=True), added("aa")]
    first, later = pipeline(added_tokens=tokens), pipeline(added_tokens=tokens)
    later.added._waiting = -1
    for text in ("", "b<s>aab <s>>a", "<s", "aaa" * 400):
        for normalized, allowed in ((False, None), (True, None), (False, frozenset())):
            assert first.added.cut(text, normalized, allowed) == later.added.cut(text, normalized, allowed)


@pytest.mark.parametrize("in_order", [True, False])
def test_merges_are_found_in_their_list(in_order):
    tokens = [*"abc", "ab", "bc", "abc"]
    merges = [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc"), ("ab", "c")]
    vocab = dict(zip(tokens, range(6) if in_order else (5, 4, 3, 2, 1, 0), strict=True))
    model = hf_json.read_model({"vocab": vocab, "merges": [" ".join(merge) for merge in merges]})
    for n_first in (0, 2, 9):
        listed = Listed(model.merges, vocab, n_first)
        assert listed.ordered == (in_order or n_first > 0)
        if listed.ordered:
            ranks = {pair: listed.rank(vocab[pair[0]], vocab[pair[1]]) for pair in product(tokens, repeat=2)}
            assert ranks == dict.fromkeys(ranks, NEVER) | {merge: rank for rank, merge in enumerate(merges)}
    assert PieceModel(model).encode("abcab").ids == [vocab["abc"], vocab["ab"]]


def test_seams_with_a_character_that_a_space_may_follow():
    seams = Seams([">▁</", "▁▁", "the"], None)
    assert seams.pieces("a>▁</b▁the▁▁x>▁") == ["a", ">▁</", "b", "▁the", "▁▁x", ">▁"]
    assert "".join(seams.pieces("a▁>▁>▁▁b")) == "a▁>▁>▁▁b"


SEAM_CHARS = "▁ab1.\néЖжخلا一二あ\U00011052\U00011053🙂👩"
seam_texts = st.text(SEAM_CHARS, max_size=16)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.text(SEAM_CHARS, min_size=2, max_size=4), max_size=12),
    st.none() | st.sets(st.sampled_from(SEAM_CHARS)),
    st.lists(seam_texts, min_size=1, max_size=4),
    st.sampled_from([1, 16]),
)
def test_no_piece_ends_inside_a_token(tokens, known, texts, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bpeek.pipeline.seams._MOST_CLASSES", most)
        seams = Seams(tokens, known)
    held = {token[at : at + 2] for token in tokens for at in range(len(token) - 1)}
    for text in texts:
        for parts in (seams.pieces(text), seams.cut(text) if text else []):
            assert "".join(parts) == text
            for left, right in pairwise(parts):
                border = left[-1] + right[0]
                assert border not in held
                assert known is None or not known.isdisjoint(border)
