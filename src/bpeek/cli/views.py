"""For reading: ``show``, ``compare``, ``explain``, ``inspect``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from ..bridge import POLICIES
from ..budget import Side
from ..comparison import compare as compared
from ..loading import load
from . import options
from .ids import kept
from .output import one_line, printable, write_json
from .texts import Text, texts, vocabulary_files


@click.command()
@options.files
@options.tokenizer
@options.policy
@options.truncate
@options.limit
@options.colour
@options.html
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
    tok = options.load_tokenizer(**vocabulary)
    for source in (sources := texts(files, given)):
        chunks = kept(tok, source, n, side, policy, lambda size: None)
        encoding = tok.encode("".join(chunks), **POLICIES[policy])
        _headline(source, sources)
        if as_html:
            print(encoding.to_html(page=True))
        else:
            encoding.show(sys.stdout, limit=limit, color=_COLOURS[color])


_COLOURS = {"auto": None, "always": True, "never": False}


def _headline(source: Text, sources: Sequence[Text]) -> None:
    if len(sources) > 1:
        print(f"==> {one_line(source.name or '')} <==")


@click.command()
@options.files
@options.vocabulary
@options.limit
@options.colour
@options.html
@options.json
def compare(
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
    if len(vocabulary) < 2:
        raise click.UsageError("To compare takes two vocabularies: give each with a -v of its own")
    short = [os.path.basename(os.path.normpath(path)) for path in vocabulary]
    names = short if len(set(short)) == len(short) else vocabulary
    if len(set(names)) < len(names):
        raise click.UsageError("A vocabulary is given twice")
    tokenizers = {name: load(vocabulary_files([path])) for name, path in zip(names, vocabulary, strict=True)}
    for source in (sources := texts(files, given)):
        comparison = compared(source.read(), tokenizers)
        if as_json:
            write_json({**source.facts, **comparison.to_dict()})
            continue
        _headline(source, sources)
        if as_html:
            print(comparison.to_html(page=True))
        else:
            comparison.show(sys.stdout, limit=limit, color=_COLOURS[color])


@click.command()
@options.files
@options.tokenizer
@options.policy
@options.json
def explain(files: Sequence[str], given: str | None, policy: str, as_json: bool, **vocabulary: Any) -> None:
    """Tell how texts become tokens, merge by merge."""
    tok = options.load_tokenizer(**vocabulary)
    for source in texts(files, given):
        explanation = tok.explain(source.read(), **POLICIES[policy])
        if as_json:
            write_json({**source.facts, **explanation.to_dict()})
        else:
            print(printable(str(explanation)))


@click.command()
@options.tokenizer
@options.json
def inspect(as_json: bool, **vocabulary: Any) -> None:
    """Tell what a vocabulary is like.

    Its rules, tokens that no text gives, bounds, patterns. Takes seconds.
    """
    found = options.load_tokenizer(**vocabulary).inspect()
    if as_json:
        write_json(found.to_dict())
    else:
        print(printable(str(found)))
