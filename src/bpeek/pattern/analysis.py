"""What can be told about a pattern without running it. All answers err on the safe side."""

from __future__ import annotations

from functools import lru_cache

from ..unicode import EMPTY, EVERYTHING, CodePoints
from .nodes import Alt, Anchor, Atomic, Backref, Cat, Chars, Group, Look, Node, Repeat, children, walk


def nullable(node: Node) -> bool:
    """May it match without taking a character?"""
    match node:
        case Chars():
            return False
        case Cat(items):
            return all(map(nullable, items))
        case Alt(options):
            return any(map(nullable, options))
        case Repeat(body, low):
            return low == 0 or nullable(body)
        case Group(body) | Atomic(body):
            return nullable(body)
        case Backref():
            return node.nullable
        case _:
            return True


def always(node: Node) -> bool:
    """Does it match at every place, whatever stands there?"""
    match node:
        case Cat(items):
            return all(map(always, items))
        case Alt(options):
            return any(map(always, options))
        case Repeat(body, low):
            return low == 0 or always(body)
        case Group(body) | Atomic(body):
            return always(body)
        case _:
            return False


def width(node: Node) -> int | None:
    """The number of characters that it takes, if that is always the same."""
    match node:
        case Chars():
            return 1
        case Cat(items):
            widths = [width(item) for item in items]
            return sum(w for w in widths if w) if None not in widths else None
        case Alt(options):
            (first, *rest) = {width(option) for option in options}
            return None if rest else first
        case Repeat(body, low, high):
            each = width(body)
            return each * low if each is not None and low == high else None
        case Group(body) | Atomic(body):
            return width(body)
        case Backref():
            return None
        case _:
            return 0


@lru_cache(256)
def first(node: Node) -> CodePoints:
    """The characters that a match which takes any can begin with."""
    match node:
        case Chars(chars):
            return chars
        case Cat(items):
            taken = next((i for i, item in enumerate(items) if not nullable(item)), len(items))
            return CodePoints.union(map(first, items[: taken + 1]))
        case Alt(options):
            return CodePoints.union(map(first, options))
        case Repeat(body=body) | Group(body=body) | Atomic(body=body):
            return first(body)
        case Backref():
            return EVERYTHING
        case _:
            return EMPTY


def alphabet(node: Node) -> CodePoints:
    """The characters that it may take."""
    match node:
        case Chars(chars):
            return chars
        case Look():
            return EMPTY
        case _:
            return CodePoints.union(map(alphabet, children(node)))


def sure(node: Node) -> CodePoints:
    """The characters that it takes wherever one of them comes next, whatever follows."""
    match node:
        case Chars(chars):
            return chars
        case Cat(items):
            return _sure_in_turn(items)
        case Alt(options):
            return CodePoints.union(map(sure, options))
        case Repeat(body, low):
            return sure(body) if low < 2 else EMPTY
        case Group(body) | Atomic(body):
            return sure(body) if isinstance(node, Group) else EMPTY
        case _:
            return EMPTY


def _sure_in_turn(items: tuple[Node, ...]) -> CodePoints:
    """One of the items takes the character; those before it can be left out, and those after it too."""
    found, greedy = EMPTY, EMPTY
    for place, item in enumerate(items):
        if all(map(always, items[place + 1 :])):
            found = found | (sure(item) - greedy)
        if not always(item):
            break
        if not (isinstance(item, Repeat) and item.mode != "possessive" and isinstance(item.body, Chars)):
            greedy = greedy | first(item)  # it may take the character and not give it back
    return found


def covers(node: Node) -> bool:
    """Is every character of every text in some match?"""
    return not nullable(node) and sure(node) == EVERYTHING


def misplaced_search_start(node: Node) -> Anchor | None:
    """A ``\\G`` that does not stand at the very beginning of what is matched."""
    match node:
        case Cat(items):
            for place, item in enumerate(items):
                if found := misplaced_search_start(item):
                    return found
                if not (isinstance(item, Anchor) or (isinstance(item, Look) and item.ahead)):
                    return next(filter(None, map(any_search_start, items[place + 1 :])), None)
            return None
        case Alt(options):
            return next(filter(None, map(misplaced_search_start, options)), None)
        case Group(body) | Atomic(body):
            return misplaced_search_start(body)
        case Anchor():
            return None
        case _:
            return any_search_start(node)


def any_search_start(node: Node) -> Anchor | None:
    return next((part for part in walk(node) if isinstance(part, Anchor) and part.kind == "search_start"), None)
