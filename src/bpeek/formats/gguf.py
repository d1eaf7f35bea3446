"""GGUF, llama.cpp's file of a model: the vocabulary in its header. The tensors behind it are never looked at.

Read as llama.cpp reads it: ``tokenizer.ggml.model`` tells how tokens are merged, ``tokenizer.ggml.pre`` how text is cut
before (``gguf_pre``).
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from struct import Struct, calcsize, unpack_from
from typing import Any, NamedTuple, cast

from ..errors import FormatError, UnsupportedError
from ..spec import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED, AddedToken, Model, Spec, Step
from .gguf_pre import BYTES, pre_tokenizer
from .merges import Pairs, ranked, scored, split_merges
from .sentencepiece import steps

MAX_FIELDS = 100_000
MAX_STRINGS = 4_000_000
MAX_TOKENS = 1_000_000

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_SIZE = Struct("<Q")
_KEPT = ("general.name", "split.no", "tokenizer.ggml.")
_OTHER = {"bert": "WordPiece", "t5": "Unigram", "rwkv": "RWKV's", "plamo2": "PLaMo 2's"}


def parse(data: bytes, name: str | None = None) -> Spec:
    """Read the vocabulary of a model, from the header or the whole file.

    Raises ``FormatError`` with the byte or the key, ``UnsupportedError`` for what is no byte-pair model or is cut in a
    way that bpeek does not know.
    """
    try:
        fields, end = read_header(data)
        spec = _spec(_Header(fields), name)
    except FormatError as error:
        raise FormatError(error.message, file=name, byte=error.byte, field=error.field) from None
    return replace(spec, source={"bytes": end, "sha256": hashlib.sha256(memoryview(data)[:end]).hexdigest()})


# --- the header --------------------------------------------------------------------------------------------


def read_header(data: bytes) -> tuple[dict[str, Any], int]:
    """The key-value pairs that tell of the vocabulary, and where all of them end."""
    if len(data) < 24:
        raise _cut_off(len(data))
    version, _, count = unpack_from("<IQQ", data, 4)
    if version not in (2, 3):
        order = " (or big-endian)" if version > 0xFFFF else ""
        raise UnsupportedError(
            f"this is version {version} of GGUF{order}, and bpeek reads 2 and 3, little-endian: convert the model anew",
            feature=f"GGUF version {version}",
        )
    if count > MAX_FIELDS:
        raise FormatError(f"the header says that it has {count:,} fields; the file is damaged", byte=16)
    fields, at = dict[str, Any](), 24
    for _ in range(count):
        begin = at
        (key,), at = _strings(data, at, 1)
        kind, at = _number("I", data, at)
        name = key.decode("utf-8", "replace")
        value, at = _value(kind, data, at, name, begin)
        if value is not None:
            fields[name] = value
    return fields, at


def _cut_off(at: int) -> FormatError:
    return FormatError("the header of this GGUF file is cut off or damaged; download the file again", byte=at)


def _number(code: str, data: bytes, at: int) -> tuple[Any, int]:
    end = at + calcsize(f"<{code}")
    if end > len(data):
        raise _cut_off(len(data))
    return unpack_from(f"<{code}", data, at)[0], end


def _value(kind: int, data: bytes, at: int, name: str, begin: int) -> tuple[Any, int]:
    """A value, or ``None`` for one that tells nothing of the vocabulary, and where it ends."""
    kept = name.startswith(_KEPT)
    if kind in _NUMBERS:
        return _number(_NUMBERS[kind], data, at)
    if kind == _STRING:
        (text,), at = _strings(data, at, 1)
        return (_text(text, name) if kept else None), at
    if kind != _ARRAY:
        raise FormatError(f"{kind} is no type of value; the file is damaged", byte=begin, field=name)
    inner, at = _number("I", data, at)
    count, at = _number("Q", data, at)
    if inner == _STRING:
        if count > MAX_STRINGS:
            raise FormatError(f"{count:,} strings are more than a vocabulary may have", byte=begin, field=name)
        return _strings(data, at, count)
    if inner not in _NUMBERS:
        raise FormatError(f"{inner} is no type of what is in a list; the file is damaged", byte=begin, field=name)
    code = _NUMBERS[inner]
    end = at + count * calcsize(f"<{code}")
    if end > len(data):
        raise _cut_off(len(data))
    return (_numbers(code, data[at:end]) if kept else None), end


def _numbers(code: str, data: bytes) -> array[Any]:
    numbers = array("B" if code == "?" else code, data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _strings(data: bytes, at: int, count: int) -> tuple[list[bytes], int]:
    """So many strings, each behind its size."""
    found, last = list[bytes](), len(data) - 8
    for _ in range(count):
        if at > last:
            raise _cut_off(len(data))
        (size,) = _SIZE.unpack_from(data, at)
        at += 8 + size
        found.append(data[at - size : at])
    if at > len(data):
        raise _cut_off(len(data))
    return found, at


def _text(data: bytes, field: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FormatError(f"{data[:40]!r} is not UTF-8", field=field) from None


class _Header:
    """Fields by their names, of the type that they must have; ``None`` or a default where there is none."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def text(self, key: str) -> str | None:
        return cast("str | None", self._of_type(key, str, "a string"))

    def number(self, key: str) -> int | None:
        return cast("int | None", self._of_type(key, int, "a whole number"))

    def flag(self, key: str, default: bool) -> bool:
        found = self._of_type(key, bool, "true or false")
        return default if found is None else bool(found)

    def _of_type(self, key: str, kind: type, noun: str) -> object:
        found = self._fields.get(key)
        if found is not None and type(found) is not kind:
            raise FormatError(f"expected {noun}", field=key)
        return found

    def texts(self, key: str) -> list[str]:
        found = self._fields.get(key)
        if not isinstance(found, list):
            raise FormatError("the list of strings is missing; the file is damaged", field=key)
        try:
            return list(map(bytes.decode, found))
        except UnicodeDecodeError:
            return [_text(data, f"{key}[{index}]") for index, data in enumerate(found)]

    def column(self, key: str, codes: str, size: int) -> array[Any] | None:
        """A list of numbers, one a token."""
        found = self._fields.get(key)
        if found is None:
            return None
        if not isinstance(found, array) or found.typecode not in codes or len(found) < size:
            raise FormatError(f"expected a list of {size:,} numbers", field=key)
        return found


