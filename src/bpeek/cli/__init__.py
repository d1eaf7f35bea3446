"""The ``bpeek`` command; ``pip install "bpeek[cli]"`` brings what it needs.

``main`` runs it and turns every end into one sentence and an exit code: 0, 1 for an input that is refused, 2 for a
command that is not understood, 130 for Ctrl+C.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from ..errors import BpeekError, FormatError, SpecialTokenError
from .output import one_line, printable

REFUSED, USAGE, INTERRUPTED = 1, 2, 128 + 2


def main() -> None:
    """The entry point."""
    if hasattr(signal, "SIGPIPE"):
        # Ends as other commands do when `head` has seen enough: silently.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before there was a command to interrupt
        code = INTERRUPTED
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command and give its exit code."""
    try:
        import click
    except ImportError:
        return _fail('the command needs more than the library does: pip install "bpeek[cli]"')
    from .commands import bpeek

    if sys.stderr is None:  # as all streams are that were closed before the command began
        sys.stderr = open(os.devnull, "w")
    if sys.stdout is None:
        return _fail("standard output is closed; send it to a file or a pipe")
    for stream in (sys.stdout, sys.stderr):
        # Text goes out as it is, whatever the locale and the system's line ends; only a file's name may be no text.
        stream.reconfigure(encoding="utf-8", errors="surrogateescape", newline="")  # type: ignore[union-attr]  # a TextIOWrapper
    try:
        code = bpeek.main(arguments, prog_name="bpeek", standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return USAGE
    except click.UsageError as error:
        command = "bpeek" if error.ctx is None else error.ctx.command_path
        return _fail(f"{error.format_message().rstrip('.')}; see {command} --help", USAGE)
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BpeekError as error:
        return _fail(_sentence(error))
    except BrokenPipeError:
        return REFUSED
    except OSError as error:
        told = error.strerror or str(error)
        return _fail(told if error.filename is None else f"{one_line(str(error.filename) or repr(''))}: {told}")
    except MemoryError:
        return _fail("there is not enough memory for this")


def _fail(sentence: str, code: int = REFUSED) -> int:
    print("bpeek:", printable(sentence), file=sys.stderr)
    return code


def _sentence(error: BpeekError) -> str:
    """What the error says, in the command's words where the library's would not help."""
    told = str(error)
    if isinstance(error, FormatError) and error.file:
        told = told.replace(error.file, one_line(error.file))
    sentence, _, advice = told.partition("\n")
    if isinstance(error, SpecialTokenError) and advice:
        return f"{sentence.rstrip('.')}; --policy special takes it as one, --policy text as text"
    if isinstance(error, FormatError) and error.field == "pattern":
        name = f"{one_line(error.file)}: " if error.file else ""
        return f"{name}bpeek does not know these ranks; give --pattern and --special-token as their publisher does"
    return sentence
