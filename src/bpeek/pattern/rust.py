"""The dialect of tiktoken: fancy-regex on top of Rust's regex."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import NoReturn

from ..unicode import CodePoints, binary, category, named
from .nodes import Anchor, Chars, Node, Repeat, look_ahead, look_behind
from .parser import NEWLINE, Parser

_VALUES = {
    "gc": "category", "generalcategory": "category", "sc": "script", "script": "script",
}  # fmt: skip
_ASCII_SETS = {
    "alnum": "09AZaz", "alpha": "AZaz", "ascii": "\x00\x7f", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f",
    "digit": "09", "graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ",
    "upper": "AZ", "word": "09AZ__az", "xdigit": "09AFaf",
}  # fmt: skip
_BINARY_NAMES = {"alpha": "Alphabetic", "lower": "Lowercase", "upper": "Uppercase", "space": "White_Space"}


class RustParser(Parser):
    flag_names = MappingProxyType({"i": "ignore_case", "s": "dot_all", "m": "multi_line", "x": "extended"})
    final_newlines = Repeat(Chars(NEWLINE), 0, None)
    set_operators = ("&&", "--", "~~")

    def named_group(self) -> bool:
        return self.take("?<", "?P<")

    def word(self, bracketed: bool) -> CodePoints:
        return rust_word()

    def property(self, start: int, bracketed: bool) -> CodePoints:
        if self.peek() == "{":
            return super().property(start, bracketed)
        name = self.peek()
        self.pos += 1
        chars = self.property_named(name, bracketed) if name else None
        return self.unknown(name, start) if chars is None else self.fold_part(chars)

    def unknown(self, name: str, start: int) -> NoReturn:
        self.fail(f"bpeek has no property {name!r} in this dialect", start)

    def property_named(self, name: str, bracketed: bool) -> CodePoints | None:
        """``L``, ``Letter``, ``Han``, ``Alphabetic``, or ``kind=value`` (also ``:`` and ``!=``)."""
        for sign in ("!=", "=", ":"):
            kind, found, value = name.partition(sign)
            if found:
                known = named(_VALUES.get(kind.strip().lower().replace("_", ""), "none"), value)
                return ~known if sign == "!=" and known is not None else known
        short = name.lower().replace("_", "").replace(" ", "").replace("-", "").removeprefix("is")
        for kind in ("category", "special", "script"):
            if (chars := named(kind, short)) is not None:
                return chars
        return named("binary", _BINARY_NAMES.get(short, short))

    def posix(self, name: str) -> CodePoints | None:
        bounds = _ASCII_SETS.get(name)
        if bounds is None:
            return None
        return CodePoints.from_ranges((ord(a), ord(b)) for a, b in zip(bounds[::2], bounds[1::2], strict=True))

    def fold_part(self, chars: CodePoints) -> CodePoints:
        return self.fold(chars) if self.flags.ignore_case else chars

    def folded_bracket(self, chars: CodePoints, negated: bool, start: int) -> Node:
        return Chars(~chars if negated else chars)

    def caret(self) -> Node:
        return look_behind(Chars(~NEWLINE), negative=True) if self.flags.multi_line else Anchor("start")

    def dollar(self) -> Node:
        return look_ahead(Chars(~NEWLINE), negative=True) if self.flags.multi_line else Anchor("end")


@cache
def rust_word() -> CodePoints:
    return binary("Alphabetic") | category("M") | category("Nd") | category("Pc") | binary("Join_Control")
