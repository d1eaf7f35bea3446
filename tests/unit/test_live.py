"""Documents, streams, budgets and trusted parts on random tokenizers of every kind, with hostile patterns."""

import json
import os
import random

import pytest
from tests.live import Case
from tests.live_checks import CHECKS

import bpeek

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


def test_a_token_that_is_listed_twice():
    """The same ids with and without offsets, though its flags are not those of the first entry."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    vocab = {"a": 0, "b": 1, **{f"<0x{byte:02X}>": byte + 2 for byte in range(256)}}
    added = [
        {"id": 0, "content": "a", "normalized": False, "special": False, **flags},
        {"id": 300, "content": "ab", "normalized": True, "special": True, **flags},
        {"id": 300, "content": "ab", "normalized": False, "special": True, **flags},
    ]
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True}
    tok = bpeek.load(json.dumps({"added_tokens": added, "model": model}).encode(), name="tokenizer.json")
    assert (tok.encode("xab").ids, tok.encode_ordinary("xab")) == ([122, 258], [122, 0, 1])
    assert tok._road.ids("xab", tok._road.special_contents).tolist() == tok.encode("xab").ids
