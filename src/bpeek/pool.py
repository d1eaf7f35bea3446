"""Many texts in several processes: Python runs one thread at a time, so only processes make use of more cores."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from itertools import chain
from tempfile import mkstemp
from threading import Thread
from types import TracebackType
from typing import Any, Protocol, TypeVar, cast
from weakref import finalize

from .arguments import many
from .encoding import Encoding, Spans
from .errors import BpeekError
from .offsets import text_or_pair, well_formed
from .pipeline.columns import padded_length
from .spec import Spec, Step
from .words import Words, words_or_pair

Texts = tuple[str, ...] | tuple[Words, ...]  # one text, or a pair
T = TypeVar("T")

# Characters that a process gets at a time, at most: a second of work or less.
LARGEST_CHUNK = 1 << 20

GUARD = 'A script must start processes below `if __name__ == "__main__":`'


class Worker(Protocol):
    """What is asked of a tokenizer."""

    spec: Spec

    def encode_batch(
        self, texts: Iterable[Any], *, add_special_tokens: bool, is_split_into_words: bool
    ) -> list[Encoding]: ...
    def encode_to_array(self, text: str) -> array[int]: ...
    def count(self, text: str, *, add_special_tokens: bool) -> int: ...


class Pool:
    """A tokenizer in several processes, until it is closed. ``Tokenizer.pool`` makes one.

    Results are those of one process, in the order of the texts, and so are errors. A process that dies
    gives a ``BpeekError``; the pool is of no use then.
    """

    def __init__(self, tokenizer: Worker, processes: int | None = None) -> None:
        if processes is not None and not (isinstance(processes, int) and 0 < processes < 1 << 15):
            known = "a whole number from 1 to 32,767, or None for one a core"
            raise BpeekError(f"A number of processes is {known}; not {processes!r}")
        # By this `multiprocessing` tells that a process is importing the script that started it; a fork it lets pass.
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise BpeekError(f"This script starts processes, and each of them imports it. {GUARD}")
        self._spec = tokenizer.spec
        # What Python 3.14 does by itself: a fork of a process that has threads may hang.
        safe = "forkserver" if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(multiprocessing.get_start_method(allow_none=True) or safe)
        self._n_chunks = 4 * (processes or os.cpu_count() or 1)
        # In a file, for Python hangs if a process dies before it has taken arguments of more than 64 KiB.
        handle, path = mkstemp(prefix="bpeek-")
        self._remove = finalize(self, os.unlink, path)
        with open(handle, "wb") as file:
            pickle.dump(tokenizer, file)
        self._executor = ProcessPoolExecutor(processes, context, _start, (path,))

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes, after what they are doing at the moment."""
        self._executor.shutdown(cancel_futures=True)
        self._remove()

    def encode_batch(
        self,
        texts: Iterable[str | Sequence[str] | Sequence[Sequence[str]]],
        *,
        add_special_tokens: bool = True,
        is_split_into_words: bool = False,
    ) -> list[Encoding]:
        """``Tokenizer.encode_batch``. Offsets and everything else are computed by the processes as well."""
        read: Callable[[Any], Texts] = words_or_pair if is_split_into_words else text_or_pair
        work = partial(_encode, add_special_tokens=add_special_tokens, is_split_into_words=is_split_into_words)
        encodings = self._run(work, list(map(read, many(texts))))
        padding = self._spec.padding
        if padding is not None:
            # Those of one chunk have been padded among themselves. To whom padding belongs is the reference's rule.
            length = padded_length(map(len, encodings), padding)
            for encoding in encodings:
                to_text = not encoding._ranges
                _pad(encoding, length, padding, 0 if to_text else None)
        return encodings

    def encode_ordinary_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """``Tokenizer.encode_ordinary`` of each text: less to compute and to send than by ``encode_batch``."""
        return [ids.tolist() for ids in self._run(_encode_to_arrays, _single(texts))]

    def count_batch(self, texts: Iterable[str], *, add_special_tokens: bool = True) -> list[int]:
        """``Tokenizer.count`` of each text."""
        return self._run(partial(_count, add_special_tokens=add_special_tokens), _single(texts))

    def _run(self, work: Callable[[list[Texts]], list[T]], batch: Sequence[Texts]) -> list[T]:
        if not self._remove.alive:
            raise BpeekError("the pool is closed; make another one with `tokenizer.pool()`")
        try:
            return list(chain.from_iterable(self._executor.map(work, _chunks(batch, self._n_chunks))))
        except BrokenProcessPool as error:
            raise BpeekError(
                "a process of the pool has died: it was killed, perhaps for want of memory, or could not start. "
                + GUARD
            ) from error


