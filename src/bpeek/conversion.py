"""A tokenizer in another kind of file that gives the same ids, or an error: ``convert(tok.spec, "tiktoken")``.

What makes it exact is a theorem (``docs/theory.md``): a token comes about in every text as it does alone, so that of
all rules only the useful ones count, each the last in making its token. Two lists of rules with the same useful ones,
in the same order, merge every text alike, whether the rules are written down (``tokenizer.json``) or meant by the ids
(``.tiktoken``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal, cast, get_args

from . import formats
from .bytechars import to_bytes, to_chars
from .errors import BpeekError, FormatError, PatternError, UnsupportedError
from .formats import tiktoken
from .formats.merges import ranked, scored
from .formats.sentencepiece import steps
from .formats.write_hf_json import tokenizer_json
from .inspection.rules import Rules
from .pattern import compile as compile_pattern
from .pattern.factors import factors
from .pattern.translate import translate
from .pipeline.pretokenizers import GPT2
from .pipeline.run import is_plain_byte_level
from .spec import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, AddedToken, Model, SentencePiece, Spec, Step

Target = Literal["tiktoken", "tokenizer.json"]

_BYTES: Step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_DECODER: Step = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}


@dataclass(frozen=True, slots=True)
class Converted:
    """The new file, and what it cannot hold: ``pattern`` and ``special_tokens`` are to be given when a ``.tiktoken``
    file is loaded, and ``None`` where its ranks tell them. ``left_out`` are sentences."""

    data: bytes
    pattern: str | None = None
    special_tokens: Mapping[str, int] | None = None
    left_out: tuple[str, ...] = ()


def convert(spec: Spec, to: Target) -> Converted:
    """The same tokenizer as a ``.tiktoken`` file or a ``tokenizer.json``. Takes seconds, for all rules are compared.

    Raises ``UnsupportedError`` for what the other kind of file cannot say, or is not proved to say in the same way.

    >>> import bpeek
    >>> from base64 import b64encode
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256)) + "YWI= 256"
    >>> tok = bpeek.load(ranks.encode(), pattern=r"\\p{L}+|\\P{L}", special_tokens={"<|end|>": 257})
    >>> bpeek.load(convert(tok.spec, "tokenizer.json").data).encode("ab é<|end|>").ids
    [256, 32, 195, 169, 257]
    """
    if not isinstance(spec, Spec):
        raise TypeError(f"convert takes a Spec, as tok.spec is one, not {type(spec).__name__}")
    if to not in get_args(Target):
        raise BpeekError(f"to must be {' or '.join(map(repr, get_args(Target)))}, not {to!r}")
    if to == "tiktoken":
        return _to_tiktoken(spec)
    if spec.model.rule == "by_score":
        return _of_scores(spec, cast(SentencePiece, spec.model.sentencepiece))
    return Converted(_checked_json(spec if spec.model.rule == "by_pair" else _by_pairs(spec)))


def _refuse(message: str, feature: str) -> UnsupportedError:
    return UnsupportedError(f"it cannot be converted: {message}", feature=feature)


# To tokenizer.json


def _by_pairs(spec: Spec) -> Spec:
    """Rules that the ids mean, written down."""
    ranks = cast("Mapping[bytes, int]", spec.model.vocab)
    rules = Rules(spec.model)
    # The reference of these files looks for whole pieces first, which matters where merging does not make a token.
    whole = any(len(token) > 1 and token not in rules.made for token in rules.tokens)
    pattern = _translated(spec.pre_tokenizer["pattern"]["Regex"] if spec.pre_tokenizer else "", spec)
    vocab = {to_chars(token): rank for token, rank in ranks.items()}
    # An added token has its id from the vocabulary, or else the next one that is free.
    vocab |= {token.content: token.id for token in spec.added_tokens}
    if whole:
        _no_whole_piece(spec.added_tokens, pattern, "oniguruma")
    covers = compile_pattern(pattern, "oniguruma").covers
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated" if covers else "Removed",
        "invert": not covers,
    }
    latin = (tuple(to_chars(part.encode("latin-1")) for part in rule) for rule in rules.useful)
    merges = cast("tuple[tuple[str, str], ...]", tuple(latin))
    return Spec(
        "tokenizer.json", spec.name, "oniguruma", Model("by_pair", vocab, merges, ignore_merges=whole),
        spec.added_tokens, pre_tokenizer={"type": "Sequence", "pretokenizers": [split, _BYTES]}, decoder=_DECODER,
    )  # fmt: skip


def _of_scores(spec: Spec, facts: SentencePiece) -> Converted:
    """A SentencePiece model, if pairs say the same as its scores, and its text is changed in no way but that spaces are
    ``▁``: the reference of a tokenizer.json does the rest otherwise."""
    model, prefix = spec.model, facts.normalizer.add_dummy_prefix
    vocab = cast("Mapping[str, int]", model.vocab)
    of_type: dict[int, list[str]] = {kind: [] for kind in range(NORMAL, BYTE + 1)}
    for piece, kind in zip(vocab, facts.types, strict=True):
        of_type[kind].append(piece)
    for why in _beyond_pairs(facts, of_type):
        raise _refuse(f"a tokenizer.json cannot say of a SentencePiece model that {why}", "sentencepiece")
    scores = {piece: facts.scores[vocab[piece]] for piece in of_type[NORMAL]}
    try:
        merges = ranked(scored(scores), vocab, 0)
    except UnsupportedError as error:
        raise _refuse(error.message, error.feature) from None
    own = (AddedToken(piece, vocab[piece], special=False) for piece in of_type[USER_DEFINED])
    made = Spec(
        "tokenizer.json", spec.name, "oniguruma",
        replace(model, rule="by_pair", merges=merges, sentencepiece=None),
        tuple(sorted((*spec.added_tokens, *own), key=lambda token: token.id)), **steps(prefix),
    )  # fmt: skip
    unknown = () if model.byte_fallback else ("an unknown character decodes to nothing, or to the name of its token",)
    return Converted(_checked_json(made), left_out=("special tokens in a text are recognised", *unknown))


def _beyond_pairs(facts: SentencePiece, of_type: Mapping[int, list[str]]) -> Iterator[str]:
    """What keeps a model from being a tokenizer.json."""
    cleaning, own = facts.normalizer, of_type[USER_DEFINED]
    if cleaning.charsmap or facts.denormalizer:
        yield "it maps characters"
    if cleaning.remove_extra_whitespaces:
        yield "it removes white space"
    if not cleaning.escape_whitespaces:
        yield "its spaces are no ▁"
    if facts.treat_whitespace_as_suffix:
        yield "its spaces belong to the words before them"
    if of_type[UNUSED]:
        yield "it has unused pieces, which merge and fall apart again"
    if own and (cleaning.add_dummy_prefix or any(set(piece) & {" ", "▁"} for piece in own)):
        yield "spaces meet pieces that are cut out"
    if any(len(piece) == 1 for piece in (*of_type[CONTROL], *of_type[UNKNOWN])):
        yield "a character is a control piece"


def _checked_json(spec: Spec) -> bytes:
    data = tokenizer_json(spec)
    again = formats.parse(data)
    if again != replace(spec, format=again.format, name=again.name, dialect=again.dialect):
        raise _refuse("a tokenizer.json gives other ids to its added tokens", "added_tokens")
    return data


# To .tiktoken


def _to_tiktoken(spec: Spec) -> Converted:
    if spec.model.rule == "by_rank":
        step = cast("Mapping[str, Any]", spec.pre_tokenizer)
        pattern, ranks = step["pattern"]["Regex"], cast("Mapping[bytes, int]", spec.model.vocab)
    else:
        pattern = _only_pattern(spec)
        ranks = _ranks(spec, pattern)
    special = {token.content: token.id for token in spec.added_tokens}
    data = b"".join(tiktoken.lines(ranks))
    left_out = tuple(_left_out(spec))
    try:
        known = formats.parse(data)
    except FormatError:
        known = None
    formats.parse(data, pattern=pattern, special_tokens=special)
    if known is not None and _same_but_for_spelling(known, pattern, special):
        return Converted(data, left_out=left_out)
    return Converted(data, pattern, special, left_out)


def _same_but_for_spelling(known: Spec, pattern: str, special: Mapping[str, int]) -> bool:
    step = cast("Mapping[str, Any]", known.pre_tokenizer)
    return step["pattern"]["Regex"] == pattern and {token.content: token.id for token in known.added_tokens} == dict(
        special
    )


def _only_pattern(spec: Spec) -> str:
    """The one pattern that cuts text, if bytes are then merged and nothing else is done."""
    if spec.normalizer is not None:
        raise _refuse(f"a .tiktoken file cannot say that text is normalized ({spec.normalizer['type']})", "normalizer")
    if not is_plain_byte_level(spec):
        raise _refuse("only tokenizers that cut text by patterns and merge its bytes can be a .tiktoken file", "model")
    *splits, last = _steps(spec.pre_tokenizer)
    patterns = [each["pattern"]["Regex"] for each in splits] + [GPT2] * last["use_regex"]
    if len(patterns) != 1:
        raise _refuse(f"a .tiktoken tokenizer has one pattern, and this one has {len(patterns)}", "pre_tokenizer")
    pattern = _translated(patterns[0], spec)
    if not compile_pattern(pattern, "rust").covers:
        raise _refuse("its pattern does not cover all text", "pre_tokenizer")
    for token in spec.added_tokens:
        if not token.special or token.single_word or token.lstrip or token.rstrip or token.normalized:
            message = f"a .tiktoken file cannot say how the added token {token.content!r} is found in text"
            raise _refuse(message, "added_tokens")
    return pattern


def _steps(step: Step | None) -> list[Mapping[str, Any]]:
    return [] if step is None else step["pretokenizers"] if step["type"] == "Sequence" else [step]


def _ranks(spec: Spec, pattern: str) -> dict[bytes, int]:
    """The tokens by their bytes, if their ids mean the rules that are written down."""
    model, added = spec.model, {token.content for token in spec.added_tokens}
    vocab = cast("Mapping[str, int]", model.vocab)
    ranks = {to_bytes(token): rank for token, rank in vocab.items() if token not in added}
    if len(set(ranks.values())) < len(ranks):
        raise _refuse("several of its tokens have one id", "model.vocab")
    listed, meant = Rules(model), Rules(Model("by_rank", ranks))
    for token in vocab:
        made = len(token) <= 1 or token in listed.made  # what is empty keeps a place, in both
        if token in added and made:
            raise _refuse(f"the added token {token!r} can also come from merging", "added_tokens")
        if token not in added and not made and not model.ignore_merges:
            message = f"merging never makes the token {token!r}, but in a .tiktoken file it would be found whole"
            raise _refuse(message, "model.vocab")
    if model.ignore_merges:
        _no_whole_piece(tuple(token for token in spec.added_tokens if token.content in vocab), pattern, "rust")
    by_bytes = ((to_bytes(left), to_bytes(right)) for left, right in listed.useful)
    by_latin = ((left.encode("latin-1"), right.encode("latin-1")) for left, right in meant.useful)
    for rule, other in zip_longest(by_bytes, by_latin):
        if rule != other:
            shown = " and ".join(map(repr, rule or other or ()))
            message = f"its merges are not those that its ids mean: {shown} is the first to differ"
            raise _refuse(message, "model.merges")
    return ranks


def _left_out(spec: Spec) -> Iterator[str]:
    if spec.truncation is not None or spec.padding is not None:
        yield "texts are not cut or padded"
    if spec.post_processor is not None and any(
        each["type"] != "ByteLevel" for each in _processors(spec.post_processor)
    ):
        yield "no tokens are added around a text"
    if spec.model.rule == "by_pair" and (spec.decoder is None or spec.decoder["type"] != "ByteLevel"):
        yield "ids are decoded as the bytes that they stand for"


def _processors(step: Step) -> list[Mapping[str, Any]]:
    return step["processors"] if step["type"] == "Sequence" else [step]


# Both


def _translated(pattern: str, spec: Spec) -> str:
    try:
        return translate(pattern, spec.dialect, "oniguruma" if spec.dialect == "rust" else "rust")
    except PatternError as error:
        raise _refuse(str(error).partition("\n")[0], "pattern") from None


def _no_whole_piece(tokens: tuple[AddedToken, ...], pattern: str, dialect: Literal["rust", "oniguruma"]) -> None:
    """Added tokens are in the vocabulary too: as plain text they must not be looked up there as whole pieces."""
    for token in tokens:
        if factors(pattern, dialect).may_hold(token.content):
            message = f"as plain text, the added token {token.content!r} could be taken for a piece"
            raise _refuse(message, "added_tokens")
