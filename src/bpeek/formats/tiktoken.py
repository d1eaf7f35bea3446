"""``.tiktoken`` files: one token a line, ``BASE64 RANK``.

One token may be empty, written ``=``, and keeps a place: its rank decodes to nothing, and no text has it.
The format has no pattern and no special tokens; ``presets`` knows those of published files.
Limits keep a hostile file from exhausting memory; all published files are far inside them.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..errors import FormatError, SpecialTokenError, Worded
from ..spec import AddedToken, Model, Spec
from . import packed
from .presets import presets, recognise

MAX_BYTES = 64 << 20
MAX_LINE = 8 << 10
MAX_LINES = 4_000_000
MAX_RANK = 100_000_000

_BASE64 = rb"(?:(?=[A-Za-z0-9+/])(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|=)"
_RANK = rb"(?:0|[1-9][0-9]{0,8})"
_BOM = b"\xef\xbb\xbf"
# Compiled when they are first used: packed files need neither.
_LINE = _BASE64 + b" " + _RANK
_FILE = rb"(?:(?:%b %b)?\r?\n)*+(?:%b %b\r?)?" % (_BASE64, _RANK, _BASE64, _RANK)


def looks_like(data: bytes) -> bool:
    """Have most of the first lines the form of a rank? (Or is it such a file, packed?)"""
    if packed.looks_like(data):
        return True
    lines = [line.split() for line in data[: MAX_LINE + 2].removeprefix(_BOM).splitlines()[:20]]
    ranks = sum(re.fullmatch(_LINE, b" ".join(words)) is not None for words in lines)
    return 2 * ranks > sum(map(bool, lines))


def parse(
    data: bytes,
    name: str | None,
    digest: str,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Spec:
    """Read ranks, from a file whose SHA-256 is ``digest``. Pattern and special tokens come from the call
    or from a preset.

    Raises ``FormatError`` with the line for anything that is not in the format.
    """
    stem = (name or "").rsplit("/", 1)[-1].split(".", 1)[0]
    facts: dict[str, str | int] = {}
    # A file whose checksum is a published one needs no other check, which halves the time to load it.
    if packed.looks_like(data):
        original = packed.published(digest, name)
        ranks, digest = packed.unpack(data), original.sha256
        facts = {"bytes": original.size, "sha256": digest}
    elif any(preset.sha256 == digest for preset in presets()):
        ranks = _ranks(data.split())
    else:
        ranks = parse_ranks(data, name)
        digest = fingerprint(ranks)
    found = recognise(digest, len(ranks), stem)
    if pattern is None:
        if found is None:
            known = ", ".join(preset.name for preset in presets())
            told = (
                f"these {len(ranks):,} ranks belong to no encoding that bpeek knows ({known}); a .tiktoken file "
                "does not say how text is split: pass %s as the model's publisher gives them"
            )
            python = 'pattern=r"…" and special_tokens={"<|end|>": id}'
            javascript = '{ pattern: "…", specialTokens: { "<|end|>": id } }'
            raise FormatError(Worded(told % python, told % javascript), file=name, field="pattern")
        preset, facts["recognised_by"] = found
        stem, pattern = preset.name, preset.pattern
        special_tokens = preset.special_tokens if special_tokens is None else special_tokens
    added = _special(special_tokens or {}, ranks, name)
    return replace(spec_of(ranks, pattern, added, stem or None), source=facts)


def spec_of(ranks: Mapping[bytes, int], pattern: str, added: tuple[AddedToken, ...], name: str | None) -> Spec:
    """All that makes an encoding of tiktoken's."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    return Spec("tiktoken", name, "rust", Model("by_rank", ranks), added_tokens=added, pre_tokenizer=split)


def parse_ranks(data: bytes, name: str | None = None) -> dict[bytes, int]:
    """Token bytes to rank. Padded base64, one space, a decimal; blank lines and ``\\r`` are tolerated.

    >>> alphabet = b"".join(b64encode(bytes([b])) + b" %d\\n" % b for b in range(256))
    >>> parse_ranks(alphabet + b"YWI= 256")[b"ab"]
    256
    """
    if len(data) > MAX_BYTES:
        raise FormatError(f"{len(data):,} bytes are more than a .tiktoken file may have ({MAX_BYTES:,})", file=name)
    try:
        ranks = _read(data, name)
    except FormatError:
        tidied = _tidied(data)
        if tidied == data:
            raise
        ranks = _read(tidied, name)
    _check(ranks, name)
    return ranks


def _tidied(data: bytes) -> bytes:
    """Without what is rare but sound for the reference: a byte order mark, tabs, more blanks, lines that end in \\r."""
    data = data.removeprefix(_BOM).replace(b"\t", b" ").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"  " in data:
        data = re.sub(rb"(?<=\S) +(?=\S)", b" ", data)
    return re.sub(rb"(?<=\S) +(?=\n|\Z)|(?<![^\n]) +(?=\S)", b"", data)


