"""What an ``Encoding`` answers. (``tests/parity/hf_fuzz.py`` compares all of it with ``tokenizers``.)"""

import json
import pickle

import pytest

import bpeek
from bpeek.formats import hf_json

LETTERS = {"type": "BPE", "vocab": {char: at for at, char in enumerate("abcdefgh")}, "merges": []}


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
