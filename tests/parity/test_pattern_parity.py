"""Matches and empty matches of whole patterns, against tiktoken and tokenizers themselves."""

# ruff: noqa: E501 (tables of patterns)

from __future__ import annotations

import os
import random
from functools import cache
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from tests.published import CL100K, DEEPSEEK, GPT2, KIMI, LLAMA3, O200K, PUBLISHED
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from bpeek.errors import PatternError
from bpeek.pattern import compile
from bpeek.unicode import category

FULL = bool(os.environ.get("BPEEK_FULL"))

# From tokenizer.json files, and the corners of the dialect; "regex" where `re` cannot do it.
ONIGURUMA = {
    "re": [
        DEEPSEEK, r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+", r"[\r\n]", r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ𐐀-𐑏]+", r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$", r"[一-龥ࠀ-一가-퟿]+", r"\p{N}+", r"\s?\p{L}+", r"\s?\p{P}+", r"[0-9][0-9][0-9]",
        r" ?[^(\s|[.,!?…。，、।۔،])]+", r"<\|startoftext\|>|'s|'t|'re|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", r"\d{1,3}(?=(?:\d{3})*\b)",
        r"\p{Nd}{1,510}(?=(?>\p{Nd}{510})*(?:\P{Nd}|$))|\G\p{Nd}{510}", r"\A\p{Nd}{1,2}(?=\p{Nd}{3}+\z)",
        r"\A\p{Nd}{3}|\G\p{Nd}{3}", r"<sentinel:[0-9]+>", r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )",
        r"(?=(\d{3})+(?!\d))", r"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+", r"(?i: ?(?:[jtmslndcy]['’]|qu['’]|jusqu['’]))",
        r"(?<=[\u0980-\u09ff]):", r"(?<!\n)^ ", r"\s{2,}|[\n\r\t]", r"""([!"\#$%&'()*+,.])\1*""",
        "", "x*", r"(?=b)", r"a\Kb", r"a\K", r"\w+|[^\w\s]+", r"\b", r"\B", r"\b\w+\b", r".\b", r"\h+|\H", r"\R", "^", "$", r"^\s*",
        r"\s*\Z", r"\s*\z", r".+", r"(?m).+", r"[[:alpha:][:digit:]]+|[[:punct:]]|[[:space:]]", r"[\w]+", r"[^\w]+", r"\p{Word}+",
        r"(?<!ab|c)\p{L}", r"(?<=a|b1)\p{L}+", r"\p{L}+?\d|\s+?", r"\p{N}{2}+|\p{L}{1,2}+", r"a{2}?|b", r"[^\p{L}]{,2}", r"(?i)[a-c]+|é|k",
        r"(?i:[ß-ÿ])x?", r"a(?i)b|c", "(?x) \\p{L}+  # letters\n | \\d", r"(?<q>[ab.])\k<q>+", r"\p{Emoji}+", r"\p{Hiragana}+|\p{InBasicLatin}",
        r"\P{L}+", r"\p{^L}", r"\040|\x{1F600}|\u0061|\x62", r"[😀-😏]+|[🏻-🏿]|\p{L}", "👩\u200d💻|.", r"(?>a+|\p{L})b",
        r"[\p{L}&&[^a-z]]+", r"(?<![\p{L}\p{N}])\d+", r"(.)\1", r"[^\n]$|^[^\n]", r"a??b", r"(?:ab|a)(?:c|bcx)?",
    ],
    "regex": [r"(?<=a|bc|\d+)[xyz]", r"(?<![ab]+x)\p{L}", r"(?:(a|b)\1)+"],
}  # fmt: skip
RUST = [
    r"(?s:.)+?|\n", r"(?m)^\w+$|[\s\S]", r"(?i)[k-m&&[^l]]+|[\w--a-z]|[\w~~\d]", r"\w+\b|\W", r".+\Z|\n+\z|\w", "(?x) \\d # n\n| \\s+",
    r"a(?i)b|c", r"\pL+|\PL", r"\p{sc=Han}+|\p{gc!=L}", r"(?<=a)b|(?<!a)c", r"[^\d\s]++|[[:alpha:]]|\s{,3}x|\d", r"(?i:ß|ſ)+|[[:^alpha:]]",
]  # fmt: skip
REFUSED = [
    r"(?i:ss)", r"(?i:straße)", r"(?i:[\p{L}])", r"(?s).", r"\X", r"(?~a)", r"\g<0>", r"\y", r"\p{Klingon}", r"(?R)", r"[a-\d]", "[", "(",
    ")", "*a", r"\pL", r"a\Gb", r"(?:a*)+", r"a{2,1}", r"(?<n>a)(b)", r"(?i:(k)\1)", r"\1", "[z-a]", "a{70000}", "[]", "\\",
]  # fmt: skip

