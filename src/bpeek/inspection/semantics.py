"""Are SentencePiece's and Hugging Face's semantics one for these rules? If not: a short text that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import NamedTuple

from ..theory import Tokens, applied, merges, words
from .rules import Rules

MOST_PARTS = 3  # a candidate is made of so many parts of rules
MOST_WORDS = 20_000  # candidates that are tried
LONGEST = 64  # symbols: of words that are all tried, if there are few symbols


class Semantics(NamedTuple):
    """``same`` is ``True`` if it is proved (Lemma 1), ``False`` if there is a witness, else ``None``."""

    same: bool | None
    witness: str | None = None
    leftmost: Tokens = ()
    in_rounds: Tokens = ()
    tried: int = 0


def compare(rules: Rules, improper: list[tuple[tuple[str, str], str]]) -> Semantics:
    """``improper`` are the useful rules with a part that is not made earlier."""
    if not improper and not rules.ranks_are_shared:
        return Semantics(True)
    tried = 0
    for text in _candidates(rules, improper):
        tried += 1
        one, other = tokenize(rules, text), tokenize_in_rounds(rules, text)
        if one != other:
            return Semantics(False, text, one, other, tried)
    return Semantics(None, tried=tried)


def tokenize(rules: Rules, text: str) -> Tokens:
    tokens: Tokens = tuple(text)
    for step in merges(text, rules.rank):
        tokens = step.tokens
    return tokens


def tokenize_in_rounds(rules: Rules, text: str) -> Tokens:
    """``theory.Dictionary.tokenize_in_rounds``; of rules that share a rank, that of the leftmost pair goes first."""
    tokens = tuple(text)
    while True:
        ranked = [(rank, at) for at, pair in enumerate(pairwise(tokens)) if (rank := rules.rank(*pair)) is not None]
        if not ranked:
            return tokens
        at = min(ranked)[1]
        tokens = applied((tokens[at], tokens[at + 1]), tokens)


def _candidates(rules: Rules, improper: list[tuple[tuple[str, str], str]]) -> Iterator[str]:
    """Texts in which a merge makes a rule applicable that goes before it, the shortest first."""
    found: set[str] = set()
    for rule, part in improper:
        left = rules.made[part].left if part in rules.made else 0
        parts = sorted({*rule, part, part[:left], part[left:]} - {""})
        for size in range(2, MOST_PARTS + 1):
            found.update("".join(each) for each in product(parts, repeat=size))
    symbols = "".join(sorted({char for rule, part in improper for char in "".join(rule)}))
    found.update(_short_words(symbols))
    yield from sorted(found, key=lambda text: (len(text), text))[:MOST_WORDS]


def _short_words(symbols: str) -> Iterator[str]:
    size = 1
    while symbols and len(symbols) ** (size + 1) <= MOST_WORDS // 4 and size < LONGEST:
        size += 1
    return words(symbols, size) if symbols else iter(())
