"""What ``direct`` needs of a byte-level ``tokenizer.json``: its merges over GPT-2's byte alphabet, and its patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..bytechars import BYTE_TO_CHAR, CHAR_TO_BYTE, to_bytes, to_bytes_loosely, to_chars
from ..kernel import Kernel
from ..kernel.tables import by_pair_of_bytes
from ..pattern import compile as compile_pattern
from ..pipeline.pretokenizers import GPT2, Matches, matches_of
from ..pipeline.run import Pipeline
from ..spec import Spec
from .direct import Cut
from .joins import SEPARATOR


class ByteAlphabetModel:
    """Merging by pairs over a vocabulary that is written in GPT-2's byte alphabet."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        vocab = pipeline.model.vocab
        self._starts = [vocab[char] for _, char in sorted((byte, char) for char, byte in CHAR_TO_BYTE.items())]
        self._ignore_merges = pipeline.spec.model.ignore_merges

    def whole(self, piece: bytes) -> int | None:
        return self._pipeline.model.vocab.get(to_chars(piece)) if self._ignore_merges else None

    def merge(self, piece: bytes) -> list[int]:
        starts = self._starts
        return self._pipeline.model.rule.merge([starts[byte] for byte in piece])

    def token_bytes(self, token_id: int) -> bytes:
        # Not those of an added token with the same id, which merging does not make.
        name = self._pipeline.model.names.get(token_id)
        return self._pipeline.added.by_id[token_id].content.encode() if name is None else token_bytes(name)

    def compile(self, kernel: Kernel) -> bool:
        added, vocab = self._pipeline.added.by_id, self._pipeline.model.vocab
        if not by_pair_of_bytes(kernel, self._pipeline.spec.model, max(*vocab.values(), *added, 0) + 1):
            return False
        kernel.lengths({id: len(self.token_bytes(id)) for id in added})  # some have characters outside the alphabet
        return True

    def joined_tokens(self) -> bytes:
        return to_bytes_loosely(BYTE_TO_CHAR[SEPARATOR[0]].join(self._pipeline.model.vocab))


def token_bytes(token: str) -> bytes:
    """The bytes of a token as the vocabulary spells it; of one outside the alphabet, its UTF-8."""
    try:
        return to_bytes(token)
    except KeyError:
        return token.encode()


def cuts(spec: Spec) -> list[Cut]:
    """The patterns of a plain byte-level pre-tokenizer, in order."""
    step = cast("Mapping[str, Any]", spec.pre_tokenizer)
    cuts = []
    for inner in step["pretokenizers"] if step["type"] == "Sequence" else [step]:
        if inner["type"] != "ByteLevel":
            found = matches_of(inner) or ()
        else:
            found = [Matches(GPT2, "Isolated")] if inner.get("use_regex", True) else ()
        cuts += [Cut(compile_pattern(each.source, spec.dialect), each.behavior, each.invert) for each in found]
    return cuts
