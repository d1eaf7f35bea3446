"""Documents, streams, budgets and trusted parts on random tokenizers of every kind, with hostile patterns."""

import os
import random

import pytest
from tests.live import Case
from tests.live_checks import CHECKS

FULL = 20 if os.environ.get("BPEEK_FULL") else 1


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ["ranks", "hugging_face", "sentencepiece"])
def test_random_tokenizers(kind, check, small_segments):
    for seed in range(250 * FULL):
        rng = random.Random(seed)
        case = getattr(Case, kind)(seed)
        if case is not None:
            try:
                check(case, rng)
            except AssertionError as error:
                raise AssertionError(f"{kind} {seed}") from error
