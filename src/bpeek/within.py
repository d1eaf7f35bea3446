"""Special tokens in texts: recognised in some parts only, or not allowed at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .errors import SpecialTokenError, Worded

Run = tuple[int, int]


class Within(frozenset[str]):
    """Some special tokens, and the ``runs`` of the text (start and end, in order) that must hold them wholly."""

    runs: tuple[Run, ...]

    def __new__(cls, tokens: Iterable[str], runs: Iterable[Run]) -> Within:
        self = super().__new__(cls, tokens)
        self.runs = tuple(runs)
        return self


def matches(pattern: re.Pattern[str], text: str, allowed: frozenset[str]) -> Iterator[re.Match[str]]:
    """The matches of a pattern for ``allowed`` tokens, wherever they may be.

    >>> [match.span() for match in matches(re.compile("ab"), "ab ab ab", Within(["ab"], [(1, 5), (7, 8)]))]
    [(3, 5)]
    """
    for start, end in allowed.runs if isinstance(allowed, Within) else [(0, len(text))]:
        yield from pattern.finditer(text, start, end)


def refuse(text: str, forbidden: frozenset[str]) -> None:
    """Raise ``SpecialTokenError`` for the first token in a text that is forbidden."""
    places = sorted((at, token) for token in forbidden if token and (at := text.find(token)) >= 0)
    if places:
        at, token = places[0]
        sentence = (
            f"Encountered text corresponding to disallowed special token {token!r} at character {at}.\n"
            f"If you want this text to be encoded as a special token, pass it to `allowed_special`, "
            f"e.g. `allowed_special={{{token!r}, ...}}`.\n"
            f"If you want this text to be encoded as normal text, disable the check for this token by passing "
            f"`disallowed_special=(specials - {{{token!r}}})`, "
            f"where specials are the keys of the tokenizer's `special_tokens`.\n"
            "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
        )
        in_javascript = (
            f"The text holds the special token {token!r} at character {at}. To read it as a special token, pass "
            f"{{ allowedSpecial: [{token!r}] }}; to read all so, pass "
            '{ policy: "special" }; to read it as any other text, pass { policy: "text" }.'
        )
        raise SpecialTokenError(Worded(sentence, in_javascript), token, at)
