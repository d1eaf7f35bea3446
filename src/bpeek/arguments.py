"""What callers pass, checked where it comes in, so that an error says what was wanted."""

from __future__ import annotations

import codecs
import io
import os
from array import array
from collections.abc import Callable, Iterable
from operator import index
from typing import Literal, TextIO, TypeVar

from .errors import BpeekError

T = TypeVar("T")


def many(values: Iterable[T], what: str = "texts") -> Iterable[T]:
    """Several texts, say, and not one, whose characters would pass for them."""
    if isinstance(values, (str, bytes, bytearray)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be in a list or another iterable, not {type(values).__name__}")
    return values


def whole_number(value: object, what: str) -> int:
    """An ``int``, or what stands for one, such as NumPy's."""
    try:
        return index(value)  # type: ignore[arg-type]  # that is what is asked here
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {type(value).__name__}") from None


def as_id(value: int) -> int:
    return whole_number(value, "an id")


def as_ids(ids: Iterable[int]) -> list[int]:
    """Ids from any iterable.

    >>> as_ids(iter([5, True]))
    [5, 1]
    """
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be whole numbers in a list or another iterable, not {type(ids).__name__}")
    numbers = list(ids)
    try:
        return array("I", numbers).tolist()  # 20 ns for each; a call for each would be 80
    except (TypeError, OverflowError):
        return list(map(as_id, numbers))


def special_names(value: object, name: str) -> Literal["all"] | frozenset[str]:
    """Those that ``allowed_special`` or ``disallowed_special`` names."""
    if isinstance(value, str):
        if value == "all":
            return "all"
    elif isinstance(value, Iterable):
        tokens = list(value)
        if all(isinstance(token, str) for token in tokens):
            return frozenset(tokens)
    raise TypeError(f"{name} must be 'all' or special tokens in a set, such as {{'<|endoftext|>'}}, not {value!r:.80}")


def error_handler(errors: str) -> str:
    """The name of what Python does with bytes that are not UTF-8."""
    if not isinstance(errors, str):
        raise TypeError(f"errors must be a str such as 'replace' or 'strict', not {type(errors).__name__}")
    try:
        codecs.lookup_error(errors)
    except (LookupError, ValueError):
        known = "'replace', 'strict', 'ignore' or 'backslashreplace'"
        raise BpeekError(f"errors={errors!a} is not known; take {known}") from None
    return errors


def function(value: Callable[..., object] | None, name: str) -> None:
    """Something to be called, or nothing."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function, not {type(value).__name__}")


def at_most(limit: int | None) -> int | None:
    """How many tokens or segments are shown, or ``None`` for all.

    >>> at_most(None), at_most(True)
    (None, 1)
    """
    if limit is not None and (limit := whole_number(limit, "limit")) < 0:
        raise BpeekError(f"limit must be 0 or more, or None for all; it is {limit}")
    return limit


def text_file(file: TextIO | None) -> TextIO | None:
    """Where text is written to, or nothing for standard output."""
    if file is not None and not hasattr(file, "write"):
        raise TypeError(f"file must be a file that is open for writing text, not {type(file).__name__}")
    if isinstance(file, (io.RawIOBase, io.BufferedIOBase)):
        raise TypeError("the file is open for bytes; open it with mode 'w' and encoding='utf-8'")
    return file


def file_path(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """A path, and not the number of a file that is open, which ``open`` would take."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be a str or a path, not {type(path).__name__}")
    return path
