"""Encodings by name: the published ones, and those of plug-ins in the namespace package ``tiktoken_ext``."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...loading import collector_paused
from . import openai_public
from .core import Encoding

Constructor = Callable[[], dict[str, Any]]

_lock = threading.RLock()
ENCODINGS: dict[str, Encoding] = {}
ENCODING_CONSTRUCTORS: dict[str, Constructor] | None = None


def _available_plugin_modules() -> Sequence[str]:
    """Plug-ins, without tiktoken's own, whose encodings are here and which would download."""
    try:
        package = importlib.import_module("tiktoken_ext")
    except ImportError:
        return []
    found = pkgutil.iter_modules(package.__path__, "tiktoken_ext.")
    return [name for _, name, _ in found if name != "tiktoken_ext.openai_public"]


def _constructors() -> dict[str, Constructor]:
    global ENCODING_CONSTRUCTORS
    with _lock:
        if ENCODING_CONSTRUCTORS is None:
            constructors = dict(openai_public.ENCODING_CONSTRUCTORS)
            for module in _available_plugin_modules():
                plugin = getattr(importlib.import_module(module), "ENCODING_CONSTRUCTORS", None)
                if plugin is None:
                    raise ValueError(f"tiktoken plugin {module} does not define ENCODING_CONSTRUCTORS")
                for name in plugin.keys() & constructors.keys():
                    raise ValueError(f"Duplicate encoding name {name} in tiktoken plugin {module}")
                constructors |= plugin
            ENCODING_CONSTRUCTORS = constructors
        return ENCODING_CONSTRUCTORS


def get_encoding(encoding_name: str) -> Encoding:
    """The encoding of this name, made when first asked for.

    Raises ``ValueError`` for an unknown name, ``FileNotFoundError`` if its file is not here.
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    with _lock:
        if encoding_name not in ENCODINGS:
            constructor = _constructors().get(encoding_name)
            if constructor is None:
                from . import __version__

                raise ValueError(
                    f"Unknown encoding {encoding_name}.\nPlugins found: {_available_plugin_modules()}\n"
                    f"tiktoken version: {__version__} (are you on latest?)"
                )
            with collector_paused():
                ENCODINGS[encoding_name] = Encoding(**constructor())
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    return list(_constructors())
