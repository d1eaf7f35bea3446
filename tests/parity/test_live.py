"""Documents, streams, budgets and trusted parts on real vocabularies: never another result than a full encode."""

import os
import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.live import PARTS, REAL, Case, real
from tests.live_checks import CHECKS, Edited
from tests.texts import mixture

FULL = 20 if os.environ.get("BPEEK_FULL") else 1
TOKENIZERS = [*REAL, "clip"]
some_text = st.lists(st.sampled_from(PARTS) | st.characters(exclude_categories=["Cs"]), max_size=6).map("".join)


class Machine(RuleBasedStateMachine):
    """Random edits of one document."""

    name = "cl100k_base"

    @initialize(text=st.lists(some_text, max_size=8).map("".join), seed=st.integers(0, 9))
    def begin(self, text, seed):
        self.edited = Edited(Case.real(self.name, random.Random(seed)), text)

    @rule(data=st.data(), new=some_text)
    def replace(self, data, new):
        size = len(self.edited.text)
        start = data.draw(st.integers(0, size))
        self.edited.replace(start, data.draw(st.integers(start, min(size, start + 30))), new)

    @rule(data=st.data(), new=st.sampled_from(PARTS))
    def type(self, data, new):
        start = data.draw(st.integers(0, len(self.edited.text)))
        for char in new:
            self.edited.replace(start, start, char)
            start += 1

    @rule(data=st.data())
    def delete(self, data):
        start = data.draw(st.integers(0, len(self.edited.text)))
        self.edited.replace(start, data.draw(st.integers(start, len(self.edited.text))), "")

    @rule(data=st.data())
    def count(self, data):
        start = data.draw(st.integers(0, len(self.edited.text)))
        self.edited.count(start, data.draw(st.integers(start, len(self.edited.text))))

    @invariant()
    def all_columns(self):
        if hasattr(self, "edited"):
            self.edited.columns()


@pytest.mark.parametrize("name", [*TOKENIZERS, "deepseek_v3"])
def test_there_are_borders(name):
    """Without any, everything would still be right, but slow."""
    borders, text = real(name)._road.borders, mixture(2_000, 3)
    found = [at for at in range(1, len(text)) if borders[text[at - 1 : at + 1]]]
    assert len(found) > len(text) / 8
    assert borders["a "] and (borders["a("] or name == "clip")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_edits(name, small_segments):
    machine = type("Machine", (Machine,), {"name": name})
    examples = settings(max_examples=20 * FULL, stateful_step_count=12, deadline=None)
    run_state_machine_as_test(machine, settings=examples)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_random_texts(name, check, small_segments):
    for seed in range(25 * FULL):
        rng = random.Random(seed)
        check(Case.real(name, rng), rng)