SOUP = [
    *"abzABZxyc019 \t\n\r'’/.,!-_()#:", " ", " ", "'s", "'S", "'ſ", "'Ll", "'RE", "'vE", "\r\n", "\n\n", "   ", "\x1c", "\x1f", "\x85",
    "\xa0", "\u3000", "\u2028", "ſ", "\u212a", "é", "e\u0301", "\u0301", "\u0345", "ñ", "ß", "ẞ", "ﬀ", "ﬆ", "中", "の", "カ", "한", "ا",
    "١", "²", "½", "Ⅷ", "ǅ", "ʰ", "ª", "\u200d", "\u200c", "\ufeff", "👩\u200d💻", "😀", "🏽", "𝐀", "𝐚", "𝟗", "𐐀", "𐐨", "𞤀", "𠀀",
    "\U000e0041", "\U0010ffff", "\ue000", "\ufffe", "\0", "\x7f", "क्ष", "้", "İ", "ı", "aa", "..", "123", "12345", "ab1", "bcx", "qu’",
    "IMGIMGABZ", "<sentinel:12>", "abc", "ss", "SS",
]  # fmt: skip
pieces = st.lists(st.one_of(st.sampled_from(SOUP), st.characters(exclude_categories=["Cs"])), max_size=25)
texts = pieces.map("".join)
EDGES = [
    "",
    "\n",
    "a\n",
    "\n\n",
    " ",
    "12345678901234",
    "a\nb\n",
    "   \n",
    "SS ß",
    "a" * 3000,
    " " * 3000,
    "1" * 1300,
    "😀" * 50,
]


@cache
def soup(count: int) -> list[str]:
    rnd = random.Random(16)
    return EDGES + ["".join(rnd.choices(SOUP, k=rnd.randint(1, 25))) for _ in range(20 * count if FULL else count)]


@cache
def every_kind() -> str:
    """The borders of all categories (all scalar values with BPEEK_FULL=1), each in several contexts."""
    from bpeek.unicode.unicode16 import CATEGORIES

    borders = {edge + near for name in CATEGORIES for edge in category(name).edges for near in (-1, 0)}
    codes = range(0x110000) if FULL else sorted(borders)
    chars = [chr(code) for code in codes if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000]
    return "".join(f"a{c}b {c}'{c}\n{c}{c}1{c}A{c}a .{c}\r\n" for c in chars)


def check_tiktoken(source: str, texts: list[str]) -> None:
    """A vocabulary that holds our pieces, and all pairs of neighbours, shows every boundary of the reference.

    Were one of its pieces made of several of ours, the first two of these would have been joined.
    """
    ours = [[piece.encode() for piece in compile(source, "rust").findall(text)] for text in texts]
    tokens = {bytes([value]): value for value in range(256)}
    for pieces in ours:
        for token in (*pieces, *(a + b for a, b in pairwise(pieces))):
            tokens.setdefault(token, len(tokens))
    encoding = tiktoken.Encoding("x", pat_str=source, mergeable_ranks=tokens, special_tokens={})
    for text, pieces in zip(texts, ours, strict=True):
        assert [encoding.decode_single_token_bytes(i) for i in encoding.encode_ordinary(text)] == pieces, text[:200]


def check_tokenizers(source: str, texts: list[str]) -> None:
    pattern = compile(source, "oniguruma")
    matches, cuts = Split(Regex(source), "removed", invert=True), Split(Regex(source), "isolated")
    for text in texts:
        spans = pattern.spans(text)
        expected = [piece for piece, _ in matches.pre_tokenize_str(text)]
        assert pattern.findall(text) == expected, text[:200]
        assert [text[start:end] for start, end in spans if start < end] == expected, text[:200]
        borders = sorted({0, len(text)}.union(*spans))
        assert [place for _, place in cuts.pre_tokenize_str(text)] == list(pairwise(borders)), text[:200]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_patterns(name: str) -> None:
    pattern = compile(PUBLISHED[name], "rust")
    assert pattern.engine == "re"
    assert pattern.covers
    check_tiktoken(PUBLISHED[name], soup(600))
    check_tokenizers(PUBLISHED[name], soup(300))


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "llama3", "o200k"])
def test_every_kind_of_character(name: str) -> None:
    text = every_kind()
    # Not in one go: tiktoken's engine gives up where it has to go back too often.
    check_tiktoken(PUBLISHED[name], [text[at : at + 10_000] for at in range(0, len(text), 10_000)])
    expected = [piece for piece, _ in Split(Regex(PUBLISHED[name]), "removed", invert=True).pre_tokenize_str(text)]
    assert (compile(PUBLISHED[name], "oniguruma").findall(text) == expected) is True  # no endless diff


@pytest.mark.parametrize(
    ("engine", "source"), [(engine, source) for engine in ONIGURUMA for source in ONIGURUMA[engine]]
)
def test_oniguruma_patterns(engine: str, source: str) -> None:
    assert compile(source, "oniguruma").engine == engine
    check_tokenizers(source, soup(200))


@pytest.mark.parametrize("source", RUST)
def test_rust_patterns(source: str) -> None:
    check_tiktoken(source, soup(300))


@pytest.mark.parametrize("source", REFUSED)
def test_refused(source: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile(source, "oniguruma")
    assert caught.value.source == source
    assert 0 <= caught.value.pos <= len(source)


@seed(16)
@settings(max_examples=4000 if FULL else 200)
@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from(sorted(PUBLISHED)))
def test_any_text_by_tokenizers(texts: list[str], name: str) -> None:
    check_tokenizers(PUBLISHED[name], texts)


@seed(16)
@settings(max_examples=400 if FULL else 12)
@given(st.lists(texts, min_size=40, max_size=80), st.sampled_from([GPT2, CL100K, O200K, LLAMA3, KIMI]))
def test_any_text_by_tiktoken(texts: list[str], source: str) -> None:
    check_tiktoken(source, texts)


@seed(16)
@settings(max_examples=4000 if FULL else 150)
@given(texts, st.sampled_from(ONIGURUMA["re"]))
def test_any_text_and_pattern(text: str, source: str) -> None:
    check_tokenizers(source, [text])
