"""Explanations are true: they end with the tokens of ``encode``, and each step is the definition's."""

import json
import os
import random
from base64 import b64encode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.parity import hf_fuzz, sp_fuzz
from tests.texts import mixture, soup

import bpeek
from bpeek.bpe import NEVER, merge_steps
from bpeek.explain.merging import watch
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.branches import branches
from bpeek.pipeline.pretokenizers import GPT2

FULL = bool(os.environ.get("BPEEK_FULL"))
REAL = [
    "cl100k_base",
    "o200k_base",
    "llama3",
    "qwen3",
    "deepseek_v3",
    "llama2",
    "gemma3",
    "mistral_v1",
    "tekken_240911",
]
PATTERN = r"'s| ?\p{L}+|\p{N}{1,2}|[^\s\p{L}\p{N}]+|\s+"
TOKENS = [*(bytes([byte]) for byte in range(256)), b"he", b"ll", b"hell", b"hello", b" h", b"<|"]


def tiny(**special):
    data = b"".join(b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(TOKENS))
    return bpeek.load(data, pattern=PATTERN, special_tokens=special or {"<|end|>": 300, "<|end|>s": 301})


def config(merges=(), added=(), **parts):
    chars = "abcde .▁É_é"
    vocab = {token: number for number, token in enumerate([*chars, *(left + right for left, right in merges)])}
    model = {"type": "BPE", "vocab": vocab, "merges": [" ".join(rule) for rule in merges]}
    tokens = [
        {"content": content, "id": 100 + number, "special": False, "single_word": False, "lstrip": False}
        | {"rstrip": False, "normalized": False}
        | options
        for number, (content, options) in enumerate(added)
    ]
    return bpeek.load(json.dumps({"version": "1.0", "model": model, "added_tokens": tokens, **parts}).encode())


def check(tokenizer, text, **policy):
    explained = tokenizer.explain(text, **policy)
    encoding = tokenizer.encode(text, **policy)
    assert [token.id for token in explained.tokens] == encoding.ids
    assert [(token.start, token.end) for token in explained.tokens] == encoding.offsets
    pieces = explained.pieces
    taken = [token.id for token in explained.tokens if token.piece is not None]
    if not tokenizer.spec.truncation and not tokenizer.spec.post_processor:
        assert taken == [id for piece in pieces for id in piece.ids]
    for token in explained.tokens:
        assert token.piece is None or token.id in pieces[token.piece].ids
    for piece in pieces:
        *_, last = piece.states()
        if piece.tokens and not piece.whole and not piece.added and tokenizer.spec.model.rule == "by_pair":
            assert last == piece.tokens
    json.dumps(explained.to_dict())
    assert str(explained)
    return explained


# All kinds of tokenizers


@pytest.mark.parametrize("name", REAL)
def test_real_vocabularies(load_vocabulary, name):
    tokenizer = load_vocabulary(name)
    texts = ["", " ", "Hello don't <s>x</s> <|endoftext|>\n\n\t漢字 亚洲AV 12345", mixture(300, 3)]
    generator = random.Random(name)
    for text in [*texts, *(mixture(60, generator.random()) for _ in range(400 if FULL else 12))]:
        check(tokenizer, text)
        check(tokenizer, text, add_special_tokens=False)


@pytest.mark.parametrize("seed", range(600 if FULL else 60))
def test_random_pipelines(seed):
    generator = hf_fuzz.Generator(f"explain-{seed}")
    try:
        tokenizer = bpeek.load(json.dumps(generator.config()).encode())
    except bpeek.BpeekError:
        return
    if tokenizer.spec.model.dropout:
        with pytest.raises(bpeek.UnsupportedError, match="dropout"):
            tokenizer.explain("a")
        return
    for _ in range(4):
        text = generator.text()
        try:
            tokenizer.encode(text)
        except bpeek.BpeekError as error:
            with pytest.raises(type(error)):
                tokenizer.explain(text)
        else:
            check(tokenizer, text)


@pytest.mark.parametrize("seed", range(600 if FULL else 60))
def test_random_sentencepiece_models(seed):
    rng = random.Random(seed)
    data, alphabet = sp_fuzz.random_model(rng)
    tokenizer = bpeek.load(data, name="tokenizer.model")
    for _ in range(4):
        text = sp_fuzz.random_text(rng, alphabet)
        try:
            check(tokenizer, text)
        except bpeek.UnsupportedError as error:
            assert error.feature == "UNUSED"
        controls = sorted(tokenizer.special_tokens)[:2]
        if controls:
            tokenizer.encode(text, allowed_special=set(controls), disallowed_special=())


