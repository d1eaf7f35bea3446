"""What each step of ``tokenizer.json`` does to two neighbouring characters: see ``borders``.

A new normalizer or pre-tokenizer has a row here too; without one it is taken to look everywhere, which is
always right and makes editing and streaming as slow as a full encode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ..bytechars import BYTE_TO_CHAR
from ..pattern import Seams
from ..pattern import compile as compile_pattern
from ..spec import Dialect, Step
from . import chars
from .borders import NOTHING, Meet, Pairs, anywhere, cut_at, cut_by, in_turn, nowhere
from .normal_forms import left_alone
from .normalizers import edits_of
from .pretokenizers import GPT2

# --- normalizers -------------------------------------------------------------------------------------------


def normalizing(step: Step | None, dialect: Dialect) -> Meet:
    return anywhere if step is None else NORMALIZERS.get(step["type"], _nowhere)(step, dialect)


def _nowhere(step: Step, dialect: Dialect) -> Meet:
    return nowhere


def _anywhere(step: Step, dialect: Dialect) -> Meet:
    return anywhere


def _char_by_char(step: Step, dialect: Dialect) -> Meet:
    edits = edits_of(step, dialect)

    @cache
    def image(char: str) -> str:
        for edit in edits:
            change = edit(char, False)
            char = char if change is None else change[0]
        return char

    def meet(pair: str) -> Pairs | None:
        left, right = image(pair[0]), image(pair[1])
        return frozenset([left[-1] + right[0]]) if left and right else None

    return meet


def _form(step: Step, dialect: Dialect) -> Meet:
    form = step["type"]

    def meet(pair: str) -> Pairs | None:
        stays = left_alone(form, pair[0], before_others=False) and left_alone(form, pair[1], before_others=True)
        return frozenset([pair]) if stays else None

    return meet


def _strip(step: Step, dialect: Dialect) -> Meet:
    # On the left a text ends, and what stands there must not be stripped; on the right it does not begin.
    spaces = chars.whitespace_chars()
    return lambda pair: None if pair[0] in spaces else frozenset([pair])


def _replace(step: Step, dialect: Dialect) -> Meet:
    content: str = step["content"]
    string: str | None = step["pattern"].get("String")
    if string is not None:
        return _replaced(string, content) if string else nowhere
    pattern = compile_pattern(step["pattern"]["Regex"], dialect)
    if pattern.steps is None:
        return nowhere
    seams, alphabet = Seams([pattern.steps]), pattern.alphabet

    def images(char: str, at: int) -> set[str] | None:
        if ord(char) not in alphabet:
            return {char}
        return {char, content[at]} if content else None

    def meet(pair: str) -> Pairs | None:
        lefts, rights = images(pair[0], -1), images(pair[1], 0)
        if not seams[pair] or lefts is None or rights is None:
            return None
        return frozenset(left + right for left in lefts for right in rights)

    return meet


def _replaced(string: str, content: str) -> Meet:
    def image(char: str, at: int) -> str | None:
        if char != string[at]:
            return char
        return content[at] if len(string) == 1 and content else None

    def meet(pair: str) -> Pairs | None:
        left, right = image(pair[0], -1), image(pair[1], 0)
        return None if left is None or right is None or pair in string else frozenset([left + right])

    return meet


def _sequence_of_normalizers(step: Step, dialect: Dialect) -> Meet:
    return in_turn(normalizing(inner, dialect) for inner in step["normalizers"])


NORMALIZERS: dict[str, Callable[[Step, Dialect], Meet]] = {
    "NFC": _form,
    "NFD": _form,
    "NFKC": _form,
    "NFKD": _form,
    "Lowercase": _char_by_char,
    "StripAccents": _char_by_char,
    "Nmt": _char_by_char,
    "ByteLevel": _char_by_char,
    "Strip": _strip,
    "Prepend": _anywhere,
    "Replace": _replace,
    "Sequence": _sequence_of_normalizers,
}


# --- pre-tokenizers ----------------------------------------------------------------------------------------


def pre_tokenizing(step: Step | None, dialect: Dialect) -> Meet:
    return anywhere if step is None else PRE_TOKENIZERS.get(step["type"], _nowhere)(step, dialect)


def _split(step: Step, dialect: Dialect) -> Meet:
    behavior, invert = step["behavior"], step["invert"]
    if "Regex" in step["pattern"]:
        return cut_by(compile_pattern(step["pattern"]["Regex"], dialect), behavior, invert)
    string = step["pattern"]["String"]
    if len(string) == 1:
        return cut_at(string.__eq__, behavior, invert)
    return lambda pair: frozenset([pair]) if string and pair not in string else None


def _of(points: Callable[[], Any], behavior: str) -> Meet:
    return cut_at(lambda char: ord(char) in points(), behavior)


def _whitespace(step: Step, dialect: Dialect) -> Meet:
    def kind(char: str) -> int:
        return 0 if ord(char) in chars.whitespace() else 1 if ord(char) in chars.word() else 2

    def meet(pair: str) -> Pairs | None:
        left, right = map(kind, pair)
        return frozenset([pair]) if left == right != 0 else NOTHING

    return meet


def _bert(step: Step, dialect: Dialect) -> Meet:
    return in_turn([_of(chars.whitespace, "Removed"), _of(chars.bert_punctuation, "Isolated")])


def as_bytes(pair: str) -> Pairs:
    return frozenset([BYTE_TO_CHAR[pair[0].encode()[-1]] + BYTE_TO_CHAR[pair[1].encode()[0]]])


def _byte_level(step: Step, dialect: Dialect) -> Meet:
    cuts = [cut_by(compile_pattern(GPT2, "oniguruma"), "Isolated", False)] if step.get("use_regex", True) else []
    return in_turn([*cuts, as_bytes])


def _metaspace(step: Step, dialect: Dialect) -> Meet:
    mark = step["replacement"]
    cut = cut_at(mark.__eq__, "MergedWithNext") if step.get("split", True) else anywhere
    return lambda pair: cut(pair.replace(" ", mark))


def _sequence_of_pre_tokenizers(step: Step, dialect: Dialect) -> Meet:
    return in_turn(pre_tokenizing(inner, dialect) for inner in step["pretokenizers"])


PRE_TOKENIZERS: Mapping[str, Callable[[Step, Dialect], Meet]] = {
    "ByteLevel": _byte_level,
    "Split": _split,
    "Sequence": _sequence_of_pre_tokenizers,
    "Metaspace": _metaspace,
    "Whitespace": _whitespace,
    "WhitespaceSplit": lambda step, dialect: _of(chars.whitespace, "Removed"),
    "Punctuation": lambda step, dialect: _of(chars.bert_punctuation, step.get("behavior", "Isolated")),
    "Digits": lambda step, dialect: _of(chars.numeric, "Isolated" if step["individual_digits"] else "Contiguous"),
    "BertPreTokenizer": _bert,
    "CharDelimiterSplit": lambda step, dialect: cut_at(step["delimiter"].__eq__, "Removed"),
}
