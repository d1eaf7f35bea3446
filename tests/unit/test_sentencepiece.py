"""What SentencePiece's rules mean, on models of a few pieces. (Equality with the reference: tests/parity.)"""

import pickle

import pytest
from tests.spmodels import charsmap

import bpeek
from bpeek.spec import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Cleaning

BARE = Cleaning(add_dummy_prefix=False, remove_extra_whitespaces=False)
TIDY = Cleaning(add_dummy_prefix=False)


def tokenizer(*pieces: str | tuple[str, float] | tuple[str, float, int], **options) -> bpeek.Tokenizer:
    """A model of ``<unk>`` (0) and these pieces; without a score, each is rarer than the one before."""
    rows = [("<unk>", 0.0, UNKNOWN)]
    for number, piece in enumerate(pieces):
        row = (piece, -float(number)) if isinstance(piece, str) else piece
        rows.append((*row, NORMAL)[:3])
    options.setdefault("normalizer", BARE)
    return bpeek.Tokenizer.from_pieces(*zip(*rows, strict=True), **options)


def with_bytes(*pieces, **options) -> bpeek.Tokenizer:
    alphabet = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    return tokenizer(*pieces, *alphabet, byte_fallback=True, **options)


def test_the_highest_score_merges_first_and_of_equal_ones_the_leftmost():
    assert tokenizer("a", "b", "c", ("ab", -9), ("bc", -8)).encode("abc").tokens == ["a", "bc"]
    assert tokenizer("a", "b", "c", ("bc", -9), ("ab", -9)).encode("abc").tokens == ["ab", "c"]


def test_scores_are_compared_as_float32():
    # 16777217 is no float32: it is 16777216 there, so both scores are equal.
    model = tokenizer("a", "b", "c", ("ab", -16777217.0), ("bc", -16777216.0))
    assert model.encode("abc").tokens == ["ab", "c"]


def test_a_piece_needs_a_chain_of_merges():
    assert tokenizer("a", "b", "c", "abc").encode("abc").tokens == ["a", "b", "c"]
    # The parts need no id of their own.
    assert tokenizer("ab", "abc").encode("abc").tokens == ["abc"]


def test_unknown_characters_are_one_token():
    encoding = tokenizer("a").encode("axyza")
    assert (encoding.ids, encoding.tokens, encoding.offsets) == (
        [1, 0, 1],
        ["a", "xyz", "a"],
        [(0, 1), (1, 4), (4, 5)],
    )


def test_unknown_characters_become_bytes_and_the_last_one_has_the_span():
    encoding = with_bytes("a").encode("a€")
    assert encoding.tokens == ["a", "<0xE2>", "<0x82>", "<0xAC>"]
    assert encoding.offsets == [(0, 1), (1, 1), (1, 1), (1, 2)]
    assert encoding.offsets_bytes == [(0, 1), (1, 1), (1, 1), (1, 4)]


def test_a_piece_of_the_user_is_frozen_and_the_longest_wins():
    model = tokenizer(("ab", 0, USER_DEFINED), ("aba", 0, USER_DEFINED), "a", "b", ("ba", 5))
    assert model.encode("abab").tokens == ["aba", "b"]
    assert model.encode("aab").tokens == ["a", "ab"]


def test_a_piece_of_the_user_is_not_normalized():
    model = tokenizer(("A", 0, USER_DEFINED), "a", normalizer=Cleaning(charsmap({"A": "a"}), False, False))
    assert model.encode("Aa").tokens == ["A", "a"]


def test_an_unused_piece_is_split_back_into_its_parts():
    assert tokenizer("a", "b", "ab", ("abb", 1, UNUSED)).encode("abb").tokens == ["ab", "b"]


def test_a_control_piece_is_not_recognised_in_text_unless_allowed():
    model = tokenizer("a", "<", "s", ">", ("<s>", 0, CONTROL))
    assert model.special_tokens == {"<unk>": 0, "<s>": 5}
    assert model.encode("a<s>").tokens == ["a", "<", "s", ">"]
    encoding = model.encode("a<s>a", allowed_special={"<s>"})
    assert (encoding.ids, encoding.offsets) == ([1, 5, 1], [(0, 1), (1, 4), (4, 5)])
    assert encoding.word_ids == [0, 1, 2]
    with pytest.raises(bpeek.SpecialTokenError):
        model.encode("a<s>", disallowed_special="all")


def test_spaces_are_tidied_and_keep_their_places():
    encoding = tokenizer("▁", "a", "▁a", "b", normalizer=Cleaning()).encode("  a  b ")
    assert encoding.tokens == ["▁a", "▁", "b"]
    assert encoding.offsets == [(2, 3), (3, 5), (5, 6)]
    assert encoding.word_ids == [0, 1, 1]


