"""Patterns with which `re` would freeze the page run without it; those that cannot are refused."""

import re
import time

import pytest
from tests.fuzz.patterns import by_re, steps_taken

import bpeek
from bpeek.formats.presets import presets
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.branches import branches

EXPLOSIVE = [
    *(r"(a+)+b", r"(a|aa)+b", r"(a|\w)*c", r"(\d{1,3})+x", r"(\w+\s?)+$", r"(?:\s|\s\s)+x", r"(x(?:a*)?y)+z"),
    *(r"(?:a|b|ab)*c", r"(.*?,){11}P", r"(?:[a-z]+|[a-z0-9]+)+x", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(?:a+|b)*?c"),
    *(r"(a*b?a*,)+x", r"x|(a+)+$", r"(a|aa){50}b", r"(a|a){50}b", r"(?:(a|\w){50})+b", "(?:" + "ab|cd|" * 300 + "x)+y"),
    # not of an explosive loop, but cubic, or of as many ways as 2 to the power of the pattern's length
    *(
        "a*a*b",
        "a+a*b|a",
        "(?:a|a)" * 28 + "b",
        "a*" * 12 + "b",
        "(?:a|ab)(?:bb|b|)" * 20 + "c",
        r"\s+$",
        r"\w+?\d",
        "(?:a*a*b)?",
    ),
]
REFUSED = [
    *(r"(?=(a+)+b)c", r"(?!(a+)+b)c", r"(a+)+b\K", r"(x)(a|\w)*c\1", r"\G(\d{1,3})+x", "(x)" + "(?:a|a)" * 28 + r"b\1"),
    *(r"((a{1,1000}){1,1000}){1,1000}b", r"(a+b?a*,?)*(?>a|ab)c"),
]
HARMLESS = [
    *(r"a+a+b", r"(?:a*b)+c", r"(\w+\s)+x", r"(?:\w+)+", r"(?:a|b|c)*d", r'"([^"\\]|\\.)*"', r"(?:(?:a|b)+,)*;"),
    *(r"(?:\p{L}\p{M}*)+x", r"(?:[\p{L}\p{M}]+['’])*\p{L}+", r"(?:a|b)+(?:a|c)+d", r"\s+(?!\S)|\s+", r"\p{N}{1,3}"),
    *(
        r"(?:a{5})+b",
        r"(?:(?:ab|cd){9})+x",
        r"(?:\d{17},)+x",
        r"a{50}b",
        r"\d{1,3}(?=(?:\d{3})*\b)",
        r"(?=(\d{3})+(?!\d))",
    ),
    *(r"a{5000}b", r"(.)\1+", r"\p{Nd}{1,510}(?=(?>\p{Nd}{510})*(?:\P{Nd}|$))|\G\p{Nd}{510}", r"(?<=a|bc|\d+)[xyz]"),
]


@pytest.mark.parametrize("source", EXPLOSIVE)
def test_explosive_patterns_run_without_re(source):
    pattern = compile_pattern(source, "oniguruma")
    for text in ("", "aab", "aaab aab\n", "xaayxyz", "1234x", " \n ", "a,a,P", "abcd y", "aBa", "abbabc"):
        first = next((match.span() for match in by_re(source).finditer(text)), None)
        assert next(iter(pattern.spans(text)), None) == first or not text
    for unit in ("a", "ab", "1", " ", "xay", ",a", "a1 ", "abcd"):
        for end in ("", "c", "!"):
            text = unit * 400 + end
            assert steps_taken(pattern, text) < 10_000 * len(text)
            assert pattern.findall(text) == [text[start:end] for start, end in pattern.spans(text) if start < end]


def test_what_took_minutes():
    """Linear: at most 3 times as long for twice the text, with a tenth of a second for the machine's moods."""
    pattern = compile_pattern("a*a*b")
    times = []
    for size in (20_000, 40_000):
        started = time.process_time()
        assert pattern.findall("a" * size + "c") == []
        times.append(time.process_time() - started)
    assert times[1] < 3 * times[0] + 0.1


def test_alternatives_of_what_runs_without_re():
    found = branches(r"(?:a|a)+b|a|\S", "oniguruma").branches("aab a1")
    assert [tuple(branch) for branch in found] == [(0, 3, 0), (4, 5, 1), (5, 6, 2)]


@pytest.mark.parametrize("source", REFUSED)
def test_refused_with_the_place(source):
    with pytest.raises(bpeek.PatternError, match=r"forever|too large") as caught:
        compile_pattern(source, "oniguruma")
    assert caught.value.source == source
    assert caught.value.pos < len(source)


@pytest.mark.parametrize("source", HARMLESS)
def test_harmless(source):
    assert compile_pattern(source, "oniguruma").findall("aab, 12") is not None


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_named_encodings_run_on_re(preset):
    pattern = compile_pattern(preset.pattern)
    assert pattern._linear is None
    assert isinstance(pattern._bmp_regexes[1], re.Pattern)


@pytest.mark.parametrize("source", ["(" * 5000 + "a" + ")" * 5000, "a|" * 15_000, r"(?:\w{100}x){100}\K"])
def test_too_deep_too_long_too_large(source):
    with pytest.raises(bpeek.PatternError):
        compile_pattern(source, "oniguruma")
