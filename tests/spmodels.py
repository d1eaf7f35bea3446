"""SentencePiece models, written byte by byte for tests: whole ones and wrong ones."""

import struct
from collections.abc import Mapping, Sequence

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: bytes | str | int | float | bool) -> bytes:
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def spec(
    add_dummy_prefix=None, remove_extra_whitespaces=None, escape_whitespaces=None, charsmap=None, name=None
) -> bytes:
    values = {1: name, 2: charsmap, 3: add_dummy_prefix, 4: remove_extra_whitespaces, 5: escape_whitespaces}
    return b"".join(field(number, value) for number, value in values.items() if value is not None)


def model(
    pieces: Sequence[tuple[str | bytes, float, int]],
    *,
    model_type: int = 2,
    byte_fallback: bool = False,
    suffix: bool = False,
    unk_surface: str | None = None,
    normalizer: bytes = b"",
    denormalizer: bytes | None = None,
    tests: Sequence[tuple[str, str]] = (),
) -> bytes:
    """A ModelProto."""
    out = [field(1, field(1, piece) + field(2, float(score)) + field(3, kind)) for piece, score, kind in pieces]
    trainer = field(3, model_type) + field(24, suffix) + field(35, byte_fallback)
    if unk_surface is not None:
        trainer += field(44, unk_surface)
    out += [field(2, trainer), field(3, normalizer)]
    if tests:
        out.append(field(4, b"".join(field(1, field(1, given) + field(2, wanted)) for given, wanted in tests)))
    if denormalizer is not None:
        out.append(field(5, denormalizer))
    return b"".join(out)


def charsmap(rules: Mapping[str, str]) -> bytes:
    """A ``precompiled_charsmap``: a double-array trie of the keys, then the replacements."""
    texts, places = b"", {}
    for text in rules.values():
        if text not in places:
            places[text] = len(texts)
            texts += text.encode() + b"\0"
    trie: dict = {}
    for key, text in rules.items():
        node = trie
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[None] = places[text]
    units, used, bases = {0: 0}, {0}, set()

    def place(node: dict, at: int) -> None:
        labels = [0 if label is None else label for label in node]
        base = 1
        while base in bases or any(base ^ label in used for label in labels):
            base += 1
        bases.add(base)  # two nodes with one base would have each other's children
        used.update(base ^ label for label in labels)
        units[at] |= (at ^ base) << 10 | (None in node) << 8
        for label, child in node.items():
            if label is None:
                units[base] = 1 << 31 | child
            else:
                units[base ^ label] = label
        for label, child in node.items():
            if label is not None:
                place(child, base ^ label)

    if trie:
        place(trie, 0)
    size = (max(units) | 255) + 1
    # A unit that is not used must look like no node's child: it points to a base that no node has.
    free = {
        block: next(base for base in range(block, block + 256) if base not in bases) for block in range(0, size, 256)
    }
    blob = struct.pack(f"<{size}I", *(units.get(at, at ^ free[at & ~255]) for at in range(size)))
    return struct.pack("<I", len(blob)) + blob + texts