def _pad(encoding: Encoding, length: int, padding: Step, sequence: int | None) -> None:
    """Make a result that has just come from a process ``length`` tokens long."""
    for overflow in encoding.overflowing:
        _pad(overflow, length, padding, sequence)
    missing = max(0, length - len(encoding))
    left = padding["direction"] == "Left"

    def padded(column: Sequence[Any], value: Any) -> list[Any]:
        return [value] * missing + list(column) if left else list(column) + [value] * missing

    encoding.ids = padded(encoding.ids, padding["pad_id"])
    encoding.tokens = padded(encoding.tokens, padding["pad_token"])
    encoding.type_ids = padded(encoding.type_ids, padding["pad_type_id"])
    encoding.attention_mask = padded(encoding.attention_mask, 0)
    encoding.special_tokens_mask = padded(encoding.special_tokens_mask, 1)
    encoding.word_ids = padded(encoding.word_ids, None)
    encoding.text_ids = padded(encoding.text_ids, sequence)
    encoding.sequence_ids = padded(encoding.sequence_ids, sequence)
    if left:
        encoding._ranges = {of: (start + missing, end + missing) for of, (start, end) in encoding._ranges.items()}
    encoding.spans = Spans._make(padded(column, 0) for column in encoding.spans)
    encoding.byte_spans = Spans._make(padded(column, 0) for column in encoding.byte_spans)


def _single(texts: Iterable[str]) -> list[Texts]:
    return [(well_formed(text),) for text in many(texts)]


def _chunks(batch: Sequence[Texts], n: int) -> Iterator[list[Texts]]:
    """``n`` parts of about the same size, or more if they would be very large."""
    sizes = [16 + sum(map(len, texts)) for texts in batch]
    limit = min(LARGEST_CHUNK, sum(sizes) // n + 1)
    chunk: list[Texts] = []
    filled = 0
    for texts, size in zip(batch, sizes, strict=True):
        chunk.append(texts)
        filled += size
        if filled >= limit:
            yield chunk
            chunk, filled = [], 0
    if chunk:
        yield chunk


# In the processes

_tokenizer: Worker


def _start(path: str) -> None:
    global _tokenizer
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the parent ends the others
    Thread(target=_end_with_parent, args=(path,), daemon=True).start()
    try:
        with open(path, "rb") as file:
            _tokenizer = pickle.load(file)
    except FileNotFoundError:
        os._exit(1)  # the parent was killed, and another process has removed the file already


def _end_with_parent(path: str) -> None:
    """A parent that was killed can end no process and remove no file."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        with suppress(FileNotFoundError):
            os.unlink(path)
        os._exit(1)


def _encode(chunk: list[Texts], add_special_tokens: bool, is_split_into_words: bool) -> list[Encoding]:
    batch = [(texts[0], texts[1]) if len(texts) > 1 else texts[0] for texts in chunk]
    return _tokenizer.encode_batch(
        batch, add_special_tokens=add_special_tokens, is_split_into_words=is_split_into_words
    )


def _encode_to_arrays(chunk: list[Texts]) -> list[array[int]]:
    return [_tokenizer.encode_to_array(cast("str", text)) for (text,) in chunk]


def _count(chunk: list[Texts], add_special_tokens: bool) -> list[int]:
    return [_tokenizer.count(cast("str", text), add_special_tokens=add_special_tokens) for (text,) in chunk]
