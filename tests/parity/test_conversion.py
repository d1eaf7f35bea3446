"""Converted files, loaded by the references, give the ids of the file that they come from; or nothing is converted."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tests.parity.sp_fuzz import ALPHABETS, random_pieces, random_text
from tests.spmodels import charsmap, model, spec
from tests.texts import SNIPPETS, mixture, soup
from tests.unit.tiny import FILE, PATTERN, SPECIAL
from tokenizers import Tokenizer as Reference

import bpeek
import vocabs
from bpeek.bytechars import BYTE_TO_CHAR
from bpeek.conversion import Converted, convert
from bpeek.formats.presets import presets
from bpeek.pattern.translate import translate
from bpeek.spec import AddedToken, Model, Spec

ROOT = Path(__file__).parents[2]
HOSTILE = ["", "\x00", "a" * 3000, "^" * 300 + " " * 300, "\r\n\r\n \r", "<|endoftext|><|endoftext|>", "<|endoftext"]


def texts() -> list[str]:
    """Prose and code of this project, a mixture of all scripts, and what tokenizers get wrong."""
    files = [(ROOT / name).read_text(encoding="utf-8") for name in ("docs/theory.md", "src/bpeek/bpe/rules.py")]
    return [*SNIPPETS, *HOSTILE, mixture(20_000, 5), *files]


def in_tokenizers(tok: bpeek.Tokenizer, converted: Converted) -> None:
    reference = Reference.from_buffer(converted.data)
    again = bpeek.load(converted.data)
    special = [f"a{content} b" for content in list(tok.special_tokens)[:30]]
    for text in [*texts(), *special, "".join(special)]:
        ids = tok.encode(text).ids
        assert reference.encode(text).ids == again.encode(text).ids == ids
        for skip in (True, False):
            assert reference.decode(ids, skip_special_tokens=skip) == tok.decode(ids, skip_special_tokens=skip)
    for text in special:  # as plain text
        assert again.encode_ordinary(text) == tok.encode_ordinary(text)


def in_tiktoken(tok: bpeek.Tokenizer, converted: Converted, tmp_path: Path) -> None:
    assert converted.pattern is not None and converted.special_tokens is not None
    (tmp_path / "converted.tiktoken").write_bytes(converted.data)
    ranks = vocabs.tiktoken_dict(tmp_path / "converted.tiktoken")
    reference = tiktoken.Encoding(
        "converted", pat_str=converted.pattern, mergeable_ranks=ranks, special_tokens=dict(converted.special_tokens)
    )
    again = bpeek.load(converted.data, pattern=converted.pattern, special_tokens=converted.special_tokens)
    for text in texts():
        ids = tok.encode(text, add_special_tokens=False).ids
        assert reference.encode(text, allowed_special="all") == again.encode(text).ids == ids
        ordinary = tok.encode_ordinary(text)
        assert reference.encode_ordinary(text) == again.encode_ordinary(text) == ordinary
        assert reference.decode_bytes(ids) == tok.decode_bytes(ids)


@pytest.mark.parametrize("name", ["cl100k_base", "tekken_240911", "whisper_multilingual"])
def test_to_tokenizer_json(name: str, load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    tok = load_vocabulary(name)
    in_tokenizers(tok, convert(tok.spec, "tokenizer.json"))


def test_two_files_become_one() -> None:
    tok = bpeek.load([vocabs.fetch("gpt2_vocab"), vocabs.fetch("gpt2_merges")])
    in_tokenizers(tok, convert(tok.spec, "tokenizer.json"))


@pytest.mark.parametrize("name", ["llama2"])
def test_a_tokenizer_json_stays_what_it_is(name: str, load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    tok = load_vocabulary(name)
    in_tokenizers(tok, convert(tok.spec, "tokenizer.json"))


def test_gpt2_becomes_the_published_ranks(tmp_path: Path) -> None:
    tok = bpeek.load([vocabs.fetch("gpt2_vocab"), vocabs.fetch("gpt2_merges")])
    converted = convert(tok.spec, "tiktoken")
    assert converted.data == vocabs.fetch("r50k_base").read_bytes()
    in_tiktoken(tok, converted, tmp_path)


def test_llama3_with_tokens_that_are_only_found_whole(
    load_vocabulary: Callable[[str], bpeek.Tokenizer], tmp_path: Path
) -> None:
    tok = load_vocabulary("llama3")
    in_tiktoken(tok, convert(tok.spec, "tiktoken"), tmp_path)


def test_known_ranks_need_no_pattern(load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    converted = convert(load_vocabulary("cl100k_base").spec, "tiktoken")
    assert converted.data == vocabs.fetch("cl100k_base").read_bytes()
    assert converted.pattern is None and converted.special_tokens is None


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_published_patterns_translate_there_and_back(preset) -> None:
    other = translate(preset.pattern, "rust", "oniguruma")
    assert translate(other, "oniguruma", "rust")
    with pytest.raises(bpeek.PatternError):
        translate(r"(?:\p{N}{1,2}+\p{N})+", "rust", "oniguruma")


# Random rules


def tokenizer_json(vocab: dict[str, int], merges: list[tuple[str, str]], ignore_merges: bool = False) -> bytes:
    steps = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": vocab, "merges": merges, "ignore_merges": ignore_merges}
    return json.dumps({"model": model, "pre_tokenizer": steps, "decoder": steps}).encode()


def random_file(generator: random.Random) -> bytes:
    """A few merges over three letters; often in the order of the ids, sometimes not, sometimes with more or with
    fewer rules than the ids mean."""
    vocab = {char: byte for byte, char in BYTE_TO_CHAR.items()}
    merges: list[tuple[str, str]] = []
    parts = ["a", "b", "c"]
    for _ in range(generator.randrange(1, 9)):
        left, right = generator.choice(parts), generator.choice(parts)
        merges.append((left, right))
        if left + right not in vocab:
            vocab[left + right] = len(vocab)
            parts.append(left + right)
    if generator.random() < 0.2:
        generator.shuffle(merges)
    return tokenizer_json(vocab, merges, generator.random() < 0.3)


def test_random_rules_are_the_same_or_refused(tmp_path: Path) -> None:
    converted, differing = 0, 0
    for seed in range(400):
        generator = random.Random(seed)
        tok = bpeek.load(random_file(generator))
        words = ["".join(generator.choices("abc", k=generator.randrange(1, 14))) for _ in range(60)]
        vocab = {bytes(map(ord, token)): rank for token, rank in tok.get_vocab().items() if set(token) <= set("abc")}
        try:
            file = convert(tok.spec, "tiktoken")
        except bpeek.UnsupportedError:
            everything = {bytes([byte]): byte for byte in range(256)} | vocab
            meant = bpeek.Tokenizer(replace(SPLIT, model=Model("by_rank", everything)))
            differing += any(meant.encode_ordinary(word) != tok.encode_ordinary(word) for word in words)
            continue
        converted += 1
        again = bpeek.load(file.data, pattern=file.pattern, special_tokens=file.special_tokens)
        for word in words:
            assert again.encode_ordinary(word) == tok.encode_ordinary(word)
    assert converted > 40
    assert differing > 40  # so that refusing is not for nothing


SPLIT = bpeek.load(FILE, pattern=PATTERN, special_tokens={}).spec


@st.composite
def rank_files(draw: st.DrawFn) -> Spec:
    """Tokens of which some cannot come from merging, with ids in any order."""
    letters = st.text("abc", min_size=2, max_size=5).map(str.encode)
    tokens = [*(bytes([byte]) for byte in range(256)), *draw(st.lists(letters, unique=True, max_size=12))]
    ranks = draw(st.permutations(range(256, len(tokens))))
    vocab = dict(zip(tokens, [*range(256), *ranks], strict=True))
    return replace(SPLIT, model=Model("by_rank", vocab), added_tokens=(AddedToken("<|end|>", 400),))


@given(rank_files(), st.lists(st.text("abc", max_size=12) | soup, max_size=5))
def test_random_ranks_as_merges(spec: Spec, some: list[str]) -> None:
    tok = bpeek.Tokenizer(spec)
    data = convert(spec, "tokenizer.json").data
    reference = Reference.from_buffer(data)
    for text in [*some, "<|end|>".join(some)]:
        assert reference.encode(text).ids == tok.encode(text).ids


# Refusals


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"normalizer": {"type": "NFC"}}, r"cannot say that text is normalized \(NFC\)"),
        ({"pre_tokenizer": {"type": "Whitespace"}}, "only tokenizers that cut text by patterns"),
        ({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}, "only tokenizers that"),
    ],
)
def test_what_a_tiktoken_file_cannot_say(change: dict[str, object], sentence: str) -> None:
    vocab = {char: byte for byte, char in BYTE_TO_CHAR.items()}
    file = json.loads(tokenizer_json(vocab, [])) | change
    with pytest.raises(bpeek.UnsupportedError, match=sentence):
        convert(bpeek.load(json.dumps(file).encode()).spec, "tiktoken")


def test_what_a_tiktoken_file_leaves_out() -> None:
    file = json.loads(tokenizer_json({char: at for at, char in enumerate(BYTE_TO_CHAR.values())}, []))
    file |= {"decoder": None, "truncation": None}
    told = convert(bpeek.load(json.dumps(file).encode()).spec, "tiktoken").left_out
    assert told == ("ids are decoded as the bytes that they stand for",)
    bytes_ = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    assert not convert(bpeek.load(json.dumps(file | {"decoder": bytes_}).encode()).spec, "tiktoken").left_out


def added(content: str, **flags: bool) -> dict[str, object]:
    names = ("single_word", "lstrip", "rstrip", "normalized")
    return {"id": 0, "content": content, "special": True, **dict.fromkeys(names, False), **flags}


@pytest.mark.parametrize(
    ("tokens", "merges", "flags", "sentence"),
    [
        (["ab"], [], {}, "merging never makes the token 'ab'"),
        (["ab", "ba"], [("b", "a"), ("a", "b")], {}, "not those that its ids mean"),
        (["ab"], [("a", "b")], {"content": "ab"}, "'ab' can also come from merging"),
        ([], [], {"content": "<e>", "lstrip": True}, "how the added token '<e>' is found"),
        ([], [], {"content": "<e>", "special": False}, "how the added token '<e>' is found"),
    ],
)
def test_rules_and_added_tokens_that_are_refused(tokens, merges, flags, sentence) -> None:
    vocab = {char: byte for byte, char in BYTE_TO_CHAR.items()}
    vocab |= {token: 256 + at for at, token in enumerate(tokens)}
    file = json.loads(tokenizer_json(vocab, merges))
    file["added_tokens"] = [added(**flags)] if flags else []
    with pytest.raises(bpeek.UnsupportedError, match=sentence):
        convert(bpeek.load(json.dumps(file).encode()).spec, "tiktoken")


def test_a_sentencepiece_model(load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    tok = load_vocabulary("mistral_v1")
    converted = convert(tok.spec, "tokenizer.json")
    again, reference = bpeek.load(converted.data), Reference.from_buffer(converted.data)
    assert converted.left_out == ("special tokens in a text are recognised",)
    for text in [*texts(), *(" " * size + "x" for size in range(1, 99, 7)), "a</s> b"]:
        ids = tok.encode(text, allowed_special="all").ids
        assert reference.encode(text).ids == again.encode(text).ids == ids
        assert reference.decode(ids) == again.decode(ids) == tok.decode(ids)
        assert again.encode_ordinary(text) == tok.encode_ordinary(text)


def random_sentencepiece_model(rng: random.Random, alphabet: str, byte_fallback: bool) -> bytes:
    """With pieces of all types and many of one score; mostly tamed, for otherwise nearly all were refused."""
    pieces = random_pieces(rng, alphabet, byte_fallback)
    if rng.random() < 0.85:
        pieces = [(piece, -float(rng.randint(0, 1 << 20)), {4: 1, 5: 1}.get(kind, kind)) for piece, _, kind in pieces]
        named = {piece for piece, _, _ in pieces}
        pieces += [(char, -3.0 - at, 1) for at, char in enumerate(sorted(set("".join(named)) - named))]
    return model(pieces, byte_fallback=byte_fallback, normalizer=spec(rng.random() < 0.7, False))


def test_random_sentencepiece_models() -> None:
    """The same ids, or refused."""
    converted = 0
    for seed in range(400):
        rng = random.Random(seed)
        alphabet, byte_fallback = rng.choice(ALPHABETS), rng.random() < 0.5
        tok = bpeek.load(random_sentencepiece_model(rng, alphabet, byte_fallback))
        try:
            data = convert(tok.spec, "tokenizer.json").data
        except bpeek.UnsupportedError:
            continue
        converted += 1
        again, reference = bpeek.load(data), Reference.from_buffer(data)
        for text in [random_text(rng, alphabet) for _ in range(12)]:
            ids = tok.encode(text).ids
            assert list(again.encode_ordinary(text)) == ids, (seed, text)
            if not any(special in text for special in tok.special_tokens):
                assert reference.encode(text).ids == ids, (seed, text)
                assert not byte_fallback or reference.decode(ids) == tok.decode(ids), (seed, text)
    assert converted > 150


@pytest.mark.parametrize("sizes", [[2, 4, 8, 3], [2, 4, 3], [2, 4], [2, 4, 8, 6, 5, 16]])
def test_runs_of_one_score(sizes: list[int]) -> None:
    pieces = [("<unk>", 0.0, 2), ("▁", -3.0, 1), ("a", -4.0, 1), ("▁a", -5.0, 1), *(("▁" * n, -9.0, 1) for n in sizes)]
    tok = bpeek.load(model(pieces, normalizer=spec(True, False)))
    again = Reference.from_buffer(convert(tok.spec, "tokenizer.json").data)
    for size in range(120):
        assert again.encode(" " * size + "a").ids == tok.encode(" " * size + "a").ids


@pytest.mark.parametrize(
    "options, why",
    [
        ({"normalizer": spec(True, True)}, "removes white space"),
        ({"normalizer": spec(True, False, False)}, "no ▁"),
        ({"normalizer": spec(True, False, charsmap=charsmap({"A": "a"}))}, "maps characters"),
        ({"suffix": True}, "belong to the words before"),
        ({"pieces": [("ab", -1.0, 5)]}, "unused"),
        ({"pieces": [("ab", -1.0, 4)]}, "cut out"),
        ({"pieces": [("q", -1.0, 3)]}, "control piece"),
        ({"pieces": [("ac", -1.0, 1)]}, "'c' of its pieces is no piece"),
        ({"pieces": [("ab", -1.0, 1), ("ba", -1.0, 1)]}, "'ab' and 'ba' have one score"),
    ],
)
def test_sentencepiece_models_that_are_refused(options: dict, why: str) -> None:
    options = {"normalizer": spec(True, False), **options}
    pieces = [("<unk>", 0.0, 2), ("a", -3.0, 1), ("b", -4.0, 1), *options.pop("pieces", [])]
    with pytest.raises(bpeek.UnsupportedError, match=why):
        convert(bpeek.load(model(pieces, **options)).spec, "tokenizer.json")


def test_a_special_token_that_could_be_a_piece() -> None:
    """Tokens that are only found whole need whole pieces to be looked up, and the special token is there too."""
    ranks = FILE + b"eHl6 270\n"  # xyz, which nothing merges into
    safe = bpeek.load(ranks, pattern=PATTERN, special_tokens=SPECIAL)
    assert json.loads(convert(safe.spec, "tokenizer.json").data)["model"]["ignore_merges"] is True
    unsafe = bpeek.load(ranks, pattern=r"\S+|\s", special_tokens=SPECIAL)
    with pytest.raises(bpeek.UnsupportedError, match="could be taken for a piece"):
        convert(unsafe.spec, "tokenizer.json")
