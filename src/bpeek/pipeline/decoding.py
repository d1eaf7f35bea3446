"""Decoders that take tokens as they come: the steps of ``decoders``, each holding back what may still change.

After ``Fuse`` or ``ByteLevel`` there is one token, the whole text, that comes in pieces. A step that can say
nothing before the end (a regular expression over the whole text) holds everything back until then; so the
result is that of decoding at once, but for what ``ByteRuns`` says of broken runs.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from copy import copy

from ..spec import Dialect, Step
from .decoders import BYTE_TOKEN, DECODERS, Decode, flat, in_turn, size_of, token_to_bytes
from .growth import Room, Size


class Stage:
    """One step. State is only in attributes with immutable values, so that a shallow copy is a second stream."""

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        """What is certain of the result after some more tokens; everything, if they are the ``last`` ones."""
        raise NotImplementedError


class Decoding:
    """Tokens to text, bit by bit.

    >>> decoding = Decoding({"type": "ByteFallback"}, "oniguruma")
    >>> decoding(["a", "<0xC3>"]), decoding(["<0xA9>"]), decoding(["b"]), decoding(["<0xC3>"], last=True)
    ('a', 'é', 'b', '\ufffd')
    """

    def __init__(self, step: Step | None, dialect: Dialect) -> None:
        self._stages: list[tuple[str, Stage, Size | None]]
        self._stages = [("", Spaced(), None)] if step is None else stages(step, dialect)
        self._given = 0  # characters of tokens
        self._grows = any(size is not None for *_, size in self._stages)

    def __call__(self, tokens: list[str], last: bool = False) -> str:
        if self._grows:
            self._given += sum(map(len, tokens))
        for name, stage, size in self._stages:
            if size is not None:
                Room(self._given).check_before(size, tokens, f"the decoder {name}")
            tokens = stage(tokens, last)
        return "".join(tokens)

    def copy(self) -> Decoding:
        other = copy(self)
        other._stages = [(name, copy(stage), size) for name, stage, size in self._stages]
        return other


def stages(step: Step, dialect: Dialect) -> list[tuple[str, Stage, Size | None]]:
    """What takes tokens as they come, with its name and ``decoders.size_of`` it."""
    steps = flat(step)
    found: list[tuple[str, Stage, Size | None]] = []
    fused = False
    for at, inner in enumerate(steps):
        stage = (FUSED if fused else SEPARATE).get(inner["type"], _none)(inner, dialect)
        if isinstance(stage, ByteRuns) and all(each["type"] == "Fuse" for each in steps[at + 1 : at + 2]):
            stage = ByteRuns(early=True)  # nothing looks at single tokens any more
        if stage is None:
            return [*found, ("", Held(in_turn(steps[at:], dialect), fused), None)]
        found.append((inner["type"], stage, size_of(inner, dialect)))
        fused = fused or inner["type"] in ("Fuse", "ByteLevel")
    return found


def _none(step: Step, dialect: Dialect) -> None:
    return None


class Held(Stage):
    """Steps of which nothing is certain before the end."""

    def __init__(self, decode: Decode, fused: bool) -> None:
        self._decode, self._fused = decode, fused
        self._tokens: tuple[str, ...] = ()

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        self._tokens += tuple(tokens)
        if not last:
            return []
        return self._decode(["".join(self._tokens)] if self._fused else list(self._tokens))


# --- tokens that are still separate ------------------------------------------------------------------------


class Each(Stage):
    """Every token by itself."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        return self._decode(tokens)


class FirstApart(Stage):
    """The first token is treated in one way, all others in another."""

    def __init__(self, first: Callable[[str], str], other: Callable[[str], str]) -> None:
        self._next, self._other = first, other

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        if not tokens:
            return []
        first, self._next = self._next, self._other
        return [first(tokens[0]), *map(self._other, tokens[1:])]


class Spaced(FirstApart):
    """Without a decoder, tokens are joined with spaces."""

    def __init__(self) -> None:
        super().__init__(str, " {}".format)


