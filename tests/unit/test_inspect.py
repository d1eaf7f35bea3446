"""Inspections are true: against the definitions, and against every short text of small tokenizers."""

import json
from base64 import b64encode
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.texts import soup
from tests.unit.test_theory import LETTERS, dictionaries, texts, vocabularies

import bpeek
from bpeek.inspection.reach import fits_utf8
from bpeek.inspection.rules import Rules
from bpeek.inspection.semantics import compare, tokenize, tokenize_in_rounds
from bpeek.pattern import compile as compile_pattern
from bpeek.pattern.factors import factors
from bpeek.pipeline.pretokenizers import GPT2
from bpeek.spec import Model, SentencePiece
from bpeek.theory import Dictionary, chain_bound, paper_bound, words

# Rules


def by_pair(dictionary, **options):
    names = sorted({*LETTERS, *(name for rule in dictionary.rules for name in (*rule, "".join(rule)))})
    vocab = {name: number for number, name in enumerate(names)}
    return Model("by_pair", vocab, dictionary.rules, **options)


def by_rank(ranks):
    vocab = {bytes([byte]): byte for byte in range(256)}
    return Model("by_rank", vocab | {token.encode(): 256 + rank for token, rank in ranks.items()})


def by_score(scores):
    names = ["<unk>", *scores]
    facts = SentencePiece((0.0, *scores.values()), bytes([2] + [1] * len(scores)))
    return Model("by_score", {name: number for number, name in enumerate(names)}, sentencepiece=facts)


@given(dictionaries)
def test_rules_by_pair_are_the_theory(dictionary):
    rules = Rules(by_pair(dictionary))
    useful = dictionary.useful()
    assert tuple(rules.useful) == useful.rules
    assert set(rules.made) == {"".join(rule) for rule in useful.rules}
    for token, derivation in rules.made.items():
        ranks = [step.rank for step in dictionary.steps(token)]
        assert derivation.rank == ranks[-1] and derivation.monotone == (ranks == sorted(ranks))
    assert rules.count == len(dictionary.rules)


@given(vocabularies)
def test_rules_by_rank_are_the_theory(ranks):
    rules, dictionary = Rules(by_rank(ranks)), Dictionary.of_vocabulary(ranks)
    assert tuple(rules.useful) == dictionary.useful().rules
    assert rules.count == len(dictionary.rules)


@given(vocabularies)
def test_rules_by_score_are_the_theory(ranks):
    rules, dictionary = (
        Rules(by_score({token: -float(rank) for token, rank in ranks.items()})),
        Dictionary.of_vocabulary(ranks),
    )
    assert tuple(rules.useful) == dictionary.useful().rules
    assert rules.count == len(dictionary.rules) and not rules.ranks_are_shared


@given(dictionaries, texts)
def test_both_semantics_are_those_of_the_theory(dictionary, text):
    rules = Rules(by_pair(dictionary))
    assert tokenize(rules, text) == dictionary.tokenize(text)
    assert tokenize_in_rounds(rules, text) == dictionary.tokenize_in_rounds(text)


@settings(max_examples=200)
@given(dictionaries)
def test_the_comparison_of_semantics(dictionary):
    rules = Rules(by_pair(dictionary))
    found = compare(rules, list(dictionary.useful().improper_uses()))
    every = [word for word in words(LETTERS, 6) if dictionary.tokenize(word) != dictionary.tokenize_in_rounds(word)]
    if found.same:
        assert not every
    if found.witness is not None:
        assert found.leftmost == dictionary.tokenize(found.witness)
        assert found.in_rounds == dictionary.tokenize_in_rounds(found.witness) != found.leftmost


def test_a_witness_for_weakly_proper_rules():
    rules = (("a", "b"), ("b", "c"), ("a", "bc"), ("abc", "ab"), ("ab", "c"))
    found = tiny_json(rules).inspect()
    assert (found.rules.weakly_proper, found.rules.proper, found.rules.useful_proper) == (True, False, False)
    assert found.same_semantics is False and found.witness.text == "abcabc"
    assert found.witness.sentencepiece == ("abcab", "c") and found.witness.hugging_face == ("abc", "abc")
    assert found.lookahead.chain_bound is None and found.rules.useless == (("a", "bc"),)
    assert "differ, on 'abcabc'" in str(found)


def test_bounds_of_proper_rules():
    rules = (("a", "b"), ("c", "a"), ("d", "ca"))
    found = tiny_json(rules).inspect()
    assert found.rules.proper and found.same_semantics
    assert (
        (found.lookahead.chain_bound, found.lookahead.paper_bound) == (chain_bound(rules), paper_bound(rules)) == (3, 9)
    )


