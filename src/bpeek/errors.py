"""The one family of errors. Facts are attributes; the sentence says what to do.

BpeekError(ValueError)
├── FormatError          a file is not what it should be: file, line, byte, field
├── PatternError         a split pattern cannot be compiled: source, pos
├── SpecialTokenError    text holds a special token that was not allowed: token, pos
├── UnknownTokenError    an id or token the vocabulary does not have (also a KeyError): token
└── UnsupportedError     a true feature of the format that is not built: feature, where
"""

from __future__ import annotations

from copyreg import __newobj__  # type: ignore[attr-defined]  # what pickle calls; typeshed leaves it out
from typing import Any


class Worded(str):
    """A sentence that names arguments as Python spells them; ``in_javascript`` is the same for JavaScript."""

    in_javascript: str

    def __new__(cls, sentence: str, in_javascript: str = "") -> Worded:
        self = super().__new__(cls, sentence)
        self.in_javascript = in_javascript
        return self


class BpeekError(ValueError):
    """Base of every error that bpeek raises on purpose. Its message is a sentence that says what to do.

    >>> from bpeek import load
    >>> try:
    ...     load(b"PK")
    ... except BpeekError as error:
    ...     print(type(error).__name__)
    FormatError
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """To be pickled as it is, without calling ``__init__``, which takes facts by name."""
        return __newobj__, (type(self), *self.args), vars(self)


class FormatError(BpeekError):
    """A vocabulary file is broken, or is not a file that bpeek reads.

    ``file`` is its name if known; ``line`` counts from 1, ``byte`` from 0;
    ``field`` is a JSON path such as ``model.merges[3]``.

    >>> from bpeek import load
    >>> try:
    ...     load(b"IQ== 0\\nIg== one", name="mine.tiktoken")
    ... except FormatError as error:
    ...     print(error.file, error.line)
    mine.tiktoken 2
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        byte: int | None = None,
        field: str | None = None,
    ) -> None:
        self.message, self.file, self.line, self.byte, self.field = message, file, line, byte, field
        super().__init__(message, file, line, byte, field)

    def __str__(self) -> str:
        places = [
            self.file,
            None if self.line is None else f"line {self.line:,}",
            None if self.byte is None else f"byte {self.byte:,}",
            self.field,
        ]
        where = ", ".join(place for place in places if place)
        return f"{where}: {self.message}" if where else self.message


class PatternError(BpeekError):
    """A split pattern cannot be translated exactly, or would take exponential time. ``pos`` is a place in
    ``source``, in code points.

    >>> from base64 import b64encode
    >>> from bpeek import load
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> try:
    ...     load(ranks.encode(), pattern="a|(b", special_tokens={})
    ... except PatternError as error:
    ...     print(error)
    This '(' is never closed; write '\\(' for the character (at character 2 of the pattern)
        a|(b
          ^
    """

    def __init__(self, message: str, source: str, pos: int) -> None:
        self.message, self.source, self.pos = message, source, pos
        super().__init__(message, source, pos)

    def __str__(self) -> str:
        start = max(0, self.pos - 30)
        excerpt = self.source[start : self.pos + 30]
        return (
            f"{self.message} (at character {self.pos} of the pattern)\n    {excerpt}\n    {' ' * (self.pos - start)}^"
        )


class SpecialTokenError(BpeekError):
    """Text holds the special token ``token``, which the call did not allow, at ``pos`` (in code points).

    >>> from base64 import b64encode
    >>> from bpeek import load
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> tok = load(ranks.encode(), pattern=r".", special_tokens={"<|end|>": 256})
    >>> try:
    ...     tok.encode("go<|end|>", disallowed_special="all")
    ... except SpecialTokenError as error:
    ...     print(error.token, error.pos)
    <|end|> 2
    """

    def __init__(self, message: str, token: str, pos: int) -> None:
        self.message, self.token, self.pos = message, token, pos
        super().__init__(message, token, pos)

    def __str__(self) -> str:
        return self.message


class UnknownTokenError(BpeekError, KeyError):
    """The vocabulary has no such id (``token`` is an ``int``) or token (``str`` or ``bytes``).

    >>> from base64 import b64encode
    >>> from bpeek import load
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> tok = load(ranks.encode(), pattern=r".", special_tokens={"<|end|>": 256})
    >>> try:
    ...     tok.decode([1000])
    ... except UnknownTokenError as error:
    ...     print(error.token, "is no id")
    1000 is no id
    """

    def __init__(self, message: str, token: int | str | bytes) -> None:
        self.message, self.token = message, token
        super().__init__(message, token)

    def __str__(self) -> str:
        return self.message


class UnsupportedError(BpeekError):
    """The file is sound but asks for something that bpeek does not do: ``feature``. ``where`` is a JSON path.

    >>> from bpeek import load
    >>> try:
    ...     load(b'{"model": {"type": "WordPiece"}}')
    ... except UnsupportedError as error:
    ...     print(error.feature, error.where)
    WordPiece model.type
    """

    def __init__(self, message: str, *, feature: str, where: str | None = None) -> None:
        self.message, self.feature, self.where = message, feature, where
        super().__init__(message, feature, where)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message
