"""Every statement of the theory, by brute force on random small dictionaries; and bpeek's mergers against it."""

from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpeek import BpeekError, theory
from bpeek.bpe import ByPair, ByRank
from bpeek.bpe.scores import ByScore, merge_by_agenda
from bpeek.theory import Dictionary, by_rank

LETTERS = "abc"
texts = st.text(LETTERS, max_size=10)
parts = st.text("ab", min_size=1, max_size=3)


@st.composite
def trained(draw, one_rule_each=False):
    """Each rule joins symbols or what earlier rules made; often the weakly proper dictionaries of the paper."""
    tokens, rules = list(LETTERS), []
    for _ in range(draw(st.integers(0, 7))):
        rule = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        made = "".join(rule)
        if len(made) > 7 or rule in rules or (one_rule_each and made in tokens):
            continue
        rules.append(rule)
        if made not in tokens:
            tokens.append(made)
    return Dictionary(rules)


wild = st.lists(st.tuples(parts, parts), max_size=7).map(Dictionary)
shuffled = trained().flatmap(lambda made: st.permutations(made.rules)).map(Dictionary)
dictionaries = trained() | trained(one_rule_each=True) | shuffled | wild
vocabularies = st.lists(st.text(LETTERS, min_size=2, max_size=5), unique=True, max_size=8).map(
    lambda tokens: {token: rank for rank, token in enumerate(tokens)}
)


def both(dictionary):
    return dictionary.tokenize, dictionary.tokenize_in_rounds


def borders(tokens):
    return list(accumulate(map(len, tokens), initial=0))


# Lemmas


@given(dictionaries, st.text(LETTERS, max_size=7))
def test_both_semantics_are_base_tokenizations(dictionary, text):
    base = dictionary.base_tokenizations(text)
    assert {tokenize(text) for tokenize in both(dictionary)} <= base
    assert all("".join(tokens) == text for tokens in base)


@given(trained() | trained(one_rule_each=True), texts)
def test_lemma_1_proper_dictionaries_have_one_semantics(dictionary, text):
    if dictionary.is_proper:
        ranks = [step.rank for step in dictionary.steps(text)]
        assert ranks == sorted(ranks)
        assert dictionary.tokenize(text) == dictionary.tokenize_in_rounds(text)


@given(dictionaries, texts)
def test_lemma_1_needs_only_the_useful_rules(dictionary, text):
    if dictionary.useful().is_proper:
        assert dictionary.tokenize(text) == dictionary.tokenize_in_rounds(text)


@given(trained(one_rule_each=True))
def test_with_one_rule_for_each_token_weakly_and_strongly_proper_are_one(dictionary):
    assert dictionary.is_proper and dictionary.is_weakly_proper


@given(dictionaries)
@example(Dictionary([("aa", "a"), ("a", "a"), ("aa", "a")]))
def test_strongly_proper_is_weakly_proper(dictionary):
    assert dictionary.is_weakly_proper or not dictionary.is_proper


@given(dictionaries, texts)
def test_lemma_2_every_part_of_a_tokenization_is_one(dictionary, text):
    for tokenize in both(dictionary):
        tokens = tokenize(text)
        for start, end in combinations(range(len(tokens) + 1), 2):
            assert tokenize("".join(tokens[start:end])) == tokens[start:end]


@given(dictionaries, texts, texts)
def test_tokenizations_that_share_a_token_can_be_glued(dictionary, one, other):
    for tokenize in both(dictionary):
        left, right = tokenize(one), tokenize(other)
        for i, token in enumerate(left):
            for j, same in enumerate(right):
                if token == same:
                    glued = theory.glue(left[: i + 1], right[j:])
                    assert tokenize("".join(glued)) == glued


def test_nothing_shared_cannot_be_glued():
    with pytest.raises(BpeekError, match="do not share a token"):
        theory.glue(("a",), ("b",))


@given(dictionaries, st.lists(parts, min_size=2, max_size=4).map(tuple))
def test_a_sequence_is_a_tokenization_if_every_two_neighbours_are(dictionary, tokens):
    if all(dictionary.tokenize(left + right) == (left, right) for left, right in pairwise(tokens)):
        assert dictionary.tokenize("".join(tokens)) == tokens


