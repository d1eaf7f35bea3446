"""Real files and whole pipelines against ``tokenizers``: every column of the result, and back to text."""

from __future__ import annotations

import gzip
import json
import os
import random
import runpy
import sys
import time
import unicodedata
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace

import pytest
from tests.parity import hf_vectors
from tests.parity.hf_fuzz import FIELDS, of_encoding, ours, run, theirs
from tests.texts import SNIPPETS, mixture
from tokenizers import Tokenizer

import bpeek
import vocabs
from bpeek.bytechars import BYTE_TO_CHAR
from bpeek.formats import hf_json, vocab_merges
from bpeek.pipeline.run import Pipeline, is_plain_byte_level

pytestmark = pytest.mark.usefixtures("kernel")

FILES = ("llama2", "gemma3", "llama3", "qwen3", "deepseek_v3", "gpt4o", "gptoss", "anthropic")
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def clip_files() -> tuple[dict[str, int], list[str]]:
    """CLIP's vocabulary, as its own code makes it from the merges."""
    lines = gzip.decompress(vocabs.fetch("clip_merges").read_bytes()).decode().split("\n")
    merges = lines[1 : 49152 - 256 - 2 + 1]
    # CLIP writes its byte alphabet in another order than that of the bytes.
    chars = sorted(BYTE_TO_CHAR.values(), key=lambda char: (ord(char) > 255, ord(char)))
    tokens = [*chars, *(char + "</w>" for char in chars), *("".join(merge.split()) for merge in merges)]
    return {token: at for at, token in enumerate([*tokens, "<|startoftext|>", "<|endoftext|>"])}, merges


@cache
def both(name: str) -> tuple[Pipeline, Tokenizer]:
    """The file here and in the reference. Two-file vocabularies are written as a tokenizer.json for it."""
    if name in FILES:
        path = vocabs.fetch(name)
        return Pipeline(hf_json.parse(path.read_bytes(), name)), Tokenizer.from_file(str(path))
    if name == "clip":
        vocab, merges = clip_files()
    else:
        vocab = json.loads(vocabs.fetch("gpt2_vocab").read_bytes())
        merges = vocabs.fetch("gpt2_merges").read_text().split("\n")[1:-1]
    spec = vocab_merges.parse(json.dumps(vocab).encode(), "\n".join(["#version: 0.2", *merges, ""]).encode(), name)
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    config = {
        "model": {"type": "BPE", "vocab": vocab, "merges": merges, "end_of_word_suffix": spec.model.end_of_word_suffix},
        "added_tokens": [
            {"id": token.id, "content": token.content, "special": True, **flags} for token in spec.added_tokens
        ],
        "normalizer": spec.normalizer,
        "pre_tokenizer": spec.pre_tokenizer,
        "post_processor": spec.post_processor,
        "decoder": spec.decoder,
    }
    return Pipeline(spec), Tokenizer.from_str(json.dumps(config))