@given(soup)
@example("<|end|>s <|end|>x")
def test_tiktoken_files_with_every_policy(text):
    tokenizer = tiny()
    check(tokenizer, text)
    check(tokenizer, text, allowed_special={"<|end|>"}, disallowed_special=())


# Merges


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), max_size=10), st.lists(st.integers(0, 6), min_size=1, max_size=16))
def test_watching_is_the_definition(pairs, ids):
    table = {}
    for rank, (left, right, _) in enumerate(pairs):
        table[left, right] = rank
    made, end = watch(
        ids, lambda left, right: table.get((left, right), NEVER), lambda rank, left, right: pairs[rank][2]
    )
    steps = list(merge_steps(ids, lambda left, right: table.get((left, right), NEVER), lambda rank: pairs[rank][2]))
    assert [step.rank for step in made] == [step.rank for step in steps]
    assert end == list(steps[-1].ids if steps else ids)
    now = dict(enumerate(ids))
    for merge, step in zip(made, steps, strict=True):
        assert sorted(now).index(merge.start) == step.place
        now[merge.start] = merge.made
        del now[merge.middle]
        assert [now[at] for at in sorted(now)] == list(step.ids)


def test_merges_in_order_with_their_ranks():
    piece = tiny().explain("hello").pieces[0]
    assert [(merge.rank, merge.made) for merge in piece.merges] == [
        (256, "he"),
        (257, "ll"),
        (258, "hell"),
        (259, "hello"),
    ]
    assert list(piece.states())[2] == ("he", "ll", "o")
    assert piece.whole and piece.ids == (259,)


def test_a_whole_piece_that_merging_would_not_make():
    tokenizer = config(merges=[("a", "b"), ("b", "c"), ("a", "bc")])
    assert check(tokenizer, "abc").pieces[0].ids == (11, 2)
    merges = {
        "type": "BPE",
        "vocab": tokenizer.spec.model.vocab,
        "merges": ["a b", "b c", "a bc"],
        "ignore_merges": True,
    }
    whole = bpeek.load(json.dumps({"version": "1.0", "model": dict(merges)}).encode())
    piece = check(whole, "abc").pieces[0]
    assert piece.whole and piece.tokens == ("abc",) and [merge.made for merge in piece.merges] == ["ab"]


def test_a_long_piece_takes_no_long_time():
    tokenizer = tiny()
    assert len(tokenizer.explain("l" * 20_000).pieces[0].merges) == 10_000


# Patterns


@pytest.mark.parametrize("dialect", ["rust", "oniguruma"])
@pytest.mark.parametrize("source", [GPT2, PATTERN, r"(?i:'s|x)|(?:\p{L}+|\d)|[|)]|\S", "(?:a|ab|\U0001d49c|.)"])
def test_alternatives_are_the_first_that_match(source, dialect):
    pattern = branches(source, dialect)
    each = [compile_pattern(written, dialect) for written in pattern.alternatives]

    def matches(alternative, text):
        return next(((start, end) for start, end in each[alternative].spans(text)), (1, 1))[0] == 0

    for text in [mixture(100, seed) for seed in range(10)] + ["abbbb cc c1"]:
        found = pattern.branches(text)
        assert [(start, end) for start, end, _ in found] == compile_pattern(source, dialect).spans(text)
        for start, _, alternative in found:
            assert matches(alternative, text[start:])
            assert not any(matches(earlier, text[start:]) for earlier in range(alternative))


@pytest.mark.parametrize("source", [r"a|(b)\1|ab*|\Gc|\s", r"\p{L}\K\d|.|", r"x*|\p{L}"])
def test_alternatives_of_patterns_that_look_around(source):
    pattern = branches(source, "oniguruma")
    assert len(pattern.alternatives) == source.count("|") + 1
    for text in [mixture(100, seed) for seed in range(10)] + ["abbbb cc c1 bbc xx"]:
        assert [branch[:2] for branch in pattern.branches(text)] == compile_pattern(source, "oniguruma").spans(text)


def test_which_alternative_is_told():
    explained = tiny().explain("hi's 123 <\n")
    told = [(piece.text, piece.cuts[0].written) for piece in explained.pieces]
    assert told == [
        ("hi", r" ?\p{L}+"),
        ("'s", "'s"),
        (" ", r"\s+"),
        ("12", r"\p{N}{1,2}"),
        ("3", r"\p{N}{1,2}"),
        (" ", r"\s+"),
        ("<", r"[^\s\p{L}\p{N}]+"),
        ("\n", r"\s+"),
    ]


