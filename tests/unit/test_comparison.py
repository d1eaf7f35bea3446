"""Comparisons: segments against their definition, on real vocabularies of every kind."""

import json
import pickle

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conftest import tokenizer
from tests.live import clip_like
from tests.texts import soup

import bpeek

REAL = ["cl100k_base", "o200k_base", "llama3", "llama2", "gemma3", "mistral_v1"]
TOKENIZERS = {name: (lambda name=name: tokenizer(name)) for name in REAL} | {"clip": clip_like}
chosen = st.lists(st.sampled_from(sorted(TOKENIZERS)), min_size=2, max_size=4, unique=True)


def own_tokens(encoding):
    """The tokens that come from the text."""
    return [at for at, sequence in enumerate(encoding.sequence_ids) if sequence is not None]


def may_be_cut(encoding, place, size):
    """Are the tokens those that end before or at a place, and then those that begin there or behind?"""
    spans = [
        (min(start, size), min(end, size)) for start, end in (encoding.offsets_bytes[at] for at in own_tokens(encoding))
    ]
    return any(
        all(end <= place for _, end in spans[:at]) and all(start >= place for start, _ in spans[at:])
        for at in range(len(spans) + 1)
    )


def edges(encoding, size):
    return {min(edge, size) for at in own_tokens(encoding) for edge in encoding.offsets_bytes[at]}


@settings(max_examples=150)
@given(soup, chosen)
@example("<s>漢字 👩‍💻 e\u0301 <|endoftext|>", sorted(TOKENIZERS)[:4])
@example("", ["llama2", "cl100k_base"])
@example("a     b", ["clip", "cl100k_base"])
@example("  a  ", ["clip", "llama2"])
def test_segments_are_what_they_are_defined_to_be(text, names):
    found = bpeek.compare(text, {name: TOKENIZERS[name]() for name in names})
    data = found.text.encode()
    assert found.names == tuple(names)
    # They make up the text, in both units.
    assert "".join(found.text[each.start : each.end] for each in found.segments) == found.text
    assert b"".join(data[each.byte_start : each.byte_end] for each in found.segments) == data
    for each in found.segments:
        assert found.text[: each.start].encode() == data[: each.byte_start]
    # They are cut wherever every encoding may be, at the edge of some token, and nowhere else.
    characters = {len(found.text[:at].encode()) for at in range(len(found.text) + 1)}
    candidates = characters & set().union({0, len(data)}, *(edges(each, len(data)) for each in found.encodings))
    expected = {at for at in candidates if all(may_be_cut(each, at, len(data)) for each in found.encodings)}
    assert {edge for each in found.segments for edge in (each.byte_start, each.byte_end)} | {0, len(data)} == expected
    # They hold every token that comes from the text, once, in order.
    for number, encoding in enumerate(found.encodings):
        assert [at for each in found.segments for at in each.tokens[number]] == own_tokens(encoding)
        for each in found.segments:
            for start, end in (encoding.offsets_bytes[at] for at in each.tokens[number]):
                assert each.byte_start <= start <= end or start > len(data)
                assert min(end, len(data)) <= each.byte_end


@settings(max_examples=60)
@given(soup)
def test_a_tokenizer_agrees_with_itself(text):
    tok = tokenizer("cl100k_base")
    found = tok.compare(text, tok, bpeek.Tokenizer(tok.spec))
    assert found.names == ("cl100k_base", "cl100k_base (2)", "cl100k_base (3)")
    assert all(each.agree for each in found.segments) and found.disagreement == 0


@settings(max_examples=60)
@given(soup, st.sampled_from(["o200k_base", "llama3", "r50k_base"]))
def test_agreement_of_byte_level_tokenizers_is_equality_of_spans(text, other):
    found = tokenizer("cl100k_base").compare(text, tokenizer(other), add_special_tokens=False)
    one, two = (encoding.offsets_bytes for encoding in found.encodings)
    for each in found.segments:
        mine, theirs = each.tokens
        assert each.agree == (one[mine.start : mine.stop] == two[theirs.start : theirs.stop])


def test_what_is_told():
    found = tokenizer("cl100k_base").compare("Hello 漢字 antidisestablishmentarianism", tokenizer("llama2"))
    told = [
        (found.text[each.start : each.end], [len(tokens) for tokens in each.tokens], each.agree)
        for each in found.segments
    ]
    assert told == [
        ("Hello", [1, 1], True),
        (" 漢", [3, 4], False),
        ("字", [1, 1], True),
        (" ant", [1, 1], True),
        ("idis", [1, 2], False),
        ("establish", [1, 2], False),
        ("ment", [1, 1], True),
        ("arian", [1, 1], True),
        ("ism", [1, 1], True),
    ]
    assert found.counts == {"cl100k_base": len(found.encodings[0]), "llama2.json": len(found.encodings[1])}
    assert found.disagreement == pytest.approx(15 / 37)
    assert json.loads(json.dumps(found.to_dict()))["segments"][1] == {
        "start": 5, "end": 7, "byte_start": 5, "byte_end": 9, "tokens": [[1, 4], [2, 6]], "agree": False,
    }  # fmt: skip
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.text = ""


def test_a_short_repr(load_vocabulary):
    tok = load_vocabulary("r50k_base")
    assert (
        repr(tok.compare("a b " * 9, tok))
        == "Comparison(counts={'r50k_base': 19, 'r50k_base (2)': 19}, disagreement=0)"
    )
    told = "Explanation(num_tokens=19, ids=[64, 275, 257, 275, 257, 275, 257, 275]…, pieces=19)"
    assert repr(tok.explain("a b " * 9)) == told


def test_less_than_two_tokenizers():
    tok = tokenizer("cl100k_base")
    for few in ({}, {"one": tok}):
        with pytest.raises(bpeek.BpeekError, match="two tokenizers or more"):
            bpeek.compare("a", few)
    with pytest.raises(bpeek.BpeekError, match="two tokenizers or more"):
        tok.compare("a")


def test_what_is_no_tokenizer():
    tok = tokenizer("cl100k_base")
    with pytest.raises(TypeError, match="one text and then tokenizers, not str"):
        tok.compare("a", "b")
    with pytest.raises(TypeError, match=r"by name.* not list"):
        bpeek.compare("a", [tok, tok])
