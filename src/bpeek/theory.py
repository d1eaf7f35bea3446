"""*Formalizing BPE Tokenization* (Berglund and van der Merwe, 2023) as code, on plain strings.

To be read beside ``docs/theory.md``, and to test everything else against: nothing here is fast. A *rule* is
a pair of strings (u, v) that may be joined; a *dictionary* is a list of rules, the first of highest priority;
a *tokenization* of a text is a tuple of strings that joined give the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise, product, takewhile
from typing import NamedTuple

from .errors import BpeekError

Rule = tuple[str, str]
Tokens = tuple[str, ...]
Tokenize = Callable[[str], Tokens]


class Step(NamedTuple):
    """One merge: the rank of the rule, the place of its left part, the tokens after it."""

    rank: float
    place: int
    tokens: Tokens


def merges(text: str, rank: Callable[[str, str], float | None]) -> Iterator[Step]:
    """Merge the two neighbours of lowest rank, the leftmost such pair, until none has a rank."""
    tokens = tuple(text)
    while True:
        ranked = ((rank(*pair), place) for place, pair in enumerate(pairwise(tokens)))
        lowest = min(((number, place) for number, place in ranked if number is not None), default=None)
        if lowest is None:
            return
        number, place = lowest
        tokens = _merged(tokens, place)
        yield Step(number, place, tokens)


def _merged(tokens: Tokens, place: int) -> Tokens:
    return (*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :])


def by_rank(ranks: Mapping[str, float], text: str) -> Tokens:
    """tiktoken's semantics, and SentencePiece's own: any two neighbours merge whose joined text has a rank.

    >>> by_rank({"bc": 0, "ab": 1, "bcab": 2}, "abcab")
    ('a', 'bcab')
    """
    return _last(text, merges(text, lambda left, right: ranks.get(left + right)))


def _last(text: str, steps: Iterable[Step]) -> Tokens:
    tokens = tuple(text)
    for step in steps:
        tokens = step.tokens
    return tokens


class Dictionary:
    """An ordered list of rules. As in ``tokenizers``, a rule that is listed twice has its last place.

    >>> trained = Dictionary([("a", "b"), ("ab", "c"), ("c", "c")])
    >>> trained.tokenize("abcc"), trained.is_proper
    (('abc', 'c'), True)
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self.rank = {rule: number for number, rule in enumerate(self.rules)}

    @classmethod
    def of_vocabulary(cls, ranks: Mapping[str, float]) -> Dictionary:
        """All ways to join two tokens to one with a rank: the rules that ``by_rank`` implies.

        >>> Dictionary.of_vocabulary({"ab": 1, "abc": 2}).rules
        (('a', 'b'), ('ab', 'c'))
        """
        tokens = sorted(ranks, key=ranks.__getitem__)
        halves = ((token[:at], token[at:]) for token in tokens for at in range(1, len(token)))
        return cls(rule for rule in halves if all(len(part) == 1 or part in ranks for part in rule))

    # Semantics

    def base_tokenizations(self, text: str) -> set[Tokens]:
        """All that merging in any order can end with: T_base.

        >>> sorted(Dictionary([("a", "b"), ("b", "c")]).base_tokenizations("abc"))
        [('a', 'bc'), ('ab', 'c')]
        """
        seen, found = set[Tokens](), set[Tokens]()
        waiting = [tuple(text)]
        while waiting:
            tokens = waiting.pop()
            if tokens in seen:
                continue
            seen.add(tokens)
            places = [place for place, pair in enumerate(pairwise(tokens)) if pair in self.rank]
            waiting += [_merged(tokens, place) for place in places]
            if not places:
                found.add(tokens)
        return found

    def steps(self, text: str) -> Iterator[Step]:
        """The merges of ``tokenize``, in order."""
        return merges(text, lambda left, right: self.rank.get((left, right)))

    def tokenize(self, text: str) -> Tokens:
        """SentencePiece's semantics, T: the rule of highest priority that applies, at its leftmost place; and again.
        So do ``tokenizers`` and bpeek."""
        return _last(text, self.steps(text))

    def tokenize_in_rounds(self, text: str) -> Tokens:
        """Hugging Face's semantics, T_hf, that of GPT-2's own code: the rule of highest priority that applies, at
        all its places from left to right; and again.

        >>> odd = Dictionary([("a", "b"), ("abc", "ab"), ("ab", "c")])
        >>> odd.tokenize("abcabc"), odd.tokenize_in_rounds("abcabc")
        (('abcab', 'c'), ('abc', 'abc'))
        """
        tokens = tuple(text)
        while True:
            applicable = [self.rank[pair] for pair in pairwise(tokens) if pair in self.rank]
            if not applicable:
                return tokens
            tokens = applied(self.rules[min(applicable)], tokens)

    # Kinds of dictionaries

    @cached_property
    def is_weakly_proper(self) -> bool:
        """Is every part of a rule that is longer than a symbol made by *some* earlier rule?"""
        made: set[str] = set()
        for rule in sorted(
            self.rank, key=self.rank.__getitem__
        ):  # of a rule that is listed twice, the last place counts
            if any(len(part) > 1 and part not in made for part in rule):
                return False
            made.add("".join(rule))
        return True

    @cached_property
    def is_proper(self) -> bool:
        """Is every part made by some rule, and are *all* rules that make it earlier? (Strongly proper.)

        Then T and T_hf are one (Lemma 1). Being weakly proper is not enough:

        >>> weak = Dictionary([("a", "b"), ("b", "c"), ("a", "bc"), ("abc", "ab"), ("ab", "c")])
        >>> weak.is_weakly_proper, weak.is_proper, weak.tokenize("abcabc") == weak.tokenize_in_rounds("abcabc")
        (True, False, False)
        """
        return not any(self.improper_uses())

    def improper_uses(self) -> Iterator[tuple[Rule, str]]:
        """Rules with a part that is made by no rule, or by one that is not earlier; and that part."""
        made_by: dict[str, int] = {}
        for (left, right), number in self.rank.items():
            made = left + right
            made_by[made] = max(number, made_by.get(made, 0))
        for rule, number in self.rank.items():
            yield from ((rule, part) for part in rule if len(part) > 1 and made_by.get(part, number) >= number)

    def useful(self) -> Dictionary:
        """The rules that are ever applied: those that make the last step in tokenizing what they make.

        For each string there is at most one. Without all the others, T is the same.

        >>> Dictionary([("a", "b"), ("b", "c"), ("a", "bc"), ("ab", "c")]).useful().rules
        (('a', 'b'), ('b', 'c'), ('ab', 'c'))
        """
        used = (rule for rule, rank in self.rank.items() if self._last_step(rule) == (rank, 0, ("".join(rule),)))
        return Dictionary(sorted(used, key=self.rank.__getitem__))

    def _last_step(self, rule: Rule) -> Step | None:
        return max(self.steps("".join(rule)), key=lambda step: -len(step.tokens), default=None)

    def may_cut(self, left: str, right: str) -> bool:
        """Is T(x·y) = T(x)·T(y) for every x that ends with the symbol ``left`` and y that begins with ``right``?

        It is so if no rule makes a string with the two side by side: no merge then crosses their border.
        """
        return not any(left + right in u + v for u, v in self.rules)


