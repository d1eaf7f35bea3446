"""Fetch published vocabularies, pack them for the page and print the paths: ``python tools/pack.py cl100k_base …``."""

import sys
from pathlib import Path

import vocabs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from bpeek.formats.packed import pack
from bpeek.formats.tiktoken import parse_ranks

FOLDER = Path(__file__).resolve().parent.parent / "dist" / "ranks"


def packed(name: str) -> Path:
    target = FOLDER / f"{name}.ranks"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(pack(parse_ranks(vocabs.fetch(name).read_bytes())))
    return target


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(packed(name))