# --- the vocabulary ----------------------------------------------------------------------------------------


def _spec(header: _Header, name: str | None) -> Spec:
    kind = header.text("tokenizer.ggml.model")
    if kind is None:
        part = "the first part of the model" if header.number("split.no") else "the GGUF of the model itself"
        raise FormatError(f"this GGUF file holds no vocabulary: load {part}", field="tokenizer.ggml.model")
    if kind not in _MAKE:
        what = f"the tokenizer of this model is {_OTHER.get(kind, 'one that bpeek does not know')} ({kind!r})"
        told = f"{what}, and bpeek reads byte-pair models (BPE) only"
        raise UnsupportedError(told, feature=kind, where="tokenizer.ggml.model")
    vocabulary = _vocabulary(header)
    model, adds_bos, pipeline = _MAKE[kind](vocabulary, header)
    return Spec(
        "GGUF",
        name,
        "oniguruma",
        model,
        tuple(_added(vocabulary, header)),
        post_processor=_frame(vocabulary, header, adds_bos),
        **pipeline,
    )


class _Vocabulary(NamedTuple):
    ids: dict[str, int]
    types: Sequence[int]  # by id; numbers of ``spec``


def _vocabulary(header: _Header) -> _Vocabulary:
    field = "tokenizer.ggml.tokens"
    tokens = [token or f"[EMPTY_{id}]" for id, token in enumerate(header.texts(field))]  # as llama.cpp names them
    if len(tokens) > MAX_TOKENS:
        raise FormatError(f"more than {MAX_TOKENS:,} tokens", field=field)
    ids = {token: id for id, token in enumerate(tokens)}
    if len(ids) < len(tokens):
        id = next(id for id, token in enumerate(tokens) if ids[token] != id)
        raise FormatError(f"the token {tokens[id]!r:.60} is there twice", field=f"{field}[{id}]")
    return _Vocabulary(ids, header.column("tokenizer.ggml.token_type", "i", len(ids)) or [NORMAL] * len(ids))


_Made = tuple[Model, bool, dict[str, Any]]  # whether texts begin with BOS, unless the file says so; and the steps


def _of_bytes(vocabulary: _Vocabulary, header: _Header) -> _Made:
    """GPT-2's kind."""
    pre = pre_tokenizer(header.text("tokenizer.ggml.pre"))
    model = Model("by_pair", vocabulary.ids, _listed(vocabulary, header), ignore_merges=pre.ignore_merges)
    return model, pre.adds_bos, {"pre_tokenizer": pre.step, "decoder": BYTES}


def _of_characters(vocabulary: _Vocabulary, header: _Header) -> _Made:
    """Gemma 4's: characters merge as listed, and there are tokens for the bytes of those that are none."""
    model = Model("by_pair", vocabulary.ids, _listed(vocabulary, header), byte_fallback=True)
    return model, True, dict(steps(prefix=False))