class LastApart(Stage):
    """The last token is treated in its own way, so that one is held back."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._waiting: tuple[str, ...] = ()

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        tokens = [*self._waiting, *tokens]
        if last:
            return self._decode(tokens)
        self._waiting = tuple(tokens[-1:])
        return self._decode(tokens)[:-1] if tokens else []


class Unrepeated(Stage):
    """Of equal neighbours only the first counts."""

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._before: str | None = None

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        fresh = []
        for token in tokens:
            if token != self._before:
                fresh.append(token)
            self._before = token
        return self._decode(fresh)


class ByteRuns(Stage):
    """A run of byte tokens is text or, if any of it is wrong, all U+FFFD.

    ``early``: characters are put out as they are complete, as the reference's ``DecodeStream`` does. If a byte behind
    them, in the same run, is wrong, they stay what they are. (``DecodeStream`` ends with an error there.) Otherwise
    what is right waits for the end of its run, to be one token.
    """

    def __init__(self, early: bool) -> None:
        self._early = early
        self._begin()

    def _begin(self) -> None:
        self._text: _Chain = None  # complete characters that wait
        self._rest = b""  # of a character that is not complete, or is wrong
        self._waiting = 0  # bytes of both
        self._wrong = False

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        out: list[str] = []
        for token in tokens:
            if BYTE_TOKEN.fullmatch(token):
                self._rest += bytes([int(token[3:5], 16)])
                self._waiting += 1
                self._look(out)
            else:
                self._end(out)
                out.append(token)
        if last:
            self._end(out)
        return out

    def _look(self, out: list[str], last: bool = False) -> None:
        """Put out what has become certain by the last byte."""
        if not self._wrong:
            try:
                text, used = codecs.utf_8_decode(self._rest, "strict", last)
            except UnicodeDecodeError:
                self._wrong = True
            else:
                self._rest = self._rest[used:]
                if text and self._early:
                    out.append(text)
                    self._waiting -= used
                elif text:
                    self._text = (self._text, text)
        if self._wrong:
            out += ["\ufffd"] * self._waiting
            self._text, self._rest, self._waiting = None, b"", 0

    def _end(self, out: list[str]) -> None:
        if self._waiting:
            self._look(out, last=True)
            if text := _joined(self._text):
                out.append(text)
        self._begin()


_Chain = tuple["_Chain", str] | None  # to add to it takes no copy, and copies share it


def _joined(chain: _Chain) -> str:
    parts = []
    while chain:
        chain, part = chain
        parts.append(part)
    return "".join(reversed(parts))


def _metaspace(step: Step, dialect: Dialect) -> Stage:
    mark: str = step["replacement"]
    first = " " if step.get("prepend_scheme", "always") == "never" else ""
    return FirstApart(lambda token: token.replace(mark, first), lambda token: token.replace(mark, " "))


def _word_piece(step: Step, dialect: Dialect) -> Stage:
    decode = DECODERS["WordPiece"](step, dialect)
    return FirstApart(lambda token: decode([token])[0], lambda token: decode(["", token])[1])


def _each(step: Step, dialect: Dialect) -> Stage:
    return Each(DECODERS[step["type"]](step, dialect))


# --- one token, in pieces ----------------------------------------------------------------------------------


class Utf8(Stage):
    """Bytes to text; an unfinished character waits."""

    def __init__(self) -> None:
        self._rest = b""

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        data = self._rest + b"".join(map(token_to_bytes, tokens))
        text, used = codecs.utf_8_decode(data, "replace", last)
        self._rest = data[used:]
        return [text]


class StrippedLeft(Stage):
    def __init__(self, content: str, most: int) -> None:
        self._content, self._most = content, most

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        text = "".join(tokens)
        if self._most and text:
            stripped = text.lstrip(self._content)
            size = min(self._most, len(text) - len(stripped))
            self._most = 0 if stripped else self._most - size
            text = text[size:]
        return [text]


class Replaced(Stage):
    """A string that may lie across pieces; what could be its beginning waits."""

    def __init__(self, string: str, content: str) -> None:
        self._string, self._content, self._rest = string, content, ""

    def __call__(self, tokens: list[str], last: bool) -> list[str]:
        string = self._string
        *done, rest = (self._rest + "".join(tokens)).split(string)
        sizes = range(min(len(string) - 1, len(rest)), 0, -1)
        held = 0 if last else next((size for size in sizes if string.startswith(rest[-size:])), 0)
        self._rest = rest[len(rest) - held :]
        return [self._content.join([*done, rest[: len(rest) - held]])]


def _strip_fused(step: Step, dialect: Dialect) -> Stage | None:
    return None if step["stop"] else StrippedLeft(step["content"], step["start"])


def _replace_fused(step: Step, dialect: Dialect) -> Stage | None:
    string = step["pattern"].get("String")
    return Replaced(string, step["content"]) if string else None


def _fuse(step: Step, dialect: Dialect) -> Stage:
    return Each(lambda tokens: tokens)


Make = Callable[[Step, Dialect], "Stage | None"]

SEPARATE: dict[str, Make] = {
    "ByteLevel": lambda step, dialect: Utf8(),
    "ByteFallback": lambda step, dialect: ByteRuns(early=False),
    "Fuse": _fuse,
    "Strip": _each,
    "Replace": _each,
    "Metaspace": _metaspace,
    "BPEDecoder": lambda step, dialect: LastApart(DECODERS["BPEDecoder"](step, dialect)),
    "WordPiece": _word_piece,
    "CTC": lambda step, dialect: Unrepeated(DECODERS["CTC"](step, dialect)),
}

FUSED: dict[str, Make] = {"Fuse": _fuse, "Strip": _strip_fused, "Replace": _replace_fused}
