"""A pattern as a table: the same matches as `re` finds, and no character is read often."""

from array import array

import pytest

from bpeek.formats.presets import presets
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.automaton import BLOCK, DEAD, MATCHED
from bpeek.unicode.codepoints import LIMIT

TEXT = "It's  ＳＭＡＬＬ, isn't it? 12345 ªAAAb\r\n\r\n  \t x  ÀÉé漢字かな한글 'LL 'ſ 😀👩\u200d💻 ½²Ⅷ \ud800\u0301  "


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_named_encodings_have_small_automata_that_read_nothing_often(preset):
    pattern = compile_pattern(preset.pattern)
    found = pattern.automaton
    assert found is not None
    assert found.spans(TEXT) == pattern.spans(TEXT)
    assert found.n_states < 40 and found.width < 30 and found.overrun == 2


def run_by_table(automaton, text):
    """As the docstring of ``Automaton`` says it, with what a kernel is given and nothing else."""
    blocks, members = automaton.classes()
    first = array("H", blocks)
    assert len(first) == LIMIT // BLOCK
    classes = [members[first[ord(char) // BLOCK] * BLOCK + ord(char) % BLOCK] for char in text] + [automaton.width - 1]
    found, at = [], 0
    while at < len(text):
        state = automaton.starts[classes[at - 1] if at else -1]
        end = place = at
        while state != DEAD and place <= len(text):
            cell = automaton.table[state * automaton.width + classes[place]]
            end = place if cell & MATCHED else end
            state, place = cell & DEAD, place + 1
        found += [(at, end)] if end > at else []
        at = max(end, at + 1)
    return found


@pytest.mark.parametrize(
    "source", [r"\w+|[^\w\s]", r"\b\w+\b|.", r"^.|\s+(?!\S)", r"[^a]{2,3}?b|(?<=a)b", "\U0010ffff|\x00+"]
)
def test_the_tables_say_it_all(source):
    pattern = compile_pattern(source, "oniguruma")
    for text in (TEXT, "", "ab", "aab\nb xb", "\x00\x00\U0010ffff", "\n"):
        assert run_by_table(pattern.automaton, text) == pattern.automaton.spans(text) == pattern.spans(text)


@pytest.mark.parametrize(
    "source", ["", "a*", r"a\Kb", r"\Ga", r"(a)\1", "(?=ab)a", "(?<=ab)c", "a{5000}", r"(?>a|ab)c"]
)
def test_what_has_no_automaton(source):
    assert compile_pattern(source, "oniguruma").automaton is None
