"""``Encoding``: tiktoken's class, on bpeek's engine."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import starmap
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from ...bpe import ByRank
from ...errors import BpeekError, SpecialTokenError, UnknownTokenError
from ...formats.tiktoken import spec_of
from ...offsets import well_formed
from ...pipeline.chars import whitespace
from ...spec import AddedToken
from ...tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]


class Encoding:
    """A name, a pattern, ranks and special tokens.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> enc = Encoding("toy", pat_str=r"\\w+|\\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 257})
    >>> enc.encode("ab<|end|>", allowed_special="all"), enc.n_vocab
    ([256, 257], 258)
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        self.name = name
        self._pat_str = pat_str
        self._mergeable_ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self._special_token_values = set(special_tokens.values())
        self.max_token_value: int = max(max(mergeable_ranks.values()), max(special_tokens.values(), default=0))
        size, highest = len(mergeable_ranks) + len(special_tokens), self.max_token_value
        if explicit_n_vocab and not size == explicit_n_vocab == highest + 1:
            raise BpeekError(f"explicit_n_vocab is {explicit_n_vocab}, but of {size} tokens the highest is {highest}")
        if len(set(mergeable_ranks.values())) != len(mergeable_ranks):
            raise BpeekError("two tokens in mergeable_ranks have the same rank; give each its own")
        added = tuple(starmap(AddedToken, special_tokens.items()))
        self._rule = ByRank(mergeable_ranks)
        self._tokenizer = Tokenizer(spec_of(mergeable_ranks, pat_str, added, name))

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # Encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids, special tokens being plain text."""
        return self._encode(text, frozenset()).tolist()

    def encode(
        self, text: str, *, allowed_special: Allowed = frozenset(), disallowed_special: Disallowed = "all"
    ) -> list[int]:
        """The ids. Special tokens in the text become their ids if they are allowed, an error if they are
        disallowed (as all are that are not allowed, unless you say otherwise), else plain text."""
        return self._encode(text, self._policy(text, allowed_special, disallowed_special)).tolist()

    def encode_to_numpy(
        self, text: str, *, allowed_special: Allowed = frozenset(), disallowed_special: Disallowed = "all"
    ) -> npt.NDArray[np.uint32]:
        """The same as a NumPy array that cannot be written to."""
        import numpy as np

        ids = self._encode(text, self._policy(text, allowed_special, disallowed_special))
        return np.frombuffer(memoryview(ids).toreadonly(), dtype=np.uint32)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """``encode_ordinary`` of each text. Threads would not make it faster, so ``num_threads`` counts for nothing."""
        return list(map(self.encode_ordinary, text))

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = frozenset(),
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """``encode`` of each text."""
        return [
            self.encode(each, allowed_special=allowed_special, disallowed_special=disallowed_special) for each in text
        ]

    def encode_with_unstable(
        self, text: str, *, allowed_special: Allowed = frozenset(), disallowed_special: Disallowed = "all"
    ) -> tuple[list[int], list[list[int]]]:
        """The tokens that stay whatever text follows, and all that the rest of the text may begin with then."""
        allowed = self._policy(text, allowed_special, disallowed_special)
        tokens, rest = self._stable(well_formed(text), allowed)
        return tokens, [list(ids) for ids in set(self._completions(rest))] if rest else []

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of one token, special or not. Raises ``KeyError`` if it is none."""
        piece = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        if not isinstance(piece, bytes):
            raise TypeError(f"a token must be a str or bytes, not {type(piece).__name__}")
        token = self._mergeable_ranks.get(piece)
        if token is None:
            token = self._special_tokens.get(piece.decode("utf-8", "replace"))
        if token is None:
            raise UnknownTokenError(f"{piece!r} is not a single token of {self.name}", piece)
        return token

    # Decoding

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The joined bytes. Raises ``KeyError`` for an id that there is not."""
        return self._tokenizer.decode_bytes(_ids(tokens))

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text; what becomes of bytes that are not UTF-8 is said by ``errors``."""
        return self.decode_bytes(tokens).decode("utf-8", errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token. Raises ``KeyError`` for an id that there is not."""
        return self._tokenizer.token_bytes(_ids([token])[0])

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each token."""
        return list(map(self._tokenizer.token_bytes, _ids(tokens)))

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text and where in it each token begins, in code points; a token inside a character begins with it."""
        return self._tokenizer.decode_with_offsets(_ids(tokens))

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """``decode`` of each."""
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """``decode_bytes`` of each."""
        return list(map(self.decode_bytes, batch))

    # What there is

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens that are not special, sorted."""
        return list(self._sorted_tokens)

    @property
    def eot_token(self) -> int:
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        if not isinstance(token, int):
            raise TypeError(f"an id must be an int, not {type(token).__name__}")
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """One more than the highest id; some ids below may be no token's."""
        return self.max_token_value + 1

    # Within

    def _policy(self, text: str, allowed: Allowed, disallowed: Disallowed) -> frozenset[str]:
        """The special tokens to recognise, once none that is disallowed is found in the text."""
        specials = self.special_tokens_set
        allowed_set = specials if allowed == "all" else allowed
        forbidden = specials - allowed_set if disallowed == "all" else disallowed
        if forbidden and (match := _special_token_regex(frozenset(forbidden)).search(text)):
            raise_disallowed_special_token(match.group(), match.start())
        return frozenset(specials.intersection(allowed_set))

    def _encode(self, text: str, allowed: frozenset[str]) -> array[int]:
        try:
            return self._tokenizer._road.ids(well_formed(text), allowed)
        except KeyError as error:
            raise self._no_byte(well_formed(text).encode()) from error

    def _merge(self, piece: bytes) -> list[int]:
        """Merged by rank, without a look whether the whole is a token."""
        try:
            return self._rule.merge(piece)
        except KeyError as error:
            raise self._no_byte(piece) from error

    def _no_byte(self, data: bytes) -> UnknownTokenError:
        single = (bytes([byte]) for byte in data)
        byte = next(byte for byte in single if byte not in self._mergeable_ranks)
        return UnknownTokenError(f"mergeable_ranks has no token for the single byte {byte!r}; add all 256", byte)

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """One piece that no pattern cuts."""
        piece = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        return [self._mergeable_ranks[piece]] if piece in self._mergeable_ranks else self._merge(piece)

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Any bytes. From where they are not UTF-8 on, what the pattern would do is a guess."""
        try:
            return self.encode_ordinary(text.decode())
        except UnicodeDecodeError as error:
            tokens, rest = self._stable(text[: error.start].decode(), frozenset())
            return tokens + self._encode_single_piece(rest + text[error.start :])

    def _stable(self, text: str, allowed: frozenset[str]) -> tuple[list[int], bytes]:
        """The tokens of a text without its last piece, and that piece. If it begins with a token of white space,
        so do others before it belong to it: a pattern may take them together when more follows."""
        encoding = self._tokenizer.encode(text, allowed_special=allowed, disallowed_special=())
        tokens, words = encoding.ids, encoding.word_ids
        if not tokens or tokens[-1] in self._special_token_values:
            return tokens, b""
        at = words.index(words[-1])
        if self._is_blank(tokens[at]):
            while at and self._is_blank(tokens[at - 1]):
                at -= 1
        return tokens[:at], self.decode_bytes(tokens[at:])

    def _is_blank(self, token: int) -> bool:
        return token not in self._special_token_values and not self.decode_single_token_bytes(token).strip(b" \n\t")

    @cached_property
    def _sorted_tokens(self) -> list[bytes]:
        return sorted(self._mergeable_ranks)

    def _beginning_with(self, start: bytes) -> Iterator[bytes]:
        tokens = self._sorted_tokens
        for at in range(bisect_left(tokens, start), len(tokens)):
            if not tokens[at].startswith(start):
                return
            yield tokens[at]

    def _completions(self, rest: bytes) -> Iterator[tuple[int, ...]]:
        """What ``rest`` may become, up to the token that reaches its end: one token that begins with it; the tokens
        before a token that begins inside it; and, after white space, those of a pattern that cuts there."""
        for token in self._beginning_with(rest):
            yield (self._mergeable_ranks[token],)
        for at in range(1, len(rest)):
            for token in self._beginning_with(rest[at:]):
                yield self._up_to(rest[:at] + token, len(rest))
        size = next((size for size in range(1, 4) if _is_white(rest[-size:])), len(rest))
        if size < len(rest):
            yield (*self._merge(rest[:-size]), *self._merge(rest[-size:]))

    def _up_to(self, data: bytes, size: int) -> tuple[int, ...]:
        try:
            ids = self.encode_ordinary(data.decode())
        except UnicodeDecodeError:
            ids = self._merge(data)
        for number, token in enumerate(ids, 1):
            size -= len(self.decode_single_token_bytes(token))
            if size <= 0:
                return tuple(ids[:number])
        return tuple(ids)

    def __getstate__(self) -> object:
        from .registry import ENCODINGS

        if self is ENCODINGS.get(self.name):
            return self.name  # it is found by name again
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, state: str | dict[str, Any]) -> None:
        from .registry import get_encoding

        if isinstance(state, str):
            self.__dict__ = get_encoding(state).__dict__
        else:
            self.__init__(**state)  # type: ignore[misc]  # as tiktoken does it


def _ids(tokens: Sequence[int]) -> array[int]:
    """Raises what tiktoken raises: ``TypeError`` for what is no integer, ``OverflowError`` beyond 32 bits."""
    # An array would take bytes for the memory of its numbers.
    return array("I", list(tokens) if isinstance(tokens, (bytes, bytearray)) else tokens)


def _is_white(data: bytes) -> bool:
    """Is this one character of white space?"""
    try:
        char = data.decode()
    except UnicodeDecodeError:
        return False
    return len(char) == 1 and ord(char) in whitespace()


@lru_cache(maxsize=128)
def _special_token_regex(tokens: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(tokens))))


def raise_disallowed_special_token(token: str, pos: int = 0) -> NoReturn:
    """tiktoken's ``ValueError``, here with the token and its place as attributes."""
    raise SpecialTokenError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        f"If you want this text to be encoded as a special token, pass it to `allowed_special`, "
        f"e.g. `allowed_special={{{token!r}, ...}}`.\n"
        f"If you want this text to be encoded as normal text, disable the check for this token "
        f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
        "To disable this check for all special tokens, pass `disallowed_special=()`.\n",
        token,
        pos,
    )
