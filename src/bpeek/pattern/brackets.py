"""Bracketed sets: ``[^\\s\\p{L}]``, nested ones, ``&&`` and, in the Rust dialect, ``--`` and ``~~``.

Where case is ignored, Rust folds every part as it is read; Oniguruma works everything out first and
folds the outcome, just before the outermost ``^`` negates it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..unicode import CodePoints
from .nodes import Chars, Node

if TYPE_CHECKING:
    from .parser import Parser

_POSIX = re.compile(r"\[:(\^?)(\w+):\]")


def bracket(parser: Parser, start: int) -> Node:
    """The set whose '[' at ``start`` was just read."""
    negated = parser.take("^")
    chars = _inside(parser, start)
    return parser.folded_bracket(chars, negated, start) if parser.flags.ignore_case else Chars(_signed(chars, negated))


def _signed(chars: CodePoints, negated: bool) -> CodePoints:
    return ~chars if negated else chars


def _inside(parser: Parser, start: int) -> CodePoints:
    """All up to the closing bracket, operators worked out from left to right."""
    left, operator = None, ""
    first = True
    while True:
        right = _union(parser, start, first)
        left = right if left is None else _combined(left, operator, right)
        first = False
        if parser.take("]"):
            return left
        operator = parser.peek(2)
        parser.pos += 2


def _combined(left: CodePoints, operator: str, right: CodePoints) -> CodePoints:
    match operator:
        case "&&":
            return left & right
        case "--":
            return left - right
        case _:
            return (left | right) - (left & right)


def _union(parser: Parser, start: int, first: bool) -> CodePoints:
    """The members up to an operator or the closing bracket. A bracket that comes first is a member."""
    parts: list[CodePoints] = []
    while True:
        if parser.pos >= len(parser.source):
            parser.fail("This '[' is never closed; write '\\[' for the character", start)
        if not (first and not parts) and (parser.peek() == "]" or parser.peek(2) in parser.set_operators):
            if not parts:
                parser.fail("There is nothing on one side of this operator")
            return CodePoints.union(parts)
        parts.append(_member(parser))
        parser.count(len(parts[-1].edges) // 2, start)


def _member(parser: Parser) -> CodePoints:
    start = parser.pos
    if found := parser.scan(_POSIX):
        chars = parser.posix(found[2])
        if chars is None:
            parser.fail(f"There is no set [:{found[2]}:]", start)
        return _signed(parser.fold_part(chars), bool(found[1]))
    if parser.take("["):
        negated = parser.take("^")
        return _signed(_inside(parser, start), negated)
    low = _char_or_set(parser)
    if isinstance(low, CodePoints):
        if parser.peek() == "-" and parser.peek(2) not in ("-]", "--"):
            parser.fail("A range cannot begin with a set; write the '-' first or last, or '\\-'")
        return low
    if parser.peek() != "-" or parser.peek(2) in ("-]", "-[") or parser.peek(2) in parser.set_operators:
        return parser.fold_part(CodePoints.of(low))
    parser.pos += 1
    high = _char_or_set(parser)
    if isinstance(high, CodePoints):
        parser.fail("A range cannot end with a set; write the '-' first or last, or '\\-'", start)
    if high < low:
        parser.fail(f"The range {low!r} to {high!r} is the wrong way round", start)
    return parser.fold_part(CodePoints.between(low, high))


def _char_or_set(parser: Parser) -> str | CodePoints:
    start = parser.pos
    char = parser.peek()
    if not parser.take("\\"):
        if parser.flags.extended and (char.isspace() or char == "#"):
            parser.fail("Write white space and '#' in brackets as escapes where the flag 'x' is set")
        parser.pos += 1
        return char
    if parser.take("b"):
        return "\b"
    if (chars := parser.class_escape(start, bracketed=True)) is not None:
        return chars
    if (escaped := parser.character(start)) is not None:
        return escaped
    parser.fail(f"bpeek does not know '\\{parser.peek()}' in brackets", start)
