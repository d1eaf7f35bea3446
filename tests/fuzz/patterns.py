"""Random patterns and texts: what an automaton finds is what `re` finds, and nothing takes many steps.

python -m tests.fuzz.patterns TEXTS [SEED]    compare so many texts; report patterns and differences
"""

from __future__ import annotations

import random
import re
import sys
from functools import lru_cache

from bpeek.errors import PatternError
from bpeek.pattern import Pattern, Seams
from bpeek.pattern.emit import UNICODE, Target, emit
from bpeek.pattern.factors import factors
from bpeek.pattern.linear import Linear
from bpeek.pattern.matcher import parsed
from bpeek.pattern.nfa import MATCH, Check, Fork, Nfa, Take

ATOMS = ["a", "b", "c", "ab", "[ab]", "[^a]", r"\s", "[bc]", " ", ".", r"\w", r"\W", "é", "(?i:k)", "[^\\s\\S]", "😀"]
LOOKS = [
    *("(?!a)", "(?=b)", r"(?!\S)", "(?![ab])", r"(?=\s|$)", "(?=(?!a)[ab])", r"(?=a+)", "(?!(?:b|c)+)", "(?=)"),
    *("(?<=a)", "(?<!b)", r"(?<!\S)", "(?<=a|b)", r"\b", r"\B", "^", "$", r"\A", r"\z", r"(?<=\s|\A)"),
]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{1,3}", "{2}", "{0,2}?", "{2,}"]
POSSESSIVE = ["*+", "++", "?+"]
CHARS = "aaabbbc  d\né_kK\u212a😀1"


class Generator:
    """Patterns of the given ``random`` numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.pick, self.chance = rng.choice, lambda probability: rng.random() < probability
        self.count = rng.randint

    def pattern(self, depth: int = 0) -> str:
        return "|".join(self.sequence(depth) for _ in range(self.count(1, 3)))

    def sequence(self, depth: int) -> str:
        items = [self.item(depth) for _ in range(self.count(1, 3))]
        if self.chance(0.25):
            items.insert(self.count(0, len(items)), self.pick(LOOKS))
        return "".join(items)

    def item(self, depth: int) -> str:
        if depth > 1 or self.chance(0.75):
            item = self.pick(ATOMS)
            item = f"(?:{item})" if item == "ab" else item
            repeats = REPEATS + POSSESSIVE
        else:
            item = f"({self.pick(['', '?:', '?:', '?>'])}{self.pattern(depth + 1)})"
            repeats = REPEATS
        return item + self.pick(repeats) if self.chance(0.5) else item

    def text(self, longest: int) -> str:
        chars = CHARS if self.chance(0.7) else "aab"
        return "".join(self.pick(chars) for _ in range(self.count(0, longest)))


@lru_cache(maxsize=16)
def by_re(source: str) -> re.Pattern[str]:
    """The pattern for `re`, as it is read and not made faster."""
    return re.compile(emit(parsed(source, "oniguruma"), Target(UNICODE, lambda chars: chars, frozenset())))


def compiled(source: str) -> Pattern | None:
    """``None`` if it is refused."""
    try:
        return Pattern(source, "oniguruma")
    except PatternError:
        return None


def check(pattern: Pattern, text: str) -> None:
    """Raises ``AssertionError`` where any of the ways to run it finds other matches than `re`."""
    expected = [match.span() for match in by_re(pattern.source).finditer(text)] if text else []
    if pattern.nullable:
        # `re` goes on otherwise than the references after an empty match: so only the first is compared.
        found = pattern.spans(text)
        assert found[:1] == expected[:1], (pattern.source, text)
        assert pattern._nfa is None or Linear(pattern._nfa).spans(text) == found or not text, (pattern.source, text)
        return
    ways = [pattern.spans]
    ways += [pattern.automaton.spans] if pattern.automaton else []
    ways += [Linear(pattern._nfa).spans] if pattern._nfa else []
    for way in ways:
        assert way(text) == expected, (pattern.source, text, way)


def check_parts(pattern: Pattern, text: str) -> None:
    """Raises ``AssertionError`` where a text may not be cut as ``Seams`` says, or a match holds what it should not."""
    spans, told = pattern.spans(text), factors(pattern.source, "oniguruma")
    assert all(told.may_hold(text[start:end]) for start, end in spans), (pattern.source, text)
    seams = None if pattern.steps is None else Seams([pattern.steps])
    for at in range(1, len(text) if seams else 0):
        if seams[text[at - 1 : at + 1]]:
            right = [(at + start, at + end) for start, end in pattern.spans(text[at:])]
            assert spans == [*pattern.spans(text[:at]), *right], (pattern.source, text, at)


def steps_taken(pattern: Pattern, text: str, limit: int = 1_000_000) -> int | None:
    """How many steps it takes to run through a text; more than ``limit`` if that is passed, ``None`` if unknown."""
    if pattern._nfa is None:
        return None
    by_re = pattern._linear is None or len(text) <= pattern._longest
    return _backtracking(Nfa(pattern._node), text, limit) if by_re else _linear(pattern._nfa, text)


def _backtracking(nfa: Nfa, text: str, limit: int) -> int:
    """As `re` does it: one way after the other."""
    read = [*map(ord, nfa.classes.read(text)), nfa.classes.border]
    count = at = 0
    while at <= len(text):
        stack, end = [(nfa.start, at)], at
        while stack and count <= limit:
            number, place = stack.pop()
            count += 1
            if number == MATCH:
                end = place
                break
            inside = nfa.inside[number]
            match nfa.steps[number]:
                case Take(out=out) if inside >> read[place] & 1:
                    stack.append((out, place + 1))
                case Check(ahead=ahead, out=out) if inside >> read[place if ahead else place - 1] & 1:
                    stack.append((out, place))
                case Fork(outs):
                    stack += [(out, place) for out in reversed(outs)]
        at = max(end, at + 1)
    return count


def _linear(nfa: Nfa, text: str) -> int:
    run = Linear(nfa)
    made = 0
    note_before = run.note_before

    def counted(after: int, read: int) -> object:
        nonlocal made
        made += 1
        return note_before(after, read)

    run.note_before = counted  # type: ignore[method-assign]  # of this one
    spans = run.spans(text)
    return made * len(nfa.steps) + 2 * len(text) + len(spans)


def main(texts: int, seed: int) -> None:
    done = patterns = by_automaton = linear = refused = 0
    while done < texts:
        generator = Generator(random.Random(f"{seed} {patterns}"))
        patterns += 1
        pattern = compiled(generator.pattern())
        if pattern is None:
            refused += 1
            continue
        by_automaton += pattern.automaton is not None
        linear += pattern._linear is not None
        for _ in range(40):
            text = generator.text(12 if pattern._linear is None else 8)
            check(pattern, text)
            check_parts(pattern, text)
        done += 40
    print(f"{done} texts, {patterns} patterns: {by_automaton} automata, {linear} not by `re`, {refused} refused")
    print("no difference")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
