"""What a pattern says, as a tree: the same for both dialects.

Flags are gone by now: a ``Chars`` already holds all that it matches without regard to case, a dot knows
whether it takes line feeds, and all anchors but three are written as looks around.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..unicode import CodePoints

AnchorKind = Literal["start", "end", "search_start"]
Mode = Literal["greedy", "lazy", "possessive"]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set. ``folded`` is the literal that it was written as, where case is ignored."""

    set: CodePoints
    folded: str = field(default="", compare=False)
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Cat:
    """One thing after the other; nothing at all if empty."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """The first that lets the rest match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Node
    low: int
    high: int | None
    mode: Mode = "greedy"
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Group:
    """A capturing group; it matters only if something refers back to it."""

    body: Node
    index: int
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Atomic:
    body: Node


@dataclass(frozen=True, slots=True)
class Look:
    body: Node
    ahead: bool
    negative: bool
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Anchor:
    kind: AnchorKind
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Backref:
    index: int
    nullable: bool
    pos: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Keep:
    """``\\K``: the match is reported from here on."""

    pos: int = field(default=0, compare=False)


Node = Chars | Cat | Alt | Repeat | Group | Atomic | Look | Anchor | Backref | Keep

NOTHING = Cat(())


def cat(items: list[Node]) -> Node:
    """A sequence without sequences in it."""
    flat: list[Node] = []
    for item in items:
        flat += item.items if isinstance(item, Cat) else [item]
    return flat[0] if len(flat) == 1 else Cat(tuple(flat))


def alt(options: list[Node]) -> Node:
    return options[0] if len(options) == 1 else Alt(tuple(options))


def look_ahead(body: Node, negative: bool = False) -> Look:
    return Look(body, True, negative)


def look_behind(body: Node, negative: bool = False) -> Look:
    return Look(body, False, negative)


def word_border(word: CodePoints, negative: bool = False) -> Node:
    """Between a character of ``word`` and one that is not (or the end of the text); or anywhere else."""
    inside = Chars(word)
    return Alt(tuple(Cat((look_behind(inside, a), look_ahead(inside, a == negative))) for a in (False, True)))


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Cat(items):
            return items
        case Alt(options):
            return options
        case Repeat(body=body) | Group(body=body) | Atomic(body=body) | Look(body=body):
            return (body,)
        case _:
            return ()


def walk(node: Node) -> list[Node]:
    """The node and all below it, in the order of the pattern."""
    found = [node]
    for child in children(node):
        found += walk(child)
    return found
