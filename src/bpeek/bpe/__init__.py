"""Byte-pair merging, in id space: it knows only bytes and ids, never text.

``naive`` is the definition. ``scan`` is the fast loop for short pieces, ``heap`` the one for
long pieces; both are tested to equal ``naive``. ``rules`` says which neighbours may merge.
"""

from .naive import NEVER, merge_steps
from .rules import ByPair, ByRank

__all__ = ["NEVER", "ByPair", "ByRank", "merge_steps"]