@given(dictionaries, texts)
def test_only_useful_rules_are_ever_applied(dictionary, text):
    useful = dictionary.useful()
    assert all(dictionary.rules[step.rank] in useful.rank for step in dictionary.steps(text))
    assert useful.tokenize(text) == dictionary.tokenize(text)
    made = ["".join(rule) for rule in useful.rules]
    assert len(made) == len(set(made))


@given(dictionaries, texts)
def test_a_border_that_no_useful_rule_crosses_is_a_cut(dictionary, text):
    useful = dictionary.useful()
    for at in range(1, len(text)):
        if useful.may_cut(text[at - 1], text[at]):
            assert dictionary.tokenize(text) == dictionary.tokenize(text[:at]) + dictionary.tokenize(text[at:])


@given(vocabularies, texts)
def test_tiktoken_is_sentencepiece_with_the_useful_splits(ranks, text):
    implied = Dictionary.of_vocabulary(ranks)
    assert by_rank(ranks, text) == implied.tokenize(text) == implied.useful().tokenize(text)


# Algorithm 1


@given(dictionaries, texts, texts)
def test_algorithm_1_joins(dictionary, one, other):
    for tokenize in both(dictionary):
        assert theory.join(tokenize, tokenize(one), tokenize(other)) == tokenize(one + other)


@given(dictionaries, texts, st.data())
def test_local_update(dictionary, text, data):
    end = data.draw(st.integers(0, len(text)))
    start, new = data.draw(st.integers(0, end)), data.draw(st.text(LETTERS, max_size=3))
    for tokenize in both(dictionary):
        updated = theory.update(tokenize, tokenize(text), start, end, new)
        assert updated == tokenize(text[:start] + new + text[end:])


def test_an_edit_can_reach_arbitrarily_far_to_the_right():
    run = Dictionary([("a", "a")]).tokenize
    assert borders(run("a" * 65))[1:] != [1 + border for border in borders(run("a" * 64))]


# Lookahead


@given(dictionaries, texts, texts)
def test_final_tokens_stay(dictionary, text, more):
    made = ["".join(rule) for rule in dictionary.rules]
    final = theory.final_tokens(dictionary.tokenize, made, text)
    assert dictionary.tokenize(text)[:final] == dictionary.tokenize(text + more)[:final]


@given(trained(one_rule_each=True) | trained())
def test_the_lookahead_constant_is_within_its_bounds(dictionary):
    useful = dictionary.useful()
    if useful.is_proper:
        needed = theory.lookahead(useful.tokenize, "ab", 6, 3)
        assert needed <= theory.chain_bound(useful.rules) <= theory.paper_bound(useful.rules)


def test_the_chain_bound_can_be_met():
    rules = (("a", "b"), ("c", "a"), ("d", "ca"))
    assert theory.chain_bound(rules) == 3 == theory.lookahead(Dictionary(rules).tokenize, "abcd", 3, 1)


# bpeek's mergers are the definitions


@given(vocabularies, texts)
def test_by_rank_is_tiktoken(ranks, text):
    vocab = {bytes([byte]): byte for byte in range(256)} | {t.encode(): 256 + rank for t, rank in ranks.items()}
    rule = ByRank(vocab)
    assert tuple(rule.tokens[token].decode() for token in rule.merge(text.encode())) == by_rank(ranks, text)


@given(dictionaries, texts)
def test_by_pair_is_sentencepiece(dictionary, text):
    names = sorted({*LETTERS, *(name for rule in dictionary.rules for name in (*rule, "".join(rule)))})
    id_of = {name: number for number, name in enumerate(names)}
    rules = dictionary.rules
    pairs = [(id_of[left], id_of[right]) for left, right in rules]
    rule = ByPair.of(pairs, [id_of[left + right] for left, right in rules])
    merged = rule.merge([id_of[letter] for letter in text])
    assert tuple(names[token] for token in merged) == dictionary.tokenize(text)


@given(st.dictionaries(st.text(LETTERS, min_size=2, max_size=4), st.integers(-4, 0), max_size=8), texts)
def test_by_score_is_by_rank_of_the_negative(scores, text):
    rule = ByScore(scores)
    expected = by_rank({piece: -score for piece, score in scores.items()}, text)
    assert tuple(rule.merge(text)) == expected == tuple(merge_by_agenda(list(text), rule.rank_of))
