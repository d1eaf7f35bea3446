"""A compiled pattern: which regular expressions it needs, and how their matches are walked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import accumulate, pairwise
from typing import Any

from ..errors import PatternError, Worded
from ..spec import Dialect
from ..unicode import EMPTY, EVERYTHING, CodePoints
from .analysis import alphabet, covers, misplaced_search_start, nullable, sure
from .automaton import ANY, Automaton, automaton, longest_to_backtrack
from .emit import ASCII, BMP, UNICODE, Target, emit, needs_regex
from .explosive import explosive
from .linear import Linear
from .nfa import Nfa, NoAutomaton, Sketch
from .nodes import Alt, Anchor, Backref, Chars, Group, Keep, Look, Node, Repeat, walk
from .oniguruma import OnigurumaParser
from .rewrite import faster
from .rust import RustParser
from .seams import Steps, steps
from .standins import StandIns, has_astral

Regex = re.Pattern[str]
LONGEST = 20_000  # characters; published patterns have up to 3,000, and compiling takes time and memory


@lru_cache(maxsize=64)
def compile(source: str, dialect: Dialect = "rust") -> Pattern:
    """Read a pattern of tiktoken (``"rust"``) or of ``tokenizer.json`` (``"oniguruma"``).

    Raises ``PatternError``, with the place, for what cannot be translated exactly.

    >>> compile(r" ?\\p{L}+|\\p{N}{1,3}+|\\s").findall("tokens 12345")
    ['tokens', ' ', '123', '45']
    >>> compile(r"\\p{N}{1,3}+", "oniguruma").findall("12345")
    ['12345']
    """
    return Pattern(source, dialect)


class Pattern:
    """Finds the pieces of a text. Immutable, and safe to share between threads.

    ``covers`` tells whether every character of any text is in some match (False also if that could not be proved);
    ``nullable``, whether a match may be empty; ``engine`` is ``"re"``, or ``"regex"`` for patterns that the standard
    library cannot run.
    """

    def __init__(self, source: str, dialect: Dialect) -> None:
        self.source, self.dialect = source, dialect
        node = parsed(source, dialect)
        parts = walk(node)
        _refuse_unreadable(source, node, parts)
        self._nfa = _nfa(node)
        if self._nfa is None:
            _refuse_explosive(source, node)
        self._groups = frozenset(part.index for part in parts if isinstance(part, Backref))
        self._keeps = [f"k{part.pos}" for part in parts if isinstance(part, Keep)]
        self._searches = any(isinstance(part, Anchor) and part.kind == "search_start" for part in parts)
        self.nullable = nullable(node)
        self._stepwise = self._searches or self.nullable
        self._plain = not (self._stepwise or self._keeps or self._groups)
        self._node = faster(node) if self._plain else node
        self._sets = list(dict.fromkeys(part.set for part in walk(self._node) if isinstance(part, Chars)))
        self.covers: bool = self._plain and covers(node)
        self.engine = "regex" if needs_regex(node) or _group_is_tricky(parts, self._groups) else "re"

    def __repr__(self) -> str:
        return f"compile({self.source!r}, {self.dialect!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return compile, (self.source, self.dialect)

    def findall(self, text: str) -> list[str]:
        """All matches that are not empty, in order; what lies between them is left out."""
        if text.isascii():
            return self._ascii(text)
        if has_astral(text):
            return self._astral(text)
        return self._bmp(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Start and end of all matches, in code points. An empty match counts unless the match before ends there.

        >>> compile("x*").spans("axb")
        [(0, 0), (1, 2), (3, 3)]
        """
        if not text:
            return []
        if self._linear and len(text) > self._longest:
            return self._linear.spans(text)
        return list(self._spans(*self._for(text)))

    def _for(self, text: str) -> tuple[tuple[Regex, Regex], str]:
        """The regular expressions for a text, and the text as they are to see it."""
        if not text.isascii() and has_astral(text):
            return self._astral_regexes, self._mapped(text)
        return self._bmp_regexes, text

    @cached_property
    def steps(self) -> Steps | None:
        """Between which characters the pattern may step, for ``Seams``; ``None`` if no text can be cut safely."""
        sketch = None if self._stepwise or self._keeps else self._nfa or _nfa(self._node, sketch="read")
        return None if sketch is None else steps(sketch)

    @cached_property
    def automaton(self) -> Automaton | None:
        """The same matches as a table; ``None`` if the pattern has none, or too large a one, or may match nothing."""
        if self._nfa is None or self.nullable:
            return None
        try:
            return automaton(self._nfa)
        except NoAutomaton:
            return None

    @cached_property
    def _longest(self) -> int:
        """How long a text may be for ``re``. What ``faster`` makes of a pattern takes no longer than the pattern: its
        rules take choices away, or put first what another character begins with."""
        return ANY if self._nfa is None else longest_to_backtrack(self._nfa)

    @cached_property
    def _linear(self) -> Linear | None:
        """For longer texts."""
        return None if self._nfa is None or self._longest == ANY else Linear(self._nfa)

    @cached_property
    def alphabet(self) -> CodePoints:
        """All characters that a match may hold, and perhaps some more."""
        return alphabet(self._node)

    @cached_property
    def taken(self) -> CodePoints:
        """Characters that are in some match wherever they stand, and perhaps not all of these."""
        return EVERYTHING if self.covers else sure(self._node) if self._plain else EMPTY

    # -- regular expressions, each built when a text first needs it --

    def _build(self, universe: int, translate: Callable[[CodePoints], CodePoints]) -> tuple[Regex, Regex]:
        """One for where the search starts, one for further on; the same but for ``\\\\G``."""
        module = re if self.engine == "re" else _regex_module(self.source)
        there = module.compile(emit(self._node, Target(universe, translate, self._groups)))
        if not self._searches:
            return there, there
        return module.compile(emit(self._node, Target(universe, translate, self._groups, True))), there

    @cached_property
    def _bmp_regexes(self) -> tuple[Regex, Regex]:
        return self._build(BMP, _same)

    @cached_property
    def _stand_ins(self) -> StandIns | None:
        """None if the pattern compares parts of the text, which needs the real characters."""
        try:
            return None if self._groups else StandIns(self._sets)
        except ValueError:
            return None

    @cached_property
    def _astral_regexes(self) -> tuple[Regex, Regex]:
        if self._stand_ins is None:
            return self._build(UNICODE, _same)
        return self._build(BMP, self._stand_ins.translate) if self._stand_ins.reserved else self._bmp_regexes

    def _mapped(self, text: str) -> str:
        return text if self._stand_ins is None else self._stand_ins.replace(text)

    # -- walking the matches --

    @cached_property
    def _ascii(self) -> Callable[[str], list[str]]:
        return self._finder(self._build(ASCII, _same)) if self._plain else self._bmp

    @cached_property
    def _bmp(self) -> Callable[[str], list[str]]:
        return self._finder(self._bmp_regexes)

    def _by_spans(self, text: str) -> list[str]:
        return [text[start:end] for start, end in self.spans(text) if start < end]

    def _finder(self, regexes: tuple[Regex, Regex]) -> Callable[[str], list[str]]:
        if not self._plain:
            return self._by_spans
        findall, longest = regexes[1].findall, self._longest
        return findall if longest == ANY else lambda text: (findall if len(text) <= longest else self._by_spans)(text)

    def _astral(self, text: str) -> list[str]:
        if self._linear or not self.covers:
            return self._by_spans(text)
        ends = accumulate(map(len, self._astral_regexes[1].findall(self._mapped(text))), initial=0)
        return [text[start:end] for start, end in pairwise(ends)]

    def _spans(self, regexes: tuple[Regex, Regex], text: str) -> Iterator[tuple[int, int]]:
        matches = self._matches(regexes, text)
        return map(self._span, matches) if self._keeps else (match.span() for match in matches)

    def _matches(self, regexes: tuple[Regex, Regex], text: str) -> Iterator[re.Match[str]]:
        return self._steps(regexes, text) if self._stepwise else regexes[1].finditer(text)

    def _span(self, match: re.Match[str]) -> tuple[int, int]:
        return max(match.start(), *map(match.start, self._keeps), -1), match.end()

    def _steps(self, regexes: tuple[Regex, Regex], text: str) -> Iterator[re.Match[str]]:
        """Search after search. An empty match where the last one ended is passed over, with the next character."""
        at_start, further = regexes
        pos, last = 0, -1
        while text and pos <= len(text):
            match = at_start.match(text, pos) or further.search(text, pos)
            if match is None:
                return
            if match.start() == match.end() == last:
                pos += 1
                continue
            yield match
            pos = last = match.end()


