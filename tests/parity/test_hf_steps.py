"""Pre-tokenizers, decoders and the charsmap against the reference's own components."""

from __future__ import annotations

import base64
import io
import json
import random
from typing import Any

import pytest
import sentencepiece
from tests.texts import SNIPPETS, every_scalar, mixture
from tokenizers import Tokenizer, normalizers

from bpeek.formats.sentencepiece import parse as parse_sentencepiece
from bpeek.pipeline import decoders, pretokenizers
from bpeek.pipeline.aligned import Aligned
from bpeek.pipeline.double_array import DoubleArray
from bpeek.pipeline.normalizers import build, plain
from bpeek.unicode.graphemes import clusters

MODEL = {"type": "BPE", "vocab": {}, "merges": []}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
PRE_TOKENIZERS: list[dict[str, Any]] = [
    *({"type": name} for name in ("Whitespace", "WhitespaceSplit", "Punctuation")),
    *({"type": name} for name in ("BertPreTokenizer", "UnicodeScripts")),
    *({"type": "Digits", "individual_digits": flag} for flag in (True, False)),
    {"type": "FixedLength", "length": 3},
    {"type": "CharDelimiterSplit", "delimiter": "a"},
    BYTE_LEVEL,
    BYTE_LEVEL | {"add_prefix_space": True},
    BYTE_LEVEL | {"use_regex": False},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
    {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True, "str_rep": "▁"},
    *(SPLIT | {"behavior": name, "pattern": {"Regex": r"\s+|\p{N}"}} for name in ("MergedWithNext", "Contiguous")),
    SPLIT | {"behavior": "MergedWithPrevious", "pattern": {"String": " "}, "invert": True},
    {
        "type": "Sequence",
        "pretokenizers": [{"type": "Punctuation"}, BYTE_LEVEL, {"type": "Digits", "individual_digits": True}],
    },
]  # fmt: skip


def reference(**steps: Any) -> Tokenizer:
    return Tokenizer.from_str(json.dumps({"model": MODEL, **steps}))


@pytest.mark.parametrize("step", PRE_TOKENIZERS, ids=lambda step: "-".join(map(str, step.values()))[:40])
def test_pre_tokenizer(step: dict[str, Any]) -> None:
    theirs = reference(pre_tokenizer=step).pre_tokenizer
    ours = pretokenizers.build(step | {"add_prefix_space": step.get("add_prefix_space", True)}, "oniguruma")
    every = step["type"] in ("Whitespace", "UnicodeScripts", "BertPreTokenizer")
    texts = ["".join(f"a{char}" for char in text[1::6]) for text in every_scalar(3000)] if every else []
    for text in [*texts, *every_scalar(3000)[::40], *SNIPPETS, mixture(20_000, 1)]:
        aligned, spans = ours(Aligned.of(text))
        found = [(aligned.text[start:end], aligned.span(start, end)) for start, end in spans]
        assert found == theirs.pre_tokenize_str(text), repr(text[:60])


DECODERS: list[dict[str, Any]] = [
    BYTE_LEVEL,
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    *({"type": "Strip", "content": "a", "start": n, "stop": 0} for n in (0, 1, 2)),
    {"type": "Replace", "pattern": {"String": "a"}, "content": "$0"},
    {"type": "Replace", "pattern": {"Regex": r"x*"}, "content": "-"},
    *({"type": "Metaspace", "replacement": "▁", "prepend_scheme": name, "split": True} for name in ("always", "never")),
    {"type": "BPEDecoder", "suffix": "</w>"},
    *({"type": "WordPiece", "prefix": "##", "cleanup": flag} for flag in (True, False)),
    *({"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": flag} for flag in (True, False)),
    {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
]
TOKENS = [
    *("a", "aa", "aaa", "b", "▁", "▁▁a▁", "</w>", "a</w>", "##a", "##", "<pad>", "|", "é", "ĠÃ©", "Ã", "©", "Ġ", "日"),
    *("<0x41>", "<0xE6>", "<0x97>", "<0xa5>", "<0xFF>", "<0x+A>", "<0xZZ>", "<0x4>", "<0x410>", "<0xé>", "<0x 1>"),
    *(".", " .", " n't", " ' ", "do not", " 's", "?", "\ufffd", "\n", ""),
]  # fmt: skip


@pytest.mark.parametrize("step", DECODERS, ids=lambda step: "-".join(map(str, step.values()))[:40])
def test_decoder(step: dict[str, Any]) -> None:
    theirs, ours = reference(decoder=step).decoder, decoders.build(step, "oniguruma")
    generator = random.Random(3)
    for _ in range(3000):
        tokens = [generator.choice(TOKENS) for _ in range(generator.randrange(1, 8))]
        assert ours(list(tokens)) == theirs.decode(list(tokens)), tokens


def test_decoding_nothing() -> None:
    for step in DECODERS:
        assert isinstance(decoders.build(step, "oniguruma")([]), str)


@pytest.fixture(scope="module")
def charsmap() -> bytes:
    """The map of SentencePiece's own rule nmt_nfkc_cf, taken from a model that is trained here."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e"] * 20),
        model_writer=model,
        vocab_size=12,
        model_type="bpe",
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc_cf",
        minloglevel=9,
    )
    spec = parse_sentencepiece(model.getvalue())
    assert spec.model.sentencepiece is not None
    return spec.model.sentencepiece.normalizer.charsmap


def test_precompiled(charsmap: bytes) -> None:
    step = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
    theirs = normalizers.Precompiled(charsmap)
    model = {"type": "BPE", "vocab": {"<unk>": 0}, "merges": [], "unk_token": "<unk>"}
    offsets_of = Tokenizer.from_str(json.dumps({"normalizer": step, "model": model}))
    ours, fast = build(step, "oniguruma"), plain(step, "oniguruma")
    generator = random.Random(4)
    marks = [
        "\u0301",
        "\u0327",
        "\uff9e",
        "\u200d",
        "\u0903",
        "\u0600",
        "\u094d",
        "\r\n",
        "カ",
        "ｶ",
        "ﬁ",
        "ﾟ",
        "é",
        "½",
        "㌔",
        "\x07",
    ]
    texts = [*every_scalar(3000), *SNIPPETS]
    texts += ["".join(generator.choice([*marks, *marks, *SNIPPETS]) for _ in range(12)) for _ in range(600)]
    for text in texts:
        assert fast(text) == theirs.normalize_str(text), repr(text[:80])
    for text in texts[::60] + texts[-600:]:
        aligned = ours(Aligned.of(text))
        spans = list(zip(aligned.starts or (), aligned.ends or (), strict=True))
        assert spans == offsets_of.encode(text).offsets, repr(text[:80])


def test_clusters() -> None:
    assert clusters("a\r\nb") == ["a", "\r\n", "b"]
    assert clusters("🇩🇪🇫🇷👩\u200d💻e\u0301x") == ["🇩🇪", "🇫🇷", "👩\u200d💻", "e\u0301", "x"]
    assert clusters("\u0915\u094d\u0937\u093f\u1100\u1161\u11a8") == ["\u0915\u094d\u0937\u093f", "\u1100\u1161\u11a8"]


def test_characters_behind_the_first_of_a_key(charsmap: bytes) -> None:
    """Keys of the map share their tails: each is gone through once, and the search ends."""
    trie = DoubleArray(charsmap)
    keys = [head + second for head in trie.firsts for second in trie.seconds]
    expected = {key[1] for key in keys if (found := trie.longest(key, 0)) and found[1] == 2}
    assert expected
    assert expected <= trie.later
    assert trie.seconds <= trie.later
    assert "a" not in trie.later