@cache
def clips_own():
    """CLIP's own code, with its own file; in place of ftfy, which mends text, only its last step."""
    mend = SimpleNamespace(fix_text=partial(unicodedata.normalize, "NFC"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ftfy", mend)
        code = runpy.run_path(str(vocabs.fetch("clip_code")))
    return code["SimpleTokenizer"](str(vocabs.fetch("clip_merges")))


def test_clips_merges_alone_are_its_vocabulary() -> None:
    packed = vocabs.fetch("clip_merges").read_bytes()
    tok, reference = bpeek.load(packed), clips_own()
    assert tok.get_vocab() == reference.encoder
    assert tok.spec.model.merges == tuple(reference.bpe_ranks)
    vocab, merges = clip_files()
    both = [json.dumps(vocab).encode(), "\n".join(["#version: 0.2", *merges]).encode()]
    alone = replace(tok.spec, format="vocab.json + merges.txt")
    assert bpeek.load(gzip.decompress(packed)).spec == tok.spec
    assert bpeek.load(both).spec == alone == bpeek.load([both[0], packed]).spec
    # It takes control characters for spaces, 'ſ for 's, and does not find special tokens behind a sign. It lowers the
    # letters that this Python knows.
    known = [text for text in SNIPPETS if "Cn" not in map(unicodedata.category, text)]
    snippets = [text for text in known if not set(text) & set("\x1c\x1d\x1e\x1fſ")]
    generator = random.Random(3)
    mixed = [" ".join(generator.choices(snippets, k=60)) for _ in range(60)]
    for text in [*snippets, *mixed, "A  photo of a\tCAT's 12 &lives, don't! <|endoftext|> x"]:
        ids = reference.encode(text)
        assert tok.encode(text, add_special_tokens=False).ids == ids
        assert tok.decode(ids, skip_special_tokens=False) == reference.decode(ids)


def check(pipeline: Pipeline, reference: Tokenizer, texts: list[str], add: bool = True) -> None:
    expected = reference.encode(*texts, add_special_tokens=add)
    parts = [pipeline.encode(text, type_id=number) for number, text in enumerate(texts)]
    for name, want, got in zip(FIELDS, theirs(expected), ours(pipeline.post_process(parts, add)), strict=True):
        assert want == got, f"{name}: {texts!r:.200}"
    for skip in (True, False):
        assert pipeline.decode(expected.ids, skip) == reference.decode(expected.ids, skip_special_tokens=skip)
    bare = reference.encode(texts[0], add_special_tokens=False).ids
    assert pipeline.encode_plain(texts[0]).tolist() == bare


@pytest.mark.parametrize("name", [*FILES, "gpt2", "clip"])
def test_file(name: str) -> None:
    pipeline, reference = both(name)
    added = [token.content for token in pipeline.spec.added_tokens]
    for text in [*SNIPPETS, "", "\n\n a", " x", "▁▁a ▁", "<0x41>"]:
        check(pipeline, reference, [text])
    for seed in range(6):
        text = mixture(1500, seed)
        check(pipeline, reference, [text])
        inside = text[:40] + added[seed % len(added)] + text[40:300] + added[-1] + " " + added[0] + "\n" + added[-1]
        check(pipeline, reference, [inside])
        check(pipeline, reference, [inside, text[:99]], add=seed % 2 == 0)


@pytest.mark.parametrize("name", ["gemma3", "llama2"])
def test_special_tokens_as_text(name: str) -> None:
    """Other added tokens still count. Gemma's texts are encoded at once, those with stand-ins in them are not."""
    pipeline, reference = both(name)
    tokenizer = bpeek.Tokenizer(pipeline.spec)
    special = list(tokenizer.special_tokens)
    texts = [
        *SNIPPETS,
        "",
        "\n\n a\n",
        "<bos> <unk></s>▁▁ <0x41>",
        "\U000f0001a\n",
        "".join(special[:9]),
        " ".join(special[:9]),
    ]
    for text in [*texts, *(mixture(900, seed) + special[seed % len(special)] + "\n" for seed in range(6))]:
        for as_text in (False, True):
            reference.encode_special_tokens = as_text
            expected = reference.encode(text, add_special_tokens=False)
            reference.encode_special_tokens = False
            found = tokenizer.encode(
                text, add_special_tokens=False, allowed_special=() if as_text else "all", disallowed_special=()
            )
            for field, want, got in zip(FIELDS, theirs(expected), of_encoding(found), strict=True):
                assert want == got, f"{field}: {text!r:.200}"
            assert not as_text or tokenizer.encode_ordinary(text) == expected.ids


@pytest.mark.parametrize(("old", "new"), [(" ", "▁"), ("c", "\U000f0000"), ("\U000f0000", "c"), ("\U000f0001", "a")])
def test_a_normalizer_that_knows_stand_ins(old: str, new: str) -> None:
    """Texts are encoded at once with private characters for added tokens: those of a file are none of these."""
    tokens = ["<unk>", "a", "b", "ab", "▁", *(f"<0x{byte:02X}>" for byte in range(256)), "\U000f0000", "\U000f0001"]
    plain = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    model = {"vocab": dict(zip(tokens, range(999), strict=False)), "merges": ["a b"], "byte_fallback": True}
    top = {
        "added_tokens": [{"id": 0, "content": each, "special": each == "<x>", **plain} for each in ("<x>", "<y>")],
        "normalizer": {"type": "Replace", "pattern": {"String": old}, "content": new},
        "model": {"type": "BPE", "unk_token": "<unk>", **model},
    }
    reference = Tokenizer.from_str(data := json.dumps(top))
    tokenizer = bpeek.load(data.encode())
    for text in ("abc<x>cb<y>c ab", "ab<x>b", "a<y>b", "\U000f0000b<x>"):
        found, expected = tokenizer.encode(text), reference.encode(text)
        assert (found.ids, found.offsets) == (expected.ids, expected.offsets), text
        assert tokenizer.encode_ordinary(text.replace("<x>", "")) == reference.encode(text.replace("<x>", "")).ids


@pytest.mark.parametrize("prefix", ["▁", "▁▁a", "ab", "b ", "é", "é🙂x", "<x>"])
def test_what_is_put_before_texts(prefix: str) -> None:
    """As in Llama's files: before each stretch between added tokens, and tokens' places are told by their widths."""
    tokens = ["<unk>", "a", "b", "ab", "▁", "▁a", "▁▁", *(f"<0x{byte:02X}>" for byte in range(256)), "<x>", "🙂", "▁▁a"]
    merges = ["a b", "▁ a", "▁ ▁", "▁▁ a"]
    plain = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    vocab = {token: id for id, token in enumerate(tokens)}
    steps = [{"type": "Prepend", "prepend": prefix}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    top = {
        "added_tokens": [{"id": vocab["<x>"], "content": "<x>", "special": True, **plain}],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "model": {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": merges, "byte_fallback": True},
    }
    a, b, x = ({"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}, vocab["<x>"])
    end = {"SpecialToken": {"id": "<x>", "type_id": 0}}
    top["post_processor"] = {
        "type": "TemplateProcessing",
        **{"single": [a, end], "pair": [a, end, b, a]},
        "special_tokens": {"<x>": {"id": "<x>", "ids": [x], "tokens": ["<x>"]}},
    }
    reference = Tokenizer.from_str(data := json.dumps(top))
    tokenizer = bpeek.load(data.encode())
    tokenizer.encode("a" * 100)  # the first few characters go another way
    assert tokenizer._road.pipeline.encode_at_once("ab", None) is not None
    roll = random.Random(prefix)
    parts = ["a", "b", " ", "▁", "ab", "<x>", "<x>", "<0x41>", "é", "🙂", "\U000f0000", "語"]
    for _ in range(1500):
        texts = ["".join(roll.choices(parts, k=roll.randint(0, 8))) for _ in range(roll.randint(1, 2))]
        expected, found = reference.encode(*texts), tokenizer.encode(*texts)
        for field, want, got in zip(FIELDS, theirs(expected), of_encoding(found), strict=True):
            assert want == got, f"{field}: {texts!r}"


if "BPEEK_CORPORA" in os.environ:  # a folder of *.txt.gz: more text than is generated here

    @pytest.mark.parametrize("name", [*FILES, "gpt2", "clip"])
    def test_file_on_corpora(name: str) -> None:
        folder = os.environ["BPEEK_CORPORA"]
        for file in sorted(os.listdir(folder)):
            with gzip.open(f"{folder}/{file}", "rt", encoding="utf-8") as stream:
                text = stream.read()
            for start in range(0, len(text), len(text) // 4):
                check(*both(name), [text[start : start + 60_000]])


@pytest.mark.parametrize("name", FILES)
def test_parsing_is_quick_and_ids_are_those_of_the_reference(name: str) -> None:
    data = vocabs.fetch(name).read_bytes()
    start = time.process_time()
    spec = hf_json.parse(data, name)
    assert time.process_time() - start < 6
    records = both(name)[1].get_added_tokens_decoder()
    assert {token.id: token.content for token in spec.added_tokens} == {id: t.content for id, t in records.items()}


def test_which_files_are_plain_byte_level() -> None:
    plain = {name for name in (*FILES, "gpt2", "clip") if is_plain_byte_level(both(name)[0].spec)}
    assert plain == {"llama3", "qwen3", "deepseek_v3", "gpt4o", "gptoss", "anthropic", "gpt2"}


@pytest.mark.parametrize("seed", ["fixed", None], ids=["fixed", "fresh"])
def test_random_configurations(seed: str | None) -> None:
    """``python tests/parity/hf_fuzz.py N SEED`` does more; a fresh seed is in the message."""
    count = 350 * (20 if os.environ.get("BPEEK_FULL") else 1)
    compared, differences = run(count, seed or time.time_ns())
    assert not differences, "\n".join(differences[:3])
    assert compared > count


def test_the_recorded_vectors_are_those_of_this_release():
    assert hf_vectors.differing() == []
