"""What a compiled pattern promises beyond its matches: errors with a place, proofs, stand-ins, rewriting."""

from __future__ import annotations

import pickle
import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpeek.errors import PatternError
from bpeek.pattern import compile
from bpeek.pattern.emit import BMP, Target, emit
from bpeek.pattern.rewrite import faster
from bpeek.pattern.rust import RustParser
from bpeek.pattern.seams import Seams
from bpeek.pattern.standins import has_astral
from bpeek.roads.direct import Cut

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
CASED = r"[-ab]?[xb]*[yb]+(?:'s)?|[-ab]?[xb]+[yb]*(?:'s)?|[^-abxy]"


@pytest.mark.parametrize(
    ("source", "pos", "words"),
    [
        (r"a\p{Klingon}", 1, "no property 'Klingon'"),
        (r"a(b", 1, "never closed"),
        (r"a**", 2, "cannot follow a quantifier"),
        (r"x[\d-z]", 4, "begin with a set"),
        (r"ab)", 2, "closes nothing"),
        (r"a(?<=b", 1, "never closed"),
        (r"a(?{code})", 3, "not a group or flag"),
        (r"ab{3,1}", 2, "wrong way round"),
    ],
)
def test_errors_name_the_place(source: str, pos: int, words: str) -> None:
    with pytest.raises(PatternError, match=re.escape(words)) as caught:
        compile(source, "rust")
    assert (caught.value.source, caught.value.pos) == (source, pos)


@pytest.mark.parametrize(
    ("source", "least", "most"),
    [
        (r"\p{L}{100}|" * 1600 + "a", 1000, 3000),
        ("|".join(rf"[\p{{L}}{chr(0x2100 + each)}]" for each in range(1200)), 500, 3000),
        (r"(?i)" + r"\p{Lu}" * 3000, 500, 5000),
        ("[" + r"\p{L}" * 3900 + "]", 0, 0),
        (r"\b" * 6000, 20, 200),
        (r"a(?:\w{1000}x){1000}", 14, 14),
    ],
)
def test_a_small_source_of_a_large_program_is_refused_before_it_is_made(source, least, most):
    tracemalloc.start()
    try:
        with pytest.raises(PatternError, match=r"ranges of characters|too large") as caught:
            compile(source, "rust")
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
    assert least <= caught.value.pos <= most


def test_equal_sets_are_one():
    options = RustParser("|".join([r"[\p{L}x]"] * 50)).parse().options
    assert len({id(option.set) for option in options}) == 1


def test_compiled_once() -> None:
    pattern = compile(CL100K)
    assert compile(CL100K, "rust") is compile(CL100K, "rust")
    assert pickle.loads(pickle.dumps(pattern)).findall("a b") == ["a", " b"]
    assert (pattern.source, pattern.dialect, pattern.engine) == (CL100K, "rust", "re")


@pytest.mark.parametrize(
    ("source", "covers"),
    [
        (CL100K, True),
        (r".", False),
        (r"(?s:.)", True),
        (r"\p{L}|\P{L}", True),
        (r"\p{L}+?|\P{L}{1,5}", True),
        (r"\p{L}{2}|\P{L}", False),
        (r"(?s:.)*", False),
        (r"\s++$|\S", False),
        (r"[\p{L}-]?+\p{L}|\P{L}", False),  # the possessive set may take the letter away
        (r"-?+\p{L}|\P{L}", True),
    ],
)
def test_covers(source: str, covers: bool) -> None:
    assert compile(source).covers is covers


def test_stand_ins_do_not_mix_with_the_text() -> None:
    """Surrogates that play a part for what only exists beyond the BMP may themselves stand in the text."""
    pattern = compile("[😀-😏]+|[🏻-🏿]|x", "oniguruma")
    text = "😀😁x\ud800🏽\ud801\udfffx🦙"
    assert pattern.findall(text) == ["😀😁", "x", "🏽", "x"]
    assert pattern.spans(text) == [(0, 2), (2, 3), (4, 5), (7, 8)]


def test_references_back_compare_real_characters() -> None:
    assert compile(r"(.)\1", "oniguruma").findall("😀😁😁 𝐚𝐛") == ["😁😁"]


@given(st.text(st.characters(max_codepoint=0x10FFFF), max_size=20))
def test_every_text_is_covered(text: str) -> None:
    pattern = compile(CL100K)
    assert "".join(pattern.findall(text)) == text
    assert [text[start:end] for start, end in pattern.spans(text)] == pattern.findall(text)
    assert text.isascii() or has_astral(text) == any(ord(char) > 0xFFFF for char in text)


@given(
    st.text("-abxy's", max_size=12),
    st.sampled_from([CASED, r"'s|[-']?x+|a|-|'", r"-|[-a]*x?|b", r"x{1,3}a?|[xab]+-|."]),
)
def test_rewriting_changes_no_match(text: str, source: str) -> None:
    node = RustParser(source).parse()
    target = Target(BMP, lambda chars: chars, frozenset())
    before, after = (re.compile(emit(tree, target)) for tree in (node, faster(node)))
    assert [m.span() for m in after.finditer(text)] == [m.span() for m in before.finditer(text)]


def test_long_runs_end_soon() -> None:
    """Published patterns go back over a run at most a few times."""
    pattern = compile(CL100K)
    for run in ("a" * 200_000, " " * 200_000, "\u00a0" * 200_000 + "x", "'" * 200_000, "1" * 200_000, "😀" * 200_000):
        assert "".join(pattern.findall(run)) == run


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([r"\b", r"(?=b)", r"x*", r"\p{N}{1,3}", r"\p{L}+", r"[^\p{N}]+", r" ?\p{L}+|\s+", r"[\s\S]"]),
    st.booleans(),
    st.text("ab x1२é漢😀 ", max_size=12),
)
def test_pieces_lie_where_the_spans_say(source: str, gaps: bool, text: str) -> None:
    """However they are found. An empty match cuts where it stands; what lies between matches counts if it is kept."""
    cut = Cut(compile(source, "oniguruma"), gaps)
    spans = cut.spans(text)
    assert cut.pieces(text) == [text[start:end] for start, end in spans if start < end]
    assert not gaps or "".join(cut.pieces(text)) == text


def test_seams_forget_the_pairs_of_texts_without_any(monkeypatch):
    monkeypatch.setattr("bpeek.pattern.seams.MOST_PAIRS", 50)
    seams = Seams([compile("[a-z]+|.").steps])
    text = "".join(left + right for left in "abcdefghijklm" for right in "nopqrstuvwxyz")
    assert seams.next(text, 1) == len(text)
    assert len(seams) <= 50
    assert seams["ab"] is False
    assert seams["a "] is True
