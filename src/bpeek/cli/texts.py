"""What a command reads: vocabularies, and text of UTF-8 from files or standard input, bit by bit."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from typing import cast

import click

from ..loading import in_folder

CHUNK = 1 << 16  # bytes
LONG = 1 << 20  # bytes; for less there is no bar

Step = Callable[[int], None]


@dataclass(frozen=True)
class Text:
    """A file, standard input (``-``), or a text given by itself (``name`` is ``None``)."""

    name: str | None
    given: str = ""

    def open(self) -> AbstractContextManager[BufferedReader]:
        if self.name != "-":
            with _advice():
                return open(self.name or "", "rb")
        if sys.stdin is None:
            raise click.ClickException("standard input is closed; give a file or --text")
        return nullcontext(cast(BufferedReader, sys.stdin.buffer))

    @property
    def facts(self) -> dict[str, str]:
        """Where it comes from, for JSON."""
        return {} if self.name in (None, "-") else {"file": str(self.name)}

    @property
    def size(self) -> int:
        with _advice():
            return 0 if self.name in (None, "-") else os.stat(self.name or "").st_size

    def chunks(self, step: Step = lambda size: None) -> Iterator[str]:
        """The text as it comes, its line ends untouched. Bytes that are not UTF-8 are refused, with their place."""
        if self.name is None:
            yield _argument(self.given)
            return
        decoder, done = codecs.getincrementaldecoder("utf-8")(), 0
        with self.open() as file:
            while True:
                data = file.read1(CHUNK)
                waiting = len(decoder.getstate()[0])
                try:
                    text = decoder.decode(data, final=not data)
                except UnicodeDecodeError as error:
                    place = done - waiting + error.start
                    shown = "standard input" if self.name == "-" else self.name
                    raise click.ClickException(f"{shown}: not UTF-8 (byte {place:,}); convert it first") from None
                done += len(data)
                step(len(data))
                if text:
                    yield text
                if not data:
                    return

    def read(self) -> str:
        return "".join(self.chunks())


@contextmanager
def _advice() -> Iterator[None]:
    """What is no file may have been meant as the text itself."""
    try:
        yield
    except FileNotFoundError as error:
        told = f"{error.strerror} (a text itself goes behind --text)"
        raise FileNotFoundError(error.errno, told, error.filename) from None


def _argument(text: str) -> str:
    """A text of the command line, the bytes of which Python may not have taken for UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(text).decode()
        except UnicodeError:
            raise click.ClickException("--text: not UTF-8; convert it first") from None
    return text


def texts(files: Sequence[str], given: str | None) -> list[Text]:
    """The files, or what ``--text`` gave, or standard input."""
    if given is not None:
        if files:
            raise click.UsageError("Give files or --text, not both")
        return [Text(None, given)]
    return [Text(name) for name in files or ["-"]]


@contextmanager
def progress(sources: Sequence[Text], writes: bool) -> Iterator[Step]:
    """A bar on the terminal for long files; none where what is written would run into it."""
    size = sum(source.size for source in sources)
    hidden = size < LONG or not sys.stderr.isatty() or (writes and sys.stdout.isatty())
    template = "%(label)s %(bar)s %(info)s"
    with click.progressbar(
        length=size, file=sys.stderr, hidden=hidden, label="Reading", bar_template=template, fill_char="━"
    ) as bar:
        yield bar.update


def vocabulary_files(paths: Sequence[str]) -> list[str]:
    """The files that are meant; a folder stands for the tokenizer that is in it."""
    return [file for path in paths for file in (in_folder(path) if os.path.isdir(path) else [path])]
