"""A pattern in the words of the other dialect, proved to say the same by comparing what both are read as."""

from __future__ import annotations

import re
from dataclasses import replace

from ..errors import PatternError
from ..spec import Dialect
from .analysis import nullable
from .matcher import parsed
from .nodes import Alt, Atomic, Cat, Group, Node, Repeat

# What is spelled otherwise. A character class and what is escaped are stepped over.
_STEPPED_OVER = r"\\.|\[(?:\\.|[^\]\\])*\]"
_ANCHORS = re.compile(rf"({_STEPPED_OVER})|([$^])", re.S)
_POSSESSIVE_BRACES = re.compile(r"(\{\d+(?:,\d*)?\})\+")


def translate(source: str, dialect: Dialect, to: Dialect) -> str:
    r"""Raises ``PatternError`` where none of the ways that are tried is proved to be the same.

    >>> translate(r"\p{N}{1,3}+|\s+$", "rust", "oniguruma")
    '\\p{N}{1,3}|\\s+\\z'
    """
    meant = parsed(source, dialect)
    if nullable(meant):
        raise PatternError("the references do not take empty matches in the same way", source, 0)
    for candidate in (source, _respelled(source)):
        try:
            if _settled(parsed(candidate, to)) == _settled(meant):
                return candidate
        except PatternError:
            continue
    raise PatternError(f"bpeek finds no way to say the same in the dialect of {to}", source, 0)


def _respelled(source: str) -> str:
    source = _ANCHORS.sub(lambda found: found[1] or {"$": r"\z", "^": r"\A"}[found[2]], source)
    return _POSSESSIVE_BRACES.sub(r"\1", source)


def _settled(node: Node) -> Node:
    """Where nothing follows, there is nothing to go back for: greedy and possessive are the same."""
    match node:
        case Alt(options):
            return Alt(tuple(map(_settled, options)))
        case Cat(items) if items:
            return Cat((*items[:-1], _settled(items[-1])))
        case Group():
            return replace(node, body=_settled(node.body))
        case Atomic(body):
            return _settled(body)
        case Repeat(mode="possessive"):
            return replace(node, mode="greedy")
        case _:
            return node
