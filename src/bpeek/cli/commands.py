"""All commands in one: ``bpeek``."""

import click

from ..kernel import available
from . import files, ids, views


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="bpeek", message=f"%(prog)s %(version)s (kernel: {available() or 'none'})")
def bpeek() -> None:
    """See how a model reads your text: exact byte-pair tokenization.

    A vocabulary is a .tiktoken, tokenizer.json, tekken.json or SentencePiece .model file, vocab.json with merges.txt
    (both given), or a folder with one of these. Name it with -v, or once and for all in BPEEK_VOCABULARY. Text is read
    as UTF-8 from files, or from standard input.
    """


for command in (
    *(ids.encode, ids.decode, ids.count),
    *(views.show, views.compare, views.explain, views.inspect),
    *(files.convert, files.serve),
):
    bpeek.add_command(command)
