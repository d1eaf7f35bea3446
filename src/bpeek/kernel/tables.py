"""What merges, as tables: one function for each of the three rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..bytechars import CHAR_TO_BYTE
from ..spec import Merges, Model
from .compiled import Kernel

_ALPHABET = bytes(CHAR_TO_BYTE.get(chr(code), 0xFF) for code in range(512))  # no text has the byte 0xFF


def sparse(limit: int, n_tokens: int) -> bool:
    """Are there far fewer tokens than ids below ``limit``? Tables have room for each."""
    return limit > 4 * n_tokens + (1 << 20)


def by_rank(kernel: Kernel, vocab: Mapping[bytes, int], limit: int) -> bool:
    """tiktoken's rule. All ids, those of special tokens too, are below ``limit``. Like the others, ``False`` if this
    cannot be told in tables."""
    starts = [vocab[byte] for byte in (bytes([code]) for code in range(256)) if byte in vocab]
    if len(starts) < 256 or sparse(limit, len(vocab)):
        return False
    if not kernel.tokens(b"".join(vocab), _lengths(vocab), vocab.values(), limit):
        return False
    kernel.start(starts, whole=True)
    return True


def by_pair_of_bytes(kernel: Kernel, model: Model, limit: int) -> bool:
    """Hugging Face's rule over GPT-2's byte alphabet."""
    if not _tokens(kernel, model, limit, alphabet=_ALPHABET) or not _merges(kernel, model, in_characters=False):
        return False
    starts = sorted((byte, model.vocab[char]) for char, byte in CHAR_TO_BYTE.items())  # type: ignore[index]
    kernel.start([id for _, id in starts], listed=True, whole=model.ignore_merges)
    return True


def by_pair_of_characters(kernel: Kernel, model: Model, limit: int, byte_ids: Sequence[int], cutting: bool) -> bool:
    """The same from characters. Those that are no token become bytes, if there are ``byte_ids``."""
    if not _tokens(kernel, model, limit, in_characters=True) or not _merges(kernel, model, in_characters=True):
        return False
    kernel.lengths(dict.fromkeys(byte_ids, 1))
    kernel.start(byte_ids, listed=True, in_characters=True, whole=model.ignore_merges, cutting=cutting)
    return True


def by_score(
    kernel: Kernel, ids: Mapping[str, int], scores: Mapping[str, float], unknown: int, byte_ids: Sequence[int]
) -> bool:
    """SentencePiece's rule: whatever two neighbours have together merges if it is a piece, highest score first."""
    limit = max([*ids.values(), *byte_ids, unknown]) + 1
    if not kernel.tokens("".join(ids).encode(), _lengths(ids), ids.values(), limit, in_characters=True):
        return False
    order = {score: rank for rank, score in enumerate(sorted(set(scores.values()), reverse=True))}
    ranks = [0] * limit
    for piece, id in ids.items():
        ranks[id] = order[scores[piece]]
    kernel.lengths(dict.fromkeys(byte_ids, 1))
    kernel.start(byte_ids, in_characters=True, ranks=ranks, unknown=unknown)
    return True


def _named(model: Model) -> Mapping[str, int]:
    return model.vocab  # type: ignore[return-value]  # its keys are text where pairs merge


def _tokens(kernel: Kernel, model: Model, limit: int, alphabet: bytes = b"", in_characters: bool = False) -> bool:
    vocab = _named(model)
    return not sparse(limit, len(vocab)) and kernel.tokens(
        "".join(vocab).encode(), _lengths(vocab), vocab.values(), limit, alphabet=alphabet, in_characters=in_characters
    )


def _lengths(tokens: Iterable[str | bytes]) -> list[int]:
    return [len(token) for token in tokens]  # in a third of the time that `map` takes in Pyodide


def _merges(kernel: Kernel, model: Model, in_characters: bool) -> bool:
    if not isinstance(model.merges, Merges):  # two tokens have one id
        return False
    kernel.merges(model.merges.made, model.merges.cuts, in_characters)
    return True
