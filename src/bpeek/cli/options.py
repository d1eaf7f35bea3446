"""The options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..bridge import POLICIES
from ..loading import load
from ..tokenizer import Tokenizer
from .texts import vocabulary_files

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
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


vocabulary = click.option(
    "vocabulary", "-v", "--vocabulary", metavar="PATH", multiple=True, type=click.Path(), envvar="BPEEK_VOCABULARY",
    show_envvar=True, help="The vocabulary; give both vocab.json and merges.txt.",
)  # fmt: skip
tokenizer = together(
    vocabulary,
    click.option(
        "--name",
        metavar="NAME",
        help="Which of the encodings that share these ranks: gpt2, p50k_edit, o200k_harmony, whisper_v3, whisper_en.",
    ),
    click.option(
        "--pattern", metavar="REGEX", help="How text is split, for a .tiktoken file that bpeek does not know."
    ),
    click.option(
        "special_tokens",
        "--special-token",
        metavar="TOKEN=ID",
        multiple=True,
        callback=_pairs,
        help="With --pattern, or one more than a tokenizer.json has.",
    ),
)
files = together(
    click.argument("files", nargs=-1, type=click.Path()),
    click.option("given", "--text", help="The text itself, in place of files."),
)
policy = click.option(
    "--policy", type=click.Choice(list(POLICIES)), default="special", show_default=True,
    help="Special tokens in a text are recognised, or taken as text, or refused.",
)  # fmt: skip
limit = click.option(
    "--limit", metavar="N", type=click.IntRange(min=0), default=500, show_default=True, help="How many are shown."
)
colour = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)  # fmt: skip
html = click.option("as_html", "--html", is_flag=True, help="Write a page of HTML instead.")
truncate = together(
    click.option("n", "-t", "--truncate", type=click.IntRange(min=0), metavar="N", help="At most N tokens of a text."),
    click.option("--side", type=click.Choice(["left", "right"]), default="right", help="Where -t cuts off."),
)
json = click.option("as_json", "--json", is_flag=True, help="Write JSON, one line for each text.")


def load_tokenizer(
    vocabulary: Sequence[str], name: str | None, pattern: str | None, special_tokens: dict[str, int]
) -> Tokenizer:
    if not vocabulary:
        raise click.UsageError("No vocabulary: give its path with -v, or in BPEEK_VOCABULARY")
    files = vocabulary_files(vocabulary)
    return load(files, name=name, pattern=pattern, special_tokens=special_tokens or None)
