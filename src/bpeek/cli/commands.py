"""The commands. Each says in its docstring what ``--help`` shows."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import click

from ..bridge import POLICIES
from ..budget import Side, Slice
from ..errors import UnsupportedError
from ..loading import load
from ..tokenizer import Tokenizer
from . import printable
from .texts import Step, Text, progress, texts, vocabulary_files

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="bpeek")
def bpeek() -> None:
    """See how a model reads your text: exact byte-pair tokenization.

    A vocabulary is a .tiktoken, tokenizer.json, tekken.json or SentencePiece .model file, vocab.json with merges.txt
    (both given), or a folder with one of these. Name it with -v, or once and for all in BPEEK_VOCABULARY. Text is read
    as UTF-8 from files, or from standard input.
    """


def _together(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def _pairs(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, int]:
    """``TOKEN=ID``; the token itself may hold ``=``."""
    found = {}
    for value in values:
        token, equals, number = value.rpartition("=")
        if not (token and equals and number.isdecimal()):
            raise click.BadParameter(f"{value!r} is not TOKEN=ID", context, parameter)
        found[token] = int(number)
    return found


_vocabulary = click.option(
    "vocabulary", "-v", "--vocabulary", metavar="PATH", multiple=True, type=click.Path(), envvar="BPEEK_VOCABULARY",
    show_envvar=True, help="The vocabulary; vocab.json and merges.txt are both given.",
)  # fmt: skip
_tokenizer = _together(
    _vocabulary,
    click.option("--name", help="Which of the encodings that share these ranks: gpt2, p50k_edit, o200k_harmony."),
    click.option("--pattern", help="How text is split, for a .tiktoken file that bpeek does not know."),
    click.option(
        "special_tokens", "--special-token", metavar="TOKEN=ID", multiple=True, callback=_pairs, help="With --pattern."
    ),
)
_files = _together(
    click.argument("files", nargs=-1, type=click.Path()),
    click.option("given", "--text", help="The text itself, in place of files."),
)
_policy = click.option(
    "--policy", type=click.Choice(sorted(POLICIES)), default="special", show_default=True,
    help="Special tokens in the text are taken as such, or as text, or refused.",
)  # fmt: skip
_json = click.option("as_json", "--json", is_flag=True, help="Write JSON, one line for each text.")


def _load(
    vocabulary: Sequence[str], name: str | None, pattern: str | None, special_tokens: dict[str, int]
) -> Tokenizer:
    if not vocabulary:
        raise click.UsageError("No vocabulary: give its path with -v, or in BPEEK_VOCABULARY")
    files = vocabulary_files(vocabulary)
    return load(files, name=name, pattern=pattern, special_tokens=special_tokens or None)


def _write_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=not sys.stdout.encoding.startswith("utf")))


# Ids of texts


def _streaming(policy: str) -> dict[str, Any]:
    """Where text comes bit by bit, nothing is refused."""
    return {key: value for key, value in POLICIES[policy].items() if key != "disallowed_special"}


def _ids(tok: Tokenizer, chunks: Iterator[str], policy: str) -> Iterator[list[int]]:
    """What ``tok.encode`` gives, some at a time: in bounded memory, but where it takes the whole text to tell."""
    options = _streaming(policy)
    try:
        whole = policy == "error" or bool(tok.spec.truncation or tok.spec.padding)
        encoder = None if whole else tok.stream_encoder(**options)
        first = [] if encoder is None else encoder.feed("")
    except UnsupportedError:  # a template that does not hold the text once
        encoder = None
    if encoder is None:
        yield tok.encode("".join(chunks), **POLICIES[policy]).ids
        return
    yield first
    yield from map(encoder.feed, chunks)
    yield encoder.finish()


def _truncated(tok: Tokenizer, source: Text, n: int, side: Side, policy: str, step: Step) -> tuple[Slice, bool]:
    """What is left of a text, and whether that is less than all. Of a long one, no more is read than is needed."""
    options = _streaming(policy)
    chunks = source.chunks(step)
    read: list[str] = []
    if side == "right":
        encoder, count = tok.stream_encoder(**options), 0
        # Once more tokens are certain than are wanted, what comes after can change none of these.
        while count <= n and (chunk := next(chunks, None)) is not None:
            count += len(encoder.feed(chunk))
            read.append(chunk)
    text = "".join([*read, *(chunks if side == "left" else ())])
    part = tok.truncate(text, n, side, **options)
    return part, len(part.text) < len(text)


@bpeek.command()
@_files
@_tokenizer
@_policy
@click.option("n", "-t", "--truncate", type=click.IntRange(min=0), metavar="N", help="At most N tokens of each text.")
@click.option("--side", type=click.Choice(["left", "right"]), default="right", help="Where -t cuts off.")
@_json
def encode(
    files: Sequence[str], given: str | None, policy: str, n: int | None, side: Side, as_json: bool, **vocabulary: Any
) -> None:
    """Write the ids of texts, those of each on a line of its own."""
    tok, sources = _load(**vocabulary), texts(files, given)
    with progress(sources, writes=True) as step:
        for source in sources:
            chunks = source.chunks(step)
            if n is not None:
                part, cut = _truncated(tok, source, n, side, policy, step)
                _tell(source, part, cut)
                chunks = iter([part.text])
            if as_json:
                _write_json(_columns(tok, source, "".join(chunks), policy))
            else:
                ids = chain.from_iterable(_ids(tok, chunks, policy))
                _write_words(map(str, ids))


def _tell(source: Text, part: Slice, cut: bool) -> None:
    name = "" if source.name in (None, "-") else f"{source.name}: "
    told = f"cut to {part.count:,} tokens" if cut else f"not cut, it has {part.count:,} tokens"
    print(printable(f"{name}{told}"), file=sys.stderr)


def _write_words(words: Iterable[str]) -> None:
    space = ""
    for word in words:
        sys.stdout.write(space + word)
        space = " "
    sys.stdout.write("\n")


def _columns(tok: Tokenizer, source: Text, text: str, policy: str) -> dict[str, Any]:
    encoding = tok.encode(text, **POLICIES[policy])
    names = ("ids", "tokens", "offsets", "offsets_utf16", "offsets_bytes")
    return {**source.facts, **{name: getattr(encoding, name) for name in names}}


@bpeek.command()
@_files
@_tokenizer
@_policy
@_json
def count(files: Sequence[str], given: str | None, policy: str, as_json: bool, **vocabulary: Any) -> None:
    """Count the tokens of texts; of several, each and all."""
    tok, sources = _load(**vocabulary), texts(files, given)
    with progress(sources, writes=False) as step:
        counts = [sum(map(len, _ids(tok, source.chunks(step), policy))) for source in sources]
    if as_json:
        for source, number in zip(sources, counts, strict=True):
            _write_json({**source.facts, "count": number})
    elif len(sources) == 1:
        print(counts[0])
    else:
        width = len(str(sum(counts)))
        for name, number in zip([*files, "total"], [*counts, sum(counts)], strict=True):
            print(f"{number:{width}}  {printable(name)}")


# Text of ids

_SEPARATORS = re.compile(r"[\s,\[\]]+")


def _numbers(chunks: Iterable[str]) -> Iterator[list[int]]:
    """Ids as ``encode`` writes them, or as a list of JSON."""
    rest = ""
    for chunk in chain(chunks, [" "]):
        *words, rest = _SEPARATORS.split(rest + chunk)
        words = [word for word in words if word]
        for word in words:
            if not (word.isascii() and word.isdecimal() and len(word) < 20):
                raise click.ClickException(f"{word[:40]!r} is not an id; ids are whole numbers")
        yield list(map(int, words))


@bpeek.command()
@_files
@_tokenizer
@click.option("--keep-special", is_flag=True, help="Write special tokens too.")
@click.option("as_bytes", "--bytes", is_flag=True, help="The bytes of all tokens, also where they are not UTF-8.")
def decode(files: Sequence[str], given: str | None, keep_special: bool, as_bytes: bool, **vocabulary: Any) -> None:
    """Write the text of ids, and nothing else: no line end that is not in it."""
    tok, sources = _load(**vocabulary), texts(files, given)
    with progress(sources, writes=True) as step:
        for source in sources:
            if as_bytes:
                sys.stdout.flush()
                for ids in _numbers(source.chunks(step)):
                    sys.stdout.buffer.write(tok.decode_bytes(ids))
            else:
                stream = tok.stream_decoder(skip_special_tokens=not keep_special)
                for ids in _numbers(source.chunks(step)):
                    sys.stdout.write(stream.feed(ids))
                sys.stdout.write(stream.finish())


# For reading


@bpeek.command()
@_files
@_tokenizer
@_policy
@_json
def explain(files: Sequence[str], given: str | None, policy: str, as_json: bool, **vocabulary: Any) -> None:
    """Tell how texts become tokens: what is normalized, what cuts out each piece, every merge."""
    tok = _load(**vocabulary)
    for source in texts(files, given):
        explanation = tok.explain(source.read(), **POLICIES[policy])
        if as_json:
            _write_json({**source.facts, **explanation.to_dict()})
        else:
            print(printable(str(explanation)))


@bpeek.command()
@_tokenizer
@_json
def inspect(as_json: bool, **vocabulary: Any) -> None:
    """Tell what a vocabulary is like: its rules, tokens that no text gives, bounds, patterns. Takes seconds."""
    found = _load(**vocabulary).inspect()
    if as_json:
        _write_json(found.to_dict())
    else:
        print(printable(str(found)))


@bpeek.command()
@click.argument("files", nargs=-1, type=click.Path())
@click.option("--port", type=click.IntRange(0, 65535), help="Where to serve; the first free one from 8000 on.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def serve(files: Sequence[str], port: int | None, no_browser: bool) -> None:
    """Open the page in a browser, with vocabularies. This machine serves it, to itself alone."""
    from .server import run, server

    try:
        site: Path = import_module("bpeek_page").SITE
    except ImportError:
        raise click.ClickException('the page is not installed: pip install "bpeek[page]"') from None
    given = {f"/given/{number}/{quote(os.path.basename(file))}": file for number, file in enumerate(files)}
    for file in files:
        open(file, "rb").close()  # that there is none, is better told now
    ports = range(8000, 8100) if port is None else range(port, port + 1)
    httpd = server(site, ports, given={address: Path(file) for address, file in given.items()})
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # browsers drop connections as they please
    fragment = "&".join(f"open={address.lstrip('/')}" for address in given)
    run(httpd, fragment and f"#{fragment}", None if no_browser else click.launch)
