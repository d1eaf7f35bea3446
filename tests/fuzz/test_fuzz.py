"""The fuzz targets, for a fixed number of executions; for longer: python -m tests.fuzz.targets SECONDS"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, execute, mutated, seeds


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 1 << 62))
def test_mutated(name, seed):
    execute(name, mutated(random.Random(seed), seeds(name)))


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.binary(max_size=300))
def test_noise(name, data):
    execute(name, data)
    execute(name, seeds(name)[:40] + data)