def applied(rule: Rule, tokens: Tokens) -> Tokens:
    """A rule at all its places, from left to right."""
    done: list[str] = []
    at = 0
    while at < len(tokens):
        size = 2 if tokens[at : at + 2] == rule else 1
        done.append("".join(tokens[at : at + size]))
        at += size
    return tuple(done)


# Cutting, gluing, updating: for any tokenizer of this kind, and any dictionary


def glue(left: Tokens, right: Tokens) -> Tokens:
    """Two tokenizations that share a token, glued on it: T(t1·u) and T(u·t2) make T(t1·u·t2).

    >>> glue(("a", "bc"), ("bc", "d"))
    ('a', 'bc', 'd')
    """
    if not left or not right or left[-1] != right[0]:
        raise BpeekError("These do not share a token: the last of the left one must be the first of the right one")
    return left + right[1:]


def join(tokenize: Tokenize, left: Tokens, right: Tokens) -> Tokens:
    """The tokenization of two texts joined, from those of each: Algorithm 1.

    The last i tokens of one and the first j of the other are tokenized anew, from i = j = 1. If that begins
    with the first token taken and ends with the last, it can be glued in; else more are taken.

    >>> join(Dictionary([("b", "c"), ("a", "bc")]).tokenize, ("x", "a", "b"), ("c", "x"))
    ('x', 'abc', 'x')
    """
    i, j = min(1, len(left)), min(1, len(right))
    while True:
        middle = tokenize("".join(left[len(left) - i :] + right[:j]))
        left_fits = i == len(left) or middle[0] == left[-i]
        right_fits = j == len(right) or middle[-1] == right[j - 1]
        if left_fits and right_fits:
            return left[: len(left) - i] + middle + right[j:]
        i += not left_fits
        j += not right_fits


