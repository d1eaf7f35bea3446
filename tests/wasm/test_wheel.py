"""The wheel that is published: reproducible, pure, and working where nothing else is installed."""

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import vocabs

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "pyproject.toml", "README.md", "LICENSE", ".gitignore")


@pytest.fixture(scope="module")
def wheel() -> Path:
    (path,) = (ROOT / "dist").glob("*.whl")
    return path


def test_two_builds_are_byte_for_byte_the_same(wheel: Path, tmp_path: Path) -> None:
    for name in SOURCES:
        source, target = ROOT / name, tmp_path / name
        # `copy` and not `copy2`: the files are younger than the first time.
        shutil.copytree(source, target, copy_function=shutil.copy) if source.is_dir() else shutil.copy(source, target)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(tmp_path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_contents(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"bpeek/__init__.py", "bpeek/py.typed"} <= set(names)
    assert not [name for name in names if not name.startswith("bpeek") or name.endswith(".pyc")]


def test_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
    source = f"import bpeek; print(*bpeek.load({str(vocabs.fetch('cl100k_base'))!r}).encode('Hello 👩‍💻').ids)"
    result = subprocess.run([python, "-I", "-c", source], check=True, capture_output=True, encoding="utf-8")
    assert result.stdout.split() == ["9906", "62904", "102", "378", "235", "93273", "119"]
