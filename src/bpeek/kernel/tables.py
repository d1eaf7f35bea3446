"""What merges, as tables: one function for each of the three rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..bytechars import CHAR_TO_BYTE
from ..spec import Merges, Model
from .compiled import Kernel

_ALPHABET = bytes(CHAR_TO_BYTE.get(chr(code), 0xFF) for code in range(512))  # no text has the byte 0xFF


# All parts of all pieces are looked up, and each is read for it: a file may have hundreds of 65,534 characters.
MOST_SPLITTING = 1 << 28


def sparse(limit: int, n_tokens: int) -> bool:
    """Are there far fewer tokens than ids below ``limit``? Tables have room for each."""
    return limit > 4 * n_tokens + (1 << 20)


def by_rank(kernel: Kernel, vocab: Mapping[bytes, int], limit: int) -> bool:
    """tiktoken's rule. All ids, those of special tokens too, are below ``limit``. Like the others, ``False`` if this
    cannot be told in tables."""
    if sparse(limit, len(vocab)):
        return False
    kernel.tokens(b"".join(vocab), map(len, vocab), [*vocab.values()], limit)
    kernel.start_bytes([vocab[bytes([byte])] for byte in range(256)], by_bytes=True, whole=True)
    return True


def by_pair_of_bytes(kernel: Kernel, model: Model, limit: int) -> bool:
    """Hugging Face's rule over GPT-2's byte alphabet."""
    vocab = _named(model)
    if sparse(limit, len(vocab)):
        return False
    kernel.tokens("".join(vocab).encode(), map(len, vocab), [*vocab.values()], limit, alphabet=_ALPHABET)
    if not _merges(kernel, model, in_characters=False):
        return False
    starts = sorted((byte, vocab[char]) for char, byte in CHAR_TO_BYTE.items())
    kernel.start_bytes([id for _, id in starts], by_bytes=False, whole=model.ignore_merges)
    return True


def by_pair_of_characters(
    kernel: Kernel, model: Model, limit: int, byte_ids: Sequence[int], cutting: bool
) -> bool:  # fmt: skip
    """The same from characters. Those that are no token become bytes, if there are ``byte_ids``."""
    vocab = _named(model)
    if sparse(limit, len(vocab)):
        return False
    kernel.tokens("".join(vocab).encode(), map(len, vocab), [*vocab.values()], limit, in_characters=True)
    if not _merges(kernel, model, in_characters=True):
        return False
    kernel.lengths(dict.fromkeys(byte_ids, 1))
    kernel.start_characters(byte_ids, None, limit, model.ignore_merges, cutting)
    return True


def by_score(
    kernel: Kernel, ids: Mapping[str, int], scores: Mapping[str, float], unknown: int, byte_ids: Sequence[int]
) -> bool:
    """SentencePiece's rule: whatever two pieces make is one, highest score first. A character that is no piece can be a
    part of one: it gets a number behind all ids."""
    if sum(len(piece) ** 2 for piece in scores) > MOST_SPLITTING:
        return False
    real = max([*ids.values(), *byte_ids, unknown]) + 1
    through = sorted({char for piece in scores for char in piece} - ids.keys())
    numbered = {**ids, **{char: id for id, char in enumerate(through, real)}}
    kernel.tokens(
        "".join(numbered).encode(), map(len, numbered), [*numbered.values()], real + len(through), in_characters=True
    )
    order = {score: rank for rank, score in enumerate(sorted(set(scores.values()), reverse=True))}
    made = [piece for piece in scores if len(piece) > 1]
    kernel.splits([ids[piece] for piece in made], [order[scores[piece]] for piece in made])
    kernel.lengths(dict.fromkeys(byte_ids, 1))
    kernel.start_characters(byte_ids, unknown, real, whole=False, cutting=True)
    return True


def _named(model: Model) -> Mapping[str, int]:
    return model.vocab  # type: ignore[return-value]  # its keys are text where pairs merge


def _merges(kernel: Kernel, model: Model, in_characters: bool) -> bool:
    merges, vocab = model.merges, _named(model)
    if isinstance(merges, Merges):
        return kernel.merges(merges.made, merges.cuts, in_characters)
    pairs = [(vocab[left], vocab[right]) for left, right in merges]
    kernel.pairs(pairs, [vocab[left + right] for left, right in merges])
    return True
