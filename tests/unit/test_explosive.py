"""Patterns that would freeze the page are refused; those that only look so are not."""

import itertools
import random
import re

import pytest

import bpeek
from bpeek.formats.presets import presets
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.explosive import explosive
from bpeek.pattern.oniguruma import OnigurumaParser

EXPLOSIVE = [
    *(r"(a+)+b", r"(a|aa)+b", r"(a|\w)*c", r"(\d{1,3})+x", r"(\w+\s?)+$", r"(?:\s|\s\s)+x", r"(x(a*)?y)+z"),
    *(r"(?=(a+)+b)c", r"(?!(a+)+b)c", r"((a{1,1000}){1,1000}){1,1000}b", r"(?:a|b|ab)*c", r"(.*?,){11}P"),
    *(r"(?:[a-z]+|[a-z0-9]+)+x", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(?:a+|b)*?c", r"(a*b?a*,?)+x", r"x|(a+)+$"),
    *(r"(a|aa){50}b", r"(a|a){50}b", r"(?:(a|\w){50})+b"),
]
HARMLESS = [
    *(r"a+a+b", r"(?:a*b)+c", r"(\w+\s)+x", r"(?:\w+)+", r"(?:a|b|c)*d", r'"([^"\\]|\\.)*"', r"(?:(?:a|b)+,)*;"),
    *(r"(?:\p{L}\p{M}*)+x", r"(?:[\p{L}\p{M}]+['’])*\p{L}+", r"(?:a|b)+(?:a|c)+d", r"\s+(?!\S)|\s+", r"\p{N}{1,3}"),
    *(r"(?:a{5})+b", r"(?:(?:ab|cd){9})+x", r"(?:\d{17},)+x", r"a{50}b"),
]


@pytest.mark.parametrize("source", EXPLOSIVE)
def test_explosive(source):
    with pytest.raises(bpeek.PatternError, match=r"forever|may be empty"):
        compile_pattern(source, "oniguruma")


@pytest.mark.parametrize("source", HARMLESS)
def test_harmless(source):
    assert compile_pattern(source, "oniguruma").findall("aab, 12") is not None


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_published_patterns_are_harmless(preset):
    compile_pattern(preset.pattern)


@pytest.mark.parametrize("source", ["(" * 5000 + "a" + ")" * 5000, "a|" * 15_000, "(?:" + "ab|cd|" * 300 + "x)+y"])
def test_too_deep_too_long_too_large(source):
    with pytest.raises(bpeek.PatternError):
        compile_pattern(source, "oniguruma")


def ways_to_match(source: str, text: str) -> int:
    """By brute force: how many ways a backtracking engine tries on a text that cannot match."""
    # `re` tells nothing about its steps, so a counting engine of the same kind does it.
    tree = re._parser.parse(source)  # type: ignore[attr-defined]  # no public name gives the tree
    count = 0

    def run(items: list, at: int, then) -> bool:
        nonlocal count
        count += 1
        if not items:
            return then(at)
        (op, value), rest = items[0], items[1:]
        match str(op):
            case "LITERAL":
                return at < len(text) and ord(text[at]) == value and run(rest, at + 1, then)
            case "IN":
                chars = {chr(char) for _, char in value}
                return at < len(text) and text[at] in chars and run(rest, at + 1, then)
            case "BRANCH":
                return any(run(list(option) + rest, at, then) for option in value[1])
            case "SUBPATTERN":
                return run(list(value[3]) + rest, at, then)
            case "MAX_REPEAT":
                low, high, body = value

                def again(done: int, start: int) -> bool:
                    if done < min(high, 1000):
                        onward = lambda end: end > start and again(done + 1, end)  # noqa: E731  (a def would be three lines deeper)
                        if run(list(body), start, onward):
                            return True
                    return done >= low and run(rest, start, then)

                return again(0, at)
        raise AssertionError(op)

    run(list(tree), 0, lambda end: False)
    return count


def random_pattern(rng: random.Random, depth: int = 0) -> str:
    kind = rng.random()
    if depth > 2 or kind < 0.35:
        return rng.choice(["a", "b", "[ab]", "ab", "ba"])
    inner = [random_pattern(rng, depth + 1) for _ in range(rng.choice([1, 2, 2, 3]))]
    if kind < 0.55:
        return "".join(inner)
    if kind < 0.75:
        return f"(?:{'|'.join(inner)})"
    return f"(?:{''.join(inner)})" + rng.choice(["+", "*", "?", "{1,2}"])


def test_what_is_called_harmless_is_not_exponential():
    """Random patterns over two letters: the steps on unlucky texts, twice as long, may not be squared."""
    harmless = found = 0
    for seed in range(1500):
        source = random_pattern(random.Random(seed)) + "c"
        try:
            node = OnigurumaParser(source).parse()
            compile_pattern(source, "oniguruma")
            harmless += 1
        except bpeek.PatternError:
            found += 1
            continue
        assert explosive(node) is None
        for unit in map("".join, itertools.product("ab", repeat=2)):
            short, long = (ways_to_match(source, unit * times) for times in (5, 10))
            assert long < 40 * short, (source, unit, short, long)
    assert harmless > 400 and found > 150
