"""Fetch published vocabularies, pack them for the page and print the paths: ``python tools/pack.py cl100k_base …``."""

import sys
from pathlib import Path

import vocabs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from bpeek.formats.packed import pack
from bpeek.formats.tiktoken import parse_ranks


def packed(name: str) -> Path:
    path = vocabs.fetch(name)
    target = path.with_suffix(".ranks")
    target.write_bytes(pack(parse_ranks(path.read_bytes())))
    return target


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(packed(name))
