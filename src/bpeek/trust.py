"""Texts that come in parts, of which only some may hold special tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, pairwise

from .encoding import Encoding
from .errors import SpecialTokenError, UnknownTokenError
from .offsets import well_formed
from .pipeline.added import finder
from .roads import Road
from .within import Run, Within


class Trusted(str):
    """Text that may hold special tokens, in a list of texts given to ``Tokenizer.encode``. Strings beside it
    may not, whatever they contain. One that is nothing but ``<|…|>`` must be a token of the vocabulary
    (``UnknownTokenError``): it would be read as plain text otherwise.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "<s>", "▁", *"<s>"], [0, 0, -1, -2, -3, -4], [2, 3, 1, 1, 1, 1])
    >>> encoding = tok.encode([Trusted("<s>"), "s<s>"])
    >>> encoding.ids, encoding.lookalikes
    ([1, 2, 4, 3, 4, 5], [(4, 7)])
    """

    __slots__ = ()


_LIKE_A_TOKEN = re.compile(r"<\|[^|<>]+\|>")


def encode(road: Road, parts: Iterable[str], allowed: frozenset[str], adds: bool, unknown: str | None) -> Encoding:
    """The encoding of the joined parts, with special tokens only where the text is trusted."""
    texts = [(well_formed(part), isinstance(part, Trusted)) for part in parts]
    for part, trusted in texts:
        if trusted and _LIKE_A_TOKEN.fullmatch(part) and not _known(road, part, unknown):
            message = (
                f"This tokenizer has no token {part!r}, which would be plain text; tok.special_tokens has those it has"
            )
            raise UnknownTokenError(message, part)
    text = "".join([part for part, _ in texts])
    runs = _runs([(len(part), trusted) for part, trusted in texts])
    encoding = road.encode((text,), allowed if runs == [(0, len(text))] else Within(allowed, runs), adds)
    _check(road, encoding, runs, unknown)
    if road.special_contents:
        spans = finder(road.special_contents)(text)
        encoding.lookalikes = [span for span in spans if not _inside(span, runs)]
    return encoding


def _known(road: Road, part: str, unknown: str | None) -> bool:
    """A token as it stands, or once it is normalized."""
    made = road.ids(part, road.special_contents)
    return road.token_to_id(part) is not None or not _specials(road, unknown).isdisjoint(made)


def _specials(road: Road, unknown: str | None) -> set[int]:
    return {road.id_of[content] for content in road.special_contents if content != unknown}


def _runs(sizes: Iterable[tuple[int, bool]]) -> list[Run]:
    """Where trusted text lies; neighbours are one run."""
    sizes = list(sizes)
    runs: list[Run] = []
    bounds = pairwise(accumulate((size for size, _ in sizes), initial=0))
    for (start, end), (_, trusted) in zip(bounds, sizes, strict=True):
        if not trusted or start == end:
            continue
        if runs and runs[-1][1] == start:
            start = runs.pop()[0]
        runs.append((start, end))
    return runs


def _inside(span: tuple[int, int], runs: list[Run]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in runs)


def _check(road: Road, encoding: Encoding, runs: list[Run], unknown: str | None) -> None:
    """A vocabulary may hold its special tokens as ordinary ones too, so that merging reaches them."""
    specials = _specials(road, unknown)
    for at, token in enumerate(encoding.ids):
        if token in specials and encoding.sequence_ids[at] is not None:
            span = encoding.offsets[at]
            if not _inside(span, runs):
                name = road.spelling(token)
                message = f"Untrusted text at character {span[0]} would become the special token {name!r}; take it out"
                raise SpecialTokenError(message, name, span[0])
