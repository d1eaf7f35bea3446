"""The road of ``.tiktoken`` vocabularies: special tokens, one pattern, merging by rank."""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import chain
from typing import cast
from weakref import proxy

from ..bpe import ByRank
from ..encoding import Encoding, Spans, text_numbers, together
from ..errors import UnknownTokenError
from ..kernel import Kernel, Unit
from ..kernel.tables import by_rank
from ..pattern import compile as compile_pattern
from ..pipeline.borders import Borders, beside_added, cut_by
from ..spec import Spec
from ..within import matches
from . import Decoding, Frame
from .direct import Cut, Direct, Segment
from .joins import SEPARATOR


class Ranked:
    def __init__(self, spec: Spec) -> None:
        vocab = cast("Mapping[bytes, int]", spec.model.vocab)
        step = spec.pre_tokenizer or {}
        self._pattern = pattern = compile_pattern(step["pattern"]["Regex"], spec.dialect)
        self._rule = ByRank(vocab)
        # An empty token keeps a place; an empty piece is no place of it.
        self.whole = {**vocab, b"": None}.get if b"" in vocab else vocab.get
        self.merge = self._rule.merge
        self._special_ids = {token.content: token.id for token in spec.added_tokens}
        self._special_of = {token.id: token.content for token in spec.added_tokens}
        self.special_contents = frozenset(self._special_ids)
        self._direct = Direct(proxy(self), [Cut(pattern, "Removed", invert=True)])
        self.kernel = self._direct.kernel

    @property
    def size(self) -> int:
        return len(self._rule.vocab) + len(self._special_ids)

    @cached_property
    def id_of(self) -> Mapping[str | bytes, int]:
        ids = cast("dict[str | bytes, int]", dict(self._rule.vocab))
        return ids | self._special_ids

    def recognised(self, add_special_tokens: bool) -> frozenset[str]:
        return self.special_contents if add_special_tokens else frozenset()

    def _segments(self, text: str, allowed: frozenset[str]) -> list[Segment]:
        """The text cut at special tokens; nothing if it has none."""
        segments = list[Segment]()
        at = 0
        for match in matches(_finder(allowed), text, allowed) if allowed else ():
            if at < match.start():
                segments.append(Segment(at, match.start(), None))
            at = match.end()
            segments.append(Segment(match.start(), at, self._special_ids[match.group()]))
        if 0 < at < len(text):
            segments.append(Segment(at, len(text), None))
        return segments

    @cached_property
    def borders(self) -> Borders:
        return Borders([beside_added((), self.special_contents), cut_by(self._pattern, "Removed", invert=True)])

    @cached_property
    def longest(self) -> int | None:
        return max(map(len, self.id_of), default=0) if self._pattern.covers else None

    def alone(self, text: str, allowed: frozenset[str]) -> Encoding:
        return self.encode((text,), allowed, False)

    def frame(self, add_special_tokens: bool) -> Frame:
        del add_special_tokens
        return (), ()

    def ids(self, text: str, allowed: frozenset[str]) -> array[int]:
        return self._direct.ids(text, self._segments(text, allowed))

    def count(self, text: str, allowed: frozenset[str], add_special_tokens: bool) -> int:
        del add_special_tokens
        return self._direct.count(text, self._segments(text, allowed))

    def encode(self, texts: tuple[str, ...], allowed: frozenset[str], add_special_tokens: bool) -> Encoding:
        del add_special_tokens
        columns = [self.ids(text, allowed) for text in texts]
        ids, numbers = together([column.tolist() for column in columns]), text_numbers(columns)

        def spans(unit: Unit) -> Spans:
            each = [
                self._direct.spans(text, column, self._segments(text, allowed), unit)
                for text, column in zip(texts, columns, strict=True)
            ]
            return each[0] if len(each) == 1 else Spans(*(list(chain(*side)) for side in zip(*each, strict=True)))

        return Encoding(
            ids,
            texts,
            spans=lambda: spans("code points"),
            utf16_spans=lambda: spans("UTF-16"),
            byte_spans=lambda: spans("bytes"),
            tokens=lambda: list(map(self.spelling, ids)),
            special_tokens_mask=lambda: [0] * len(ids),
            word_ids=lambda: [number for text in texts for number in self._words(text, allowed)],
            type_ids=numbers,
            sequence_ids=numbers,
        )

    def _words(self, text: str, allowed: frozenset[str]) -> list[int]:
        sizes = self._direct.word_sizes(text, self._segments(text, allowed))
        return [number for number, size in enumerate(sizes) for _ in range(size)]

    def compile(self, kernel: Kernel) -> bool:
        """For the kernel: the tokens, and that what two have together is one."""
        vocab, special = self._rule.vocab, self._special_of
        if not by_rank(kernel, vocab, max(chain(vocab.values(), special)) + 1):
            return False
        kernel.lengths({id: len(special[id].encode()) for id in special.keys() - vocab.values()})
        return True

    def encode_batch(
        self, batch: Sequence[tuple[str, ...]], allowed: frozenset[str], add_special_tokens: bool
    ) -> list[Encoding]:
        return [self.encode(texts, allowed, add_special_tokens) for texts in batch]

    def decode(self, ids: Sequence[int], skip_special_tokens: bool, errors: str) -> str:
        return self.decoding(skip_special_tokens, errors)(ids, last=True)

    def decoding(self, skip_special_tokens: bool, errors: str) -> Decoding:
        return _Decoding(self, self._special_of if skip_special_tokens else {}, errors)

    def token_bytes(self, token_id: int) -> bytes:
        token = self._rule.tokens.get(token_id)
        if token is not None:
            return token
        content = self._special_of.get(token_id)
        if content is None:
            raise UnknownTokenError(f"Invalid token for decoding: {token_id}", token_id)
        return content.encode()

    def joined_tokens(self) -> bytes:
        return SEPARATOR.join(self._rule.vocab)

    def spelling(self, token_id: int) -> str:
        return self.token_bytes(token_id).decode("utf-8", "backslashreplace")

    def token_to_id(self, token: str | bytes) -> int | None:
        found = self._rule.vocab.get(token.encode() if isinstance(token, str) else token)
        return found if found is not None or isinstance(token, bytes) else self._special_ids.get(token)


class _Decoding:
    """Bytes to text; an unfinished character waits."""

    def __init__(self, road: Ranked, skipped: Collection[int], errors: str) -> None:
        self._road, self._skipped, self._errors = road, skipped, errors
        self._rest = b""

    def __call__(self, ids: Sequence[int], last: bool = False) -> str:
        if self._skipped:
            ids = [token for token in ids if token not in self._skipped]
        data = self._rest + b"".join(map(self._road.token_bytes, ids))
        text, used = codecs.utf_8_decode(data, self._errors, last)
        self._rest = data[used:]
        return text

    def copy(self) -> _Decoding:
        return copy(self)


@lru_cache(maxsize=32)
def _finder(contents: frozenset[str]) -> re.Pattern[str]:
    # Where one special token begins with another, the longest wins; in the reference, either may.
    return re.compile("|".join(map(re.escape, sorted(contents, key=len, reverse=True))))
