"""Every example of README and docs runs, and gives what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.examples import NAMES, PLAIN, ROOT, blocks

import bpeek
import vocabs

FILES = {
    "cl100k_base.tiktoken": "cl100k_base",
    "o200k_base.tiktoken": "o200k_base",
    "tokenizer.json": "llama3",
    "tokenizer.model": "mistral_v3",
    "tekken.json": "tekken_240911",
    "vocab.json": "gpt2_vocab",
    "merges.txt": "gpt2_merges",
    "voyage3_base.tiktoken": "voyage3_base",
}
HERE = {"python", "pycon", "console", "sh"}
IN_A_BROWSER = {"js", "html"}  # tests/browser/test_docs.py
MADE = "docs/jupyterlite.md"  # its blocks make a site: tests/browser/test_jupyterlite.py
ELSEWHERE = {
    "web/README.md": {"sh", "js", "ts", "tsx", "html"},  # tests/browser/test_package.py
    MADE: {"sh", "python", "json"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real vocabularies under the names that the examples use."""
    folder = tmp_path_factory.mktemp("examples")
    for file, vocabulary in FILES.items():
        (folder / file).symlink_to(vocabs.fetch(vocabulary))
    (folder / "vocabularies").symlink_to(vocabs.CACHE)
    return folder


@pytest.mark.parametrize("page", [name for name in NAMES if name != MADE and blocks(ROOT / name, *HERE)])
def test_the_examples(page: str, folder: Path) -> None:
    """In a Python of their own, as the reader has it."""
    path = os.pathsep.join(map(str, (ROOT, ROOT / "src", ROOT / "tools")))
    command = [sys.executable, "-W", "error", "-m", "tests.examples", page]
    run = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", NAMES)
def test_no_block_is_forgotten(page: str) -> None:
    known = PLAIN | ELSEWHERE.get(page, HERE | IN_A_BROWSER)
    found = blocks(ROOT / page)
    assert {language for language, _ in found} <= known
    assert 2 * len(found) == len(re.findall("^ *```", (ROOT / page).read_text("utf-8"), re.MULTILINE))


def test_every_method_that_the_readme_names_exists() -> None:
    for name in re.findall(r"`tok\.(\w+)", (ROOT / "README.md").read_text("utf-8")):
        assert hasattr(bpeek.Tokenizer, name), name