def test_what_lies_between_matches_is_told():
    split = {"type": "Split", "pattern": {"Regex": "a|b"}, "behavior": "Isolated", "invert": False}
    pieces = check(config(pre_tokenizer=split), "acdb").pieces
    assert [(piece.text, piece.cuts[0].alternative) for piece in pieces] == [("a", 0), ("cd", None), ("b", 1)]
    assert "between matches" in str(pieces[1].cuts[0])


# Normalization


def test_every_step_that_changes_the_text():
    steps = [{"type": "Lowercase"}, {"type": "NFC"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    explained = check(config(normalizer={"type": "Sequence", "normalizers": steps}), "A b")
    (stretch,) = explained.stretches
    assert [(change.step, change.before, change.after) for change in stretch.changes] == [
        ("Lowercase", "A b", "a b"),
        ("Replace", "a b", "a▁b"),
    ]


def test_sentencepiece_cleaning_step_by_step():
    tokenizer = bpeek.Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    explained = check(tokenizer, "a  b<unk>")
    assert [(change.step, change.after) for change in explained.stretches[0].changes] == [
        ("remove_extra_whitespaces", "a b<unk>"),
        ("add_dummy_prefix", " a b<unk>"),
        ("escape_whitespaces", "▁a▁b<unk>"),
    ]
    assert [notice.taken for notice in explained.notices] == [False]


# Special and added tokens


def whys(explained):
    return [(notice.token, notice.start, notice.taken, notice.why) for notice in explained.notices]


def test_special_tokens_are_taken_or_are_text():
    text = "<|end|> <|end|>s"
    taken = "this call recognises it"
    assert whys(tiny().explain(text)) == [("<|end|>", 0, True, taken), ("<|end|>s", 8, True, taken)]
    off = whys(tiny().explain(text, add_special_tokens=False))
    assert [(token, start, is_taken) for token, start, is_taken, _ in off] == [
        ("<|end|>", 0, False),
        ("<|end|>s", 8, False),
        ("<|end|>", 8, False),
    ]
    assert "takes those for text" in off[0][3]
    partly = whys(tiny().explain(text, allowed_special={"<|end|>"}, disallowed_special=()))
    assert [row[2] for row in partly] == [True, False, True]
    assert partly[1][3] == "it overlaps '<|end|>', which was looked at first"


def test_a_forbidden_special_token_raises_as_in_encode():
    with pytest.raises(bpeek.SpecialTokenError):
        tiny().explain("<|end|>", allowed_special=set())


def test_why_added_tokens_are_not_taken():
    added = [
        ("ab", {"single_word": True}),
        ("bc", {}),
        ("cd", {}),
        (".", {"lstrip": True}),
        ("é", {"normalized": True}),
    ]
    tokenizer = config(added=added, normalizer={"type": "Lowercase"})
    assert whys(check(tokenizer, "abc"))[0] == (
        *("ab", 0, False),
        "single_word: a letter, digit or underscore is right beside it",
    )
    assert whys(check(tokenizer, "a bcd")) == [
        ("bc", 2, True, "this call recognises it"),
        ("cd", 3, False, "it overlaps 'bc', which was looked at first"),
    ]
    assert whys(check(tokenizer, "a  .")) == [
        (".", 3, True, "this call recognises it, with the space beside it (lstrip or rstrip)")
    ]
    assert whys(check(tokenizer, "aÉ")) == [("é", 1, True, "this call recognises it")]
    assert whys(check(tokenizer, "BC"))[0][2:] == (
        False,
        "it is there only after normalization, and was looked for before",
    )


def test_a_special_token_that_this_call_does_not_recognise():
    tokenizer = config(added=[("ab", {"special": True})])
    explained = check(tokenizer, "cab", allowed_special=set(), disallowed_special=())
    assert whys(explained) == [("ab", 1, False, "it is a special token, and this call takes those for text")]


def test_tokens_of_a_template_come_from_no_piece():
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [100], "tokens": ["<s>"]}},
    }
    tokenizer = config(added=[("<s>", {"special": True})], post_processor=template)
    assert [token.piece for token in check(tokenizer, "a<s>b").tokens] == [None, 0, 1, 2]