def _blocks(data: bytes) -> Iterator[bytes]:
    """The file in parts of whole lines: a million words at once take twenty times their own size."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + (1 << 20)) + 1 or len(data)
        yield data[start:end]
        start = end


def _ranks(words: list[bytes]) -> dict[bytes, int]:
    return dict(zip(map(binascii.a2b_base64, words[::2]), map(int, words[1::2]), strict=False))


def _read(data: bytes, name: str | None) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    used: set[int] = set()
    before = 0  # lines
    for block in _blocks(data):
        words = block.split() if re.fullmatch(_FILE, block) else [b""]
        new = _ranks(words)
        numbers, lines = set(new.values()), block.count(b"\n")
        if (
            not len(words) == 2 * len(new) == 2 * len(numbers)
            or max(map(len, words), default=0) > MAX_LINE - 16
            or before + lines > MAX_LINES
            or not ranks.keys().isdisjoint(new)
            or not used.isdisjoint(numbers)
        ):
            raise _first_fault(block, before, ranks, used, name)
        ranks |= new
        used |= numbers
        before += lines
    return ranks


def _first_fault(block: bytes, before: int, tokens: dict[bytes, int], ranks: set[int], name: str | None) -> FormatError:
    """The error for a block that is known to be wrong: its first bad line."""
    number = before
    for number, line in enumerate(block.split(b"\n"), before + 1):
        body = line.removesuffix(b"\r")
        why = _fault(body, tokens, ranks) if body else None
        if why is None and number > MAX_LINES:
            why = f"the file has more than {MAX_LINES:,} lines"
        if why is not None:
            return FormatError(f"{why}; fetch the file again or mend the line", file=name, line=number)
    return FormatError("this is not a .tiktoken file", file=name, line=number)


def _fault(body: bytes, tokens: dict[bytes, int], ranks: set[int]) -> str | None:
    shown = body[:40].decode("ascii", "backslashreplace") + ("…" if len(body) > 40 else "")
    if len(body) > MAX_LINE - 16:
        return f"the line is longer than {MAX_LINE:,} bytes"
    if re.fullmatch(_LINE, body) is None:
        return f"'{shown}' is not `BASE64 RANK` (padded base64, one space, a decimal number)"
    token64, rank_text = body.split()
    token, rank = binascii.a2b_base64(token64), int(rank_text)
    if token in tokens:
        return f"token {token!r} is there already, with rank {tokens[token]}"
    if rank in ranks:
        return f"rank {rank} is taken by another token already"
    tokens[token] = rank
    ranks.add(rank)
    return None


def _check(ranks: dict[bytes, int], name: str | None) -> None:
    if not ranks:
        raise FormatError("the file has no tokens", file=name)
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        shown = ", ".join(f"0x{byte:02x}" for byte in missing[:4])
        raise FormatError(
            f"{len(missing)} of the 256 single bytes are not tokens ({shown}{'…' if len(missing) > 4 else ''}), "
            "so some texts could not be encoded; the file may be cut off: fetch it again",
            file=name,
        )
    highest = max(ranks.values())
    if highest > MAX_RANK:
        raise FormatError(f"rank {highest:,} is above the limit of {MAX_RANK:,}", file=name)
    if highest > 4 * len(ranks) + 65536:
        raise FormatError(f"rank {highest:,} is too high for a file of {len(ranks):,} tokens", file=name)


def fingerprint(ranks: Mapping[bytes, int]) -> str:
    """SHA-256 of the ranks as published: whatever the order and line ends of the file at hand."""
    return hashlib.sha256(b"".join(lines(ranks))).hexdigest()


def lines(ranks: Mapping[bytes, int]) -> Iterator[bytes]:
    """The lines of a file as published, in the order of the ranks.

    >>> list(lines({b"ab": 1, b"a": 0}))
    [b'YQ== 0\\n', b'YWI= 1\\n']
    """
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        yield b"%b %d\n" % (b64encode(token) or b"=", rank)


def _special(special_tokens: Mapping[str, int], ranks: Mapping[bytes, int], name: str | None) -> tuple[AddedToken, ...]:
    for content, rank in special_tokens.items():
        if not isinstance(rank, int):
            raise SpecialTokenError(f"the id of the special token {content!r} must be an int, not {rank!r}", content, 0)
        if not content:
            raise SpecialTokenError("a special token must have at least one character", content, 0)
    # The usual ids lie above all ranks, and then the ranks need not be looked at one by one.
    taken = set(ranks.values()) if min(special_tokens.values(), default=0) <= max(ranks.values()) else set()
    for content, rank in special_tokens.items():
        if not 0 <= rank <= MAX_RANK or rank in taken:
            raise SpecialTokenError(
                f"the special token {content!r} has id {rank}, which "
                + ("is an ordinary token of this vocabulary" if rank in taken else f"is not in 0…{MAX_RANK:,}")
                + f"; give it the id its publisher gives ({name or 'this file'} has {len(ranks):,} ranks)",
                content,
                0,
            )
    return tuple(AddedToken(content, rank) for content, rank in special_tokens.items())
