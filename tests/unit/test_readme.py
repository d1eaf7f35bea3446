"""The README's Python runs, and prints what it says."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import bpeek
import vocabs

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_first_example(tmp_path, monkeypatch):
    (tmp_path / "cl100k_base.tiktoken").symlink_to(vocabs.fetch("cl100k_base"))
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    out = StringIO()
    with redirect_stdout(out):
        exec(code, {})
    printed = dict(zip(re.findall(r"print\((.*)\) +# (.*)", code), out.getvalue().splitlines(), strict=True))
    told = {expression: (comment, line) for (expression, comment), line in printed.items()}
    for expression in ("enc.ids", 'tok.count("How many tokens is this?")', "tok.decode(enc.ids)"):
        comment, line = told[expression]
        assert comment == line


def test_every_method_that_it_names_exists():
    for name in re.findall(r"`tok\.(\w+)", README):
        assert hasattr(bpeek.Tokenizer, name), name
