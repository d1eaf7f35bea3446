"""The merges of a ``tokenizer.json`` or a ``merges.txt``: half a million, read and checked at the speed of C."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from itertools import chain, islice, repeat
from operator import add, contains
from typing import Any

from ..errors import FormatError
from ..spec import Merges
from .hf_steps import fail

Pairs = Sequence[tuple[str, str]]


class Parts(list[str]):
    """The left and right parts of all merges in turn, which saves an object for each pair."""


# --- merges that are all written alike ---------------------------------------------------------------------

_WS = rb"[ \t\n\r]*"
_IN_STRING = rb'(?:[^"\\]|\\.)*+'
_HEAD = re.compile(rb'"merges"%b:%b(\[)%b(\[%b)?"'.replace(b"%b", _WS))
_TAIL = re.compile(rb'"%b(\]%b)?\]%b(\}%b\}%b\Z)'.replace(b"%b", _WS))
_BETWEEN_PARTS, _BETWEEN_STRINGS, _BETWEEN_PAIRS = (
    each.replace(b"%b", _WS) for each in (rb'("%b,%b")', rb'("%b,%b")', rb'("%b\]%b,%b\[%b")')
)
_FIRST_STRING = re.compile(_IN_STRING + _BETWEEN_STRINGS, re.DOTALL)
_FIRST_PAIR = re.compile(_IN_STRING + _BETWEEN_PARTS + _IN_STRING + _BETWEEN_PAIRS, re.DOTALL)
# White space of JSON that no string can hold as it is, and that no file with these marks holds.
_NEXT_PART, _NEXT_MERGE = b'",\t"', b'",\r"'
_NO_MARKS = bytes(byte for byte in range(256) if byte not in b"\t\r")


def taken_out(data: bytes) -> tuple[bytes, bytes, int] | None:
    """A ``tokenizer.json`` that ends in its merges, all written alike, as ``json.dump`` writes them: the file with
    ``NaN`` in their place, their parts as one list in JSON, and how many merges there are. ``None`` for any other.

    Such a list is read in a third of the time that a list of pairs takes. It has the same parts, as soon as it is JSON:
    what between two strings looks like the end of one and the beginning of the next is replaced by a mark that is white
    space there. Were it inside a string (after an escaped quotation mark), then the mark would be in a string, too,
    which JSON forbids.
    """
    head, tail = _head(data), _TAIL.search(data, max(0, len(data) - 200))
    if head is None or tail is None or (head[2] is None) != (tail[1] is None) or tail.start() < head.end():
        return None
    first = (_FIRST_STRING if head[2] is None else _FIRST_PAIR).match(data, head.end(), tail.start())
    parts = data[head.end() : tail.start()]
    if first is None or b"\t" in parts or b"\r" in parts or (head[2] is None and b"#version" in parts):
        return None
    between_parts, between_merges = (b" ", first[1]) if head[2] is None else first.groups()
    parts = parts.replace(between_merges, _NEXT_MERGE).replace(between_parts, _NEXT_PART)
    marks = parts.translate(None, _NO_MARKS)
    n = len(marks) // 2 + 1
    if marks != (b"\t\r" * n)[:-1]:
        return None
    return b"%bNaN%b" % (data[: head.start(1)], tail[2]), b'["%b"]' % parts, n


def _head(data: bytes) -> re.Match[bytes] | None:
    """Where the merges begin. (Some vocabularies have a token ``merges``, too.)"""
    at = data.find(b'"merges"')
    while at >= 0 and (head := _HEAD.match(data, at)) is None:
        at = data.find(b'"merges"', at + 1)
    return head if at >= 0 else None


# --- merges as JSON or a text file has them ----------------------------------------------------------------


def read_merges(value: Any) -> list[str]:
    """Merges in either spelling: all ``"a b"`` (a ``#version`` line anywhere is skipped), or all ``["a", "b"]``.
    Left and right parts in turn."""
    if type(value) is Parts:
        return value
    if type(value) is not list:
        raise fail("expected a list", "model.merges")
    kinds = set(map(type, value))
    if kinds == {str}:
        return split_merges(value)
    if not kinds <= {list}:
        at = next(
            index
            for index, merge in enumerate(value)
            if type(merge) is not type(value[0]) or type(merge) not in (str, list)
        )
        raise fail('all merges must be strings ("a b"), or all pairs (["a", "b"])', f"model.merges[{at}]")
    parts = list(chain.from_iterable(value))
    if not (set(map(len, value)) <= {2} and set(map(type, parts)) <= {str}):
        for index, merge in enumerate(value):
            if len(merge) != 2 or type(merge[0]) is not str or type(merge[1]) is not str:
                raise fail(f"expected a pair of strings, found {merge!r}", f"model.merges[{index}]")
    return parts


def split_merges(lines: list[str], line: int | None = None) -> list[str]:
    """The parts of ``"a b"`` lines. ``line`` is the number of the first line, if they come from a text file."""
    joined = " ".join(lines)
    kept = lines
    if "#version" in joined:
        kept = [text for text in lines if not text.startswith("#version")]
        joined = " ".join(kept)
    parts = joined.split(" ") if kept else []
    if len(parts) == 2 * len(kept) and all(map(contains, kept, repeat(" "))):
        return parts
    for index, text in enumerate(lines):
        if text.count(" ") != 1 and not text.startswith("#version"):
            message = f"expected two tokens with one space between, found {text!r}"
            if line is not None:
                raise FormatError(message, line=line + index)
            raise fail(message + '; tokens with spaces need the form ["a", "b"]', f"model.merges[{index}]")
    raise AssertionError("unreachable")


def ranked(parts: list[str], vocab: Mapping[str, int], prefix: int, line: int | None = None) -> Pairs:
    """The pairs that these parts are, left and right in turn. Each part must be a token, and what a pair makes, too.
    ``prefix`` is in bytes, as the reference counts it."""
    lefts, rights = parts[::2], parts[1::2]
    # Most parts are there several times, and a set of their own is smaller than the vocabulary: half the time.
    if not prefix and not set(parts).difference(vocab):
        made = _made(list(map(add, lefts, rights)), vocab)
        if made is not None and len(names := dict(zip(vocab.values(), vocab, strict=True))) == len(vocab):
            return Merges(names, made, array("I", map(len, lefts)))
    pairs = tuple(zip(lefts, rights, strict=True))
    for index, (left, right) in enumerate(pairs):
        token = _missing(left, right, vocab, prefix)
        if token is not None:
            message = f"merge {left!r} + {right!r}: the vocabulary has no token {token!r}; the file is damaged"
            where = f"model.merges[{index}]" if line is None else None
            raise FormatError(message, field=where, line=None if line is None else line + index)
    return pairs


def _made(tokens: list[str], vocab: Mapping[str, int]) -> list[int] | None:
    """The ids of what the merges make, or ``None`` if one is no token."""
    start = vocab.get(tokens[0], 0) if tokens else 0
    end = start + len(tokens)
    if list(islice(vocab, start, end)) == tokens:  # often, each merge makes the token behind that of the one before
        return list(islice(vocab.values(), start, end))
    try:
        return list(map(vocab.__getitem__, tokens))
    except KeyError:
        return None


def join(left: str, right: str, prefix: int) -> str:
    """What a merge makes: the right part loses as many bytes as ``continuing_subword_prefix`` has, unread."""
    return left + right.encode()[prefix:].decode() if prefix else left + right


def _missing(left: str, right: str, vocab: Mapping[str, int], prefix: int) -> str | None:
    for token in (left, right):
        if token not in vocab:
            return token
    try:
        made = join(left, right, prefix)
    except UnicodeDecodeError:
        return left + right
    return None if made in vocab and len(right.encode()) >= prefix else made
