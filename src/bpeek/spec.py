"""What a tokenizer is, as data: the only thing that file formats produce and the engine reads.

A ``Spec`` says nothing about how text is processed quickly; it is frozen, comparable and
made of plain values. Pipeline steps stay dictionaries in the words of ``tokenizer.json``
(``{"type": "Split", "pattern": {"Regex": ...}, ...}``); ``pipeline`` interprets them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import Any, Literal, overload

Step = Mapping[str, Any]
Dialect = Literal["rust", "oniguruma"]


@dataclass(frozen=True, slots=True)
class AddedToken:
    """A token that is cut out of text before the model sees it (special or not).

    ``single_word``: not inside a word; ``lstrip``, ``rstrip``: with the white space before or behind it;
    ``normalized``: looked for in normalized text.

    >>> AddedToken("<|end|>", 7)
    AddedToken(content='<|end|>', id=7, special=True, single_word=False, lstrip=False, rstrip=False, normalized=False)
    """

    content: str
    id: int
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # types of SentencePiece pieces


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How SentencePiece normalizes text; ``charsmap`` is the map as the file has it, or empty."""

    charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """What only a SentencePiece model has. ``scores`` (float32) and ``types`` are by id."""

    scores: tuple[float, ...]
    types: bytes
    normalizer: Cleaning = Cleaning()
    denormalizer: Cleaning | None = None
    treat_whitespace_as_suffix: bool = False
    unk_surface: str = " \u2047 "


class Merges(Sequence[tuple[str, str]]):
    """The merges of a vocabulary whose ids are all different: pairs of tokens in rank order, kept as numbers.

    As pairs of strings, those of Llama 3 would take 40 MB. ``made`` are the vocabulary's own ids of what they make,
    ``cuts`` how many characters of each belong to its left part; ``names`` has all tokens by their ids.

    >>> list(Merges({0: "a", 1: "b", 2: "ab"}, [2], array("I", [1])))
    [('a', 'b')]
    """

    __slots__ = ("cuts", "made", "names")

    def __init__(self, names: Mapping[int, str], made: list[int], cuts: array[int]) -> None:
        self.names, self.made, self.cuts = names, made, cuts

    def __len__(self) -> int:
        return len(self.made)

    @overload
    def __getitem__(self, at: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[str, str], ...]: ...
    def __getitem__(self, at: int | slice) -> tuple[str, str] | tuple[tuple[str, str], ...]:
        if isinstance(at, slice):
            return tuple(map(self.__getitem__, range(len(self))[at]))
        token, cut = self.names[self.made[at]], self.cuts[at]
        return token[:cut], token[cut:]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for token, cut in zip(map(self.names.__getitem__, self.made), self.cuts, strict=True):
            yield token[:cut], token[cut:]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True, slots=True)
class Model:
    """The byte-pair model: vocabulary and merge rule.

    ``vocab`` maps a token to its id. Its keys are ``bytes`` where ``by_rank`` is the rule
    (``.tiktoken``, tekken: any two neighbours merge whose joined bytes are a token, lowest id
    first) and ``str`` otherwise, exactly as written in the file (``"Ġthe"``).
    ``merges`` are the pairs of ``by_pair``, in rank order; empty otherwise.
    ``sentencepiece`` is there where ``by_score`` is the rule (any two neighbours merge whose joined
    text is a piece, highest score first).
    The other fields are those of a ``tokenizer.json`` model, with its defaults.
    """

    rule: Literal["by_rank", "by_pair", "by_score"]
    vocab: Mapping[bytes, int] | Mapping[str, int]
    merges: Sequence[tuple[str, str]] = ()
    unk_token: str | None = None
    fuse_unk: bool = False
    byte_fallback: bool = False
    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    ignore_merges: bool = False
    dropout: float = 0.0
    sentencepiece: SentencePiece | None = None

    def __repr__(self) -> str:  # with all tokens it would have megabytes
        merges = f", {len(self.merges):,} merges" if self.merges else ""
        return f"<Model {self.rule}: {len(self.vocab):,} tokens{merges}>"


@dataclass(frozen=True, slots=True)
class Spec:
    """A whole tokenizer. ``dialect`` tells how its regular expressions are to be read; ``source`` has facts about
    the file, such as its ``bytes`` (how many) and its ``sha256``.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a"], [0, -1, -2, -3], [2, 1, 1, 1])
    >>> tok.spec.format, tok.spec.model.rule, tok.spec.model.vocab["▁a"]
    ('SentencePiece BPE', 'by_score', 1)
    """

    format: str
    name: str | None
    dialect: Dialect
    model: Model
    added_tokens: tuple[AddedToken, ...] = ()
    normalizer: Step | None = None
    pre_tokenizer: Step | None = None
    post_processor: Step | None = None
    decoder: Step | None = None
    truncation: Step | None = None
    padding: Step | None = None
    source: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        added = f"{len(self.added_tokens):,} added tokens"
        return f"<Spec {self.name or 'unnamed'}: {self.format}, {self.model!r}, {added}>"
