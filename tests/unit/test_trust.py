"""Trusted parts beside hostile ones."""

import pytest
from tests.live import clip_like
from tests.unit.test_borders import load

import bpeek
from bpeek import Trusted


@pytest.fixture(scope="module")
def tok():
    pieces = ["<unk>", "<s>", "<|x|>", "\u2581", *"<s>|xab", "ab"]
    return bpeek.Tokenizer.from_pieces(pieces, range(0, -12, -1), [2, 3, 3, *[1] * 9])


def test_merges_run_over_the_borders(tok):
    assert tok.encode([Trusted("a"), "b"]).tokens == tok.encode("ab").tokens == ["▁", "ab"]


@pytest.mark.parametrize(
    "parts",
    [["<s>"], ["<", "s>"], [Trusted("<"), "s>"], ["<", Trusted("s>")], [Trusted("<s"), ">"], ["<|", Trusted(), "x|>"]],
)
def test_nothing_untrusted_becomes_special(tok, parts):
    encoding = tok.encode(parts)
    assert not {1, 2} & set(encoding.ids)
    assert encoding.lookalikes == [(0, len("".join(parts)))]


def test_trusted_neighbours_are_one_text(tok):
    encoding = tok.encode(["a", Trusted("<"), Trusted("s>"), "a"])
    assert encoding.ids[2] == 1 and encoding.offsets[2] == (1, 4) and not encoding.lookalikes


def test_untrusted_text_hides_no_token(tok):
    assert 1 in tok.encode(["<", Trusted("<s>"), ">"]).ids
    assert 2 in tok.encode(["<|", Trusted("<|x|>")]).ids


def test_policy(tok):
    assert 1 not in tok.encode([Trusted("<s>")], allowed_special=(), disallowed_special=()).ids
    with pytest.raises(bpeek.SpecialTokenError):
        tok.encode([Trusted("<s>")], allowed_special={"<|x|>"})
    assert 2 in tok.encode([Trusted("<|x|>"), "<s>"], allowed_special={"<|x|>"}).ids
    with pytest.raises(bpeek.BpeekError, match="no pair"):
        tok.encode([Trusted("a")], "b")


def test_a_token_that_the_vocabulary_lacks_is_told(tok):
    with pytest.raises(bpeek.UnknownTokenError, match="This tokenizer has no token") as caught:
        tok.encode([Trusted("<|im_start|>"), "a"])
    assert caught.value.token == "<|im_start|>"
    for parts in (["<|im_start|>"], [Trusted("a<|im_start|>")], [Trusted("<|a|b|>")], [Trusted("<||>")]):
        assert tok.encode(parts).ids == tok.encode("".join(parts), allowed_special="all").ids
    assert 2 not in tok.encode([Trusted("<|x|>")], allowed_special=(), disallowed_special=()).ids  # known, not allowed


def test_the_policy_when_only_counting(tok):
    for options in ({}, {"disallowed_special": ()}, {"allowed_special": {"<|x|>"}}, {"add_special_tokens": False}):
        assert tok.count("a<|x|>", **options) == len(tok.encode("a<|x|>", **options))
    assert tok.count("a<|x|>", disallowed_special=()) > tok.count("a<|x|>", allowed_special="all")
    with pytest.raises(bpeek.SpecialTokenError):
        tok.count("a<|x|>", disallowed_special="all")


def test_normalized_tokens_and_templates():
    tok = clip_like()
    start, end = (tok.special_tokens[name] for name in ("<|startoftext|>", "<|endoftext|>"))
    encoding = tok.encode([Trusted("<|STARTofText|>"), "<|startoftext|>"])
    assert encoding.ids.count(start) == 2 and encoding.ids[:2] == [start, start] and encoding.ids[-1] == end
    assert encoding.lookalikes == [(15, 30)]


def test_space_of_others_is_not_taken_in():
    tok = load(added={"content": "<a>", "lstrip": True, "rstrip": True})
    special = tok.special_tokens["<a>"]
    encoding = tok.encode(["a ", Trusted(" <a> "), " b"])
    assert encoding.offsets[encoding.ids.index(special)] == (2, 7)


def test_a_single_word_sees_its_neighbours():
    tok = load(added={"content": "<>", "single_word": True})
    special = tok.special_tokens["<>"]
    assert special in tok.encode([Trusted("<>"), ","]).ids
    assert special not in tok.encode(["a", Trusted("<>")]).ids


def test_a_vocabulary_that_merges_to_a_special_token():
    vocab = {token: number for number, token in enumerate(["<", "s", ">", "<s", "<s>", "a"])}
    tok = bpeek.Tokenizer(
        bpeek.Spec(
            "tokenizer.json",
            None,
            "oniguruma",
            bpeek.Model("by_pair", vocab, (("<", "s"), ("<s", ">"))),
            (bpeek.AddedToken("<s>", 4),),
        )
    )
    assert tok.encode([Trusted("<s>"), "a"]).ids == [4, 5]
    with pytest.raises(bpeek.SpecialTokenError) as caught:
        tok.encode(["a", "<s>"])
    assert caught.value.token == "<s>" and caught.value.pos == 1


@pytest.mark.parametrize("wrong", [None, b"abc", 3, [None], ["a", b"b"]])
def test_what_is_no_text_is_told_in_a_sentence(wrong):
    tok = bpeek.Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    with pytest.raises(TypeError, match="a text must be a str, not"):
        tok.encode(wrong)
