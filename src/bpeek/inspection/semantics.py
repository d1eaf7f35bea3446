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
    """``same`` is ``True`` if it is proved, ``False`` if there is a witness, else ``None``; ``suspects`` are then
    the tokens one of which every witness would have to make."""

    same: bool | None
    witness: str | None = None
    leftmost: Tokens = ()
    in_rounds: Tokens = ()
    tried: int = 0
    suspects: tuple[str, ...] = ()


def compare(rules: Rules, improper: list[tuple[tuple[str, str], str]]) -> Semantics:
    """``improper`` are the useful rules with a part that is not made earlier."""
    if rules.ranks_are_shared:
        improper = [*improper, *((rule, "".join(rule)) for rule in rules.tied)]
    else:
        harmless = {part for part in {part for _, part in improper} if _is_harmless(rules, part)}
        improper = [(rule, part) for rule, part in improper if part not in harmless]
        if not improper:
            return Semantics(True)
    tried = 0
    for text in _candidates(rules, improper):
        tried += 1
        one, other = tokenize(rules, text), tokenize_in_rounds(rules, text)
        if one != other:
            return Semantics(False, text, one, other, tried)
    return Semantics(None, tried=tried, suspects=tuple(sorted({part for _, part in improper})))


def _is_harmless(rules: Rules, made: str) -> bool:
    """Does it make no difference that rules with this part go before the rule p|q that makes it?

    T goes on with them after each p|q, T_hf only after all. So let the *grown* tokens be those that come of it by
    such rules, and see what they take up on the right and on the left. If no two grown tokens merge, nothing is
    taken up from both sides, and no p from the left, then what one p|q leads to has nothing to do with the next.
    """
    derivation = rules.made.get(made)
    if derivation is None:
        return True  # it never comes up
    before, grown, waiting = derivation.rank, {made}, [made]
    on_the_right, on_the_left = set[str](), set[str]()
    while waiting:
        token = waiting.pop()
        for left, right in rules.with_part(token):
            new = left + right
            if rules.made[new].rank >= before:
                continue
            on_the_right |= {right} if left == token else set()
            on_the_left |= {left} if right == token else set()
            if new not in grown:
                grown.add(new)
                waiting.append(new)
    clashes = product(grown | on_the_right, grown)
    return (
        made[: derivation.left] not in on_the_right
        and on_the_right.isdisjoint(on_the_left)
        and not any((rank := rules.rank(*pair)) is not None and rank < before for pair in clashes)
    )


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
    alphabets = {"".join(sorted(set("".join(rule)))) for rule, _ in improper}
    for symbols in alphabets:
        found.update(_short_words(symbols, MOST_WORDS // len(alphabets)))
    yield from sorted(found, key=lambda text: (len(text), text))[:MOST_WORDS]


def _short_words(symbols: str, most: int) -> Iterator[str]:
    size = 1
    while len(symbols) ** (size + 2) <= most and size < LONGEST:
        size += 1
    return words(symbols, size)
