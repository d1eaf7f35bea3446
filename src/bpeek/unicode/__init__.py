"""Unicode 16.0, pinned: the version that the references use, whatever this Python or its ``unicodedata`` is at.

Nothing is read before the first question: the tables are a module of their own, and each set is unpacked once.
"""

from .codepoints import EMPTY, EVERYTHING, CodePoints
from .properties import binary, block, category, fold_classes, full_folds, grapheme_break, named, script

__all__ = [
    "EMPTY",
    "EVERYTHING",
    "CodePoints",
    "binary",
    "block",
    "category",
    "fold_classes",
    "full_folds",
    "grapheme_break",
    "named",
    "script",
]