def test_tokens_with_one_score_have_no_order():
    pieces = {"a": 0.0, "b": 0.0, "aa": -1.0, "aaa": -1.0}
    found = bpeek.Tokenizer.from_pieces(["<unk>", *pieces], [0.0, *pieces.values()], [2, 1, 1, 1, 1]).inspect()
    assert found.rules.ranks_are_shared and not found.rules.useful_proper and found.lookahead.chain_bound is None


# Tokens that no text gives


def tiny_json(rules, more=(), **options):
    chars = [*"abcde .", "▁"]
    made = dict.fromkeys([*chars, *more, *(name for rule in rules for name in (*rule, "".join(rule)))])
    vocab = {name: number for number, name in enumerate(made)}
    model = {"type": "BPE", "vocab": vocab, "merges": [list(rule) for rule in rules]}
    parts = {name: options.pop(name) for name in ("normalizer", "pre_tokenizer", "added_tokens") if name in options}
    return bpeek.load(json.dumps({"version": "1.0", "model": model | options, **parts}).encode())


def tiny_tiktoken(tokens, pattern=r"[ab]+c?|\w|[^\w]"):
    every = [*(bytes([byte]) for byte in range(256)), *(token.encode() for token in tokens)]
    data = b"".join(b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(every))
    return bpeek.load(data, pattern=pattern, special_tokens={"<|end|>": 999})


def check(tokenizer, alphabet="abc ", longest=5):
    found = tokenizer.inspect()
    given_by_text = {id for text in words(alphabet, longest) for id in tokenizer.encode_ordinary(text)}
    assert not given_by_text & {each.id for each in found.unreachable}
    for id, text in found.only_in_context:
        assert id in tokenizer.encode_ordinary(text)
    for each in found.unreachable:
        assert tokenizer.id_to_token(each.id) == each.token and each.id not in each.ids
    json.dumps(found.to_dict())
    assert str(found)
    assert len(repr(found)) < 250
    return found


@settings(max_examples=40)
@given(
    st.lists(st.text(LETTERS, min_size=2, max_size=4), unique=True, max_size=6),
    st.sampled_from([r"[ab]+c?|.", r"\w+|."]),
)
def test_tiktoken_files(tokens, pattern):
    check(tiny_tiktoken(tokens, pattern))


@settings(max_examples=40)
@given(dictionaries, st.booleans(), st.sampled_from([None, "[ab]+|c", "Whitespace"]))
def test_tokenizer_json(dictionary, whole, cut):
    step = None if cut is None else {"type": cut}
    if cut is not None and cut != "Whitespace":
        step = {"type": "Split", "pattern": {"Regex": cut}, "behavior": "Isolated", "invert": False}
    tokenizer = tiny_json(dictionary.rules, ignore_merges=whole, pre_tokenizer=step)
    found = check(tokenizer)
    if cut is None and not whole:
        made = {"".join(rule) for rule in dictionary.useful().rules}
        never = {token for token in tokenizer.get_vocab() if len(token) > 1 and token not in made}
        assert {each.token for each in found.unreachable} == never
        assert all(each.proved and each.reason == "no merge path" for each in found.unreachable)


@settings(max_examples=40)
@given(st.dictionaries(st.text("ab▁", min_size=2, max_size=3), st.integers(-3, 0), max_size=6))
def test_sentencepiece_models(scores):
    pieces = ["<unk>", "▁", "a", "b", *scores]
    check(bpeek.Tokenizer.from_pieces(pieces, [0, 0, 0, 0, *scores.values()], [2] + [1] * (len(pieces) - 1)))


def reasons(found):
    return {each.token: (each.reason, each.proved) for each in found.unreachable}


def test_reasons_in_a_tiktoken_file():
    found = check(tiny_tiktoken(["ab", "bc", "abc", "ca", "a a", "a漢"]))
    told = reasons(found)
    assert told["ca"] == told["a a"] == told["a漢"] == ("cut by the pattern", True)
    assert told[r"\xc0"] == ("not UTF-8", True)
    assert {"ab", "bc", "abc"}.isdisjoint(told) and 0xE6 in found.partial


def test_a_token_that_comes_only_with_company():
    found = check(tiny_tiktoken(["ab"], r"b?ab!|a|b|[^ab]"))
    assert [id for id, _ in found.only_in_context] == [256]
    assert not [each for each in found.unreachable if each.reason != "not UTF-8"]


def test_only_as_a_whole_piece():
    tokenizer = tiny_json([("a", "b"), ("b", "c"), ("a", "bc")], ignore_merges=True)
    found = check(tokenizer)
    assert [tokenizer.id_to_token(id) for id in found.only_whole] == ["abc"] and not found.unreachable
    assert reasons(check(tiny_json([("a", "b"), ("b", "c"), ("a", "bc")]))) == {"abc": ("no merge path", True)}


