"""The examples of README and docs: where they are, and what runs each kind.

A `pycon` block is a session, compared as doctest does; a `console` block one in a shell, whose commands follow `$ `.
A `python` block is a program, where `print(…)  # …` tells what it prints. Of an `sh` block each command must be there,
with its options. `js` and `html` blocks make a page.
"""

import argparse
import asyncio
import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT
from collections.abc import Callable
from contextlib import redirect_stdout
from doctest import ELLIPSIS, DocTestParser
from io import StringIO
from json import loads
from pathlib import Path
from types import ModuleType

from sybil import Document, Example, Sybil
from sybil.evaluators.doctest import DocTestRunner
from sybil.parsers.markdown import CodeBlockParser
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "web" / "README.md"])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
PLAIN = {"text", "css"}  # what no program runs


def blocks(page: Path, *languages: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page, as ``(language, source)``; of all languages if none is named."""
    lexer = FencedCodeBlockLexer(".*", {"language": "language", "source": "source"})
    found = lexer(Document(page.read_text(encoding="utf-8"), str(page)))
    pairs = [(region.lexemes["language"], str(region.lexemes["source"])) for region in found]
    return [(language, source) for language, source in pairs if not languages or language in languages]


def session(example: Example) -> str:
    """As doctest does, but that an empty line of an output may be written as what it is."""
    source = re.sub(r"^\n(?!>>>)", "<BLANKLINE>\n", example.parsed, flags=re.MULTILINE)
    test = DocTestParser().get_doctest(source, {}, example.path, example.path, example.line)
    test.globs = example.namespace
    out: list[str] = []
    DocTestRunner(ELLIPSIS).run(test, out=out.append, clear_globs=False)
    return "".join(out)


def program(example: Example) -> str | None:
    """Each line that it prints is that of its comment, which may go on with words about it."""
    out = StringIO()
    with redirect_stdout(out):
        code = compile(example.parsed, example.path, "exec", PyCF_ALLOW_TOP_LEVEL_AWAIT)
        awaited = eval(code, example.namespace)  # as in a notebook, `await` may stand outside of functions
        if awaited is not None:
            asyncio.run(awaited)
    told = re.findall(r"^ *print\(.*\) +# (.*)$", example.parsed, re.MULTILINE)
    printed = out.getvalue().splitlines()
    same = len(told) == len(printed) and all(map(str.startswith, told, printed))
    return None if same else f"It prints {printed}, not {told}"


def console(example: Example) -> str | None:
    """All blocks of a page are one session, as far as what it exports and the files that it leaves."""
    for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, told = part.partition("\n")
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            os.environ[name] = value
            continue
        program = f'bpeek() {{ {shlex.quote(sys.executable)} -m bpeek "$@"; }}; {command}'
        run = subprocess.run(["bash", "-c", f"exec 2>&1; {program}"], stdout=subprocess.PIPE, encoding="utf-8")
        if run.stdout.rstrip("\n") != told.rstrip("\n"):
            return f"{command} writes:\n{run.stdout}"
    return None


def commands(example: Example) -> str | None:
    for line in example.parsed.replace("\\\n", " ").splitlines():
        for command in re.split(r" && | \| ", line.partition(" # ")[0]):
            program, *arguments = shlex.split(command, comments=True) or [""]
            if program and not COMMANDS[program.removeprefix(".venv/bin/")](arguments):
                return f"There is no such command: {command}"
    return None


def _builds(options: list[str]) -> bool:
    (known,) = re.findall(r'^  "" \| (.*)\) build ;;$', (ROOT / "build_wasm.sh").read_text("utf-8"), re.MULTILINE)
    return set(options) <= set(known.split(" | "))


def _python(arguments: list[str]) -> bool:
    if arguments[0] != "-m":
        return (ROOT / arguments[0]).exists()
    known = importlib.import_module(f"{arguments[1]}.__main__").arguments()
    return isinstance(known.parse_args(arguments[2:]), argparse.Namespace)


def _pip(arguments: list[str]) -> bool:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("optional-dependencies", {})
    found = re.fullmatch(r"(?:bpeek|\.)(?:\[([\w,]+)\])?|dist/bpeek-[\d.]+-py3-none-any\.whl()", arguments[-1])
    return arguments[0] == "install" and found is not None and set((found[1] or "").split(",")) <= {"", *extras}


def _npm(arguments: list[str]) -> bool:
    script, *more = [each for each in arguments if each != "run"]
    if script == "install":
        return re.fullmatch(r"bpeek|\./dist/bpeek-[\d.]+\.tgz", *more) is not None
    return script in loads((ROOT / more[-1] / "package.json").read_text("utf-8"))["scripts"]


COMMANDS: dict[str, Callable[[list[str]], bool]] = {
    "./build_wasm.sh": _builds,
    "python": _python,
    "pip": _pip,
    "npm": _npm,
    "node": lambda arguments: f"// {arguments[0]}\n" in (ROOT / "web" / "README.md").read_text("utf-8"),
    "pytest": lambda arguments: all((ROOT / path).exists() for path in arguments),
    "mypy": lambda arguments: not arguments,
    "ruff": lambda arguments: arguments in (["check"], ["format"]),
}
PYTHON = [
    CodeBlockParser("pycon", session),
    CodeBlockParser("python", program),
    CodeBlockParser("console", console),
    CodeBlockParser("sh", commands),
]


def _http() -> ModuleType:
    """In place of Pyodide's, whose `pyfetch` asks the site: it reads the current folder."""

    class Response:
        def __init__(self, url: str) -> None:
            self.url = url

        async def bytes(self) -> bytes:
            return Path(self.url).read_bytes()

    async def pyfetch(url: str) -> Response:
        return Response(url)

    module = ModuleType("pyodide.http")
    module.__dict__["pyfetch"] = pyfetch
    return module


if __name__ == "__main__":
    os.environ["BPEEK_KERNEL"] = "0"  # examples show what a plain installation gives
    sys.modules |= {"pyodide": ModuleType("pyodide"), "pyodide.http": _http()}
    for example in Sybil(PYTHON).parse(ROOT / sys.argv[1]).examples():
        example.evaluate()
