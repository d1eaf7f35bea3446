"""SentencePiece's ``.model``: pieces with scores and types, and how text is normalized.

Checked as sentencepiece 0.2.3 checks it when it loads a model, and beyond that: pieces must be UTF-8
and scores numbers, where the reference takes anything.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from struct import Struct
from typing import Any

from ..errors import FormatError, UnsupportedError
from ..spec import BYTE, CONTROL, NORMAL, UNKNOWN, AddedToken, Cleaning, Model, SentencePiece, Spec, Step
from .protobuf import Schema, fields, read, text

MAX_BYTES = 64 << 20
MAX_PIECES = 1_000_000  # the largest vocabulary known has 262 thousand
MAX_PIECE = 65_534  # bytes

_PIECE: Schema = {1: ("piece", "string"), 2: ("score", "float"), 3: ("type", "int")}
_TRAINER: Schema = {
    3: ("model_type", "int"),
    24: ("treat_whitespace_as_suffix", "bool"),
    35: ("byte_fallback", "bool"),
    44: ("unk_surface", "string"),
}
_NORMALIZER: Schema = {
    1: ("name", "string"),
    2: ("charsmap", "bytes"),
    3: ("add_dummy_prefix", "bool"),
    4: ("remove_extra_whitespaces", "bool"),
    5: ("escape_whitespaces", "bool"),
}
_PARTS = {2: ("trainer_spec", _TRAINER), 3: ("normalizer_spec", _NORMALIZER), 5: ("denormalizer_spec", _NORMALIZER)}
_BPE = 2
_MODEL_TYPES = {3: "Word", 4: "Char"}  # anything else is Unigram, as in the reference
_BYTE_PIECES = {f"<0x{byte:02X}>" for byte in range(256)}
_SCORE = Struct("<f")
_SPACE = "\u2581"


def looks_like(data: bytes) -> bool:
    """Does it begin with a piece that fits into its message, as every model does?"""
    return len(data) > 4 and data[0] == data[2] == 0x0A and 0 < data[3] <= data[1] - 2


def parse(data: bytes, name: str | None = None) -> Spec:
    """Read a BPE model. Raises ``FormatError`` with byte and field, ``UnsupportedError`` for other models."""
    try:
        return _parse(data, name)
    except FormatError as error:
        raise FormatError(error.message, file=name, byte=error.byte, field=error.field) from None


def _parse(data: bytes, name: str | None) -> Spec:
    if len(data) > MAX_BYTES:
        raise FormatError(f"{len(data):,} bytes are more than a SentencePiece model may have ({MAX_BYTES:,})")
    parts: dict[str, dict[str, Any]] = {}
    spans = array("I")
    for number, wire, start, end, _ in fields(data, 0, len(data)):
        if number == 1 or number in _PARTS:
            if wire != 2:
                raise FormatError(f"field {number} has wire type {wire}, so this is no SentencePiece model", byte=start)
            if number == 1:
                spans.extend((start, end))
            else:  # a message that comes twice is merged, as protobuf wants
                path, schema = _PARTS[number]
                parts.setdefault(path, {}).update(read(data, start, end, schema, path))
    trainer = parts.get("trainer_spec", {})
    if trainer.get("model_type") != _BPE:
        kind = _MODEL_TYPES.get(trainer.get("model_type", 1), "Unigram")
        raise UnsupportedError(
            f"this is a SentencePiece {kind} model, and bpeek reads BPE models only; "
            "load the tokenizer of a model that uses byte-pair encoding",
            feature=kind,
            where="trainer_spec.model_type",
        )
    if len(spans) > 2 * MAX_PIECES:
        raise FormatError(f"more than {MAX_PIECES:,} pieces", field="pieces")
    denormalizer = parts.get("denormalizer_spec", {})
    return _build(
        name,
        _pieces(data, spans),
        byte_fallback=trainer.get("byte_fallback", False),
        normalizer=_cleaning(parts.get("normalizer_spec", {})),
        # Only a character map makes the reference denormalize.
        denormalizer=_cleaning(denormalizer) if denormalizer.get("charsmap") else None,
        treat_whitespace_as_suffix=trainer.get("treat_whitespace_as_suffix", False),
        unk_surface=trainer.get("unk_surface", SentencePiece.__dataclass_fields__["unk_surface"].default),
    )


def _pieces(data: bytes, spans: array[int]) -> Iterator[tuple[str, float, int, int]]:
    bounds = iter(spans)
    for index, (start, end) in enumerate(zip(bounds, bounds, strict=True)):
        score_at = start + 2 + data[start + 1] if end - start > 6 else end
        if score_at + 5 == end and data[start] == 0x0A and data[start + 1] < 0x80 and data[score_at] == 0x15:
            # The usual case at a third of the cost: a short piece, its score, and no type.
            path = f"pieces[{index}].piece"
            yield text(data, start + 2, score_at, path), _SCORE.unpack_from(data, score_at + 1)[0], NORMAL, start
            continue
        piece = read(data, start, end, _PIECE, f"pieces[{index}]")
        yield piece.get("piece", ""), piece.get("score", 0.0), piece.get("type", NORMAL), start


def _cleaning(spec: Mapping[str, Any]) -> Cleaning:
    return Cleaning(**{key: value for key, value in spec.items() if key != "name"})


def from_pieces(
    pieces: Iterable[str],
    scores: Iterable[float],
    types: Iterable[int],
    *,
    name: str | None = None,
    byte_fallback: bool = False,
    normalizer: Cleaning | None = None,
    denormalizer: Cleaning | None = None,
    treat_whitespace_as_suffix: bool = False,
    unk_surface: str = " \u2047 ",
) -> Spec:
    """A model from its pieces in id order; types are the numbers of the format (``spec.NORMAL`` and so on).

    >>> from_pieces(["<unk>", "a"], [0, -0.1], [2, 1]).model.sentencepiece.scores  # float32, as in a file
    (0.0, -0.10000000149011612)
    """
    try:
        rows = [(*row, None) for row in zip(pieces, scores, types, strict=True)]
    except ValueError:
        raise FormatError("there must be as many scores and types as pieces", file=name) from None
    for piece, score, kind, _ in rows:
        if not (isinstance(piece, str) and isinstance(score, (int, float)) and isinstance(kind, int)):
            wanted = "a piece is a str, its score a number, its type a whole number"
            raise TypeError(f"{wanted}; these are {piece!r:.40}, {score!r:.40} and {kind!r:.40}")
    return _build(
        name,
        rows,
        byte_fallback=byte_fallback,
        normalizer=normalizer or Cleaning(),
        denormalizer=denormalizer,
        treat_whitespace_as_suffix=treat_whitespace_as_suffix,
        unk_surface=unk_surface,
    )


def steps(prefix: bool) -> dict[str, Step]:
    """What normalizes and decodes in a tokenizer.json as the usual models do: spaces are ``▁``, and one is put before
    each text if there is a ``prefix``."""
    to_marks, to_spaces = (
        {"type": "Replace", "pattern": {"String": old}, "content": new} for old, new in ((" ", _SPACE), (_SPACE, " "))
    )
    normalizers = [{"type": "Prepend", "prepend": _SPACE}, to_marks]
    decoders = [to_spaces, {"type": "ByteFallback"}, {"type": "Fuse"}]
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    return {
        "normalizer": {"type": "Sequence", "normalizers": normalizers if prefix else normalizers[1:]},
        "decoder": {"type": "Sequence", "decoders": [*decoders, strip] if prefix else decoders},
    }


def _build(
    name: str | None,
    rows: Iterable[tuple[str, float, int, int | None]],
    *,
    byte_fallback: bool,
    **options: Any,
) -> Spec:
    vocab: dict[str, int] = {}
    scores, types = array("f"), bytearray()
    unknown = None
    for index, (piece, score, kind, at) in enumerate(rows):
        kind = kind if NORMAL <= kind <= BYTE else NORMAL
        why = _fault(piece, score, kind, vocab, unknown, byte_fallback)
        if why is not None:
            raise FormatError(why, byte=at, field=f"pieces[{index}]")
        vocab[piece] = index
        scores.append(score)
        types.append(kind)
        if kind == UNKNOWN:
            unknown = piece
    if unknown is None:
        raise FormatError("no piece is of type UNKNOWN; the file is damaged or cut off", field="pieces")
    if byte_fallback and types.count(BYTE) < 256:
        raise FormatError("byte_fallback is set, but not all 256 byte pieces are there", field="pieces")
    model = Model(
        "by_score",
        vocab,
        unk_token=unknown,
        fuse_unk=not byte_fallback,
        byte_fallback=byte_fallback,
        sentencepiece=SentencePiece(tuple(scores), bytes(types), **options),
    )
    special = tuple(AddedToken(piece, index) for piece, index in vocab.items() if types[index] in (UNKNOWN, CONTROL))
    return Spec("SentencePiece BPE", name, "oniguruma", model, added_tokens=special)


def _fault(
    piece: str, score: float, kind: int, vocab: Mapping[str, int], unknown: str | None, byte_fallback: bool
) -> str | None:
    """What is wrong with a piece, beside those before it."""
    shown = repr(piece[:40])
    if not piece:
        return "the piece is empty"
    if piece in vocab:
        return f"the piece {shown} is there already, with id {vocab[piece]}"
    if "\0" in piece:
        return f"the piece {shown} holds a NUL character"
    if len(piece) * 4 > MAX_PIECE < len(piece.encode()):
        return f"the piece {shown}… has more than {MAX_PIECE:,} bytes"
    if score != score:
        return f"the score of {shown} is not a number"
    if kind == UNKNOWN and unknown is not None:
        return f"{unknown!r} is of type UNKNOWN already, and a model has one such piece"
    if kind == BYTE and not byte_fallback:
        return f"{shown} is a byte piece, but byte_fallback is not set"
    if kind == BYTE and piece not in _BYTE_PIECES:
        return f"{shown} is of type BYTE, but not of the form <0x0A>"
    return None
