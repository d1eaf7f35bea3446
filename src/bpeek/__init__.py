"""bpeek: exact byte-pair tokenization in pure Python.

``load`` makes a ``Tokenizer`` from a file; its ``encode`` gives an ``Encoding``: ids, tokens, and the place of each
in the text. Every error is a ``BpeekError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (
    BpeekError,
    FormatError,
    PatternError,
    SpecialTokenError,
    UnknownTokenError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from .comparison import Comparison, compare
    from .encoding import Encoding
    from .explain import Explanation
    from .inspection import Inspection
    from .loading import load
    from .spec import AddedToken, Model, Spec
    from .tokenizer import Tokenizer
    from .trust import Trusted

__version__ = "0.1.0"

__all__ = [
    "AddedToken",
    "BpeekError",
    "Comparison",
    "Encoding",
    "Explanation",
    "FormatError",
    "Inspection",
    "Model",
    "PatternError",
    "Spec",
    "SpecialTokenError",
    "Tokenizer",
    "Trusted",
    "UnknownTokenError",
    "UnsupportedError",
    "compare",
    "load",
]

_HOMES = {
    "AddedToken": "spec",
    "Comparison": "comparison",
    "Encoding": "encoding",
    "Explanation": "explain",
    "Inspection": "inspection",
    "Model": "spec",
    "Spec": "spec",
    "Tokenizer": "tokenizer",
    "Trusted": "trust",
    "compare": "comparison",
    "load": "loading",
}


def __getattr__(name: str) -> Any:
    # `import bpeek` must cost milliseconds, so the engine is imported when first used.
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
