"""Files beside a tokenizer.json. ``siblings.json`` has what transformers 5.24 made of random ones; none that is 0 or
false is written there."""

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.wrong import FILES, MERGES, SENTENCEPIECE, TEKKEN, TIKTOKEN, TOKENIZER_JSON, VOCAB_JSON

import bpeek

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "siblings.json").read_text(encoding="utf-8"))
TEXTS = ["a<n1> b<n2>ab<x>", "<s>ab </s> <t> c<m> <unk>"]
VOCAB = {token: id for id, token in enumerate(["<unk>", "<s>", "</s>", "a", "b", "c", "ab", "abc", " ", "<x>"])}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
PLAIN = TOKENIZER_JSON | {"truncation": None, "padding": None, "normalizer": None, "pre_tokenizer": None}
CONFIG = {"tokenizer_class": "X", "added_tokens_decoder": {"11": {"content": "<new>", "special": True}}}
OTHERS = {
    "config.json": {"architectures": ["X"], "model_type": "x"},
    "generation_config.json": {"transformers_version": "5"},
    "model.safetensors.index.json": {"metadata": {}, "weight_map": {}},
    "special_tokens_map.json": {"bos_token": "<s>"},
}


def dumped(top) -> bytes:
    return json.dumps(top).encode()


def tokenizer_json(added) -> bytes:
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": VOCAB, "merges": [["a", "b"], ["ab", "c"]]}
    return dumped({"added_tokens": [dict.fromkeys(FLAGS, False) | token for token in added], "model": model})


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("first", [True, False])
def test_what_transformers_takes(case, first):
    main, beside = tokenizer_json(case["here"]), list(map(dumped, case["files"].values()))
    tok = bpeek.load([main, *beside] if first else [*beside[::-1], main])
    added = {token.id: token for token in tok.spec.added_tokens}  # of two with one id, the later one
    assert [
        {"id": token.id, "content": token.content} | {flag: True for flag in FLAGS if getattr(token, flag)}
        for _, token in sorted(added.items())
    ] == sorted(case["added"], key=lambda token: token["id"])
    assert [tok.encode(text, add_special_tokens=False).ids for text in TEXTS] == case["ids"]


def test_files_that_are_no_use(tmp_path):
    """All that lies beside a tokenizer.json on a hub."""
    main, alone = dumped(PLAIN), bpeek.load(dumped(PLAIN))
    for name, top in OTHERS.items():
        assert bpeek.load([main, dumped(top)]).spec == bpeek.load([dumped(top), main]).spec == alone.spec, name
    every = [main, VOCAB_JSON, MERGES, *map(dumped, OTHERS.values()), gzip.compress(dumped(CONFIG))]
    tok = bpeek.load(every)
    assert tok.encode("he<new>").tokens[-1] == "<new>" and tok.spec.added_tokens[:-1] == alone.spec.added_tokens
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in {"tokenizer.json": main, "tokenizer_config.json": dumped(CONFIG), "x.model": b"?"}.items():
            file.writestr(f"m/{name}", data)
    assert bpeek.load(archive.getvalue()).spec.added_tokens == tok.spec.added_tokens


def test_a_folder_has_them_too(tmp_path):
    for name, top in {"tokenizer.json": PLAIN, "tokenizer_config.json": CONFIG, **OTHERS}.items():
        (tmp_path / name).write_bytes(dumped(top))
    assert bpeek.load(tmp_path).token_to_id("<new>") == 11


@pytest.mark.parametrize("other", [SENTENCEPIECE, TEKKEN, TIKTOKEN, dumped(PLAIN), b"What?", b"{}" + b" " * 99 + b"x"])
def test_files_that_do_not_belong_together(other):
    with pytest.raises(bpeek.FormatError):
        bpeek.load([dumped(PLAIN), other])


@pytest.mark.parametrize(
    "decoder",
    [[], "x", {"x": {"content": "a"}}, {"-1": {"content": "a"}}, {"1": "a"}, {"1": {}}, {"1": {"content": 3}}],
)
def test_wrong_tables_of_added_tokens(decoder):
    with pytest.raises(bpeek.FormatError) as caught:
        bpeek.load([dumped(PLAIN), dumped({"added_tokens_decoder": decoder})])
    assert caught.value.field.startswith("added_tokens_decoder")


def test_special_tokens_extend_what_merges_as_listed():
    for source in (FILES["tokenizer.json"], FILES["model.gguf"], [VOCAB_JSON, MERGES]):
        plain = bpeek.load(source)
        tok = bpeek.load(source, special_tokens={"<new>": 5000})
        assert tok.special_tokens == {**plain.special_tokens, "<new>": 5000}
        assert 5000 in tok.encode("he<new>").ids and tok.id_to_token(5000) == "<new>"
        assert tok.decode([5000], skip_special_tokens=False) == "<new>"
    # A token of the vocabulary becomes special.
    assert bpeek.load(dumped(PLAIN), special_tokens={"he": 5}).special_tokens["he"] == 5
    assert bpeek.load(FILES["tokenizer.json"], special_tokens={}).spec == bpeek.load(FILES["tokenizer.json"]).spec


@pytest.mark.parametrize(
    "token, id", [("<new>", 5), ("he", 6), ("<end>", 11), ("", 50), ("<new>", -1), ("<new>", 1 << 32)]
)
def test_special_tokens_that_cannot_be(token, id):
    with pytest.raises(bpeek.SpecialTokenError):
        bpeek.load(dumped(PLAIN), special_tokens={token: id})


def test_others_have_their_own():
    for source in (SENTENCEPIECE, TEKKEN):
        with pytest.raises(bpeek.FormatError, match=r"special_tokens= is for other kinds of files"):
            bpeek.load(source, special_tokens={"<new>": 5000})
