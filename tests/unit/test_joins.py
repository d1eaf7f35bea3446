"""Cutting at unjoinable borders changes no tokenization, for any vocabulary and any text."""

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpeek.bpe import ByRank
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
    parts = Joins(SEPARATOR.join(vocab)).cut(text)
    assert "".join(parts) == text
    assert [token for part in parts for token in rule.merge(part.encode())] == rule.merge(text.encode())


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
        patch.setattr(packing, "LUCK", luck)
        pack = packing.Packing(model).pack
        for piece in pieces:
            data = piece.encode()
            expected = [vocab[data]] if data in vocab else model.merge(data)
            assert array("I", pack(piece)).tolist() == expected


def test_chinese_falls_into_characters_where_no_token_joins_them():
    vocab = [*(bytes([byte]) for byte in range(256)), *(token.encode() for token in ("漢", "字", "漢字", "ab", "b漢"))]
    assert Joins(SEPARATOR.join(vocab)).cut("漢字字ab漢") == ["漢字", "字", "ab漢"]
