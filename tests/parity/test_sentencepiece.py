"""SentencePiece models: the reference is sentencepiece 0.2.3, for ids, pieces, offsets and decoded text."""

import io
import os
import random
from functools import cache

import pytest
import sentencepiece
from tests.parity.sp_fuzz import SPACE, differences, random_differences
from tests.texts import SNIPPETS, mixture

import bpeek
import vocabs

pytestmark = pytest.mark.usefixtures("kernel")

MISTRAL = ["mistral_v1", "mistral_v2", "mistral_v3", "mistral_v7"]
TIMES = 20 if os.environ.get("BPEEK_FULL") else 1

TRAINED = {
    "nmt_nfkc": {},
    "nfkc": {"byte_fallback": True},
    "nfkc_cf": {"unk_surface": "<?>"},
    "nmt_nfkc_cf": {"user_defined_symbols": ["<sep>", f"{SPACE}x", "👩"], "remove_extra_whitespaces": False},
    "identity": {"treat_whitespace_as_suffix": True, "split_by_whitespace": False},
}


@cache
def trained(rule: str) -> bytes:
    """A model with one of the character maps that sentencepiece itself makes."""
    out = io.BytesIO()
    lines = [mixture(80, seed).replace("\n", " ") for seed in range(300)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in lines if line.strip()]),
        model_writer=out,
        model_type="bpe",
        vocab_size=700,
        hard_vocab_limit=False,
        character_coverage=0.98,
        normalization_rule_name=rule,
        minloglevel=3,
        num_threads=1,
        **TRAINED[rule],
    )
    return out.getvalue()


def texts(seed: int, count: int) -> list[str]:
    return ["", " ", *SNIPPETS, *(mixture(200, seed + number) for number in range(count))]


def id_lists(seed: int, size: int, count: int) -> list[list[int]]:
    """Random ids, half of them from the beginning, where special tokens and bytes are."""
    rng = random.Random(seed)
    return [
        [rng.randrange(rng.choice([size, min(size, 300)])) for _ in range(rng.randint(0, 12))] for _ in range(count)
    ]


@pytest.mark.parametrize("block", range(8))
def test_random_models(block):
    for seed in range(40 * block * TIMES, 40 * (block + 1) * TIMES):
        assert random_differences(seed) == [], f"python -m tests.parity.sp_fuzz 1 {seed}"


@pytest.mark.parametrize("rule", TRAINED)
def test_trained_models(rule):
    data = trained(rule)
    size = bpeek.load(data).vocab_size
    assert differences(data, texts(1, 60 * TIMES), id_lists(1, size, 200 * TIMES)) == []


@pytest.mark.parametrize("rule", ["nmt_nfkc_cf", "nfkc"])
def test_every_character_through_a_character_map(rule):
    chars = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    step = 1 if TIMES > 1 else 29
    blocks = ["a".join(chars[start : start + 4096 * step : step]) for start in range(0, len(chars), 4096 * step)]
    assert differences(trained(rule), blocks, []) == []


@pytest.mark.parametrize("name", MISTRAL)
def test_mistral(name):
    data = vocabs.fetch(name).read_bytes()
    size = bpeek.load(data).vocab_size
    assert differences(data, texts(2, 40 * TIMES), id_lists(2, size, 200 * TIMES)) == []


@pytest.mark.parametrize("name", ["mistral_v1", "mistral_v7"])
def test_every_piece_by_itself(name):
    path = vocabs.fetch(name)
    reference, tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(path)), bpeek.load(path)
    pieces = list(tokenizer.get_vocab())
    assert [tokenizer.encode_ordinary(piece) for piece in pieces] == reference.Encode(pieces, num_threads=1)
    assert [tokenizer.decode([token]) for token in range(len(pieces))] == [
        reference.Decode([token]) for token in range(len(pieces))
    ]


@pytest.mark.parametrize(
    "unit, times", [("a", 100_000), (" ", 50_000), ("ab", 40_000), ("漢字", 30_000), ("🦊", 20_000)]
)
def test_long_runs_are_not_quadratic(unit, times):
    path = vocabs.fetch("mistral_v1")
    reference, text = sentencepiece.SentencePieceProcessor(model_file=str(path)), unit * times
    encoding = bpeek.load(path).encode(text)
    wanted = reference.Encode(text, return_type="offset_mapping")
    assert (encoding.ids, encoding.offsets) == (wanted["ids"], wanted["offsets"])


def test_text_as_a_whole_is_its_lines_cut_nowhere():
    """A long text of many scripts, against the reference on the whole of it."""
    path = vocabs.fetch("mistral_v3")
    text = mixture(60_000 * TIMES, 9)
    wanted = sentencepiece.SentencePieceProcessor(model_file=str(path)).Encode(text, return_type="offset_mapping")
    encoding = bpeek.load(path).encode(text)
    assert (encoding.ids, encoding.tokens) == (wanted["ids"], wanted["pieces"])
    assert encoding.offsets == wanted["offsets"]
