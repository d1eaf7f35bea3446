"""Positions in three units agree with Python's own encoders."""

from hypothesis import given
from hypothesis import strategies as st

from bpeek.offsets import to_bytes, to_utf16, well_formed

texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("aé漢😀👩\u200d\U00020000"))


@given(texts)
def test_positions_in_every_unit(text):
    every = range(len(text) + 1)
    assert list(to_utf16(text, every)) == [len(text[:at].encode("utf-16-le")) // 2 for at in every]
    assert list(to_bytes(text, every)) == [len(text[:at].encode()) for at in every]


@given(st.text(st.characters() | st.sampled_from("\ud83d\ude00\ud800a")))
def test_well_formed_text_is_what_utf_16_makes_of_it(text):
    assert well_formed(text) == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
