"""The merge rules of a vocabulary in the terms of ``theory``: strings with one character for each start symbol.

A byte is written as a character of Latin-1 or of the byte alphabet, just as the vocabulary has it; a character
that an affix makes a symbol of its own (CLIP's ``e</w>``) has a stand-in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, cast

from ..bpe import NEVER
from ..spec import BYTE, CONTROL, UNKNOWN, Model, SentencePiece
from ..theory import Rule

_STAND_INS = 0xF0000  # private use; no vocabulary has tokens of these
_BETWEEN = "\U0010ffff"  # between the parts of a rule, where rules are pairs


class Derivation(NamedTuple):
    """How a token comes from its own symbols: the rank of the last merge, the size of its left part, and whether
    ranks never fell on the way."""

    rank: int
    left: int
    monotone: bool


class Rules:
    """``tokens`` are those that text may be merged into, by their spelling; ``made`` those that merging reaches."""

    def __init__(self, model: Model) -> None:
        self.model = model
        # By pair, the rank is that of the two; otherwise that of the two joined.
        self._between = _BETWEEN if model.rule == "by_pair" else ""
        self._stand_ins: dict[str, str] = {}
        self.tokens = self._spelled()
        self.rank_of = self._ranks()
        self.made = dict(self._derived())

    # What the vocabulary says

    def _spelled(self) -> dict[str, int]:
        vocab, facts = self.model.vocab, self.model.sentencepiece
        if self.model.rule == "by_rank":
            return {token.decode("latin-1"): id for token, id in cast("Mapping[bytes, int]", vocab).items()}
        named = cast("Mapping[str, int]", vocab)
        if facts is not None:
            apart = (BYTE, CONTROL, UNKNOWN)
            return {token: id for token, id in named.items() if facts.types[id] not in apart}
        model = self.model
        if not (model.continuing_subword_prefix or model.end_of_word_suffix):
            return dict(named)
        return {self._with_stand_ins(token): id for token, id in named.items()}

    def _with_stand_ins(self, token: str) -> str:
        model = self.model
        prefix, suffix = model.continuing_subword_prefix, model.end_of_word_suffix
        goes_on = bool(prefix) and token.startswith(prefix) and len(token) > len(prefix)
        ends = bool(suffix) and token.endswith(suffix) and len(token) > len(suffix)
        body = token[len(prefix) if goes_on else 0 : len(token) - len(suffix) if ends else None]
        symbols = [
            prefix * (at > 0 or goes_on) + char + suffix * (ends and at == len(body) - 1)
            for at, char in enumerate(body)
        ]
        return "".join(map(self._symbol, symbols))

    def _symbol(self, symbol: str) -> str:
        if len(symbol) == 1:
            return symbol
        return self._stand_ins.setdefault(symbol, chr(_STAND_INS + len(self._stand_ins)))

    @cached_property
    def listed(self) -> list[Rule]:
        """The rules as they are listed in the file; none where the vocabulary implies them."""
        merges = self.model.merges
        if self._stand_ins:
            return [(self._with_stand_ins(left), self._with_stand_ins(right)) for left, right in merges]
        return list(merges)

    def _ranks(self) -> dict[str, int]:
        if self.model.rule == "by_pair":
            between = self._between
            return {left + between + right: rank for rank, (left, right) in enumerate(self.listed)}
        if self.model.rule == "by_rank":
            return self.tokens
        scores = cast(SentencePiece, self.model.sentencepiece).scores
        order = {
            score: rank for rank, score in enumerate(sorted({scores[id] for id in self.tokens.values()}, reverse=True))
        }
        return {token: order[scores[id]] for token, id in self.tokens.items()}

    # What follows from it

    def _derived(self) -> Iterator[tuple[str, Derivation]]:
        starts = self.tokens if self.model.rule == "by_pair" else None
        for token in self.tokens:
            if len(token) > 1 and (derivation := self._derivation(token)):
                if starts is None or all(map(starts.__contains__, token)):
                    yield token, derivation

    def _derivation(self, token: str) -> Derivation | None:
        """``None`` if its symbols do not merge into it: then no text's do (Lemma 2)."""
        get, between = self.rank_of.get, self._between
        symbols = list(token)
        ranks = [get(left + between + right, NEVER) for left, right in pairwise(symbols)]
        last, left, monotone = -1, "", True
        while ranks and (lowest := min(ranks)) != NEVER:
            monotone &= lowest >= last
            last = lowest
            at = ranks.index(lowest)
            left = symbols[at]
            made = symbols[at] = left + symbols[at + 1]
            del symbols[at + 1], ranks[at]
            if at:
                ranks[at - 1] = get(symbols[at - 1] + between + made, NEVER)
            if at < len(ranks):
                ranks[at] = get(made + between + symbols[at + 1], NEVER)
        return None if ranks else Derivation(last, len(left), monotone)

    @cached_property
    def useful(self) -> list[Rule]:
        """The rules that are ever applied, in order: for each token that is made, the last one in making it."""
        in_order = sorted(self.made.items(), key=lambda item: item[1].rank)
        return [(token[: each.left], token[each.left :]) for token, each in in_order]

    @cached_property
    def _by_part(self) -> dict[str, list[Rule]]:
        found: dict[str, list[Rule]] = {}
        for rule in self.useful:
            for part in set(rule):
                found.setdefault(part, []).append(rule)
        return found

    def with_part(self, part: str) -> list[Rule]:
        """The useful rules that have it as a part."""
        return self._by_part.get(part, [])

    @cached_property
    def count(self) -> int:
        """How many rules there are: those listed, or all ways to join two symbols to a token."""
        if self.model.rule == "by_pair":
            return len(self.listed)
        tokens, any_symbol = self.tokens, self.model.rule == "by_score"  # there, an unknown character is one too
        halves = ((token[:at], token[at:]) for token in tokens for at in range(1, len(token)))
        return sum(
            (left in tokens or (any_symbol and len(left) == 1))
            and (right in tokens or (any_symbol and len(right) == 1))
            for left, right in halves
        )

    @cached_property
    def tied(self) -> list[Rule]:
        """The useful rules whose rank another one has too: of SentencePiece's pieces, several may have one score."""
        of_rank = Counter(each.rank for each in self.made.values())
        return [rule for rule in self.useful if of_rank[self.made["".join(rule)].rank] > 1]

    @property
    def ranks_are_shared(self) -> bool:
        """The theory knows only rules in an order."""
        return bool(self.tied)

    def rank(self, left: str, right: str) -> int | None:
        return self.rank_of.get(left + self._between + right)

    def shown(self, token: str) -> str:
        """A token with its affixes again."""
        if not self._stand_ins:
            return token
        names = {stand_in: symbol for symbol, stand_in in self._stand_ins.items()}
        return " ".join(names.get(char, char) for char in token)
