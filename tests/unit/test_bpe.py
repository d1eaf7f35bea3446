"""Every way of merging is the definition."""

import random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpeek.bpe import NEVER, ByPair, ByRank, merge_steps
from bpeek.bpe.heap import merge_by_heap

LETTERS = "abc"
words = st.text(LETTERS, min_size=1, max_size=5).map(str.encode)


def by_definition(ids, rule):
    """The last list of the definition's steps, and how many start symbols each id covers."""
    widths = [1] * len(ids)
    for step in merge_steps(ids, rule.rank, rule.merged):
        widths[step.place : step.place + 2] = [sum(widths[step.place : step.place + 2])]
        ids = list(step.ids)
    starts = [sum(widths[:index]) for index in range(len(widths))]
    return list(ids), starts


@st.composite
def ranked_vocabularies(draw):
    """All single letters, then any words: most such dictionaries no training would make."""
    tokens = [bytes([byte]) for byte in range(256)] + draw(st.lists(words.filter(lambda w: len(w) > 1), unique=True))
    return {token: rank for rank, token in enumerate(tokens)}


@st.composite
def pair_rules(draw):
    """Any merges over a few ids, repeated and self-referring ones too."""
    size = draw(st.integers(2, 6))
    identity = st.integers(0, size + 4)
    return draw(st.lists(st.tuples(identity, identity, identity), max_size=12)), size


@settings(max_examples=400, deadline=None)
@given(ranked_vocabularies(), st.text(LETTERS, min_size=1, max_size=24).map(str.encode))
def test_by_rank_is_the_definition(vocab, piece):
    rule = ByRank(vocab)
    ids, starts = by_definition([vocab[bytes([byte])] for byte in piece], rule)
    assert rule.merge(piece) == rule._scan(piece) == ids
    assert merge_by_heap([vocab[bytes([byte])] for byte in piece], rule.rank, rule.merged) == (ids, starts)


@settings(max_examples=400, deadline=None)
@given(pair_rules(), st.data())
def test_by_pair_is_the_definition(rules, data):
    pairs, size = rules
    # An id that a rule makes out of itself would merge for ever in the definition's words too: each
    # merge shortens the list, so it ends.
    rule = ByPair.of([pair[:2] for pair in pairs], [pair[2] for pair in pairs])
    ids = data.draw(st.lists(st.integers(0, size), min_size=1, max_size=20))
    expected = by_definition(ids, rule)
    assert rule._scan(list(ids)) == expected
    assert merge_by_heap(ids, rule.rank, rule.merged) == expected
    assert rule.merge_with_starts(ids) == expected


@settings(max_examples=100, deadline=None)
@given(pair_rules(), st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=20), max_size=4), st.integers(1, 9))
def test_pairs_are_forgotten_and_looked_up_again(rules, texts, room):
    pairs, _ = rules
    rule = ByPair.of([pair[:2] for pair in pairs], [pair[2] for pair in pairs])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bpeek.bpe.rules.MOST_PAIRS", room)
        forgetful = ByPair.of([pair[:2] for pair in pairs], [pair[2] for pair in pairs])
        for ids in texts:
            assert forgetful.merge_with_starts(ids) == rule.merge_with_starts(ids)
            assert sum(map(len, forgetful._rows.values())) <= room


def test_a_pair_is_looked_up_once():
    asked = []
    rule = ByPair([2], lambda left, right: asked.append((left, right)) or (0 if (left, right) == (0, 1) else NEVER))
    assert rule.merge([0, 1, 0, 1]) == rule.merge([0, 1, 0, 1]) == [2, 2]
    assert len(asked) == len(set(asked))


def test_a_pair_listed_twice_keeps_its_last_rank():
    rule = ByPair.of([(0, 1), (1, 2), (0, 1)], [10, 11, 10])
    assert rule.rank(0, 1) == 2
    assert rule.merge([0, 1, 2]) == [0, 11]
    assert rule.rank(2, 2) == NEVER


@pytest.mark.parametrize("unit", ["a", "ab", "abc", None])
def test_long_pieces_take_the_heap_and_agree_with_the_scan(unit):
    alphabet = [bytes([byte]) for byte in range(256)]
    generator = random.Random(7)
    tokens = [*alphabet, b"aa", b"ab", b"aaaa", b"bc", b"abab", b"ca", b"abc", b"cab", b"aab", b"bb"]
    rule = ByRank({token: rank for rank, token in enumerate(tokens)})
    piece = (unit * 700)[:701].encode() if unit else "".join(generator.choices(LETTERS, k=700)).encode()
    assert rule.merge(piece) == rule._scan(piece)


def test_every_merge_may_make_a_pair_that_goes_before_the_rest():
    """As in Gemma's vocabulary, where long runs of spaces have lower ranks than short ones."""
    runs = [b"a" * length for length in range(31, 1, -1)]
    rule = ByRank({token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *runs])})
    start = rule.vocab[b"a"]
    expected, _ = by_definition([start] * 300, rule)
    assert rule.merge(b"a" * 300) == expected

    def seconds(length):
        ids = [start] * length
        began = process_time()
        merge_by_heap(ids, rule.rank, rule.merged)
        return process_time() - began

    # In proportion, 8 times; when the rest was queued anew after each merge, 64 times.
    assert min(seconds(40_000) for _ in range(2)) < 24 * max(seconds(5_000) for _ in range(2))
