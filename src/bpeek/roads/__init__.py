"""From text to ids and back. A road is how one kind of tokenizer does it.

``ranked`` is for vocabularies that merge by rank (``.tiktoken``), ``piped`` for the pipeline of a
``tokenizer.json``; both run plain byte-level text through ``direct``. ``scored`` is for SentencePiece.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Protocol

from ..encoding import Encoding
from ..kernel import OnDemand
from ..pipeline.borders import Borders
from ..spec import Spec

Frame = tuple[Sequence[int], Sequence[int]]


class Decoding(Protocol):
    """Ids to text as they come. It holds back what later ids may change."""

    def __call__(self, ids: Sequence[int], last: bool = False) -> str: ...

    def copy(self) -> Decoding: ...


class Road(Protocol):
    """What ``Tokenizer`` asks of a road. Texts are well-formed; ``allowed`` are the special
    tokens to recognise in them."""

    @property
    def kernel(self) -> OnDemand:
        """What takes long texts, if anything does."""

    @property
    def size(self) -> int:
        """How many tokens there are, without a table of them."""

    @property
    def id_of(self) -> Mapping[str | bytes, int]:
        """Every token as the file spells it."""

    @property
    def special_contents(self) -> frozenset[str]: ...

    def recognised(self, add_special_tokens: bool) -> frozenset[str]:
        """The special tokens that are recognised in text where the caller states no policy."""

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding: ...

    def ids(self, text: str, allowed: frozenset[str]) -> array[int]: ...

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int: ...

    @property
    def borders(self) -> Borders:
        """Where every text may be cut. The parts are encoded as the whole is, but for what is done only at its
        beginning: see ``bpeek.parts``."""

    @property
    def longest(self) -> int | None:
        """No token has more characters of a text, and none of these is in no token; ``None`` if that is not known."""

    def alone(self, text: str, allowed: frozenset[str]) -> Encoding:
        """The tokens of the text itself: nothing added, truncated or padded."""

    def frame(self, add_special_tokens: bool) -> Frame:
        """The ids that are put before and after the tokens of every single text."""

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        """Each by itself, then padded together if the tokenizer pads."""

    def decode(self, ids: Sequence[int], skip_special_tokens: bool, errors: str) -> str: ...

    def decoding(self, skip_special_tokens: bool, errors: str) -> Decoding:
        """The same bit by bit."""

    def token_bytes(self, token_id: int) -> bytes: ...

    def spelling(self, token_id: int) -> str: ...

    def token_to_id(self, token: str | bytes) -> int | None: ...


def build(spec: Spec) -> Road:
    """The road for a tokenizer."""
    if spec.model.rule == "by_rank":
        from .ranked import Ranked

        return Ranked(spec)
    if spec.model.rule == "by_score":
        from .scored import Scored

        return Scored(spec)
    from .piped import Piped

    return Piped(spec)
