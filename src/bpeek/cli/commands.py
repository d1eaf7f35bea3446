"""The commands. Each says in its docstring what ``--help`` shows."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import click

from ..bridge import POLICIES
from ..budget import Side
from ..display import counted
from ..errors import UnsupportedError
from ..loading import load
from ..tokenizer import Tokenizer
from . import printable
from .texts import Step, Text, progress, texts, vocabulary_files

if TYPE_CHECKING:
    from ..conversion import Target

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
    show_envvar=True, help="The vocabulary; give both vocab.json and merges.txt.",
)  # fmt: skip
_tokenizer = _together(
    _vocabulary,
    click.option(
        "--name", metavar="NAME", help="Which of the encodings that share these ranks: gpt2, p50k_edit, o200k_harmony."
    ),
    click.option(
        "--pattern", metavar="REGEX", help="How text is split, for a .tiktoken file that bpeek does not know."
    ),
    click.option(
        "special_tokens", "--special-token", metavar="TOKEN=ID", multiple=True, callback=_pairs, help="With --pattern."
    ),
)
_files = _together(
    click.argument("files", nargs=-1, type=click.Path()),
    click.option("given", "--text", help="The text itself, in place of files."),
)
_policy = click.option(
    "--policy", type=click.Choice(list(POLICIES)), default="special", show_default=True,
    help="Special tokens in a text are recognised, or taken as text, or refused.",
)  # fmt: skip
_limit = click.option(
    "--limit", metavar="N", type=click.IntRange(min=0), default=500, show_default=True, help="How many are shown."
)
_colour = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)  # fmt: skip
_html = click.option("as_html", "--html", is_flag=True, help="Write a page of HTML instead.")
_truncate = _together(
    click.option("n", "-t", "--truncate", type=click.IntRange(min=0), metavar="N", help="At most N tokens of a text."),
    click.option("--side", type=click.Choice(["left", "right"]), default="right", help="Where -t cuts off."),
)
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


def _kept(tok: Tokenizer, source: Text, n: int | None, side: Side, policy: str, step: Step) -> Iterator[str]:
    """The text, or what ``-t`` leaves of it, and then whether it was cut is told."""
    chunks = source.chunks(step)
    if n is None:
        return chunks
    text = "".join(chunks if side == "left" else _enough(tok, chunks, n, policy))
    part = tok.truncate(text, n, side, **_streaming(policy))
    name = "" if source.name in (None, "-") else f"{source.name}: "
    told = "cut to" if len(part.text) < len(text) else "not cut, it has"
    print(printable(f"{name}{told} {counted(part.count, 'token')}"), file=sys.stderr)
    return iter([part.text])


def _enough(tok: Tokenizer, chunks: Iterator[str], n: int, policy: str) -> Iterator[str]:
    """No more of a long text than is needed: once more tokens are certain than are wanted, nothing can change these."""
    encoder, count = tok.stream_encoder(**_streaming(policy)), 0
    for chunk in chunks:
        yield chunk
        count += len(encoder.feed(chunk))
        if count > n:
            return


@bpeek.command()
@_files
@_tokenizer
@_policy
@_truncate
@_json
def encode(
    files: Sequence[str], given: str | None, policy: str, n: int | None, side: Side, as_json: bool, **vocabulary: Any
) -> None:
    """Write the ids of texts, those of each on a line of its own."""
    tok, sources = _load(**vocabulary), texts(files, given)
    with progress(sources, writes=True) as step:
        for source in sources:
            chunks = _kept(tok, source, n, side, policy, step)
            if as_json:
                encoding = tok.encode("".join(chunks), **POLICIES[policy])
                _write_json({**source.facts, **encoding.to_dict()})
            else:
                ids = chain.from_iterable(_ids(tok, chunks, policy))
                _write_words(map(str, ids))


def _write_words(words: Iterable[str]) -> None:
    space = ""
    for word in words:
        sys.stdout.write(space + word)
        space = " "
    sys.stdout.write("\n")


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
    """Write the text of ids.

    Nothing else is written: no line end that is not in it. Ids have blanks or commas between.
    """
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
@_truncate
@_limit
@_colour
@_html
def show(
    files: Sequence[str],
    given: str | None,
    policy: str,
    n: int | None,
    side: Side,
    limit: int,
    color: str,
    as_html: bool,
    **vocabulary: Any,
) -> None:
    """Show the tokens of texts, each over its id."""
    tok = _load(**vocabulary)
    for source in (sources := texts(files, given)):
        chunks = _kept(tok, source, n, side, policy, lambda size: None)
        encoding = tok.encode("".join(chunks), **POLICIES[policy])
        _headline(source, sources)
        if as_html:
            print(encoding.to_html(page=True))
        else:
            encoding.show(sys.stdout, limit=limit, color=_COLOURS[color])


_COLOURS = {"auto": None, "always": True, "never": False}


def _headline(source: Text, sources: Sequence[Text]) -> None:
    if len(sources) > 1:
        print(printable(f"==> {source.name} <=="))


@bpeek.command("compare")
@_files
@_vocabulary
@_limit
@_colour
@_html
@_json
def compare_(
    files: Sequence[str],
    given: str | None,
    vocabulary: Sequence[str],
    limit: int,
    color: str,
    as_html: bool,
    as_json: bool,
) -> None:
    """Show where tokenizers do not cut texts in the same way.

    Each -v is one of them here; for vocab.json with merges.txt, give the folder with both.
    """
    from ..comparison import compare

    if len(vocabulary) < 2:
        raise click.UsageError("To compare takes two vocabularies: give each with a -v of its own")
    short = [os.path.basename(os.path.normpath(path)) for path in vocabulary]
    names = short if len(set(short)) == len(short) else vocabulary
    if len(set(names)) < len(names):
        raise click.UsageError("A vocabulary is given twice")
    tokenizers = {name: load(vocabulary_files([path])) for name, path in zip(names, vocabulary, strict=True)}
    for source in (sources := texts(files, given)):
        comparison = compare(source.read(), tokenizers)
        if as_json:
            _write_json({**source.facts, **comparison.to_dict()})
            continue
        _headline(source, sources)
        if as_html:
            print(comparison.to_html(page=True))
        else:
            comparison.show(sys.stdout, limit=limit, color=_COLOURS[color])


@bpeek.command()
@_files
@_tokenizer
@_policy
@_json
def explain(files: Sequence[str], given: str | None, policy: str, as_json: bool, **vocabulary: Any) -> None:
    """Tell how texts become tokens, merge by merge."""
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
    """Tell what a vocabulary is like.

    Its rules, tokens that no text gives, bounds, patterns. Takes seconds.
    """
    found = _load(**vocabulary).inspect()
    if as_json:
        _write_json(found.to_dict())
    else:
        print(printable(str(found)))


# Files and pages


@bpeek.command("convert")
@click.argument("target", type=click.Path(), metavar="OUT")
@_tokenizer
@click.option("--to", type=click.Choice(["tiktoken", "tokenizer.json"]), help="What to write, if OUT does not end so.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def convert_(target: str, to: Target | None, force: bool, **vocabulary: Any) -> None:
    """Write a vocabulary as another kind of file.

    OUT is a .tiktoken file or a tokenizer.json that gives the same ids, or - for standard output. Where there is none
    that does, nothing is written, and why is told.
    """
    from ..conversion import convert

    if to is None:
        to = {".tiktoken": "tiktoken", ".json": "tokenizer.json"}.get(os.path.splitext(target)[1])  # type: ignore[assignment]
    if to is None:
        raise click.UsageError("OUT ends neither in .tiktoken nor in .json: say --to what")
    if os.path.exists(target) and not force:
        raise click.ClickException(f"{target}: there is such a file; --force writes over it")
    converted = convert(_load(**vocabulary).spec, to)
    with click.open_file(target, "wb", atomic=target != "-") as file:
        file.write(converted.data)
    for sentence in converted.left_out:
        print(f"a .tiktoken file cannot say it: {sentence}", file=sys.stderr)
    if converted.pattern is not None and converted.special_tokens is not None:
        options = ["--pattern", converted.pattern]
        for token, number in converted.special_tokens.items():
            options += ["--special-token", f"{token}={number}"]
        print(f"load it with {printable(shlex.join(options))}", file=sys.stderr)


@bpeek.command()
@click.argument("files", nargs=-1, type=click.Path())
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), help="Where to serve; the first free one from 8000 on."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def serve(files: Sequence[str], port: int | None, no_browser: bool) -> None:
    """Open the page in a browser, with vocabularies.

    This machine serves it, to itself alone.
    """
    from .server import run, server

    try:
        site: Path = import_module("bpeek_page").SITE
    except ImportError:
        raise click.ClickException('the page is not installed: pip install "bpeek[page]"') from None
    given = {f"{number}/{os.path.basename(file)}": Path(file) for number, file in enumerate(vocabulary_files(files))}
    for file in given.values():
        open(file, "rb").close()  # that there is none, is better told now
    ports = range(8000, 8100) if port is None else range(port, port + 1)
    httpd = server(site, ports, given={f"/given/{name}": file for name, file in given.items()})
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # browsers drop connections as they please
    fragment = "&".join(f"open={quote(name)}" for name in given)
    run(httpd, fragment and f"#{fragment}", None if no_browser else click.launch)
