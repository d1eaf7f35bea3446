"""Decoders: steps from a list of tokens to a list of strings, which are then joined.

A new step is one function and one row in ``DECODERS``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from ..bytechars import CHAR_TO_BYTE
from ..spec import Dialect, Step
from .growth import Room, Size
from .normalizers import replaced_size, replacement

Decode = Callable[[list[str]], list[str]]


def build(step: Step | None, dialect: Dialect) -> Callable[[list[str]], str]:
    """The decoder for a step. Without one, tokens are joined with single spaces.

    >>> build({"type": "ByteFallback"}, "oniguruma")(["a", "<0xC3>", "<0xA9>"])
    'aé'
    """
    if step is None:
        return " ".join
    decode = in_turn(flat(step), dialect)
    return lambda tokens: "".join(decode(tokens))


def flat(step: Step) -> list[Step]:
    """A step as steps without sequences."""
    return [each for inner in step["decoders"] for each in flat(inner)] if step["type"] == "Sequence" else [step]


def in_turn(steps: Iterable[Step], dialect: Dialect) -> Decode:
    """Steps one after the other. Raises ``BpeekError`` where one would make too much of the tokens."""
    made = [(step["type"], DECODERS[step["type"]](step, dialect), size_of(step, dialect)) for step in steps]

    def decode(tokens: list[str]) -> list[str]:
        room = Room(sum(map(len, tokens)))
        for name, step, size in made:
            if size is not None:
                room.check_before(size, tokens, f"the decoder {name}")
            tokens = step(tokens)
        return tokens

    return decode


def size_of(step: Step, dialect: Dialect) -> Size | None:
    """How long a step makes a token, if it can make it much longer."""
    if step["type"] == "Replace":
        return replaced_size(step, dialect)
    if step["type"] == "BPEDecoder" and not step["suffix"]:
        return lambda token, exact: 2 * len(token) + 1
    return None


def token_to_bytes(token: str) -> bytes:
    """The bytes of a token in the byte alphabet; a token with any other character stands for itself."""
    try:
        return bytes([CHAR_TO_BYTE[char] for char in token])
    except KeyError:
        return token.encode()


def _byte_level(step: Step, dialect: Dialect) -> Decode:
    return lambda tokens: [b"".join(map(token_to_bytes, tokens)).decode("utf-8", "replace")]


BYTE_TOKEN = re.compile(r"<0x((?:[0-9a-fA-F]|\+(?=[0-9a-fA-F]>))[0-9a-fA-F])>")


def _byte_fallback(step: Step, dialect: Dialect) -> Decode:
    def decode(tokens: list[str]) -> list[str]:
        decoded: list[str] = []
        for is_byte, run in groupby(tokens, lambda token: BYTE_TOKEN.fullmatch(token) is not None):
            if not is_byte:
                decoded += run
                continue
            data = bytes([int(token[3:5], 16) for token in run])
            try:
                decoded.append(data.decode())
            except UnicodeDecodeError:
                decoded += ["\ufffd"] * len(data)  # one for every byte of the run, good or bad
        return decoded

    return decode


def _fuse(step: Step, dialect: Dialect) -> Decode:
    return lambda tokens: ["".join(tokens)]


def _strip(step: Step, dialect: Dialect) -> Decode:
    content, start, stop = step["content"], step["start"], step["stop"]

    def strip(token: str) -> str:
        left = min(start, len(token) - len(token.lstrip(content)))
        right = len(token) - min(stop, len(token) - len(token.rstrip(content)))
        return token[left:right]

    return lambda tokens: list(map(strip, tokens))


def _replace(step: Step, dialect: Dialect) -> Decode:
    find, content = replacement(step, dialect), step["content"]

    def replace(token: str) -> str:
        parts: list[str] = []
        at = 0
        for start, end in find(token) if token else ():
            parts += token[at:start], content
            at = end
        return "".join([*parts, token[at:]]) if parts else token

    string = step["pattern"].get("String")
    if string:
        return lambda tokens: [token.replace(string, content) for token in tokens]
    return lambda tokens: list(map(replace, tokens))


def _metaspace(step: Step, dialect: Dialect) -> Decode:
    mark = step["replacement"]
    first = " " if step.get("prepend_scheme", "always") == "never" else ""
    return lambda tokens: [token.replace(mark, " " if index else first) for index, token in enumerate(tokens)]


def _bpe(step: Step, dialect: Dialect) -> Decode:
    suffix = step["suffix"]

    def decode(tokens: list[str]) -> list[str]:
        last = len(tokens) - 1
        return [token.replace(suffix, "" if index == last else " ") for index, token in enumerate(tokens)]

    return decode


# English contractions and the spaces before punctuation, in the reference's order.
_CLEANUP = [
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
]  # fmt: skip


def _cleaned(text: str) -> str:
    for old, new in _CLEANUP:
        text = text.replace(old, new)
    return text


def _word_piece(step: Step, dialect: Dialect) -> Decode:
    prefix, cleanup = step["prefix"], step["cleanup"]

    def decode(tokens: list[str]) -> list[str]:
        first, others = tokens[:1], tokens[1:]
        decoded = first + [token.removeprefix(prefix) if token.startswith(prefix) else " " + token for token in others]
        return list(map(_cleaned, decoded)) if cleanup else decoded

    return decode


def _ctc(step: Step, dialect: Dialect) -> Decode:
    pad, delimiter, cleanup = step["pad_token"], step["word_delimiter_token"], step["cleanup"]

    def decode(tokens: list[str]) -> list[str]:
        decoded = [token.replace(pad, "") for token, _ in groupby(tokens)]
        if cleanup:
            decoded = [_cleaned(token).replace(delimiter, " ") for token in decoded]
        return [token for token in decoded if token]

    return decode


DECODERS: dict[str, Callable[[Step, Dialect], Decode]] = {
    "ByteLevel": _byte_level,
    "ByteFallback": _byte_fallback,
    "Fuse": _fuse,
    "Strip": _strip,
    "Replace": _replace,
    "Metaspace": _metaspace,
    "BPEDecoder": _bpe,
    "WordPiece": _word_piece,
    "CTC": _ctc,
}
