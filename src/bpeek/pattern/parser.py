"""Reading a pattern: what both dialects share. ``rust`` and ``oniguruma`` fill in where they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from ..errors import PatternError
from ..unicode import EVERYTHING, CodePoints, binary, category, fold_classes
from .nodes import (
    NOTHING,
    Anchor,
    Atomic,
    Chars,
    Group,
    Look,
    Mode,
    Node,
    Repeat,
    alt,
    cat,
    look_ahead,
    walk,
    word_border,
)

NEWLINE = CodePoints.of("\n")
HEX_DIGIT = CodePoints.of("0123456789abcdefABCDEF")
_LOOKS = {"?=": (True, False), "?!": (True, True), "?<=": (False, False), "?<!": (False, True)}
_BRACES = re.compile(r"\{(?:(\d+)(,?)(\d*)|,(\d+))\}")
_CONTROLS = {"a": "\a", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CODES = re.compile(r"x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_NAME = re.compile(r"\^?[\w &=!:.-]+")
MOST_RANGES = 100_000  # of all sets; published patterns have up to 8,000, and `re` compiles 150,000 in a second
_TOO_MANY = 65_535  # repetitions: more is surely a mistake, and `re` would be slow to compile it


@dataclass(frozen=True, slots=True)
class Flags:
    ignore_case: bool = False
    dot_all: bool = False
    multi_line: bool = False
    extended: bool = False


class Parser:
    """Recursive descent over the source; ``pos`` is where it stands."""

    flag_names: Mapping[str, str]  # letter -> field of Flags
    set_operators: tuple[str, ...] = ("&&",)
    stacking = False  # may a quantifier follow a quantifier?

    def __init__(self, source: str) -> None:
        self.source, self.pos, self.flags, self.groups = source, 0, Flags(), 0
        self.names: dict[str, int] = {}
        self.ranges = 0  # of all sets that were read
        self.sets: dict[CodePoints, CodePoints] = {}  # equal ones are one and the same
        self.folded: dict[CodePoints, CodePoints] = {}
        self.bodies: dict[int, Node] = {}

    def parse(self) -> Node:
        node = self.alternatives()
        if self.pos < len(self.source):
            self.fail("This ')' closes nothing; write '\\)' for the character")
        return node

    # -- small steps --

    def fail(self, message: str, pos: int | None = None) -> NoReturn:
        raise PatternError(message, self.source, self.pos if pos is None else pos)

    def peek(self, n: int = 1) -> str:
        return self.source[self.pos : self.pos + n]

    def take(self, *expected: str) -> bool:
        """Step over one of these strings, if it comes next."""
        for text in expected:
            if self.source.startswith(text, self.pos):
                self.pos += len(text)
                return True
        return False

    def count(self, ranges: int, start: int) -> None:
        """Refuses what would take much time and memory, before it does."""
        self.ranges += ranges
        if self.ranges > MOST_RANGES:
            told = f"The sets of this pattern have more than {MOST_RANGES:,} ranges of characters up to here; use fewer"
            self.fail(told, start)

    def scan(self, regex: re.Pattern[str]) -> re.Match[str] | None:
        if found := regex.match(self.source, self.pos):
            self.pos = found.end()
        return found

    # -- grammar --

    def alternatives(self) -> Node:
        """Up to the end or a closing parenthesis. Flags that are set inside end with it."""
        flags, options = self.flags, [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        self.flags = flags
        return alt(options)

    def sequence(self) -> Node:
        items: list[Node] = []
        while self.pos < len(self.source) and self.peek() not in "|)":
            if self.flags.extended and self.scan(_SPACE_OR_COMMENT):
                continue
            items.append(self.quantified(self.atom()))
        return cat(items)

    def quantified(self, atom: Node) -> Node:
        for count in range(1_000):
            if self.flags.extended:
                self.scan(_SPACE_OR_COMMENT)
            start = self.pos
            bounds = self.bounds()
            if bounds is None:
                return atom
            if count and not self.stacking:
                self.fail("A quantifier cannot follow a quantifier here; put the first in '(?:...)'", start)
            if atom == NOTHING or isinstance(atom, Anchor | Look):
                self.fail("There is nothing to repeat before this; write a backslash for the character itself", start)
            atom = self.repeat(atom, *bounds, start)
        self.fail("Too many quantifiers in a row")

    def bounds(self) -> tuple[int, int | None, bool] | None:
        """Least and greatest number of the next quantifier, and whether it was written in braces."""
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return low, high, False
        start = self.pos
        if not (found := self.scan(_BRACES)):
            return None
        if found[4]:
            return 0, int(found[4]), True
        least = int(found[1])
        most = (int(found[3]) if found[3] else None) if found[2] else least
        if most is not None and most < least:
            self.fail(f"The bounds {found[0]} are the wrong way round; the smaller comes first", start)
        if max(least, most or 0) > _TOO_MANY:
            self.fail(f"More than {_TOO_MANY:,} repetitions are not supported", start)
        return least, most, True

    def repeat(self, body: Node, low: int, high: int | None, braces: bool, start: int) -> Node:
        mode: Mode = "lazy" if self.take("?") else "possessive" if self.take("+") else "greedy"
        return Repeat(body, low, high, mode, start)

    def atom(self) -> Node:
        start = self.pos
        if self.take("("):
            return self.group(start)
        node = self.single(start)
        for part in walk(node):
            if isinstance(part, Chars):
                self.count(len(part.set.edges) // 2, start)
        return replace(node, set=self.sets.setdefault(node.set, node.set)) if isinstance(node, Chars) else node

    def single(self, start: int) -> Node:
        """An atom that is no group."""
        if self.take("["):
            return self.bracketed(start)
        if self.take("\\"):
            return self.escape(start)
        char = self.peek()
        self.pos += 1
        match char:
            case ".":
                return Chars(EVERYTHING if self.flags.dot_all else ~NEWLINE)
            case "^":
                return self.caret()
            case "$":
                return self.dollar()
            case "*" | "+" | "?":
                self.fail(f"There is nothing to repeat before this; write '\\{char}' for the character", start)
            case _:
                return self.literal(char, start)

    def group(self, start: int) -> Node:
        if self.take("?#"):
            self.pos = self.source.find(")", self.pos) + 1 or self.fail("This comment has no end", start)
            return NOTHING
        for sign, (ahead, negative) in _LOOKS.items():
            if self.take(sign):
                return Look(self.closed(start), ahead, negative, start)
        if self.take("?:"):
            return self.closed(start)
        if self.take("?>"):
            return Atomic(self.closed(start))
        if self.named_group():
            return self.capture(start, self.scan(_GROUP_NAME))
        if self.take("?"):
            return self.flagged(start)
        return self.capture(start, None)

    def named_group(self) -> bool:
        return self.take("?<")

    def capture(self, start: int, name: re.Match[str] | None) -> Node:
        self.groups += 1
        index = self.groups
        if name:
            self.names[name[1]] = index
        self.bodies[index] = self.closed(start)
        return Group(self.bodies[index], index, start)

    def closed(self, start: int) -> Node:
        """The inside of a group, and its end."""
        node = self.alternatives()
        if not self.take(")"):
            self.fail("This '(' is never closed; write '\\(' for the character", start)
        return node

    def flagged(self, start: int) -> Node:
        """``(?i)`` sets flags up to the end of the group that it stands in, ``(?i:...)`` for its own."""
        outside, on = self.flags, True
        while (letter := self.peek()) not in ("", ":", ")"):
            if letter == "-" and on:
                on = False
            elif letter in self.flag_names:
                self.flags = replace(self.flags, **{self.flag_names[letter]: on})
            else:
                self.fail(f"'(?{letter}' is not a group or flag that bpeek knows in this dialect")
            self.pos += 1
        if self.take(":"):
            inside = self.closed(start)
            self.flags = outside
            return inside
        if not self.take(")"):
            self.fail("This '(' is never closed; write '\\(' for the character", start)
        return self.flags_set()

    def flags_set(self) -> Node:
        return NOTHING

    # -- characters --

    def literal(self, char: str, start: int) -> Node:
        chars = CodePoints.of(char)
        return Chars(self.fold(chars), char, start) if self.flags.ignore_case else Chars(chars)

    def fold(self, chars: CodePoints) -> CodePoints:
        """With all that are equal to them but for case."""
        if chars not in self.folded:
            equal = fold_classes()
            few = len(chars) < len(equal)
            self.count(0 if few else len(equal), self.pos)
            found = (equal.get(chr(c), "") for c in chars) if few else (equal[c] for c in equal if ord(c) in chars)
            self.folded[chars] = chars | CodePoints.of("".join(found))
        return self.folded[chars]

    def character(self, start: int) -> str | None:
        """The one character that an escape stands for; None if it is something else."""
        if found := self.scan(_CODES):
            code = int(found[1] or found[2] or found[3], 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                self.fail("This is not a character of Unicode", start)
            return chr(code)
        char = self.peek()
        if char in _CONTROLS:
            self.pos += 1
            return _CONTROLS[char]
        if char and not (char.isascii() and char.isalnum()):
            self.pos += 1
            return char
        return None

    def escape(self, start: int) -> Node:
        """What stands behind a backslash outside of brackets."""
        letter = self.peek()
        if (anchor := self.anchor(letter, start)) is not None:
            self.pos += 1
            return anchor
        if (chars := self.class_escape(start)) is not None:
            return Chars(chars)
        if (char := self.character(start)) is not None:
            return self.literal(char, start)
        return self.special(letter, start)

    def anchor(self, letter: str, start: int) -> Node | None:
        match letter:
            case "A":
                return Anchor("start", start)
            case "z":
                return Anchor("end", start)
            case "Z":
                return look_ahead(cat([self.final_newlines, Anchor("end")]))
            case "G":
                return Anchor("search_start", start)
            case "b" | "B":
                return word_border(self.word(bracketed=False), letter == "B")
            case _:
                return None

    def special(self, letter: str, start: int) -> Node:
        if not letter:
            self.fail("A backslash at the end escapes nothing", start)
        self.fail(f"bpeek does not know '\\{letter}' in this dialect; write the character or a set instead", start)

    def class_escape(self, start: int, bracketed: bool = False) -> CodePoints | None:
        """The set that ``\\w``, ``\\p{L}`` and their like stand for."""
        letter = self.peek()
        if letter in ("p", "P"):
            self.pos += 1
            chars = self.property(start, bracketed)
            return ~chars if letter == "P" else chars
        chars_or_none = self.shorthand(letter.lower(), bracketed)
        if chars_or_none is None:
            return None
        self.pos += 1
        return ~chars_or_none if letter.isupper() else chars_or_none

    def shorthand(self, letter: str, bracketed: bool) -> CodePoints | None:
        match letter:
            case "d":
                return category("Nd")
            case "s":
                return binary("White_Space")
            case "w":
                return self.word(bracketed)
            case "h":
                return HEX_DIGIT
            case _:
                return None

    def property(self, start: int, bracketed: bool) -> CodePoints:
        if not self.take("{") or not (found := self.scan(_NAME)) or not self.take("}"):
            self.fail("A property is written '\\p{Name}'", start)
        name = found[0].removeprefix("^")
        chars = self.property_named(name, bracketed)
        if chars is None:
            self.fail(f"bpeek has no property {name!r} in this dialect", start)
        chars = self.fold_part(chars)
        return ~chars if found[0] != name else chars

    def bracketed(self, start: int) -> Node:
        from .brackets import bracket

        return bracket(self, start)

    # -- what the dialects fill in --

    final_newlines: Node  # what \\Z lets stand before the end

    def word(self, bracketed: bool) -> CodePoints:
        raise NotImplementedError

    def property_named(self, name: str, bracketed: bool) -> CodePoints | None:
        raise NotImplementedError

    def posix(self, name: str) -> CodePoints | None:
        raise NotImplementedError

    def fold_part(self, chars: CodePoints) -> CodePoints:
        """A part of a bracketed set, or a property, where case may be ignored."""
        raise NotImplementedError

    def folded_bracket(self, chars: CodePoints, negated: bool, start: int) -> Node:
        """A whole bracketed set where case is ignored."""
        raise NotImplementedError

    def caret(self) -> Node:
        raise NotImplementedError

    def dollar(self) -> Node:
        raise NotImplementedError


_SPACE_OR_COMMENT = re.compile(r"(?:[ \t\n\r\f\v]|#[^\n]*)+")
_GROUP_NAME = re.compile(r"([^\W\d]\w*)>")
