"""The tokens of one text before post-processing; what is rarely asked for is computed when it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ..encoding import Spans
from ..kernel import Unit
from ..offsets import to_bytes, to_utf16
from .columns import Columns


class Tokens:
    """``ids``, and by methods their spellings, the words that they are in, and where they lie in the text.

    ``exact``: are the bytes of tokens more than those of their characters? ``n_texts``: in how many
    words the text came.
    """

    exact = False
    n_texts = 1

    def __init__(self, text: str, ids: list[int]) -> None:
        self.text, self.ids = text, ids

    def text_numbers(self) -> list[int]:
        """Which of the texts each token comes from."""
        return [0] * len(self.ids)

    def tokens(self) -> list[str]:
        raise NotImplementedError

    def words(self) -> Sequence[int | None]:
        raise NotImplementedError

    def spans(self, unit: Unit) -> Spans:
        raise NotImplementedError


class Listed(Tokens):
    """All of it in lists already."""

    def __init__(self, text: str, columns: Columns) -> None:
        super().__init__(text, columns.ids)
        self._columns = columns

    def tokens(self) -> list[str]:
        return cast("list[str]", self._columns.tokens)

    def words(self) -> Sequence[int | None]:
        return self._columns.words

    def spans(self, unit: Unit) -> Spans:
        return converted(unit, self.text, Spans(self._columns.starts, self._columns.ends))


def converted(unit: Unit, text: str, spans: Spans) -> Spans:
    """Spans in code points as spans in another unit."""
    if unit == "code points":
        return spans
    convert = to_utf16 if unit == "UTF-16" else to_bytes
    return Spans(convert(text, spans.starts), convert(text, spans.ends))
