"""``tokenizer.json``: the file of Hugging Face's ``tokenizers``, read as strictly as version 0.23.3 reads it."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, cast

from ..errors import BpeekError, FormatError, UnsupportedError
from ..spec import AddedToken, Model, Spec
from .hf_steps import PADDING, REQUIRED, TRUNCATION, an_object, boolean, check_step, fail, fields, optional, string
from .merges import ranked, read_merges, taken_out

LIMIT = 1 << 28  # bytes; the largest real file known has 35 million
MAX_ID = (1 << 32) - 1
LONGEST_AFFIX = 256  # characters; real ones have at most four

_TOP = ("version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder")
_ADDED_TOKEN = fields(
    id=(lambda value, where: value, REQUIRED),  # checked below; never used: see assign_ids
    content=(string, REQUIRED),
    single_word=(boolean, REQUIRED),
    lstrip=(boolean, REQUIRED),
    rstrip=(boolean, REQUIRED),
    normalized=(boolean, REQUIRED),
    special=(boolean, REQUIRED),
)
_MODEL = fields(
    unk_token=(optional(string), None),
    fuse_unk=(optional(boolean), False),
    byte_fallback=(optional(boolean), False),
    continuing_subword_prefix=(optional(string), None),
    end_of_word_suffix=(optional(string), None),
    ignore_merges=(optional(boolean), False),
    dropout=(lambda value, where: value, None),
)


def parse(data: bytes, name: str | None = None) -> Spec:
    """Read a ``tokenizer.json``.

    >>> spec = parse(b'{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}')
    >>> spec.model.merges
    (('a', 'b'),)
    """
    try:
        return _read_quickly(data, name) or _spec(load_json(data), name)
    except FormatError as error:
        raise FormatError(error.message, file=name, line=error.line, byte=error.byte, field=error.field) from None


def _read_quickly(data: bytes, name: str | None) -> Spec | None:
    """The same, if the merges are all written alike, and nothing is wrong; otherwise the whole file has to be read."""
    taken = taken_out(data) if len(data) <= LIMIT else None
    if taken is not None:
        rest, merges = taken
        waiting = [merges]  # for the one NaN that stands for them
        with suppress(BpeekError, LookupError, TypeError):
            top = load_json(rest, lambda _: waiting.pop())
            return _spec(top, name) if top["model"]["merges"] is merges else None
    return None


def _spec(top: Any, name: str | None) -> Spec:
    if type(top) is not dict or "model" not in top:
        raise FormatError('this is not a tokenizer.json: it has no "model"')
    for key in top:
        if key not in _TOP and key != "model":
            raise FormatError("unknown key; the file is refused, as tokenizers does; remove the key", field=key)
    if top.get("version", "1.0") != "1.0":
        raise fail('the only known version is "1.0"', "version")
    model = read_model(top["model"])
    vocab = cast("Mapping[str, int]", model.vocab)
    steps: dict[str, Any] = {
        kind: None if top.get(kind) is None else check_step(top[kind], kind, kind)
        for kind in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    }
    return Spec(
        format="tokenizer.json",
        name=name,
        dialect="oniguruma",
        model=model,
        added_tokens=read_added_tokens(top.get("added_tokens", []), vocab),
        truncation=optional(TRUNCATION)(top.get("truncation"), "truncation"),
        padding=optional(PADDING)(top.get("padding"), "padding"),
        **steps,
    )


# --- JSON, as strict as serde_json -------------------------------------------------------------------------


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def load_json(data: bytes, constant: Callable[[str], Any] = _no_constant) -> Any:
    """Parse JSON, with the place of any fault. Lone surrogates, NaN and a byte order mark are faults."""
    if len(data) > LIMIT:
        raise FormatError(f"the file has {len(data):,} bytes; bpeek reads at most {LIMIT:,}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError("not UTF-8, so not JSON", line=line, byte=error.start) from None
    try:
        parsed = json.loads(text, parse_constant=constant)
    except json.JSONDecodeError as error:
        byte = len(text[: error.pos].encode("utf-8"))
        raise FormatError(f"not JSON: {error.msg}", line=error.lineno, byte=byte) from None
    except RecursionError:
        raise FormatError("not a tokenizer.json: its JSON is nested too deeply") from None
    except ValueError as error:  # NaN and the like, or a number of thousands of digits
        raise FormatError(f"not JSON: {error}") from None
    if (b"\\ud" in data or b"\\uD" in data) and (lone := _lone_surrogate(text)):
        line = text.count("\n", 0, lone.start()) + 1
        raise FormatError(f"not JSON: half a surrogate pair, {lone[0]}", line=line)
    return parsed


# Every escape, so that the second backslash of an escaped one does not begin another; group 1 is a lone half.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u([dD][89a-fA-F]..)|.)", re.S)


def _lone_surrogate(text: str) -> re.Match[str] | None:
    return next((escape for escape in _ESCAPE.finditer(text) if escape[1]), None)


# --- the model ---------------------------------------------------------------------------------------------


def read_model(value: Any) -> Model:
    model = an_object(value, "model")
    kind = model.get("type", "BPE")
    if kind in ("WordPiece", "WordLevel", "Unigram"):
        message = f"the model of this file is {kind}; bpeek reads byte-pair models (BPE) only"
        raise UnsupportedError(message, feature=kind, where="model.type")
    if kind != "BPE":
        raise fail(f'expected "BPE", found {kind!r}', "model.type")
    if "type" not in model and ("merges" not in model or type(model.get("vocab")) is not dict):
        kind = "Unigram" if type(model.get("vocab")) is list else "WordPiece or WordLevel"
        message = f"the model has no merges, so it is probably {kind}; bpeek reads byte-pair models (BPE) only"
        raise UnsupportedError(message, feature=kind, where="model")
    for key in ("vocab", "merges"):
        if key not in model:
            raise fail(f'the field "{key}" is missing', "model")
    options = _MODEL(model, "model")
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):  # one is put to every character
        if len(options[name] or "") > LONGEST_AFFIX:
            raise fail(
                f"it has {len(options[name]):,} characters; bpeek reads at most {LONGEST_AFFIX}", f"model.{name}"
            )
    vocab = read_vocab(model["vocab"])
    prefix = options["continuing_subword_prefix"] or ""
    merges = ranked(read_merges(model["merges"]), vocab, len(prefix.encode()))
    return Model(
        rule="by_pair",
        vocab=vocab,
        merges=merges,
        unk_token=options["unk_token"],
        fuse_unk=bool(options["fuse_unk"]),
        byte_fallback=bool(options["byte_fallback"]),
        continuing_subword_prefix=prefix,
        end_of_word_suffix=options["end_of_word_suffix"] or "",
        ignore_merges=bool(options["ignore_merges"]),
        dropout=_dropout(options["dropout"]),
    )


def _dropout(value: Any) -> float:
    if value is None:
        return 0.0
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise fail(f"expected a number from 0 to 1, found {value!r}", "model.dropout")
    return float(value)


def read_vocab(value: Any, where: str = "model.vocab") -> dict[str, int]:
    vocab = an_object(value, where)
    try:
        array("I", vocab.values())  # whole numbers of 32 bits
        right = set(map(type, vocab.values())) <= {int}
    except (OverflowError, TypeError):
        right = False
    if not right:
        for token, id in vocab.items():
            if type(id) is not int or not 0 <= id <= MAX_ID:
                raise fail(f"expected a whole number from 0 to {MAX_ID:,}, found {id!r}", f"{where}[{token!r}]")
    return vocab


# --- added tokens ------------------------------------------------------------------------------------------


def read_added_tokens(value: Any, vocab: Mapping[str, int]) -> tuple[AddedToken, ...]:
    if type(value) is not list:
        raise fail("expected a list", "added_tokens")
    tokens = []
    for index, item in enumerate(value):
        token = _ADDED_TOKEN(item, where := f"added_tokens[{index}]")
        if type(token["id"]) is not int or not 0 <= token["id"] <= MAX_ID:
            raise fail(f"expected a whole number from 0 to {MAX_ID:,}, found {token['id']!r}", f"{where}.id")
        tokens.append(token)
    return assign_ids(tokens, vocab)


def assign_ids(tokens: Iterable[Mapping[str, Any]], vocab: Mapping[str, int]) -> tuple[AddedToken, ...]:
    """Give added tokens their ids, in file order. The ``id`` in the file is not used, as in ``tokenizers``.

    A content that the vocabulary or an earlier token has keeps that id; any other gets the next one, from the
    number of vocabulary entries on. (With holes in the vocabulary, that may be the id of another token.)

    >>> flags = dict(special=True, single_word=False, lstrip=False, rstrip=False, normalized=False)
    >>> [token.id for token in assign_ids([dict(content="X", **flags), dict(content="a", **flags)], {"a": 0, "c": 5})]
    [2, 0]
    """
    free, ids, records = len(vocab), dict[str, int](), dict[int, AddedToken]()
    assigned = []
    for token in tokens:
        content = token["content"]
        if not content:
            continue
        id = ids.get(content, vocab.get(content))
        if id is None:
            id, free = free, free + 1
        flags = {key: token[key] for key in ("special", "single_word", "lstrip", "rstrip", "normalized")}
        added = AddedToken(content, id, **flags)
        if records.get(id) == added:
            continue
        records[id] = added
        ids[content] = id
        assigned.append(added)
    return tuple(assigned)
