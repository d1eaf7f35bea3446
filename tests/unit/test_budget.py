"""Budgets in texts without borders: answered from their beginnings, and as from all of them."""

import random
from base64 import b64encode

import pytest

import bpeek
from bpeek import budget
from bpeek.roads.ranked import Ranked


def trained(rng: random.Random, alphabet: str, merges: int) -> bpeek.Tokenizer:
    """A proper vocabulary, as training makes them, whose pattern cuts nothing."""
    tokens = [bytes([byte]) for byte in range(256)]
    some = [letter.encode() for letter in alphabet]
    while len(tokens) < 256 + merges:
        joined = b"".join(rng.choices(some, k=2))
        if joined not in tokens:
            tokens.append(joined)
            some.append(joined)
    lines = [b"%s %d" % (b64encode(token), rank) for rank, token in enumerate(tokens)]
    return bpeek.load(b"\n".join(lines), pattern=r"[\s\S]+", special_tokens={"<|end|>": 1000})


def of_the_whole(tok: bpeek.Tokenizer, text: str, n: int) -> str:
    """The first ``n`` tokens of a text, or as many as are no more when what follows is gone."""
    ends = [end for _, end in tok.encode(text).offsets]
    return next(text[:end] for end in [*ends[:n][::-1], 0] if tok.count(text[:end]) <= n)


@pytest.mark.parametrize("seed", range(40))
def test_the_beginning_tells_what_the_whole_would(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "BLOCK", 64)
    rng = random.Random(seed)
    tok = trained(rng, "ab", rng.randint(0, 12))
    for text in ("a" * 5_000, "ab" * 2_500, "".join(rng.choices("ab", k=5_000))):
        count = tok.count(text)
        for n in (0, 1, 2, rng.randint(3, 60), count - 1, count):
            assert tok.fits(text, n) == (count <= n)
            part = tok.truncate(text, n)
            assert (part.text, part.count) == (of_the_whole(tok, text, n), tok.count(part.text))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all texts that were encoded."""
    sizes, ids = list[int](), Ranked.ids
    monkeypatch.setattr(Ranked, "ids", lambda road, text, allowed: sizes.append(len(text)) or ids(road, text, allowed))
    return sizes


def test_no_more_is_encoded_than_tokens_can_reach(encoded: list[int]) -> None:
    tok = trained(random.Random(0), "ab", 8)
    longest = tok._road.longest
    assert longest == max(len("<|end|>"), *map(len, tok.spec.model.vocab))
    text = "ab" * 1_000_000
    assert not tok.fits(text, 100) and not encoded
    assert tok.truncate(text, 100).count == 100
    assert max(encoded) <= budget.enough(longest, 100) < len(text)


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [(r"[\s\S]+", 5), (r"\w+|\W", 5), (r"\w+", None), (r"x*", None)],  # what is in no match, is in no token
)
def test_characters_without_a_token(pattern: str, longest: int | None) -> None:
    lines = [b"%s %d" % (b64encode(bytes([byte])), byte) for byte in range(256)]
    tok = bpeek.load(b"\n".join(lines), pattern=pattern, special_tokens={"<end>": 300})
    assert tok._road.longest == longest
    assert tok.fits("-" * 100_000, 0) == (tok.count("-" * 100_000) == 0)
