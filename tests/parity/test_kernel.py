"""Real vocabularies with the kernel and without: every column, streams, documents, budgets and batches.

(That both give what the references give is for the other tests here, which run with the kernel and without.)
"""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import tokenizer
from tests.kernels import columns, runs, with_kernel, without_kernel
from tests.texts import SNIPPETS, every_scalar, mixture, soup

import bpeek
from bpeek.kernel import compiled

NAMES = [
    *("r50k_base", "cl100k_base", "o200k_base", "tekken_240911", "mistral_v1", "mistral_v7"),
    *("llama2", "llama3", "qwen3", "deepseek_v3", "gemma3", "gptoss", "anthropic"),
]


@cache
def both(name: str) -> tuple[bpeek.Tokenizer, bpeek.Tokenizer]:
    spec = tokenizer(name).spec
    return with_kernel(spec), without_kernel(spec)


each = pytest.mark.parametrize("name", NAMES)


def with_special(ours: bpeek.Tokenizer, text: str, generator: random.Random) -> str:
    """The text with some special tokens inside, side by side and by white space."""
    special = list(ours.special_tokens)[:20]
    for _ in range(4):
        at = generator.randint(0, len(text))
        text = (
            text[:at]
            + generator.choice(["", " ", "\n"])
            + generator.choice(special) * generator.randint(1, 2)
            + text[at:]
        )
    return text


def check(name: str, text: str) -> None:
    ours, plain = both(name)
    assert columns(ours, text) == columns(plain, text), repr(text)[:200]
    assert runs(ours) and not runs(plain)


@each
def test_every_column(name):
    generator = random.Random(7)
    for text in [*SNIPPETS, "\0", "a\0b" * 9, "👩‍👩‍👧‍👦" * 40, "a\ud83d \ude00\ud800", "".join(SNIPPETS)]:
        check(name, text)
    for seed in range(4):
        check(name, with_special(both(name)[0], mixture(1500, seed), generator))


@each
def test_every_scalar_value(name):
    """(That they are those of the reference: test_tiktoken has all of them.)"""
    ours, plain = both(name)
    for text in every_scalar()[::30]:
        encoding, expected = ours.encode(text), plain.encode(text)
        assert encoding.ids == expected.ids and encoding.offsets_utf16 == expected.offsets_utf16


@each
@pytest.mark.parametrize("unit", ["a", " ", "ab", "漢字", "👩‍💻", "\n", "क्षि", "="])
def test_long_pieces(name, unit):
    check(name, unit * (3000 // len(unit)))


@each
@settings(max_examples=25)
@given(text=soup, block=st.integers(1, 40))
def test_blocks_of_any_size(name, text, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "BLOCK", block)
        check(name, text)


def in_parts(tokenizer: bpeek.Tokenizer, texts: list[str]) -> list[object]:
    """All that comes of some texts, and of the one that they make, other than by `encode`."""
    whole = "".join(texts)
    encoder, document, limit = tokenizer.stream_encoder(), tokenizer.document(whole), tokenizer.count(whole) // 2 + 1
    stream = [encoder.feed(text) for text in texts] + [encoder.finish()]
    edited = document.replace(len(whole) // 3, len(whole) // 2, texts[0])
    batch = tokenizer.encode_batch(texts)
    return [
        *(stream, encoder.offsets, edited, [*map(list, document.columns())], document.count()),
        *(tokenizer.truncate(whole, limit), tokenizer.fits(whole, limit), list(tokenizer.chunks(whole, 40 + limit))),
        *(tokenizer.count_batch(texts), [encoding.ids for encoding in batch], [encoding.offsets for encoding in batch]),
        *(tokenizer.encode(whole, texts[0]).offsets_utf16, tokenizer.encode(whole, texts[0]).tokens),
    ]


@each
@settings(max_examples=15)
@given(texts=st.lists(soup, min_size=1, max_size=5))
def test_streams_documents_budgets_and_batches(name, texts):
    ours, plain = both(name)
    assert in_parts(ours, texts) == in_parts(plain, texts)
