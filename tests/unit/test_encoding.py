"""What an ``Encoding`` answers. (``tests/parity/hf_fuzz.py`` compares all of it with ``tokenizers``.)"""

import json
import pickle

import pytest

import bpeek
from bpeek.formats import hf_json

LETTERS = {"type": "BPE", "vocab": {char: at for at, char in enumerate("abcdefgh😀")}, "merges": []}


def load(**steps):
    config = {"model": LETTERS, "pre_tokenizer": {"type": "WhitespaceSplit"}, **steps}
    return bpeek.Tokenizer(hf_json.parse(json.dumps(config).encode()))


def truncated(length, stride=0, direction="Right"):
    return {"max_length": length, "stride": stride, "strategy": "LongestFirst", "direction": direction}


def test_one_text_answers_for_whatever_text_is_asked_for():
    encoding = load().encode("ab cd")
    for sequence in (0, 1, 2):
        assert encoding.char_to_token(1, sequence) == 1
        assert encoding.word_to_tokens(1, sequence) == (2, 4)
        assert encoding.char_to_word(1, sequence) == 0
        assert encoding.word_to_chars(1, sequence) == (3, 5)


def test_a_pair_answers_for_either_text():
    encoding = load().encode("ab cd", "ef gh")
    assert [encoding.token_to_sequence(at) for at in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (encoding.char_to_token(1, 0), encoding.char_to_token(1, 1)) == (1, 5)
    assert (encoding.word_to_tokens(1, 0), encoding.word_to_tokens(1, 1)) == ((2, 4), (6, 8))


def test_what_overflows_from_a_pair():
    """The first text's tokens have no number of their text in the reference, so all are the first's that are not the
    second's."""
    part = load(truncation=truncated(3)).encode("ab cd", "ef gh").overflowing[0]
    assert part.tokens == ["b", "e", "f"]
    assert [part.token_to_sequence(at) for at in range(3)] == [None, 1, 1]
    assert [part.token_to_chars(at) for at in range(3)] == [None, (0, 1), (1, 2)]
    assert part.sequence_ids == [0, 0, 0]


@pytest.mark.parametrize("kept", [lambda encoding: encoding, lambda encoding: pickle.loads(pickle.dumps(encoding))])
def test_what_is_not_there(kept):
    encoding = kept(load().encode("ab"))
    for at in (-1, 2, 3, 1 << 70):
        assert encoding.token_to_chars(at) is None
        assert encoding.token_to_word(at) is None
        assert encoding.token_to_sequence(at) is None
        assert encoding.char_to_token(at) is None
        assert encoding.char_to_word(at) is None
        assert encoding.word_to_tokens(at) is None
        assert encoding.word_to_chars(at) is None


def test_pairs_of_the_other_kinds():
    tok = bpeek.Tokenizer.from_pieces(["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1])
    encoding = tok.encode("a b", "b")
    assert encoding.tokens == ["▁a", "▁", "b", "▁", "b"]
    assert encoding.char_to_token(0, 1) == 4
    assert encoding.word_to_tokens(0, 1) == (3, 5)
    assert [encoding.token_to_sequence(at) for at in range(6)] == [0, 0, 0, 1, 1, None]


# Text that comes in words


def test_words():
    tok = load(post_processor={"type": "BertProcessing", "sep": ["h", 7], "cls": ["g", 6]})
    encoding = tok.encode(["ab", "", "c", "😀d"], ["ef"], is_split_into_words=True)
    assert encoding.tokens == ["g", "a", "b", "c", "😀", "d", "h", "e", "f", "h"]
    assert encoding.word_ids == [None, 0, 0, 2, 3, 3, None, 0, 0, None]
    assert encoding.sequence_ids == [None, 0, 0, 0, 0, 0, None, 1, 1, None]
    assert encoding.text_ids == [None, 0, 0, 2, 3, 3, None, 4, 4, None]
    assert encoding.texts == ("ab", "", "c", "😀d", "ef")
    assert encoding.offsets[1:6] == [(0, 1), (1, 2), (0, 1), (0, 1), (1, 2)]  # in the word
    assert encoding.offsets_utf16[5] == (2, 3)
    assert encoding.offsets_bytes[5] == (4, 5)
    assert encoding.word_to_tokens(3) == (4, 6)
    assert encoding.word_to_tokens(0, 1) == (7, 9)
    assert pickle.loads(pickle.dumps(encoding)).text_ids == encoding.text_ids
    assert "d" in encoding.to_html()


SPLIT = {"type": "Split", "pattern": {"Regex": r"\w+|\W"}, "behavior": "Removed", "invert": True}
BYTES = bpeek.Model("by_rank", {bytes([byte]): byte for byte in range(256)})
KINDS = {
    "tokenizer.json": load,
    "tiktoken": lambda: bpeek.Tokenizer(bpeek.Spec("tiktoken", None, "rust", BYTES, pre_tokenizer=SPLIT)),
    "SentencePiece": lambda: bpeek.Tokenizer.from_pieces(
        ["<unk>", "▁a", "▁", "a", "b"], [0, -1, -2, -3, -4], [2, 1, 1, 1, 1]
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", [["a", "ab"], ["ba", "", "é😀", "b"], [], [""]])
def test_each_word_is_encoded_by_itself(kind, words):
    tok = KINDS[kind]()
    encoding, each = tok.encode(words, is_split_into_words=True), list(map(tok.encode, words))
    assert encoding.ids == [token for one in each for token in one.ids]
    assert encoding.word_ids == [at for at, one in enumerate(each) for _ in one.ids]
    for column in ("tokens", "offsets", "offsets_utf16", "offsets_bytes"):
        assert getattr(encoding, column) == [value for one in each for value in getattr(one, column)]
    batch = tok.encode_batch([words, (words, ["a"])], is_split_into_words=True)
    assert [one.ids for one in batch] == [encoding.ids, encoding.ids + tok.encode("a").ids]
    assert batch[1].sequence_ids == [0] * len(encoding) + [1] * len(tok.encode("a"))
    assert batch[1].word_to_tokens(0, 1) == (len(encoding), len(batch[1]))


def test_a_list_without_it_is_one_text():
    tok = load()
    assert tok.encode(["ab", "c"]).ids == tok.encode("abc").ids
    assert tok.encode(["ab", "c"], is_split_into_words=True).word_ids == [0, 0, 1]
    with pytest.raises(bpeek.BpeekError, match=r"a pair is two texts, not 3; .* with is_split_into_words=True"):
        tok.encode_batch([["a", "b", "c"]])
    with pytest.raises(bpeek.BpeekError, match=r"and no pair; .* with is_split_into_words=True"):
        tok.encode(["a"], ["b"])
    with pytest.raises(TypeError, match="a list of str, given with is_split_into_words=True, not str"):
        tok.encode("ab c", is_split_into_words=True)
    with pytest.raises(TypeError):
        tok.encode(["a", 5], is_split_into_words=True)
    with pytest.raises(bpeek.BpeekError, match="Trusted parts make one text"):
        tok.encode([bpeek.Trusted("a")], is_split_into_words=True)


def test_the_policy_on_special_tokens_holds_for_words():
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    tok = load(added_tokens=[{"id": 9, "content": "<s>", "special": True, **flags}])
    assert tok.encode(["a", "<s>"], is_split_into_words=True).ids == [0, 9]
    assert tok.encode(["a", "<s>"], is_split_into_words=True, disallowed_special=()).ids == [0]
    with pytest.raises(bpeek.SpecialTokenError):
        tok.encode(["a", "<s>"], is_split_into_words=True, disallowed_special="all")
