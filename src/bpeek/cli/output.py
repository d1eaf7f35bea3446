"""What a command writes: text, JSON, and what a terminal only shows."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any


def printable(text: str) -> str:
    """Text that a terminal only shows: what steers it, or turns the direction of writing, is spelled out.

    >>> printable("a\\x1b[2Jb \\u202ec 漢")
    'a\\\\x1b[2Jb \\\\u202ec 漢'
    """
    return "".join(char if char.isprintable() or char in "\n\t" else _escaped(char) for char in text)


def one_line(name: str) -> str:
    """The name of a file, in a line of its own whatever is in it.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    return printable(name).replace("\n", "\\n").replace("\t", "\\t")


def _escaped(char: str) -> str:
    # The bytes of a file's name that are no text go out as they came in.
    return char if "\udc80" <= char <= "\udcff" else char.encode("unicode_escape").decode()


_HALVES = re.compile("[\ud800-\udfff]")


def write_json(value: Any) -> None:
    # Bytes of a file's name that are no text are escaped, for JSON is UTF-8.
    line = _HALVES.sub(lambda half: json.dumps(half[0])[1:-1], json.dumps(value, ensure_ascii=False))
    if sys.stdout.isatty() and not line.isprintable():
        line = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in line)
    print(line)


def write_text(parts: Iterable[str]) -> None:
    """As it is; but a terminal is not steered by it, and gets the end of the last line."""
    if not sys.stdout.isatty():
        sys.stdout.writelines(parts)
        return
    last = ""
    for part in parts:
        sys.stdout.write(printable(part))
        last = part or last
    sys.stdout.write("" if last.endswith("\n") else "\n")
