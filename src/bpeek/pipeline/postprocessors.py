"""Post-processors: what is put around the tokens of one text or a pair, and how offsets are trimmed.

Each is a function of the parts and of whether special tokens are to be added, and says how many
it adds. A new one is one function, one row in ``POST_PROCESSORS`` and one in ``ADDED``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

from ..bytechars import BYTE_TO_CHAR
from ..errors import BpeekError, Worded
from ..spec import Step
from .chars import whitespace_chars
from .columns import Columns, joined, refuse_too_many
from .growth import most, refuse_beyond

Process = Callable[[Step, list[Columns], bool, int], list[Columns]]


def process(step: Step, parts: list[Columns], add_special_tokens: bool, room: int | None = None) -> list[Columns]:
    """The parts with what is put around them: together at most ``room`` tokens (``BpeekError``)."""
    room = most(sum(map(len, parts))) if room is None else room
    return POST_PROCESSORS[step["type"]](step, parts, add_special_tokens, room)


def added_tokens(step: Step | None, pair: bool) -> int:
    """How many tokens a post-processor adds to one text or to a pair.

    >>> added_tokens({"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]}, pair=True)
    3
    """
    return 0 if step is None else ADDED[step["type"]](step, pair)


def trims(step: Step | None) -> bool:
    """Does a post-processor look at how tokens are spelled?"""
    return step is not None and bool(step.get("trim_offsets") or any(map(trims, step.get("processors", ()))))


# --- ByteLevel ---------------------------------------------------------------------------------------------


@cache
def _spaces() -> str:
    return BYTE_TO_CHAR[0x20] + whitespace_chars()


class _Spaces(dict[str, tuple[int, int]]):
    """Token -> how many spaces it begins and ends with."""

    def __missing__(self, token: str) -> tuple[int, int]:
        spaces = _spaces()
        counts = len(token) - len(token.lstrip(spaces)), len(token) - len(token.rstrip(spaces))
        if len(self) < 500_000:
            self[token] = counts
        return counts


_SPACES = _Spaces()


def trim(part: Columns, add_prefix_space: bool) -> None:
    """Leave the spaces at either end of a token out of its span."""
    starts, ends, spaces = part.starts, part.ends, _SPACES
    for index, token in enumerate(cast("list[str]", part.tokens)):
        leading, trailing = spaces[token]
        if leading:
            # One space that `add_prefix_space` has put there is no space of the text.
            if not (add_prefix_space and leading == 1 and (index == 0 or starts[index] == 0)):
                starts[index] = min(starts[index] + leading, ends[index])
        if trailing and ends[index] >= trailing:
            ends[index] = max(ends[index] - trailing, starts[index])


def _trim_all(parts: list[Columns], add_prefix_space: bool) -> None:
    for part in parts:
        for each in (part, *part.overflowing):
            trim(each, add_prefix_space)


def _byte_level(step: Step, parts: list[Columns], add_special_tokens: bool, room: int) -> list[Columns]:
    if step["trim_offsets"]:
        _trim_all(parts, step["add_prefix_space"])
    for number, part in enumerate(parts):
        part.of_sequence(number)
    return parts


# --- Bert and Roberta --------------------------------------------------------------------------------------


def _wrapped(step: Step, part: Columns, number: int, second_sep: bool, type_id: int) -> Columns:
    """``cls A sep``, or for the second text ``B sep`` (``sep B sep`` if ``second_sep``)."""
    sep, cls = (Columns.added([step[key][1]], [step[key][0]], type_id) for key in ("sep", "cls"))
    before = [cls] if number == 0 else [sep] * second_sep
    whole = Columns()
    for piece in (*before, part.part(0, len(part)), sep):
        whole.append(piece)
    whole.special_mask = [1] * len(before) + [0] * len(part) + [1]
    whole.attention_mask = [1] * len(whole)
    whole.ranges = {number: (len(before), len(before) + len(part))}
    whole.overflow = [_wrapped(step, overflow, number, second_sep, type_id) for overflow in part.overflowing]
    return whole


def _bert(step: Step, parts: list[Columns], add_special_tokens: bool, room: int) -> list[Columns]:
    if not add_special_tokens:
        return parts
    return [_wrapped(step, part, min(number, 1), False, min(number, 1)) for number, part in enumerate(parts)]


def _roberta(step: Step, parts: list[Columns], add_special_tokens: bool, room: int) -> list[Columns]:
    if step["trim_offsets"]:
        _trim_all(parts, step["add_prefix_space"])
    for part in parts:
        part.type_ids = [0] * len(part)
    if not add_special_tokens:
        return parts
    for part in parts:
        for overflow in part.overflowing:
            overflow.type_ids = [0] * len(overflow)
    return [_wrapped(step, part, min(number, 1), True, 0) for number, part in enumerate(parts)]


# --- Template ----------------------------------------------------------------------------------------------


def _template(step: Step, parts: list[Columns], add_special_tokens: bool, room: int) -> list[Columns]:
    if len(parts) > 2:
        raise BpeekError("a TemplateProcessing cannot follow another post-processor that adds tokens")
    pieces, numbers = step["pair" if len(parts) == 2 else "single"], {"A": 0, "B": 1}
    texts = [numbers[piece["Sequence"]["id"]] for piece in pieces if "Sequence" in piece]
    refuse_too_many((parts[number] for number in texts if number < len(parts)), room, "the template")
    added = _template_added(step, len(parts) == 2) if add_special_tokens else 0
    refuse_beyond(room, added, "the template", "special tokens")
    result, taken = list[Columns](), set[int]()
    for piece in pieces:
        if "Sequence" in piece:
            sequence = piece["Sequence"]
            number = numbers[sequence["id"]]
            if number >= len(parts):
                raise BpeekError("the template for one text names a second one (B); load a corrected tokenizer.json")
            # A text that is there twice may have two type ids, so the second time it is a copy.
            part = joined([Columns(), parts[number]]) if number in taken else parts[number]
            taken.add(number)
            part.type_ids = [sequence["type_id"]] * len(part)
            part.of_sequence(number)
            result.append(part)
        elif add_special_tokens:
            special = piece["SpecialToken"]
            token = step["special_tokens"].get(special["id"])
            if token is None:
                message = (
                    f"the template names {special['id']!r}, which is not among its special_tokens; "
                    "load a corrected tokenizer.json, or use "
                )
                raise BpeekError(Worded(message + "add_special_tokens=False", message + '{ policy: "text" }'))
            result.append(Columns.added(token["ids"], token["tokens"], special["type_id"]))
    return result


def _template_added(step: Step, pair: bool) -> int:
    known = step["special_tokens"]
    names = [piece["SpecialToken"]["id"] for piece in step["pair" if pair else "single"] if "SpecialToken" in piece]
    return sum(len(known[name]["ids"]) for name in names if name in known)


def _sequence(step: Step, parts: list[Columns], add_special_tokens: bool, room: int) -> list[Columns]:
    for inner in step["processors"]:
        parts = process(inner, parts, add_special_tokens, room)
    return parts


POST_PROCESSORS: dict[str, Process] = {
    "ByteLevel": _byte_level,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "TemplateProcessing": _template,
    "Sequence": _sequence,
}

ADDED: dict[str, Callable[[Step, bool], int]] = {
    "ByteLevel": lambda step, pair: 0,
    "BertProcessing": lambda step, pair: 3 if pair else 2,
    "RobertaProcessing": lambda step, pair: 4 if pair else 2,
    "TemplateProcessing": _template_added,
    "Sequence": lambda step, pair: sum(added_tokens(inner, pair) for inner in step["processors"]),
}