def update(tokenize: Tokenize, tokens: Tokens, start: int, end: int, new: str) -> Tokens:
    """The tokenization after the text from ``start`` to ``end`` was replaced: local update.

    Tokens outside are kept, the middle is tokenized, and all three are joined.

    >>> update(Dictionary([("a", "b"), ("ab", "c")]).tokenize, ("a", "x", "c"), 1, 2, "b")
    ('abc',)
    """
    text, bounds = "".join(tokens), [0, *accumulate(map(len, tokens))]
    kept_left = max(n for n, bound in enumerate(bounds) if bound <= start)
    kept_right = min(n for n, bound in enumerate(bounds) if bound >= end)
    middle = tokenize(text[bounds[kept_left] : start] + new + text[end : bounds[kept_right]])
    return join(tokenize, join(tokenize, tokens[:kept_left], middle), tokens[kept_right:])


# How far the end of a text reaches back


def final_tokens(tokenize: Tokenize, vocabulary: Iterable[str], text: str) -> int:
    """How many of its first tokens no continuation can change.

    However the text goes on, the tokens have a border where the text so far ends, or where it ends but for
    the beginning of a longer token. What begins the tokenizations up to all these places is final.

    >>> final_tokens(Dictionary([("b", "c"), ("a", "b")]).tokenize, ["ab", "bc"], "abab")
    1
    """
    begun = {token[:at] for token in vocabulary for at in range(1, len(token))}
    ends = [at for at in range(len(text) + 1) if at == len(text) or text[at:] in begun]
    return _common_start([tokenize(text[:at]) for at in ends])


def _common_start(each: Sequence[Tokens]) -> int:
    return sum(takewhile(bool, (len(set(tokens)) == 1 for tokens in zip(*each, strict=False))))


def lookahead(tokenize: Tokenize, alphabet: str, longest: int, more: int) -> int:
    """The lookahead constant by brute force: for all texts of up to ``longest`` symbols, continued by up to
    ``more``, how much of the end has its tokens changed."""
    known = {text: tokenize(text) for text in words(alphabet, longest + more)}
    pairs = ((known[text], known[text + tail]) for text in words(alphabet, longest) for tail in words(alphabet, more))
    return max(len("".join(before[_common_start((before, after)) :])) for before, after in pairs)


def words(alphabet: str, longest: int) -> Iterator[str]:
    """All texts of up to so many symbols, the shortest first."""
    return ("".join(each) for size in range(longest + 1) for each in product(alphabet, repeat=size))


def paper_bound(rules: Sequence[Rule]) -> int:
    """Theorem 2: for a proper dictionary, the lookahead constant is at most |D| · max |uv|."""
    return len(rules) * max((len(left + right) for left, right in rules), default=0)


def chain_bound(rules: Iterable[Rule]) -> int:
    """A better bound, for a proper dictionary too; give it only useful rules, in order.

    A rule u|v moves the border that all continuations share to the left by |u|, and only if a token that
    begins there is v; all of these begin with the u of the rule that moved it last. So the longest chain of
    rules, each with the left part of one before it at the beginning of its right part, is a bound.

    >>> chain_bound([("a", "b"), ("c", "d"), ("e", "ab")]), paper_bound([("a", "b"), ("c", "d"), ("e", "ab")])
    (2, 9)
    """
    reach: dict[str, int] = {}  # the left part of a rule -> how far chains that end with it reach
    for left, right in rules:
        before = max((reach.get(right[:size], 0) for size in range(1, len(right) + 1)), default=0)
        reach[left] = max(reach.get(left, 0), before + len(left))
    return max(reach.values(), default=0)
