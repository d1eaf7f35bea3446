"""A pattern as a table: the same matches as `re` finds, and no character is read often."""

import random
from array import array
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.patterns import Generator, check, check_parts, compiled, steps_taken
from tests.published import PARTS, PUBLISHED
from tests.texts import mixture

from bpeek.formats.presets import presets
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.automaton import BLOCK, DEAD, MATCHED
from bpeek.unicode.codepoints import LIMIT

NAMED = {preset.name: preset.pattern for preset in presets()} | PUBLISHED | PARTS
QUADRATIC = {"jais2"}  # its `\s*[\r\n]+` reads all of a run of spaces, of which one match takes 512


@pytest.mark.parametrize("name", NAMED)
def test_published_patterns_read_nothing_often(name):
    pattern = compile_pattern(NAMED[name], "oniguruma")
    found = pattern.automaton
    if name in QUADRATIC:
        assert found.overrun is None
        assert pattern._linear is not None
        return
    assert found.n_states < 35
    assert found.width < 32
    assert found.overrun <= 24  # of CLIP, that of `<|startoftext|>`; 2 of most
    assert pattern._linear is None


class Kernel:
    """Runs an automaton as its docstring says, with what a kernel is given and nothing else."""

    def __init__(self, automaton):
        self.automaton = automaton
        blocks, self.members = automaton.classes()
        self.first = array("H", blocks)
        assert len(self.first) == LIMIT // BLOCK

    def class_of(self, code):
        return self.members[self.first[code // BLOCK] * BLOCK + code % BLOCK]

    def spans(self, text):
        table, width, starts = self.automaton.table, self.automaton.width, self.automaton.starts
        classes = [*map(self.class_of, map(ord, text)), width - 1]
        found, at = [], 0
        while at < len(text):
            state = starts[classes[at - 1]]
            end = place = at
            while state != DEAD and place <= len(text):
                cell = table[state * width + classes[place]]
                end = place if cell & MATCHED else end
                state, place = cell & DEAD, place + 1
            found += [(at, end)] if end > at else []
            at = max(end, at + 1)
        return found


@pytest.mark.parametrize("name", sorted(NAMED.keys() - QUADRATIC))
def test_published_patterns_on_three_characters_of_all_kinds(name):
    pattern = compile_pattern(NAMED[name], "oniguruma")
    kernel = Kernel(pattern.automaton)
    members = {}
    for code in [*range(0x20, 0x7F), *range(LIMIT)]:  # where there are some to be read, these
        members.setdefault(kernel.class_of(code), chr(code))
    assert len(members) == pattern.automaton.width - 1
    for text in map("".join, product(members.values(), repeat=3)):
        assert kernel.spans(text) == pattern.spans(text), text
    for seed in range(5):
        text = mixture(2_000, seed)
        assert (kernel.spans(text) == pattern.automaton.spans(text) == pattern.spans(text)) is True  # no endless diff


@pytest.mark.parametrize(
    "source", [r"\w+|[^\w\s]", r"\b\w+\b|.", r"^.|\s+(?!\S)", r"[^a]{2,3}b|(?<=a)b", "\U0010ffff|\x00+"]
)
def test_the_tables_say_it_all(source):
    pattern = compile_pattern(source, "oniguruma")
    kernel = Kernel(pattern.automaton)
    for text in ("It's  é漢字かな😀\u200d\ud800\u0301 \n ", "", "ab", "aab\nb xb", "\x00\x00\U0010ffff", "\n"):
        assert kernel.spans(text) == pattern.automaton.spans(text) == pattern.spans(text)


@pytest.mark.parametrize(
    "source", ["", "a*", r"a\Kb", r"\Ga", r"(a)\1", "(?=ab)a", "(?<=ab)c", "a{5000}", r"(?>a|ab)c"]
)
def test_what_has_no_automaton(source):
    assert compile_pattern(source, "oniguruma").automaton is None


def test_too_many_states_or_classes_for_a_table():
    assert compile_pattern("(?:a|b)*a(?:a|b){14}c").automaton is None
    assert compile_pattern("|".join(map(chr, range(0x4E00, 0x4F00)))).automaton is None


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_patterns_find_what_re_finds(rng):
    """For more: python -m tests.fuzz.patterns 1000000"""
    generator = Generator(rng)
    pattern = compiled(generator.pattern())
    for _ in range(10 if pattern else 0):
        text = generator.text(12 if pattern._linear is None else 8)
        check(pattern, text)
        check_parts(pattern, text)


UNITS = ["a", "ab", "aab", "b ", "bc", "a\n", " ", "é😀"]


@pytest.mark.parametrize("seed", range(6))
def test_a_text_twice_as_long_takes_twice_as_many_steps(seed):
    """Whatever the pattern: of those that ``re`` runs, as it does it."""
    by = {True: 0, False: 0}
    for number in range(60):
        generator = Generator(random.Random(f"{seed} {number}"))
        source = generator.pattern()
        if generator.chance(0.5):
            source = f"(?:{source})" + generator.pick(["c", "$", "1", "(?=c)", "(?!a)"])
        pattern = compiled(source)
        if pattern is None or pattern._nfa is None:
            continue
        by[pattern._linear is None] += 1
        for unit in UNITS:
            short, long = (steps_taken(pattern, unit * times) for times in (101, 202))
            assert long < 2.6 * short + 2_000, (source, unit, short, long)
    assert min(by.values()) > 10
