"""``.tiktoken`` vocabularies explained: special tokens, one pattern, merging by rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from ..bpe import ByRank
from ..pattern.branches import Branch, branches
from ..spec import Spec
from .merging import watch
from .notices import listed
from .tree import Cut, Merge, Notice, Piece, Stretch


class RankedExplainer:
    words = True

    def __init__(self, spec: Spec) -> None:
        step = spec.pre_tokenizer or {}
        self._pattern = branches(step["pattern"]["Regex"], spec.dialect)
        self._rule = ByRank(cast("Mapping[bytes, int]", spec.model.vocab))
        self._special = {token.content: token.id for token in spec.added_tokens}

    def explain(self, text: str, allowed: frozenset[str]) -> tuple[list[Notice], list[Stretch]]:
        notices, segments = listed(text, self._special, allowed)
        return notices, [self._stretch(text[start:end], start, special) for start, end, special in segments]

    def _stretch(self, text: str, origin: int, special: int | None) -> Stretch:
        end = origin + len(text)
        if special is not None:
            return Stretch(origin, end, text, (), (Piece(text, origin, end, (special,), (text,), added=True),))
        pieces = (self._piece(text[branch.start : branch.end], origin, branch) for branch in self._found(text))
        return Stretch(origin, end, text, (), tuple(pieces))

    def _found(self, text: str) -> Iterator[Branch]:
        return (branch for branch in self._pattern.branches(text) if branch.start < branch.end)

    def _piece(self, text: str, origin: int, branch: Branch) -> Piece:
        rule, data = self._rule, text.encode()
        starts = [rule.vocab[bytes([byte])] for byte in data]
        made, merged = watch(starts, rule.rank, lambda rank, left, right: rank)
        whole = rule.vocab.get(data)
        ids = merged if whole is None else [whole]
        return Piece(
            text,
            origin + branch.start,
            origin + branch.end,
            tuple(ids),
            tuple(map(self._shown, ids)),
            (Cut("Split", self._pattern.source, branch.alternative, self._pattern.alternatives[branch.alternative]),),
            tuple(map(self._shown, starts)),
            tuple(Merge(*step[:4], *map(self._shown, step[4:])) for step in made),
            whole is not None,
        )

    def _shown(self, token: int) -> str:
        return self._rule.tokens[token].decode("utf-8", "backslashreplace")
