"""The merges of a ``tokenizer.json`` or a ``merges.txt``: half a million, read and checked at the speed of C."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, pairwise, repeat
from operator import add, contains
from typing import Any

from ..errors import FormatError, UnsupportedError
from ..lookup import looked_up
from ..spec import Merges
from .hf_steps import fail

Pairs = Sequence[tuple[str, str]]


# --- merges that are all written alike ---------------------------------------------------------------------

_WS = rb"[ \t\n\r]*"
_IN_STRING = rb'(?:[^"\\]|\\.)*+'
_HEAD = re.compile(rb'"merges"%b:%b(\[)%b(\[%b)?"'.replace(b"%b", _WS))
_TAIL = re.compile(rb'"%b(\]%b)?\]%b(\}%b\}%b\Z)'.replace(b"%b", _WS))
_NEXT, _NEXT_PAIR = (each.replace(b"%b", _WS) for each in (rb'("%b,%b")', rb'("%b\]%b,%b\[%b")'))
_FIRST_STRING = re.compile(_IN_STRING + _NEXT, re.DOTALL)
_FIRST_PAIR = re.compile(_IN_STRING + _NEXT + _IN_STRING + _NEXT_PAIR, re.DOTALL)
# White space of JSON that no string can hold as it is, and that no file with these marks holds.
_MARK_IN_PAIR, _MARK_BETWEEN = b'",\t"', b'",\r"'
_NO_MARKS = bytes(byte for byte in range(256) if byte not in b"\t\r")
_BLOCK = 1 << 17  # bytes read at a time: what becomes of them stays in the processor's cache


class Unusual(FormatError):
    """Merges that are to be read in the ordinary way."""


class Written:
    """The merges of a file that writes all of them alike, as ``json.dump`` does: from the first quotation mark to the
    last, and what stands between two parts of a pair, and between two pairs. Iterate for their parts, left and right
    in turn, in blocks; it raises ``Unusual`` if they are not alike.

    A list of strings is read in a third of the time that a list of pairs takes. It has the same parts, as soon as it
    is JSON: what looks like the end of one string and the beginning of the next is replaced by a mark that is white
    space there. Were it inside a string (after an escaped quotation mark), then the mark would be in a string, too,
    which JSON forbids.
    """

    def __init__(self, data: bytes, start: int, end: int, in_pair: bytes, between: bytes) -> None:
        self._data, self._start, self._end, self._in_pair, self._between = data, start, end, in_pair, between

    def __iter__(self) -> Iterator[list[str]]:
        start, size = self._start, len(self._between)
        while (end := self._data.find(self._between, start + _BLOCK, self._end)) >= 0:
            yield self._parts(self._data[start:end])
            start = end + size
        yield self._parts(self._data[start : self._end])

    def _parts(self, block: bytes) -> list[str]:
        if b"\t" in block or b"\r" in block or b"\\ud" in block or b"\\uD" in block:
            raise Unusual("marks, or halves of surrogate pairs")
        block = block.replace(self._between, _MARK_BETWEEN).replace(self._in_pair, _MARK_IN_PAIR)
        marks = block.translate(None, _NO_MARKS)
        if marks != (b"\t\r" * (len(marks) // 2 + 1))[:-1]:
            raise Unusual("not in pairs")
        try:
            parts: list[str] = json.loads((b'["%b"]' % block).decode())
        except ValueError:
            raise Unusual("not JSON") from None
        if len(parts) != len(marks) + 1:
            raise Unusual("more than pairs")
        return parts


def taken_out(data: bytes) -> tuple[bytes, Written] | None:
    """A ``tokenizer.json`` that ends in merges that look alike: the file with ``NaN`` in their place, and they."""
    head, tail = _head(data), _TAIL.search(data, max(0, len(data) - 200))
    if head is None or tail is None or (head[2] is None) != (tail[1] is None):
        return None
    start, end = head.end(), tail.start()
    first = (_FIRST_STRING if head[2] is None else _FIRST_PAIR).match(data, start, end)
    if first is None or (head[2] is None and data.find(b"#version", start, end) >= 0):
        return None
    in_pair, between = (b" ", first[1]) if head[2] is None else first.groups()
    return b"%bNaN%b" % (data[: head.start(1)], tail[2]), Written(data, start, end, in_pair, between)


def _head(data: bytes) -> re.Match[bytes] | None:
    """Where the merges begin. (Some vocabularies have a token ``merges``, too.)"""
    at = data.find(b'"merges"')
    while at >= 0 and (head := _HEAD.match(data, at)) is None:
        at = data.find(b'"merges"', at + 1)
    return head if at >= 0 else None


# --- merges that scores mean -------------------------------------------------------------------------------

MOST_CUTS = 1 << 28  # characters looked up; Gemma's 262,000 pieces have 20 million
LONGEST_RUN = 256


def scored(scores: Mapping[str, float]) -> list[str]:
    """The pairs that SentencePiece merges, left and right in turn: all that join into a piece, that of the highest
    score first. Raises ``UnsupportedError`` if pairs do not say the same as the scores.

    A piece comes about in one way in every text (``docs/theory.md``), so the order of its own pairs says nothing.

    >>> scored({"a": -3.0, "b": -4.0, "ab": -1.0, "aab": -2.0, "aa": -0.5})
    ['a', 'a', 'a', 'b', 'a', 'ab', 'aa', 'b']
    """
    if sum(len(piece) ** 2 for piece in scores) > MOST_CUTS:
        raise FormatError("the pieces are too long for a vocabulary")
    able = {*scores, *set().union(*scores)}  # a character that is no piece may still be part of one
    parts, made = list[str](), list[str]()
    for piece in sorted(scores, key=scores.__getitem__, reverse=True):
        before = len(parts)
        for at in range(1, len(piece)):
            left, right = piece[:at], piece[at:]
            if left in able and right in able:
                parts += left, right
        if len(parts) > before:
            made.append(piece)
    if lone := set(parts).difference(scores):
        told = f"the character {min(lone)!r} of its pieces is no piece, so pairs of pieces cannot say how it merges"
        raise UnsupportedError(told, feature="scores")
    for _, group in groupby(made, scores.__getitem__):
        tied = list(group)
        if len(tied) > 1 and not _run_alike(tied, made):
            told = f"the pieces {tied[0]!r:.40} and {tied[1]!r:.40} have one score, which pairs of pieces cannot say"
            raise UnsupportedError(told, feature="scores")
    return parts


def _run_alike(tied: list[str], made: list[str]) -> bool:
    """Do pieces of one score merge alike by their order? SentencePiece merges the leftmost first, pairs that of the
    first piece. Llama's runs of spaces do: no other piece has two, each run falls into longest ones and a rest.
    """
    char, sizes = tied[0][0], list(map(len, tied))
    longest = max(sizes)
    of_runs = all(piece == char * len(piece) for piece in tied)
    doubled = [1 << power for power in range(1, longest.bit_length())]
    if not of_runs or longest > LONGEST_RUN or [size for size in sizes if size in doubled] != doubled:
        return False
    if doubled[-1] != longest or sum(char * 2 in piece for piece in made) > len(tied):
        return False
    in_order = {size: rank for rank, size in enumerate(sizes)}
    return all(_run(size, in_order) == _run(size, dict.fromkeys(sizes, 0)) for size in range(2, 2 * longest + 1))


def _run(size: int, ranks: Mapping[int, int]) -> list[int]:
    """How a run of so many characters is merged, in sizes of its tokens."""
    tokens = [1] * size
    while True:
        able = [(ranks[sum(pair)], at) for at, pair in enumerate(pairwise(tokens)) if sum(pair) in ranks]
        if not able:
            return tokens
        at = min(able)[1]
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]


# --- merges as JSON or a text file has them ----------------------------------------------------------------


def read_merges(value: Any) -> list[str] | Written:
    """Merges in either spelling: all ``"a b"`` (a ``#version`` line anywhere is skipped), or all ``["a", "b"]``.
    Left and right parts in turn."""
    if type(value) is Written:
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


def ranked(parts: list[str] | Written, vocab: Mapping[str, int], prefix: int, line: int | None = None) -> Pairs:
    """The pairs that these parts are, left and right in turn. Each part must be a token, and what a pair makes, too.
    ``prefix`` is in bytes, as the reference counts it."""
    blocks = [parts] if isinstance(parts, list) else parts
    merges = None if prefix else _merges(blocks, vocab)
    if merges is not None:
        return merges
    all_parts = list(chain.from_iterable(blocks))
    lefts, rights = all_parts[::2], all_parts[1::2]
    pairs = tuple(zip(lefts, rights, strict=True))
    for index, (left, right) in enumerate(pairs):
        token = _missing(left, right, vocab, prefix)
        if token is not None:
            message = f"merge {left!r} + {right!r}: the vocabulary has no token {token!r}; the file is damaged"
            where = f"model.merges[{index}]" if line is None else None
            raise FormatError(message, field=where, line=None if line is None else line + index)
    return pairs


def _merges(blocks: Iterable[list[str]], vocab: Mapping[str, int]) -> Merges | None:
    """``Merges``, or ``None`` if something is no token, or two tokens have one id."""
    different = set[str]()  # most parts are there many times: half as many look-ups in the vocabulary
    tokens, cuts = list[str](), array("I")
    for parts in blocks:
        lefts = parts[::2]
        different.update(parts)
        tokens += map(add, lefts, parts[1::2])
        cuts.extend(map(len, lefts))
    if different.difference(vocab):
        return None
    made, names = _made(tokens, vocab), dict(zip(vocab.values(), vocab, strict=True))
    return None if made is None or len(names) < len(vocab) else Merges(names, made, cuts)


def _made(tokens: list[str], vocab: Mapping[str, int]) -> list[int] | None:
    """The ids of what the merges make, or ``None`` if one is no token."""
    start = vocab.get(tokens[0], 0) if tokens else 0
    end = start + len(tokens)
    if list(islice(vocab, start, end)) == tokens:  # often, each merge makes the token behind that of the one before
        return list(islice(vocab.values(), start, end))
    try:
        return list(looked_up(vocab, tokens))
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