def _by_scores(vocabulary: _Vocabulary, header: _Header) -> _Made:
    """SentencePiece's. Its rules are written as pairs, for it stands among special tokens as in a tokenizer.json."""
    ids, types = vocabulary
    scores = header.column("tokenizer.ggml.scores", "fi", len(ids))
    if scores is None:
        raise FormatError("the list is missing; the file is damaged", field="tokenizer.ggml.scores")
    if any(score != score for score in scores):
        raise FormatError("a score is not a number", field="tokenizer.ggml.scores")
    if any(f"<0x{byte:02X}>" not in ids for byte in range(256)):
        raise FormatError("not all 256 byte tokens are there", field="tokenizer.ggml.tokens")
    mergeable = {token: scores[id] for token, id in ids.items() if types[id] not in (CONTROL, UNKNOWN, BYTE)}
    model = Model("by_pair", ids, ranked(scored(mergeable), ids, 0), byte_fallback=True)
    return model, True, dict(steps(header.flag("tokenizer.ggml.add_space_prefix", True)))


# By ``tokenizer.ggml.model``.
_MAKE: dict[str, Callable[[_Vocabulary, _Header], _Made]] = {
    "gpt2": _of_bytes,
    "gemma4": _of_characters,
    "llama": _by_scores,
}


def _listed(vocabulary: _Vocabulary, header: _Header) -> Pairs:
    return ranked(split_merges(header.texts("tokenizer.ggml.merges")), vocabulary.ids, 0)


# --- special tokens ----------------------------------------------------------------------------------------

# Control tokens by their names, for old files say of some that they are text.
_CONTROLS = frozenset(
    (
        "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> "
        "</s> <|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> "
        "<|tool_response> <｜end▁of▁sentence｜> [e~[ <|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> "
        "<PRE> ▁<PRE> <|code_prefix|> <|prefix|> <|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> "
        "<SUF> ▁<SUF> <|code_suffix|> <|suffix|> <|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> "
        "▁<MID> <|code_middle|> <|middle|> <|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD] <|fim_repo|> "
        "<|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>"
    ).split()
)


def _added(vocabulary: _Vocabulary, header: _Header) -> Iterator[AddedToken]:
    """Tokens that are cut out of a text. What white space goes with them, llama.cpp knows by the names of models."""
    model = (header.text("general.name") or "").lower()
    takes_space = "phi-3" in model or "phi3" in model
    masks = header.text("tokenizer.ggml.pre") in ("jina-v2-de", "jina-v2-es", "jina-v2-code")
    controls = _CONTROLS - {"</s>"} if "<|tool_response>" in vocabulary.ids else _CONTROLS  # Gemma 4 has it as text
    for (token, id), kind in zip(vocabulary.ids.items(), vocabulary.types, strict=False):
        if token in controls or kind in (CONTROL, UNKNOWN, USER_DEFINED):
            yield AddedToken(
                token,
                id,
                special=token in controls or kind != USER_DEFINED,
                lstrip=masks and token == "<mask>",
                rstrip=takes_space and token not in ("<unk>", "<s>", "<|endoftext|>"),
            )


def _frame(vocabulary: _Vocabulary, header: _Header, adds_bos: bool) -> Step | None:
    """What is put before and behind each text."""
    before = _mark(vocabulary, header, "bos", adds_bos)
    behind = _mark(vocabulary, header, "eos", False)

    sides = (before, behind)

    def around(text: str, type_id: int) -> list[dict[str, Any]]:
        first, last = ([{"SpecialToken": {"id": token, "type_id": type_id}} for token in each] for each in sides)
        return [*first, {"Sequence": {"id": text, "type_id": type_id}}, *last]

    known = {token: {"id": token, "ids": [vocabulary.ids[token]], "tokens": [token]} for token in before + behind}
    template = {"single": around("A", 0), "pair": around("A", 0) + around("B", 1), "special_tokens": known}
    return {"type": "TemplateProcessing", **template} if known else None


def _mark(vocabulary: _Vocabulary, header: _Header, mark: str, usual: bool) -> list[str]:
    """The token for it, if texts get one."""
    if not header.flag(f"tokenizer.ggml.add_{mark}_token", usual):
        return []
    field = f"tokenizer.ggml.{mark}_token_id"
    id = header.number(field)
    if id is None and header.text("tokenizer.ggml.model") == "llama":
        id = 1 if mark == "bos" else 2
    if id is None or not 0 <= id < len(vocabulary.ids):
        raise FormatError("the file puts a token around texts that it does not name", field=field)
    return [list(vocabulary.ids)[id]]
