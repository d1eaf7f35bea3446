"""How a text becomes tokens, step by step: ``tok.explain(text)``. Nothing here is used for encoding.

It takes the same steps once more, one at a time and by the definitions, so that each can be shown;
that it ends with the tokens of ``encode`` is tested.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..encoding import Encoding
from ..roads import Road
from ..roads.piped import Piped
from ..spec import Spec
from .tree import Change, Cut, Explanation, Merge, Notice, Piece, Stretch, Token

__all__ = [
    "Change",
    "Cut",
    "Explainer",
    "Explanation",
    "Merge",
    "Notice",
    "Piece",
    "Stretch",
    "Token",
    "explainer",
    "explanation",
]


class Explainer(Protocol):
    """Explains one text; ``allowed`` are the special tokens to recognise in it.

    ``words`` tells whether the words of an ``Encoding`` are the pieces that are explained.
    """

    words: bool

    def explain(self, text: str, allowed: frozenset[str]) -> tuple[list[Notice], list[Stretch]]: ...


def explainer(spec: Spec, road: Road) -> Explainer:
    """The explainer for a tokenizer."""
    if isinstance(road, Piped):
        from .piped import PipedExplainer

        return PipedExplainer(road.pipeline)
    if spec.model.rule == "by_rank":
        from .ranked import RankedExplainer

        return RankedExplainer(spec)
    from .scored import ScoredExplainer

    return ScoredExplainer(spec)


def explanation(explainer: Explainer, text: str, allowed: frozenset[str], encoding: Encoding) -> Explanation:
    """Everything about a text; ``encoding`` is what ``encode`` makes of it in the same call."""
    notices, stretches = explainer.explain(text, allowed)
    numbers: Iterable[int | None] = encoding.word_ids
    if not explainer.words:
        pieces = (piece for stretch in stretches for piece in stretch.pieces)
        numbers = (number for number, piece in enumerate(pieces) for _ in piece.ids)
    columns = zip(encoding.ids, encoding.tokens, encoding.offsets, numbers, strict=True)
    tokens = (Token(token, name, start, end, number) for token, name, (start, end), number in columns)
    return Explanation(text, tuple(notices), tuple(stretches), tuple(tokens))