def test_shadowed_by_an_added_token():
    added = [{"content": "ab", "id": 50, "special": False, "normalized": False}]
    added[0] |= {"single_word": False, "lstrip": False, "rstrip": False}
    found = check(tiny_json([("a", "b"), ("ab", "c")], added_tokens=added), alphabet="abc")
    assert reasons(found)["abc"] == ("shadowed by an added token", False)


def test_changed_by_normalization():
    merges = [("a", "\u0301")]
    found = check(tiny_json(merges, ["\u0301"], normalizer={"type": "NFC"}))
    assert reasons(found)["a\u0301"] == ("changed by normalization", True)
    lower = check(tiny_json([("a", "B")], ["B"], normalizer={"type": "Lowercase"}))
    assert reasons(lower) == {"B": ("changed by normalization", False), "aB": ("changed by normalization", False)}


def test_bytes_of_characters_that_are_tokens():
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "a"]
    tokenizer = bpeek.Tokenizer.from_pieces(pieces, [0] * len(pieces), [2] + [6] * 256 + [1, 1], byte_fallback=True)
    told = reasons(tokenizer.inspect())
    assert told["<0x61>"] == told["<0x20>"] == ("its character is a token", True)
    assert told["<0xFF>"] == ("not UTF-8", True) and "<0x62>" not in told and "<0xE4>" not in told


def test_duplicates_and_longest():
    found = check(tiny_json([("a", "b"), ("a", "b"), ("ab", "c")]))
    assert found.rules.twice == 1 and found.longest[0][1:] == ("abc", 3)
    blanks = check(tiny_json([("a", "a"), ("aa", "aa")]))
    assert "'a' × 4 (4), " in str(blanks)


def test_affixes_are_part_of_symbols():
    vocab = ["a", "b", "a</w>", "b</w>", "ab</w>", "ab", "ba</w>"]
    model = {"type": "BPE", "vocab": {name: number for number, name in enumerate(vocab)}, "end_of_word_suffix": "</w>"}
    model["merges"] = ["a b</w>", "a b"]
    found = check(bpeek.load(json.dumps({"version": "1.0", "model": model}).encode()), alphabet="ab")
    assert reasons(found) == {"ba</w>": ("no merge path", True)}
    assert found.lookahead.chain_bound == 1


def test_dropout_has_no_fixed_tokens():
    with pytest.raises(bpeek.UnsupportedError, match="dropout"):
        tiny_json([("a", "b")], dropout=0.5).inspect()


# Bytes and patterns


def test_bytes_that_fit_utf8():
    chars = [chr(code) for code in (*range(0x80, 0x900, 7), *range(0x900, 0xD800, 211), *range(0xE000, 0x110000, 4001))]
    parts = {data[at:] for data in map(str.encode, chars) for at in range(len(data))}
    parts |= {data[:at] for data in map(str.encode, chars) for at in range(1, len(data))}
    assert all(map(fits_utf8, parts))
    wrong = [b"\xc0", b"\xc1\x80", b"\xe0\x80", b"\xed\xa0", b"\xf0\x8f", b"\xf4\x90", b"\xf5", b"a\x80", b"\x80" * 4]
    assert not any(map(fits_utf8, wrong))


@pytest.mark.parametrize("source", [GPT2, r"(?:a|bb){2,3}c|\d{5,}|x{1,9}y", r"\p{Lu}?\p{Ll}+(?!b)|.", r"(a)\1|\s+$|."])
def test_what_a_match_holds_may_be_held(source):
    dialect = "oniguruma"
    told = factors(source, dialect)

    @settings(max_examples=40)
    @given(soup | st.text("abcxy123 ", max_size=30))
    def holds(text):
        for start, end in compile_pattern(source, dialect).spans(text):
            for left, right in combinations(range(start, min(end, start + 20) + 1), 2):
                assert told.may_hold(text[left:right])

    holds()


def test_what_no_match_holds():
    gpt2 = factors(GPT2, "oniguruma")
    assert not any(map(gpt2.may_hold, ["a1", "a b", "a!", "''s!a", "1 a"]))
    assert not factors("x{2,3}", "rust").may_hold("xxxx") and factors("x{2,30}", "rust").may_hold("x" * 30)
    assert not factors("x{2,30}", "rust").may_hold("x" * 31) and factors(r"(.)\1", "oniguruma").may_hold("xyz")
    assert not factors("a(?=bc)|c", "rust").may_hold("ab")
