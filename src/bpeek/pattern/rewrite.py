"""Faster patterns with the same matches. Each rule states why it changes nothing.

All rules look at the sets themselves, so that they hold for any pattern of the same shape.
"""

from __future__ import annotations

from ..unicode import CodePoints
from .analysis import always, first, nullable
from .nodes import Alt, Anchor, Atomic, Cat, Chars, Group, Node, Repeat, alt, cat

COMMON = ord("e")


def faster(node: Node) -> Node:
    """All rules, for a whole pattern without ``\\G``, ``\\K`` and references back."""
    options: list[Node] = [*node.options] if isinstance(node, Alt) else [node]
    return possessive(alt(_words_first(_cased_words(options))), ())


def _cased_words(options: list[Node]) -> list[Node]:
    """``Q?U*W+S|Q?U+W*S``, the words of o200k, without the trial and error that U and W in common cause.

    Let the letters in U only be *upper*, in W only *lower*, in both *other*; S matches anything or nothing.
    From a given place, both alternatives together do this: take all of U; if a *lower* follows, take that and
    all of W (first alternative); else go back to behind the last *other* (first alternative, W+ takes just that
    one, since neither what follows it nor what ends the run is in W); else there were only *upper*, keep them
    (second alternative). Whether Q also takes an *other* that comes first does not matter: the outcome is that of
    U*W+ from there, which surely matches. So Q need not, as long as it has no *upper* or *lower*.
    """
    done: list[Node] = []
    for option in options:
        merged = _merge_cased(done[-1], option) if done else None
        if merged is None:
            done.append(option)
        else:
            done[-1] = merged
    return done


def _merge_cased(one: Node, two: Node) -> Node | None:
    match one, two:
        case Cat(
            (
                Repeat(Chars(q), 0, 1, "greedy"),
                Repeat(Chars(u), 0, None, "greedy"),
                Repeat(Chars(w), 1, None, "greedy"),
                *tail,
            )
        ), Cat(
            (
                Repeat(Chars(q2), 0, 1, "greedy"),
                Repeat(Chars(u2), 1, None, "greedy"),
                Repeat(Chars(w2), 0, None, "greedy"),
                *tail2,
            )
        ) if (q, u, w, tail) == (q2, u2, w2, tail2) and all(map(always, tail)) and q & (u | w) <= u & w:
            upper, lower, other = Chars(u - w), Chars(w - u), Chars(u & w)
            word = Alt(
                (
                    cat([Repeat(Chars(u), 0, None, "possessive"), lower, Repeat(Chars(w), 0, None)]),
                    cat([Repeat(Chars(u), 0, None), other]),
                    Repeat(upper, 1, None),
                )
            )
            return cat([Repeat(Chars(q - u), 0, 1), word, *tail])
    return None


def _words_first(options: list[Node]) -> list[Node]:
    """Try the alternative for words before the others: most matches are words.

    Alternatives that cannot begin with the same character may change places. Where the optional set that the
    word begins with is the only obstacle (``'`` of ``'s|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+``), the word is cut in two:
    without these characters, for the front; and with one of them, to stay.
    """
    starts: list[CodePoints] = []
    for place, option in enumerate(options):
        if nullable(option):
            break
        begins = first(option)
        if COMMON in begins:
            clash = begins & CodePoints.union(starts)
            return options if place == 0 else _moved(options, place, clash)
        starts.append(begins)
    return options


def _moved(options: list[Node], place: int, clash: CodePoints) -> list[Node]:
    before, option, after = options[:place], options[place], options[place + 1 :]
    if not clash:
        return [option, *before, *after]
    match option:
        case Cat((Repeat(Chars(chars), 0, 1, "greedy" | "possessive" as mode), *rest)):
            word = cat(list(rest))
            if clash <= chars and not nullable(word) and not clash & first(word):
                front = cat([Repeat(Chars(chars - clash), 0, 1, mode), word])
                return [front, *before, cat([Chars(clash), word]), *after]
    return options


def possessive(node: Node, rest: tuple[Node, ...]) -> Node:
    """No giving back where that cannot help: ``rest`` is what must match behind the node.

    A repeated set may keep all it took if the rest always matches, or if the rest must begin with a character
    that is not in the set (what is given back is), or with the end of the text.
    """
    match node:
        case Repeat(Chars(chars), low, high, "greedy") if low != high:
            return Repeat(node.body, low, high, "possessive", node.pos) if _keeps(chars, rest) else node
        case Repeat(body, low, 1, mode):
            return Repeat(possessive(body, rest), low, 1, mode, node.pos)
        case Cat(items):
            return Cat(tuple(possessive(item, (*items[i + 1 :], *rest)) for i, item in enumerate(items)))
        case Alt(options):
            return Alt(tuple(possessive(option, rest) for option in options))
        case Group(body, index):
            return Group(possessive(body, rest), index, node.pos)
        case Atomic(body):
            return Atomic(possessive(body, ()))
        case _:
            return node


def _keeps(chars: CodePoints, rest: tuple[Node, ...]) -> bool:
    if all(map(always, rest)) or rest[0] == Anchor("end"):
        return True
    return not nullable(Cat(rest)) and not chars & first(Cat(rest))
