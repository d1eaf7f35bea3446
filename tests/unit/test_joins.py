"""Cutting at unjoinable borders changes no tokenization, for any vocabulary and any text."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpeek.bpe import ByRank
from bpeek.pipeline import trie
from bpeek.roads import packing
from bpeek.roads.joins import SEPARATOR, Joins

CHARS = "ab é漢字😀👩"
texts = st.text(CHARS, min_size=1, max_size=12)


@st.composite
def tokens(draw):
    """Stretches of UTF-8, cut anywhere: whole characters, heads and tails of them."""
    data = draw(texts).encode()
    start = draw(st.integers(0, len(data) - 1))
    return data[start : draw(st.integers(start + 1, min(len(data), start + 9)))]


vocabularies = st.lists(tokens().filter(lambda token: len(token) > 1), unique=True, max_size=30).map(
    lambda some: {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *some])}
)


@settings(max_examples=1500, deadline=None)
@given(vocabularies, texts)
def test_parts_merge_as_the_whole(vocab, text):
    rule = ByRank(vocab)
    cut = Joins(SEPARATOR.join(vocab)).cut(text)
    assert "".join(cut) == text
    assert [token for part in cut for token in rule.merge(part.encode())] == rule.merge(text.encode())


@settings(max_examples=500, deadline=None)
@given(vocabularies, st.lists(texts, max_size=8), st.sampled_from([1, 3, 64]), st.sampled_from([1, 4, 1000]))
def test_a_walk_finds_the_parts_whatever_is_kept(vocab, pieces, longest, most):
    rule = ByRank(vocab)
    joins = Joins(SEPARATOR.join(vocab))

    def packed(part):
        return array("I", rule.merge(part.encode())).tobytes()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trie, "LONGEST", longest)
        patch.setattr(trie, "MOST", most)
        known = trie.Trie(joins, packed)
        for piece in pieces:
            assert known.walk(piece) == list(map(packed, joins.cut(piece)))


def test_a_part_is_merged_once():
    vocab = [*(bytes([byte]) for byte in range(256)), "漢字".encode()]
    merged = []

    def packed(part):
        merged.append(part)
        return b"...."

    known = trie.Trie(Joins(SEPARATOR.join(vocab)), packed)
    for piece in ("漢字字", "字漢字漢"):
        known.walk(piece)
    assert merged == ["漢字", "字", "漢"]


class Model:
    """A vocabulary of which whole pieces are looked up first."""

    def __init__(self, vocab):
        self.rule = ByRank(vocab)
        self.whole, self.merge = vocab.get, self.rule.merge

    def joined_tokens(self):
        return SEPARATOR.join(self.rule.vocab)


@settings(max_examples=300, deadline=None)
@given(vocabularies, st.lists(texts, max_size=8), st.sampled_from([-1, 20, 1 << 30]), st.sampled_from([0, 2]))
def test_pieces_are_packed_the_same_whether_they_are_cut_or_not(vocab, pieces, patience, luck):
    model = Model(vocab)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "PATIENCE", patience)
        patch.setattr(trie, "LUCK", luck)
        pack = packing.Packing(model).pack
        for piece in pieces:
            data = piece.encode()
            expected = [vocab[data]] if data in vocab else model.merge(data)
            assert array("I", pack(piece)).tolist() == expected


def test_chinese_falls_into_characters_where_no_token_joins_them():
    vocab = [*(bytes([byte]) for byte in range(256)), *(token.encode() for token in ("漢", "字", "漢字", "ab", "b漢"))]
    assert Joins(SEPARATOR.join(vocab)).cut("漢字字ab漢") == ["漢字", "字", "ab漢"]


def test_what_is_kept_is_bounded_by_its_characters(monkeypatch):
    monkeypatch.setattr(packing, "GENERATION", 100)
    asked = []

    def packed(piece):
        asked.append(piece)
        return piece.encode()

    known = packing.Bounded(packed)
    assert known["*" * 70] == known["*" * 70] == b"*" * 70
    assert asked == ["*" * 70]  # a ruler is merged once
    assert known["-" * 1001] == known["-" * 1001]
    assert asked.count("-" * 1001) == 2  # what is longer is not kept
    pieces = [f"{number:02}" for number in range(40)]
    for piece in pieces:
        assert known[piece] == piece.encode()
        assert known["00"] == b"00"  # asked for again and again, it survives
    assert asked.count("00") == 1
    assert len(known) + len(known._old) <= 2 * 10
