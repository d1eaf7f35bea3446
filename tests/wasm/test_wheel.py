"""The wheel that is published: reproducible, pure, and working where nothing else is installed."""

import shutil
import signal
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

import vocabs

EXTRA = 'bpeek: the command needs more than the library does: pip install "bpeek[cli]"\n'
PAGE = 'bpeek: the page is not installed: pip install "bpeek[page]"\n'

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
KERNEL = ROOT / "src" / "bpeek" / "kernel" / "kernel.wasm"


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


def test_the_kernel_is_what_its_source_gives(tmp_path: Path) -> None:
    made = tmp_path / "kernel.wasm"
    command = ["npm", "run", "build", "--silent", "--prefix", str(ROOT / "kernel"), "--", "--outFile", str(made)]
    subprocess.run(command, check=True)
    assert made.read_bytes() == KERNEL.read_bytes()


def test_contents(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"bpeek/__init__.py", "bpeek/py.typed"} <= set(names)
    assert not [name for name in names if not name.startswith("bpeek") or name.endswith(".pyc")]
    for archive in (wheel, ROOT / "web" / "runtime" / "bpeek.whl"):
        assert zipfile.ZipFile(archive).read("bpeek/kernel/kernel.wasm") == KERNEL.read_bytes()


@pytest.fixture(scope="module")
def page() -> Path:
    (path,) = (ROOT / "dist" / "page").glob("*.whl")
    return path


def test_the_page_is_a_wheel_of_its_own(wheel: Path, page: Path) -> None:
    site = ROOT / "dist" / "site"
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    plain = {name for name in files if not name.endswith((".br", ".gz"))}
    names = {name.removeprefix("bpeek_page/site/") for name in zipfile.ZipFile(page).namelist()}
    assert "index.html" in plain <= names
    assert {name for name in names - plain if ".dist-info/" not in name} == {"bpeek_page/__init__.py"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert page.name.split("-")[1:] == wheel.name.split("-")[1:]  # of the same version


def test_in_a_clean_environment(wheel: Path, page: Path, tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=True)
    python, bpeek = tmp_path / "bin" / "python", tmp_path / "bin" / "bpeek"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    vocabulary = str(vocabs.fetch("cl100k_base"))
    subprocess.run([*install, wheel], check=True)
    source = f"import bpeek; print(*bpeek.load({vocabulary!r}).encode('Hello 👩‍💻').ids)"
    result = subprocess.run([python, "-I", "-c", source], check=True, capture_output=True, encoding="utf-8")
    assert result.stdout.split() == ["9906", "62904", "102", "378", "235", "93273", "119"]

    lacking = subprocess.run([bpeek, "count"], capture_output=True, encoding="utf-8")
    assert (lacking.returncode, lacking.stdout, lacking.stderr) == (1, "", EXTRA)
    subprocess.run([*install, f"{wheel}[cli]"], check=True)
    count = subprocess.run([bpeek, "count", "-v", vocabulary], input=b"Hello", check=True, capture_output=True)
    assert count.stdout == b"1\n"
    lacking = subprocess.run([bpeek, "serve", "--no-browser"], capture_output=True, encoding="utf-8")
    assert (lacking.returncode, lacking.stderr) == (1, PAGE)
    subprocess.run([*install, "--find-links", page.parent, f"{wheel}[page]"], check=True)
    with subprocess.Popen(
        [bpeek, "serve", "--no-browser", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        address = serving.stdout.readline().split()[1]
        with urllib.request.urlopen(address) as response:
            assert response.read() == (ROOT / "dist" / "site" / "index.html").read_bytes()
        serving.send_signal(signal.SIGINT)