def _same(chars: CodePoints) -> CodePoints:
    return chars


def _regex_module(source: str) -> Any:
    try:
        return import_module("regex")
    except ImportError:
        told = "This pattern needs the package 'regex'; "
        raise PatternError(
            Worded(told + "install it", told + "use bpeek in Python, where that can be installed"), source, 0
        ) from None


def _group_is_tricky(parts: list[Node], groups: frozenset[int]) -> bool:
    """A group inside a repetition or choice that is referred back to: older versions of ``re`` had defects there."""
    inside = (below for part in parts if isinstance(part, Repeat | Alt | Look) for below in walk(part))
    return bool(groups) and any(isinstance(part, Group) and part.index in groups for part in inside)


def parsed(source: str, dialect: Dialect) -> Node:
    if len(source) > LONGEST:
        raise PatternError(f"A pattern may have {LONGEST:,} characters; this one has {len(source):,}", source, LONGEST)
    try:
        return (RustParser if dialect == "rust" else OnigurumaParser)(source).parse()
    except RecursionError:
        raise PatternError("Groups are nested too deeply", source, 0) from None


def _nfa(node: Node, sketch: Sketch | None = None) -> Nfa | None:
    """``None`` if there is none, or only a large one."""
    try:
        return Nfa(node, sketch)
    except NoAutomaton:
        return None


def _refuse_unreadable(source: str, node: Node, parts: list[Node]) -> None:
    if misplaced := misplaced_search_start(node):
        raise PatternError("'\\G' is supported only at the start of an alternative", source, misplaced.pos)
    for part in parts:
        if isinstance(part, Repeat) and part.high != 1 and nullable(part.body):
            raise PatternError(
                "A repetition of something that may be empty is not supported; rewrite it", source, part.pos
            )


def _refuse_explosive(source: str, node: Node) -> None:
    try:
        bad = explosive(node)
    except NoAutomaton:
        repeats = [part for part in walk(node) if isinstance(part, Repeat)]
        pos = max(repeats, key=lambda part: max(part.low, part.high or 0)).pos if repeats else 0
        raise PatternError("This pattern is too large to tell whether it ends in time", source, pos) from None
    if bad is not None:
        pos = next((part.pos for part in walk(bad) if isinstance(part, Repeat) and part.high != 1), 0)
        raise PatternError(
            "A repetition here can take the same text in several ways, so that some texts would take forever; "
            "rewrite it, as '(?:a+)+' to 'a+'",
            source,
            pos,
        )