def test_the_added_space_goes_last_in_suffix_models():
    model = tokenizer("▁", "a", "a▁", normalizer=Cleaning(), treat_whitespace_as_suffix=True)
    assert model.encode("a a").tokens == ["a▁", "a▁"]
    assert model.encode("a a").offsets == [(0, 2), (2, 3)]


def test_a_character_map_takes_the_longest_key():
    mapped = Cleaning(charsmap({"a": "b", "aa": "c", "x": "", "ﬁ": "fi"}), False, False)
    encoding = tokenizer("b", "c", "f", "i", normalizer=mapped).encode("aaaxﬁ")
    assert encoding.tokens == ["c", "b", "f", "i"]
    assert encoding.offsets == [(0, 2), (2, 4), (4, 4), (4, 5)]


def test_decoding_drops_the_added_space():
    dummy = Cleaning(remove_extra_whitespaces=False)
    assert tokenizer("▁", "▁a", normalizer=dummy).decode([1, 1, 2]) == "  a"
    assert tokenizer("▁", "▁a", normalizer=TIDY).decode([1, 1, 2]) == "a"
    assert tokenizer("▁", "▁a").decode([1, 1, 2]) == "   a"


def test_decoding_special_tokens_and_unknown_ones():
    model = tokenizer("a", ("<s>", 0, CONTROL), unk_surface="?")
    assert model.decode([1, 2, 0]) == "a?"
    assert model.decode([1, 2, 0], skip_special_tokens=False) == "a<s>?"
    with pytest.raises(bpeek.UnknownTokenError):
        model.decode([3])


def test_each_bad_byte_is_one_replacement_character():
    model = with_bytes()
    assert model.decode([1 + byte for byte in (0xE6, 0x97, 0x41, 0xE2, 0x82, 0xAC)]) == "\ufffd\ufffdA€"
    assert model.decode([1 + 0xFF], errors="ignore") == ""
    with pytest.raises(UnicodeDecodeError):
        model.decode([1 + 0xFF], errors="strict")


def test_the_vocabulary_as_bytes():
    model = with_bytes("▁a", ("<s>", 0, CONTROL))
    assert [model.token_bytes(token) for token in (1, 2, 3 + 0x41)] == [b" a", b"<s>", b"A"]
    assert model.token_to_id("▁a") == 1 and model.token_to_id("▁".encode() + b"a") == 1
    assert model.id_to_token(2) == "<s>" and model.id_to_token(999) is None


def test_pairs_batches_and_pickles():
    model = tokenizer("a", "b")
    pair = model.encode("ab", "b")
    assert (pair.ids, pair.offsets, pair.type_ids) == ([1, 2, 2], [(0, 1), (1, 2), (0, 1)], [0, 0, 1])
    assert [encoding.ids for encoding in model.encode_batch(["a", ("b", "a")])] == [[1], [2, 1]]
    assert pickle.loads(pickle.dumps(model)).encode("ab") == model.encode("ab")


def test_text_is_cut_only_where_no_piece_straddles():
    # ▁ may stand inside this piece, so nothing can be cut before it.
    model = tokenizer("▁", "a", "b", "a▁", "a▁b", normalizer=BARE)
    assert model.encode("a b a b").tokens == ["a▁b", "▁", "a▁b"]


@pytest.mark.parametrize(
    "rows, field, words",
    [
        ([("", 0, NORMAL)], "pieces[1]", "empty"),
        ([("a", 0, NORMAL), ("a", 0, CONTROL)], "pieces[2]", "already"),
        ([("a\0", 0, NORMAL)], "pieces[1]", "NUL"),
        ([("a" * 70_000, 0, NORMAL)], "pieces[1]", "65,534 bytes"),
        ([("a", float("nan"), NORMAL)], "pieces[1]", "not a number"),
        ([("q", 0, UNKNOWN)], "pieces[1]", "UNKNOWN already"),
        ([("<0x00>", 0, BYTE)], "pieces[1]", "byte_fallback is not set"),
    ],
)
def test_a_model_that_the_reference_refuses(rows, field, words):
    with pytest.raises(bpeek.FormatError, match=words) as caught:
        tokenizer(*rows)
    assert caught.value.field == field


def test_a_model_without_all_it_needs():
    with pytest.raises(bpeek.FormatError, match="UNKNOWN"):
        bpeek.Tokenizer.from_pieces(["a"], [0], [NORMAL])
    with pytest.raises(bpeek.FormatError, match="256"):
        tokenizer("a", byte_fallback=True)
    with pytest.raises(bpeek.FormatError, match="as many"):
        bpeek.Tokenizer.from_pieces(["a"], [0, 1], [NORMAL])
