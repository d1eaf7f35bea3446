"""Every normalizer against the reference: on every character, and on pairs with combining marks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tokenizers import Tokenizer

from bpeek.pipeline import normalizers
from bpeek.pipeline.aligned import Aligned
from bpeek.unicode.properties import category

SCALARS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
MARKS = [chr(code) for code in category("M")]
BERT = {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "strip_accents": False}
STEPS: list[dict[str, Any]] = [
    *({"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel")),
    BERT | {"lowercase": False, "clean_text": True},
    BERT | {"lowercase": False, "handle_chinese_chars": True},
    BERT | {"lowercase": False, "strip_accents": True},
    BERT | {"lowercase": True, "strip_accents": None},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "<\u0301>"},
    {"type": "Replace", "pattern": {"Regex": r"[\p{L}\s]+"}, "content": "ab"},
    {"type": "Replace", "pattern": {"Regex": r"x*"}, "content": "-"},
    {"type": "Replace", "pattern": {"String": "\u0301"}, "content": "xyz"},
    {"type": "Replace", "pattern": {"String": ""}, "content": "."},
]


def reference(step: dict[str, Any]) -> Tokenizer:
    """A tokenizer of one unknown token per character: its offsets are those of the normalized characters."""
    model = {"type": "BPE", "vocab": {"<unk>": 0}, "merges": [], "unk_token": "<unk>"}
    return Tokenizer.from_str(json.dumps({"normalizer": step, "model": model}))


class Pair:
    """One step, in the reference and here."""

    def __init__(self, step: dict[str, Any]) -> None:
        self.step = step
        self.reference = reference(step)
        self.ours, self.plain = normalizers.build(step, "oniguruma"), normalizers.plain(step, "oniguruma")

    def check_text(self, text: str) -> str:
        expected: str = self.reference.normalizer.normalize_str(text)
        assert self.plain(text) == expected, f"{self.step}: {text!r}"
        return expected

    def check(self, text: str) -> None:
        aligned = self.ours(Aligned.of(text))
        assert aligned.text == self.check_text(text)
        spans = list(zip(aligned.starts or (), aligned.ends or (), strict=True))
        assert spans == self.reference.encode(text).offsets, f"{self.step}: {text!r}"


def in_parts(items: list[str], size: int) -> Iterator[list[str]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step['type']}-{list(step.values())[-1]}")
def test_every_character(step: dict[str, Any]) -> None:
    """All of them; offsets only of the changed ones and some others, since the reference is slow at these."""
    pair = Pair(step)
    changed = []
    for part in in_parts(SCALARS, 20_000):
        # A character that matters to no normalizer keeps neighbours apart.
        lines = pair.check_text("q".join(part)).split("q")
        if len(lines) == len(part):
            changed += [char for char, line in zip(part, lines, strict=True) if char != line]
    for part in in_parts(changed[:20_000:3] + SCALARS[::331], 300):
        pair.check("q".join(["", *part, ""]))


@pytest.mark.parametrize("step", STEPS[:4], ids=lambda step: step["type"])
def test_characters_with_marks(step: dict[str, Any]) -> None:
    """Marks in all orders, on letters that compose and on those that do not."""
    bases = [
        "",
        "a",
        "e",
        "\u1100",
        "\uac00",
        "\u0915",
        "\u0627",
        "\u03b1",
        "\U00011935",
        "\U000105d2",
        "\u30ab",
        "ﬁ",
        "é",
        "\u1e9b\u0323",
    ]
    interesting = [
        *MARKS[::41],
        "\u0301",
        "\u0323",
        "\u0344",
        "\u0f71",
        "\u0f72",
        "\u0f73",
        "\u3099",
        "\uff9e",
        "\u1161",
        "\u11a8",
    ]

    pair = Pair(step)
    for base in bases:
        for one in interesting:
            pair.check("q".join(base + one + other for other in interesting))
