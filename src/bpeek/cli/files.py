"""Files and the page: ``convert``, ``serve``."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from . import options
from .output import printable, write_json
from .texts import vocabulary_files

if TYPE_CHECKING:
    from ..conversion import Target

MOST_TOLD = 8  # special tokens


@click.command()
@click.argument("target", type=click.Path(), metavar="OUT")
@options.tokenizer
@click.option("--to", type=click.Choice(["tiktoken", "tokenizer.json"]), help="What to write, if OUT does not end so.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("as_json", "--json", is_flag=True, help="Write what a .tiktoken file does not hold, as JSON.")
def convert(target: str, to: Target | None, force: bool, as_json: bool, **vocabulary: Any) -> None:
    """Write a vocabulary as another kind of file.

    OUT is a .tiktoken file or a tokenizer.json that gives the same ids, or - for standard output. Where there is none
    that does, nothing is written, and why is told.
    """
    from ..conversion import convert as converted_to

    if to is None:
        by_end: dict[str, Target] = {".tiktoken": "tiktoken", ".json": "tokenizer.json"}
        to = by_end.get(os.path.splitext(target)[1])
    if to is None:
        raise click.UsageError("OUT ends neither in .tiktoken nor in .json: say --to what")
    if target == "-" and as_json:
        raise click.UsageError("Only one can go to standard output: name a file, or leave out --json")
    if os.path.exists(target) and not force:
        raise click.ClickException(f"{target}: there is such a file; --force writes over it")
    os.stat(os.path.dirname(target) or ".")  # that there is no such folder, is better told now
    converted = converted_to(options.load_tokenizer(**vocabulary).spec, to)
    # A file is there as a whole or not at all; but what is no file, such as a named pipe, is to stay what it is.
    atomic = target != "-" and (os.path.isfile(target) or not os.path.exists(target))
    with click.open_file(target, "wb", atomic=atomic) as file:
        file.write(converted.data)
    if as_json:
        facts = ("pattern", "special_tokens", "left_out")
        write_json({name: getattr(converted, name) for name in facts})
        return
    kind = ".tiktoken file" if to == "tiktoken" else to
    for sentence in converted.left_out:
        print(f"a {kind} cannot say it: {sentence}", file=sys.stderr)
    if converted.pattern is not None and converted.special_tokens is not None:
        needed = ["--pattern", converted.pattern]
        for token, number in islice(converted.special_tokens.items(), MOST_TOLD):
            needed += ["--special-token", f"{token}={number}"]
        untold = len(converted.special_tokens) - MOST_TOLD
        more = f" and {untold:,} more of --special-token, which --json lists" if untold > 0 else ""
        print(f"load it with {printable(shlex.join(needed))}{more}", file=sys.stderr)


@click.command()
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
