"""The one family of errors. Facts are attributes; the sentence says what to do.

BpeekError(ValueError)
├── FormatError          a file is not what it should be: file, line, byte, field
├── PatternError         a split pattern cannot be compiled: source, pos
├── SpecialTokenError    text holds a special token that was not allowed: token, pos
├── UnknownTokenError    an id or token the vocabulary does not have (also a KeyError): token
└── UnsupportedError     a true feature of the format that is not built: feature, where
"""

from __future__ import annotations


class BpeekError(ValueError):
    """Base of every error that bpeek raises on purpose."""


class FormatError(BpeekError):
    """A vocabulary file is broken, or is not a file that bpeek reads.

    ``file`` is its name if known; ``line`` counts from 1, ``byte`` from 0;
    ``field`` is a JSON path such as ``model.merges[3]``.
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
    """A split pattern cannot be translated exactly. ``pos`` indexes ``source``."""

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
    """Text holds a special token that the call did not allow. ``pos`` is in code points."""

    def __init__(self, message: str, token: str, pos: int) -> None:
        self.message, self.token, self.pos = message, token, pos
        super().__init__(message, token, pos)

    def __str__(self) -> str:
        return self.message


class UnknownTokenError(BpeekError, KeyError):
    """The vocabulary has no such id (an ``int``) or token (``str`` or ``bytes``)."""

    def __init__(self, message: str, token: int | str | bytes) -> None:
        self.message, self.token = message, token
        super().__init__(message, token)

    def __str__(self) -> str:
        return self.message


class UnsupportedError(BpeekError):
    """The file is sound but asks for something that bpeek does not do. ``where`` is a JSON path."""

    def __init__(self, message: str, *, feature: str, where: str | None = None) -> None:
        self.message, self.feature, self.where = message, feature, where
        super().__init__(message, feature, where)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message
