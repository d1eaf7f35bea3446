"""Patterns that no automaton can run, and with which ``re`` may take time exponential in the length of a text.

What is looked at is a sketch of the pattern, so that some are refused which would do.
"""

from __future__ import annotations

from .automaton import Ambiguous, backtracking
from .nfa import Nfa
from .nodes import Alt, Look, Node, walk


def explosive(node: Node) -> Node | None:
    """A part in which the same text can be taken in many ways, or ``None``. A large one raises ``NoAutomaton``."""
    for part in (node, *(part.body for part in walk(node) if isinstance(part, Look))):
        for option in part.options if isinstance(part, Alt) else (part,):
            try:
                backtracking(Nfa(option, sketch="taken"))
            except Ambiguous:
                return option
    return None
