"""The shapes of pipeline steps in a ``tokenizer.json``: which fields each type has, and of what kind.

``tokenizers`` reads a step by its ``type``, and older files by their fields alone. ``check``
does the same and returns the step with its type and its defaults written in, so that
``pipeline`` finds every field where it looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ..errors import FormatError

Kind = Literal["normalizer", "pre_tokenizer", "post_processor", "decoder"]
Check = Callable[[Any, str], Any]  # (value, JSON path) -> the value to keep

REQUIRED = object()


def fail(message: str, where: str) -> FormatError:
    return FormatError(message, field=where)


def _simple(kind: type, noun: str) -> Check:
    def check(value: Any, where: str) -> Any:
        if type(value) is not kind:
            raise fail(f"expected {noun}, found {_show(value)}", where)
        return value

    return check


def _show(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


boolean = _simple(bool, "true or false")
string = _simple(str, "a string")


def natural(value: Any, where: str, limit: int = 1 << 64) -> int:
    if type(value) is not int or not 0 <= value < limit:
        raise fail(f"expected a whole number from 0 to {limit - 1:,}, found {_show(value)}", where)
    return value


def length(value: Any, where: str) -> int:
    """A number of tokens to pad to: within what a text of one letter may become."""
    return natural(value, where, 1 << 20)


def token_id(value: Any, where: str) -> int:
    return natural(value, where, 1 << 32)


def positive(value: Any, where: str) -> int:
    if natural(value, where) == 0:
        raise fail("expected a whole number above 0, found 0", where)
    return int(value)


def character(value: Any, where: str) -> str:
    if type(value) is not str or len(value) != 1:
        raise fail(f"expected a string of one character, found {_show(value)}", where)
    return value


def one_of(*names: str) -> Check:
    def check(value: Any, where: str) -> Any:
        if type(value) is not str or value not in names:
            raise fail(f"expected one of {', '.join(names)}, found {_show(value)}", where)
        return value

    return check


def optional(check: Check) -> Check:
    return lambda value, where: None if value is None else check(value, where)


def list_of(check: Check) -> Check:
    def check_list(value: Any, where: str) -> list[Any]:
        if type(value) is not list:
            raise fail(f"expected a list, found {_show(value)}", where)
        return [check(item, f"{where}[{index}]") for index, item in enumerate(value)]

    return check_list


def mapping_of(check: Check) -> Check:
    def check_mapping(value: Any, where: str) -> dict[str, Any]:
        return {key: check(item, f"{where}.{key}") for key, item in an_object(value, where).items()}

    return check_mapping


def an_object(value: Any, where: str) -> dict[str, Any]:
    if type(value) is not dict:
        raise fail(f"expected an object, found {_show(value)}", where)
    return value


def fields(**checks: tuple[Check, Any]) -> Check:
    """An object with these fields; each has a check and a default. Other fields are ignored, as in ``tokenizers``."""

    def check(value: Any, where: str) -> dict[str, Any]:
        given, found = an_object(value, where), {}
        for name, (check_field, default) in checks.items():
            if name in given:
                found[name] = check_field(given[name], f"{where}.{name}")
            elif default is REQUIRED:
                raise fail(f'the field "{name}" is missing', where)
            else:
                found[name] = default
        return found

    return check


def one_key(**checks: Check) -> Check:
    """An object of exactly one entry, whose key says how to read the value: ``{"Regex": "..."}``."""

    def check(value: Any, where: str) -> dict[str, Any]:
        if type(value) is not dict or len(value) != 1 or (key := next(iter(value))) not in checks:
            raise fail(f"expected an object with one of the keys {', '.join(checks)}, found {_show(value)}", where)
        return {key: checks[key](value[key], f"{where}.{key}")}

    return check


def token_and_id(value: Any, where: str) -> list[Any]:
    if type(value) is not list or len(value) != 2:
        raise fail(f"expected a token and its id in a list of two, found {_show(value)}", where)
    return [string(value[0], f"{where}[0]"), token_id(value[1], f"{where}[1]")]


def steps_of(kind: Kind) -> Check:
    return list_of(lambda value, where: check_step(value, kind, where))


def need(check: Check) -> tuple[Check, Any]:
    return check, REQUIRED


def metaspace(value: Any, where: str) -> dict[str, Any]:
    step: dict[str, Any] = _METASPACE(value, where)
    if step.pop("add_prefix_space") is False and step["prepend_scheme"] != "never":
        raise fail('add_prefix_space is false, so prepend_scheme must be "never"', where)
    step["split"] = step["split"] is not False
    return step


_PATTERN = need(one_key(String=string, Regex=string))
_BEHAVIOR = one_of("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_NOTHING = fields()
_REPLACE = fields(pattern=_PATTERN, content=need(string))
_BYTE_LEVEL = fields(add_prefix_space=need(boolean), trim_offsets=need(boolean), use_regex=(boolean, True))
_METASPACE = fields(
    replacement=need(character),
    add_prefix_space=(optional(boolean), None),
    prepend_scheme=(one_of("first", "never", "always"), "always"),
    split=(optional(boolean), None),
    str_rep=(optional(string), None),
)
_TEMPLATE = list_of(
    one_key(
        SpecialToken=fields(id=need(string), type_id=need(token_id)),
        Sequence=fields(id=need(one_of("A", "B")), type_id=need(token_id)),
    )
)

# Types whose name is told by their fields alone, in the order in which `tokenizers` tries them.
BY_SHAPE: dict[Kind, tuple[str, ...]] = {
    "normalizer": ("BertNormalizer", "Strip", "Precompiled", "Replace", "Prepend"),
    "pre_tokenizer": (),
    "post_processor": ("RobertaProcessing", "BertProcessing", "TemplateProcessing"),
    "decoder": ("BPEDecoder", "WordPiece", "CTC", "Replace", "Strip"),
}

STEPS: dict[Kind, dict[str, Check]] = {
    "normalizer": {
        "BertNormalizer": fields(
            clean_text=need(boolean),
            handle_chinese_chars=need(boolean),
            strip_accents=(optional(boolean), None),
            lowercase=need(boolean),
        ),
        "Strip": fields(strip_left=need(boolean), strip_right=need(boolean)),
        "StripAccents": _NOTHING,
        "NFC": _NOTHING,
        "NFD": _NOTHING,
        "NFKC": _NOTHING,
        "NFKD": _NOTHING,
        "Sequence": fields(normalizers=need(steps_of("normalizer"))),
        "Lowercase": _NOTHING,
        "Nmt": _NOTHING,
        "Precompiled": fields(precompiled_charsmap=need(string)),
        "Replace": _REPLACE,
        "Prepend": fields(prepend=need(string)),
        "ByteLevel": _NOTHING,
    },
    "pre_tokenizer": {
        "BertPreTokenizer": _NOTHING,
        "ByteLevel": _BYTE_LEVEL,
        "CharDelimiterSplit": fields(delimiter=need(character)),
        "Metaspace": metaspace,
        "Whitespace": _NOTHING,
        "Sequence": fields(pretokenizers=need(steps_of("pre_tokenizer"))),
        "Split": fields(pattern=_PATTERN, behavior=need(_BEHAVIOR), invert=need(boolean)),
        "Punctuation": fields(behavior=(_BEHAVIOR, "Isolated")),
        "WhitespaceSplit": _NOTHING,
        "Digits": fields(individual_digits=need(boolean)),
        "UnicodeScripts": _NOTHING,
        "FixedLength": fields(length=(positive, 5)),
    },
    "post_processor": {
        "RobertaProcessing": fields(
            sep=need(token_and_id), cls=need(token_and_id), trim_offsets=need(boolean), add_prefix_space=need(boolean)
        ),
        "BertProcessing": fields(sep=need(token_and_id), cls=need(token_and_id)),
        "ByteLevel": _BYTE_LEVEL,
        "TemplateProcessing": fields(
            single=need(_TEMPLATE),
            pair=need(_TEMPLATE),
            special_tokens=need(
                mapping_of(fields(id=need(string), ids=need(list_of(token_id)), tokens=need(list_of(string))))
            ),
        ),
        "Sequence": fields(processors=need(steps_of("post_processor"))),
    },
    "decoder": {
        "BPEDecoder": fields(suffix=need(string)),
        "ByteLevel": _BYTE_LEVEL,
        "WordPiece": fields(prefix=need(string), cleanup=need(boolean)),
        "Metaspace": metaspace,
        "CTC": fields(pad_token=need(string), word_delimiter_token=need(string), cleanup=need(boolean)),
        "Sequence": fields(decoders=need(steps_of("decoder"))),
        "Replace": _REPLACE,
        "Fuse": _NOTHING,
        "Strip": fields(content=need(character), start=need(natural), stop=need(natural)),
        "ByteFallback": _NOTHING,
    },
}

TRUNCATION = fields(
    direction=(one_of("Left", "Right"), "Right"),
    max_length=need(natural),
    strategy=need(one_of("LongestFirst", "OnlyFirst", "OnlySecond")),
    stride=need(natural),
)


def _strategy(value: Any, where: str) -> Any:
    return value if value == "BatchLongest" else one_key(Fixed=length)(value, where)


PADDING = fields(
    strategy=need(_strategy),
    direction=need(one_of("Left", "Right")),
    pad_to_multiple_of=(optional(length), None),
    pad_id=need(token_id),
    pad_type_id=need(token_id),
    pad_token=need(string),
)


def check_step(value: Any, kind: Kind, where: str) -> Mapping[str, Any]:
    """The step with its type and defaults written in.

    >>> check_step({"prepend": "_"}, "normalizer", "normalizer")
    {'type': 'Prepend', 'prepend': '_'}
    """
    step = an_object(value, where)
    table, name = STEPS[kind], step.get("type")
    if kind == "normalizer" and name == "Bert":
        name = "BertNormalizer"
    # Post-processors have always been read by their fields first.
    if kind != "post_processor" and type(name) is str and name in table:
        return {"type": name, **table[name](step, where)}
    for shape in BY_SHAPE[kind]:
        try:
            return {"type": shape, **table[shape](step, where)}
        except FormatError:
            if name == shape and not (kind == "post_processor" and name == "RobertaProcessing" and "sep" in step):
                raise
    if type(name) is str and name in table:
        return {"type": name, **table[name](step, where)}
    told = "it has no type" if name is None else f"its type is {_show(name)}"
    raise fail(f"no {kind.replace('_', '-')} has these fields, and {told}; known types: {', '.join(table)}", where)
