"""Texts to ids and back: ``encode``, ``count``, ``decode``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import click

from ..bridge import POLICIES
from ..budget import Side, enough
from ..display import counted
from ..errors import UnsupportedError
from ..stream import StreamDecoder
from ..tokenizer import Tokenizer
from . import options
from .output import one_line, write_json, write_text
from .texts import Step, Text, progress, texts


def streaming(policy: str) -> dict[str, Any]:
    """Where text comes bit by bit, nothing is refused."""
    return {key: value for key, value in POLICIES[policy].items() if key != "disallowed_special"}


def _ids(tok: Tokenizer, chunks: Iterator[str], policy: str) -> Iterator[list[int]]:
    """What ``tok.encode`` gives, some at a time: in bounded memory, but where it takes the whole text to tell."""
    try:
        whole = policy == "error" or bool(tok.spec.truncation or tok.spec.padding)
        encoder = None if whole else tok.stream_encoder(**streaming(policy))
        first = [] if encoder is None else encoder.feed("")
    except UnsupportedError:  # a template that does not hold the text once
        encoder = None
    if encoder is None:
        yield tok.encode("".join(chunks), **POLICIES[policy]).ids
        return
    yield first
    yield from map(encoder.feed, chunks)
    yield encoder.finish()


def kept(tok: Tokenizer, source: Text, n: int | None, side: Side, policy: str, step: Step) -> Iterator[str]:
    """The text, or what ``-t`` leaves of it, and then whether it was cut is told."""
    chunks = source.chunks(step)
    if n is None:
        return chunks
    text = "".join(chunks if side == "left" else _enough(tok, chunks, n, policy))
    part = tok.truncate(text, n, side, **streaming(policy))
    name = "" if source.name in (None, "-") else f"{one_line(source.name or '')}: "
    told = "cut to" if len(part.text) < len(text) else "not cut, it has"
    print(f"{name}{told} {counted(part.count, 'token')}", file=sys.stderr)
    return iter([part.text])


def _enough(tok: Tokenizer, chunks: Iterator[str], n: int, policy: str) -> Iterator[str]:
    """No more of a long text than is needed: once more tokens are certain than are wanted, nothing can change these."""
    encoder, count, size = tok.stream_encoder(**streaming(policy)), 0, 0
    most = enough(tok._road.longest, n)
    for chunk in chunks:
        yield chunk
        count += len(encoder.feed(chunk))
        size += len(chunk)
        if count > n or (most is not None and size > most):
            return


@click.command()
@options.files
@options.tokenizer
@options.policy
@options.truncate
@options.json
def encode(
    files: Sequence[str], given: str | None, policy: str, n: int | None, side: Side, as_json: bool, **vocabulary: Any
) -> None:
    """Write the ids of texts, those of each on a line of its own."""
    tok, sources = options.load_tokenizer(**vocabulary), texts(files, given)
    with progress(sources, writes=True) as step:
        for source in sources:
            chunks = kept(tok, source, n, side, policy, step)
            if as_json:
                encoding = tok.encode("".join(chunks), **POLICIES[policy])
                write_json({**source.facts, **encoding.to_dict()})
            else:
                ids = chain.from_iterable(_ids(tok, chunks, policy))
                _write_words(map(str, ids))


def _write_words(words: Iterable[str]) -> None:
    space = ""
    for word in words:
        sys.stdout.write(space + word)
        space = " "
    sys.stdout.write("\n")


@click.command()
@options.files
@options.tokenizer
@options.policy
@options.json
def count(files: Sequence[str], given: str | None, policy: str, as_json: bool, **vocabulary: Any) -> None:
    """Count the tokens of texts; of several, each and all."""
    tok, sources = options.load_tokenizer(**vocabulary), texts(files, given)
    with progress(sources, writes=False) as step:
        counts = [sum(map(len, _ids(tok, source.chunks(step), policy))) for source in sources]
    if as_json:
        for source, number in zip(sources, counts, strict=True):
            write_json({**source.facts, "count": number})
    elif len(sources) == 1:
        print(counts[0])
    else:
        width = len(str(sum(counts)))
        for name, number in zip([*files, "total"], [*counts, sum(counts)], strict=True):
            print(f"{number:{width}}  {one_line(name)}")


_SEPARATORS = re.compile(r"[\s,\[\]]+")


def _numbers(chunks: Iterable[str]) -> Iterator[list[int]]:
    """Ids as ``encode`` writes them, or as a list of JSON."""
    rest = ""
    for chunk in chain(chunks, [" "]):
        *words, rest = _SEPARATORS.split(rest + chunk)
        words = [word for word in words if word]
        for word in [*words, rest or "0"]:
            if not (word.isascii() and word.isdecimal() and len(word) < 20):
                raise click.ClickException(f"{word[:40]!r} is not an id; ids are whole numbers")
        yield list(map(int, words))


@click.command()
@options.files
@options.tokenizer
@click.option("--keep-special", is_flag=True, help="Write special tokens too.")
@click.option("as_bytes", "--bytes", is_flag=True, help="The bytes of all tokens, also where they are not UTF-8.")
@options.json
def decode(
    files: Sequence[str], given: str | None, keep_special: bool, as_bytes: bool, as_json: bool, **vocabulary: Any
) -> None:
    """Write the text of ids.

    Nothing else is written: no line end that is not in it. Ids have blanks or commas between.
    """
    if as_bytes and as_json:
        raise click.UsageError("JSON has no bytes: give --bytes or --json")
    tok, sources = options.load_tokenizer(**vocabulary), texts(files, given)
    with progress(sources, writes=True) as step:
        for source in sources:
            numbers = _numbers(source.chunks(step))
            if as_bytes:
                for ids in numbers:
                    sys.stdout.buffer.write(tok.decode_bytes(ids))
                continue
            parts = _decoded(tok.stream_decoder(skip_special_tokens=not keep_special), numbers)
            if as_json:
                write_json({**source.facts, "text": "".join(parts)})
            else:
                write_text(parts)


def _decoded(stream: StreamDecoder, numbers: Iterable[list[int]]) -> Iterator[str]:
    yield from map(stream.feed, numbers)
    yield stream.finish()
