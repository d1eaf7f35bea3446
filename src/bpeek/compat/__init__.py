"""Other libraries' interfaces, so that code written for them runs where they cannot go."""

from __future__ import annotations

import sys
from importlib import import_module

from ..errors import BpeekError

_MODULES = ("", ".core", ".load", ".model", ".registry")


def install_tiktoken() -> None:
    """Let ``import tiktoken`` mean ``bpeek.compat.tiktoken``, for libraries that import it themselves.

    Raises ``BpeekError`` if the real one has been imported already.
    """
    ours = {f"tiktoken{name}": import_module(f"{__name__}.tiktoken{name}") for name in _MODULES}
    if sys.modules.get("tiktoken", ours["tiktoken"]) is not ours["tiktoken"]:
        raise BpeekError("tiktoken is imported already; call install_tiktoken() before anything imports it")
    sys.modules.update(ours)
