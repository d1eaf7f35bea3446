"""Texts and ids that come bit by bit: the results are those of encoding or decoding all at once."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from .arguments import as_ids
from .offsets import no_text, well_formed
from .parts import Parts, unpacked
from .roads import Decoding

Progress = Callable[[int, int], object]

CHUNK = 1 << 16  # bytes read from a file at a time


class StreamEncoder:
    """``Tokenizer.stream_encoder`` makes one. What it keeps is the text since the last place that no token
    can cross, whatever comes: a few words, or one piece if that is longer. Chunks may end anywhere, within a
    surrogate pair too.

    >>> from bpeek import Tokenizer
    >>> tok = Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    >>> stream = tok.stream_encoder()
    >>> [stream.feed(chunk) for chunk in ("a", " ", "a b")], stream.finish()
    ([[], [1], [1]], [2, 4])
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._start()

    def _start(self) -> None:
        self._waiting: list[str] = []  # text without a border; many chunks of it are joined only once
        self._half = ""  # of a surrogate pair
        self._before = ""  # the character before what waits
        self._origin = 0  # of what waits
        self._columns: Callable[[], list[tuple[int, int]]] = list  # the spans of what was returned last

    def feed(self, text: str) -> list[int]:
        """The ids that have become certain."""
        text = self._formed(text)
        cut = self._last_border(text)
        if cut is None:
            self._waiting += [text] if text else []
            return self._encoded("")
        ready = "".join([*self._waiting, text[:cut]])
        self._waiting = [text[cut:]]
        return self._encoded(ready)

    def finish(self) -> list[int]:
        """The ids of the rest. What is fed then is a new text."""
        ids = self._encoded("".join([*self._waiting, well_formed(self._half)]), last=True)
        columns = self._columns
        self._start()
        self._columns = columns
        return ids

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """Spans of the ids that ``feed`` or ``finish`` returned last, in code points from the first text fed."""
        return self._columns()

    def _formed(self, text: str) -> str:
        """Well-formed text; the first half of a surrogate pair waits for the other."""
        if not isinstance(text, str):
            raise no_text(text)
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return well_formed(text[: len(text) - len(self._half)])

    def _last_border(self, text: str) -> int | None:
        """Only borders beside new characters are looked for: others have been."""
        borders = self._parts.borders
        for at in range(len(text) - 1, 0, -1):
            if borders[text[at - 1 : at + 1]]:
                return at
        return 0 if text and self._waiting and borders[self._waiting[-1][-1] + text[0]] else None

    def _encoded(self, text: str, last: bool = False) -> list[int]:
        first = not self._before
        if not (text or last):
            self._columns = list
            return []
        before, after = self._parts.frame
        before, after = before if first else [], after if last else []
        ids = self._parts.ids(self._before, text) if text or first else b""
        self._columns = partial(_offsets, self._parts, self._before, text, self._origin, len(before), len(after))
        self._before = text[-1:]
        self._origin += len(text)
        return [*before, *unpacked(ids), *after]


def _offsets(parts: Parts, before: str, text: str, origin: int, first: int, last: int) -> list[tuple[int, int]]:
    nowhere = (0, 0)  # is where a template's tokens come from
    if not text:
        return [nowhere] * (first + last)
    columns = parts.columns(before, text)
    spans = [(origin + start, origin + end) for start, end in zip(columns.starts, columns.ends, strict=True)]
    return [nowhere] * first + spans + [nowhere] * last


def encode_file(encoder: StreamEncoder, path: str | os.PathLike[str], progress: Progress | None) -> Iterator[list[int]]:
    """The ids of a file of UTF-8, some at a time."""
    with open(path, "rb") as file:
        size, done = os.fstat(file.fileno()).st_size, 0
        decoder = codecs.getincrementaldecoder("utf-8")()
        while data := file.read(CHUNK):
            text = _decoded(decoder, data, path, done)
            done += len(data)
            yield encoder.feed(text)
            if progress is not None:
                progress(done, size)
        yield encoder.feed(_decoded(decoder, b"", path, done)) + encoder.finish()


def _decoded(decoder: codecs.IncrementalDecoder, data: bytes, path: str | os.PathLike[str], done: int) -> str:
    """An error has its place in the file, where Python would tell that in what was read at once."""
    start = done - len(decoder.getstate()[0])
    try:
        return decoder.decode(data, final=not data)
    except UnicodeDecodeError as error:
        error.reason += f" (byte {start + error.start:,} of {os.fsdecode(path)!a})"
        raise


class StreamDecoder:
    """``Tokenizer.stream_decoder`` makes one.

    What it puts out is certain: a character that is not complete waits for its rest, and so does what a
    decoder may yet change. Decoders share nothing; ``copy`` makes a second one that goes on from here.

    >>> from base64 import b64encode
    >>> from bpeek import load
    >>> ranks = "".join(f"{b64encode(bytes([byte])).decode()} {byte}\\n" for byte in range(256))
    >>> tok = load(ranks.encode(), pattern=r".", special_tokens={"<|end|>": 256})
    >>> stream = tok.stream_decoder()
    >>> stream.feed(0xC3), stream.feed(0xA9), stream.feed(0xC3), stream.finish()
    ('', 'é', '', '�')
    """

    def __init__(self, decoding: Decoding) -> None:
        self._fresh, self._decoding = decoding, decoding.copy()

    def feed(self, ids: int | Iterable[int]) -> str:
        """The text that has become certain."""
        return self._decoding(as_ids(ids if isinstance(ids, Iterable) else [ids]))

    def finish(self) -> str:
        """The rest of the text. What is fed then is a new one."""
        text = self._decoding([], last=True)
        self._decoding = self._fresh.copy()
        return text

    def copy(self) -> StreamDecoder:
        """A second decoder that goes on from here, for another continuation of the same ids."""
        other = StreamDecoder(self._fresh)
        other._decoding = self._decoding.copy()
        return other
