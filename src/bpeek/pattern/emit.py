"""From the tree to the source of a regular expression for ``re`` (or ``regex``), for texts of a given universe.

A smaller universe makes smaller sets: of what can only match outside of it, nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..unicode import CodePoints
from .analysis import width
from .nodes import Alt, Anchor, Atomic, Backref, Cat, Chars, Group, Keep, Look, Node, Repeat, walk

ASCII, BMP, UNICODE = 0x80, 0x10000, 0x110000  # a universe is all code points below a limit
_SPECIAL = frozenset("\\^$.|?*+()[]{}-&~#")


@dataclass(frozen=True, slots=True)
class Target:
    """``translate`` turns a set into what stands for it in the text; ``groups`` are those referred back to."""

    universe: int
    translate: Callable[[CodePoints], CodePoints]
    groups: frozenset[int]
    at_search_start: bool = False


def emit(node: Node, target: Target) -> str:
    """The whole regular expression."""
    source = _emit(node, target)
    return "(?!)" if source is None else source


def _emit(node: Node, target: Target) -> str | None:
    """None if it cannot match any text of the universe."""
    match node:
        case Chars(chars):
            return charset(target.translate(chars), target.universe)
        case Cat(items):
            parts = [_emit(item, target) for item in items]
            if None in parts:
                return None
            wrapped = (
                f"(?:{part})" if isinstance(item, Alt) else part for item, part in zip(items, parts, strict=True)
            )
            return "".join(part for part in wrapped if part)
        case Alt(options):
            found = [part for part in (_emit(option, target) for option in options) if part is not None]
            return "|".join(found) if found else None
        case Repeat():
            return _repeat(node, target)
        case Group(body, index):
            inside = _emit(body, target)
            name = f"?P<g{index}>" if index in target.groups else "?:"
            return None if inside is None else f"({name}{inside})"
        case Atomic(body):
            inside = _emit(body, target)
            return None if inside is None else f"(?>{inside})"
        case Look():
            return _look(node, target)
        case Backref(index):
            return f"(?P=g{index})"
        case Keep(pos):
            return f"(?P<k{pos}>)"
        case Anchor(kind):
            return {"start": r"\A", "end": r"\Z", "search_start": "" if target.at_search_start else None}[kind]


def _repeat(node: Repeat, target: Target) -> str | None:
    inside = _emit(node.body, target)
    if inside is None:
        return "" if node.low == 0 else None
    single = isinstance(node.body, Chars)
    if not single and (node.low, node.high) == (0, 1):
        # The same as a choice, which `re` runs much faster than a repetition.
        choice = f"|{inside}" if node.mode == "lazy" else f"{inside}|"
        return f"(?{'>' if node.mode == 'possessive' else ':'}{choice})"
    unit = inside if single else f"(?:{inside})"
    match node.low, node.high:
        case (1, 1):
            sign = ""
        case (0, 1):
            sign = "?"
        case (0 | 1 as low, None):
            sign = "*+"[low]
        case (low, high):
            sign = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
    if node.mode == "possessive":
        # Possessive repetition of more than a set had defects before Python 3.12.
        return f"{unit}{sign}+" if single and sign else f"(?>{unit}{sign})"
    return f"{unit}{sign}{'?' if node.mode == 'lazy' and sign else ''}"


def _look(node: Look, target: Target) -> str | None:
    options = node.body.options if isinstance(node.body, Alt) else (node.body,)
    if node.ahead or width(node.body) is not None:
        options = (node.body,)
    sign = ("?" if node.ahead else "?<") + ("!" if node.negative else "=")
    inside = [part for part in (_emit(option, target) for option in options) if part is not None]
    looks = [f"({sign}{part})" for part in inside]
    if node.negative:
        return "".join(looks)
    return (looks[0] if len(looks) == 1 else f"(?:{'|'.join(looks)})") if looks else None


def needs_regex(node: Node) -> bool:
    """Does a look behind have parts of several widths? ``re`` cannot do that."""
    for part in walk(node):
        if isinstance(part, Look) and not part.ahead:
            options = part.body.options if isinstance(part.body, Alt) else (part.body,)
            if any(width(option) is None for option in options):
                return True
    return False


def charset(chars: CodePoints, universe: int = UNICODE) -> str | None:
    """A set as ``[...]`` or ``[^...]``, whichever is shorter; None if nothing of it is in the universe."""
    inside, outside = chars.below(universe), (~chars).below(universe)
    if not inside:
        return None
    if not outside:
        return "(?s:.)"
    if len(inside) == 1:
        return escape(inside.edges[0])
    if len(outside.edges) < len(inside.edges):
        return f"[^{_members(outside)}]"
    return f"[{_members(inside)}]"


def _members(chars: CodePoints) -> str:
    return "".join(
        escape(first) if first == last else f"{escape(first)}{'-' * (last > first + 1)}{escape(last)}"
        for first, last in chars.ranges
    )


def escape(code: int) -> str:
    char = chr(code)
    return "\\" + char if char in _SPECIAL else char
