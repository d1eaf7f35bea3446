"""The dialect of Hugging Face's tokenizers: Oniguruma, with its own default syntax."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from types import MappingProxyType

from ..unicode import EVERYTHING, CodePoints, binary, category, full_folds, named
from .analysis import nullable
from .nodes import Alt, Atomic, Backref, Chars, Group, Keep, Node, Repeat, alt, cat, look_ahead, look_behind, walk
from .parser import HEX_DIGIT, NEWLINE, Parser

_KEY = re.compile(r"k<(\w+)>|([1-9])(?!\d)")
_OCTAL = re.compile(r"0[0-7]{0,2}")
_LINE_ENDS = CodePoints.from_ranges([(0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)])


class OnigurumaParser(Parser):
    flag_names = MappingProxyType({"i": "ignore_case", "m": "dot_all", "x": "extended"})
    final_newlines = Repeat(Chars(NEWLINE), 0, 1)
    stacking = True

    def parse(self) -> Node:
        node = super().parse()
        _refuse_long_folds(self, node)
        if self.names:
            _refuse_mixed_groups(self, node)
        return node

    def repeat(self, body: Node, low: int, high: int | None, braces: bool, start: int) -> Node:
        """A plus behind braces repeats again, and ``{n}?`` means "n times or not at all"."""
        if not braces:
            return super().repeat(body, low, high, braces, start)
        if low == high and self.take("?"):
            return Repeat(Repeat(body, low, high), 0, 1, pos=start)
        return Repeat(body, low, high, "lazy" if self.take("?") else "greedy", start)

    def flags_set(self) -> Node:
        """Flags hold for all that is left of the group, alternatives included: ``a(?i)b|c`` is ``a(?i:b|c)``."""
        return self.alternatives()

    def special(self, letter: str, start: int) -> Node:
        if self.take("K"):
            return Keep(start)
        if self.take("R"):
            return Atomic(Alt((cat([Chars(CodePoints.of("\r")), Chars(NEWLINE)]), Chars(_LINE_ENDS))))
        if self.take("N"):
            return Chars(~NEWLINE)
        if self.take("O"):
            return Chars(EVERYTHING)
        if found := self.scan(_KEY):
            return self.backref(found[1] or found[2], start)
        return super().special(letter, start)

    def backref(self, name: str, start: int) -> Node:
        index = int(name) if name.isdigit() else self.names.get(name, 0)
        if self.flags.ignore_case:
            self.fail("A reference back without regard to case is not supported", start)
        if index not in self.bodies:
            self.fail(f"There is no group {name!r} before this", start)
        return Backref(index, nullable(self.bodies[index]), start)

    def character(self, start: int) -> str | None:
        if found := self.scan(_OCTAL):
            return chr(int(found[0], 8))
        return super().character(start)

    def word(self, bracketed: bool) -> CodePoints:
        return oniguruma_word(bracketed)

    def property_named(self, name: str, bracketed: bool) -> CodePoints | None:
        """Categories, scripts, properties, blocks (``InBasicLatin``) and the POSIX names."""
        folded = name.lower().replace("_", "").replace(" ", "").replace("-", "")
        if folded == "punct":
            return category("P")
        if folded == "word":
            return oniguruma_word(bracketed)
        for kind in ("category", "special", "script", "binary"):
            if (chars := named(kind, folded)) is not None:
                return chars
        return named("block", folded[2:]) if folded.startswith("in") else self.posix(folded)

    def posix(self, name: str) -> CodePoints | None:
        match name:
            case "alnum":
                return binary("Alphabetic") | category("Nd")
            case "alpha":
                return binary("Alphabetic")
            case "ascii":
                return CodePoints((0, 0x80))
            case "blank":
                return category("Zs") | CodePoints.of("\t")
            case "cntrl":
                return category("Cc")
            case "digit":
                return category("Nd")
            case "graph":
                return ~(category("Cc") | category("Cs") | category("Cn") | binary("White_Space"))
            case "lower":
                return binary("Lowercase")
            case "print":
                return ~(category("Cc") | category("Cs") | category("Cn") | category("Zl") | category("Zp"))
            case "punct":
                return category("P") | category("S")
            case "space":
                return binary("White_Space")
            case "upper":
                return binary("Uppercase")
            case "word":
                return oniguruma_word(True)
            case "xdigit":
                return HEX_DIGIT
            case _:
                return None

    def fold_part(self, chars: CodePoints) -> CodePoints:
        return chars

    def folded_bracket(self, chars: CodePoints, negated: bool, start: int) -> Node:
        """A set that holds ß also matches ``ss``, after it tried all single characters."""
        folded = self.fold(chars)
        if negated:
            return Chars(~folded)
        long = sorted({fold for char, fold in full_folds().items() if ord(char) in folded})
        if any(b.startswith(a) for a, b in pairwise(long)):
            self.fail("This set stands for sequences of several characters where case is ignored; spell it out", start)
        return alt([Chars(folded), *(cat([Chars(self.fold(CodePoints.of(c))) for c in fold]) for fold in long)])

    def caret(self) -> Node:
        """At the start of a line; where a final line feed ends the text, no new line starts."""
        return cat([look_behind(Chars(~NEWLINE), negative=True), look_ahead(Chars(EVERYTHING))])

    def dollar(self) -> Node:
        return look_ahead(Chars(~NEWLINE), negative=True)


@cache
def oniguruma_word(bracketed: bool) -> CodePoints:
    """Outside of brackets, the superscripts and fractions of Latin-1 are word characters too."""
    word = binary("Alphabetic") | category("M") | category("Nd") | category("Pc")
    return word if bracketed else word | CodePoints.of("²³¹¼½¾")


def _refuse_long_folds(parser: Parser, node: Node) -> None:
    """Literals that also match sequences of another length where case is ignored: ``(?i:ss)`` matches ß."""
    run = ""
    for part in walk(node):
        if not isinstance(part, Chars):
            continue
        run = run + part.folded.casefold() if part.folded else ""
        if part.folded in full_folds() or any(run.endswith(fold) for fold in full_folds().values()):
            parser.fail(
                f"Where case is ignored, {run!r} also matches a sequence of another length in Oniguruma; "
                "spell out its forms as alternatives",
                part.pos,
            )


def _refuse_mixed_groups(parser: Parser, node: Node) -> None:
    """With named groups, plain parentheses do not capture: then numbers would count differently."""
    for part in walk(node):
        if isinstance(part, Group) and part.index not in parser.names.values():
            parser.fail("Named and unnamed groups in one pattern are not supported; write '(?:...)'", part.pos)
