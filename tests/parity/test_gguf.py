"""Vocabularies inside GGUF files: the ids of llama.cpp's own test vectors, of the model's own tokenizer.json in
``tokenizers``, and of sentencepiece."""

from __future__ import annotations

import json
from functools import cache

import pytest
import sentencepiece
from tests.ggufs import gguf, of_pieces, of_tokenizer_json
from tests.texts import SNIPPETS, every_scalar, mixture
from tokenizers import Tokenizer

import bpeek
import vocabs
from bpeek.conversion import convert

NAMES = [name for name, sums in vocabs.GGUFS.items() if len(sums) == 3]
# Files of which the own tokenizer.json is at hand; or whose fields are made of one, as llama.cpp's converter does.
OWN = {"llama-bpe": "llama3"}
MADE = {"llama3": "llama-bpe", "gpt4o": "gpt-4o", "deepseek_v3": "deepseek-v3", "gptoss": "gpt-4o"}
TEXTS = [*SNIPPETS, "", " a", *(mixture(600, seed) for seed in range(12))]


@cache
def loaded(name: str) -> bpeek.Tokenizer:
    return bpeek.load(vocabs.fetch(f"{name}.gguf"))


@pytest.mark.parametrize("name", NAMES)
def test_llama_cpps_own_vectors(name: str) -> None:
    texts = vocabs.fetch(f"{name}.gguf.inp").read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n")
    lines = vocabs.fetch(f"{name}.gguf.out").read_text().split("\n")
    assert len(texts) > 40
    for text, line in zip(texts, lines, strict=False):
        ids = [int(id) for id in line.split()]
        assert loaded(name).encode(text, add_special_tokens=False).ids == ids
        assert loaded(name).decode(ids) == text


@pytest.mark.parametrize("name", [*NAMES, "aquila", "gpt-neox"])
def test_written_as_a_tokenizer_json(name: str) -> None:
    """All columns come from the same pipeline, in ``tokenizers``, too."""
    tok = loaded(name)
    reference = Tokenizer.from_str(convert(tok.spec, "tokenizer.json").data.decode())
    special = list(tok.special_tokens)
    for text in [*TEXTS, f"a {special[0]}b{special[-1]} c"]:
        ours, theirs = tok.encode(text), reference.encode(text)
        assert (ours.ids, ours.offsets) == (theirs.ids, theirs.offsets)
        assert tok.decode(ours.ids) == reference.decode(ours.ids)


@pytest.mark.parametrize("name", OWN)
def test_the_models_own_tokenizer_json(name: str) -> None:
    reference = Tokenizer.from_file(str(vocabs.fetch(OWN[name])))
    for text in [*TEXTS, "<|begin_of_text|>a<|eot_id|> b", *every_scalar()[:4]]:
        ids = reference.encode(text, add_special_tokens=False).ids
        assert loaded(name).encode(text).ids == [128000, *ids]


@pytest.mark.parametrize("name", MADE)
def test_a_file_made_of_a_tokenizer_json(name: str) -> None:
    """The patterns behind the names of pre-tokenizers."""
    path = vocabs.fetch(name)
    tok = bpeek.load(gguf(of_tokenizer_json(json.loads(path.read_bytes()), MADE[name], bos_token_id=0)))
    reference = Tokenizer.from_file(str(path))
    for text in [*TEXTS, *every_scalar()[:40:4]]:
        ours, theirs = (each.encode(text, add_special_tokens=False).ids for each in (tok, reference))
        assert ours == theirs


@pytest.mark.parametrize("name", ["mistral_v1", "mistral_v3"])
def test_a_file_made_of_a_sentencepiece_model(name: str) -> None:
    reference = sentencepiece.SentencePieceProcessor(model_file=str(vocabs.fetch(name)))
    facts = bpeek.load(vocabs.fetch(name)).spec.model
    pieces = zip(facts.vocab, facts.sentencepiece.scores, facts.sentencepiece.types, strict=True)
    tok = bpeek.load(gguf(of_pieces(list(pieces))))
    for text in [*TEXTS, *(" " * size + "x" for size in range(0, 100, 3)), *every_scalar()[:4]]:
        if not any(mark in text for mark in tok.spec.model.vocab if mark.startswith(("[", "<|"))):
            assert list(tok.encode_ordinary(text)) == reference.encode(text)
            assert tok.encode(text).ids == [1, *reference.encode(text)]


@pytest.mark.parametrize("name, kind", [("bert-bge", "WordPiece"), ("nomic-bert-moe", "Unigram")])
def test_other_models_are_refused_by_name(name: str, kind: str) -> None:
    with pytest.raises(bpeek.UnsupportedError, match=kind) as caught:
        loaded(name)
    assert caught.value.where == "tokenizer.ggml.model"


def test_scores_that_pairs_cannot_say() -> None:
    with pytest.raises(bpeek.UnsupportedError, match="one score") as caught:
        loaded("baichuan")
    assert caught.value.feature == "scores"
