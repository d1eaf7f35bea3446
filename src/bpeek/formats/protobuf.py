"""A reader of protocol buffers, as far as SentencePiece models need it, that believes no length.

A message is described by a ``Schema``: field number to name and kind. Unknown fields are skipped, as
protobuf wants; a known field of another wire type, and anything cut off, is an error with its place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import FormatError

Schema = Mapping[int, tuple[str, Any]]  # kind: "string", "bytes", "float", "bool", "int" or the Schema of a message

_VARINT, _FIXED64, _BYTES, _GROUP, _GROUP_END, _FIXED32 = range(6)
_WIRE = {"string": _BYTES, "bytes": _BYTES, "float": _FIXED32, "bool": _VARINT, "int": _VARINT}
_MAX_GROUPS = 100


class Field(NamedTuple):
    """One field: its value lies in ``data[start:end]``; ``value`` is that of a varint."""

    number: int
    wire: int
    start: int
    end: int
    value: int


def fields(data: bytes, start: int, end: int, path: str = "") -> Iterator[Field]:
    """The fields of a message, in the order of the file; groups are passed over.

    >>> [(field.number, field.value) for field in fields(bytes([8, 150, 1]), 0, 3)]
    [(1, 150)]
    """
    at, groups = start, 0
    while at < end:
        begin = at
        key, at = _varint(data, at, end, path)
        number, wire = key >> 3, key & 7
        if not 1 <= number < 1 << 29:
            raise FormatError(f"{number} is not a field number", byte=begin, field=path or None)
        value, first = 0, at
        if wire == _VARINT:
            value, at = _varint(data, at, end, path)
        elif wire == _BYTES:
            size, first = _varint(data, at, end, path)
            at = first + size
        elif wire in (_FIXED32, _FIXED64):
            at += 4 if wire == _FIXED32 else 8
        elif wire == _GROUP and groups < _MAX_GROUPS:
            groups += 1
            continue
        elif wire == _GROUP_END and groups:
            groups -= 1
            continue
        else:
            raise FormatError(f"field {number} has wire type {wire}", byte=begin, field=path or None)
        if at > end:
            message = f"field {number} says it has {at - first:,} bytes, but only {end - first:,} are left"
            raise FormatError(f"{message}; the file is cut off or damaged", byte=begin, field=path or None)
        if not groups:
            yield Field(number, wire, first, at, value)
    if groups:
        raise FormatError("a group is not closed", byte=end, field=path or None)


def _varint(data: bytes, at: int, end: int, path: str) -> tuple[int, int]:
    if at < end and data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for shift, byte in enumerate(data[at : min(end, at + 10)]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + shift + 1
    raise FormatError("a number is cut off or has more than ten bytes", byte=at, field=path or None)


def read(data: bytes, start: int, end: int, schema: Schema, path: str) -> dict[str, Any]:
    """A message as a dictionary of the fields that it has; of a repeated field, the last.

    >>> read(b"\\n\\x02hi", 0, 4, {1: ("piece", "string")}, "pieces[0]")
    {'piece': 'hi'}
    """
    found: dict[str, Any] = {}
    for number, wire, first, last, value in fields(data, start, end, path):
        if number not in schema:
            continue
        name, kind = schema[number]
        if wire != _WIRE.get(kind if isinstance(kind, str) else "bytes"):
            raise FormatError(f"field {number} has wire type {wire}", byte=first, field=f"{path}.{name}")
        if kind == "string":
            found[name] = text(data, first, last, f"{path}.{name}")
        elif kind == "float":
            found[name] = struct.unpack_from("<f", data, first)[0]
        elif kind == "bytes":
            found[name] = data[first:last]
        elif kind == "bool":
            found[name] = value != 0
        else:
            found[name] = _int32(value)
    return found


def text(data: bytes, start: int, end: int, path: str) -> str:
    try:
        return data[start:end].decode()
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8", byte=start + error.start, field=path) from None


def _int32(value: int) -> int:
    value &= 0xFFFF_FFFF
    return value - (1 << 32) if value >> 31 else value
