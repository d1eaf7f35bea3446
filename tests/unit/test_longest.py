"""Words found in a text, leftmost and longest, in steps that grow with the text and not with the words."""

import json
import random
import sys
from array import array

import pytest

from bpeek.formats import hf_json
from bpeek.pipeline.added import LONG, finder, trie_pattern
from bpeek.pipeline.longest import LongestWords
from bpeek.pipeline.run import Pipeline
from bpeek.roads.cleaner import one_of

FLAGS = dict.fromkeys(("special", "single_word", "lstrip", "rstrip", "normalized"), False)


def one_by_one(words, text):
    """The definition."""
    found, at = [], 0
    while at < len(text):
        size = max((len(word) for word in words if text.startswith(word, at)), default=0)
        if size:
            found.append((at, at + size))
        at += size or 1
    return found


@pytest.mark.parametrize("alphabet", ["ab", "abc\0", "a\u00e9\U0001f600\ufffd\U0010ffff"])
def test_random_words(alphabet):
    rng = random.Random(alphabet)
    for _ in range(400):
        words = {"".join(rng.choices(alphabet, k=rng.randint(1, 6))) for _ in range(rng.randint(1, 9))}
        text = "".join(rng.choices(alphabet, k=rng.randrange(40)))
        expected = one_by_one(words, text)
        assert list(LongestWords(words)(text)) == expected
        assert list(finder(words)(text)) == expected


class Counting(array):
    """Counts how often a shorter node is asked for."""

    asked = 0

    def __getitem__(self, at):
        Counting.asked += 1
        return super().__getitem__(at)


WORDS = {
    "a, aa, aaa and so on": ["a" * size for size in range(1, 1000)],
    "one long word": ["a" * 100_000],
    "all but the last letter": ["a" * 1000 + "b", *("a" * size + "c" for size in range(1, 1000, 7))],
    "ends": ["b" + "a" * size for size in range(1, 1000, 7)],
}


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize(
    "text", ["a" * 20_000, "ab" * 10_000, "a" * 10_000 + "b" + "a" * 10_000], ids=["a", "ab", "aba"]
)
def test_steps_grow_with_the_text_alone(name, text):
    """One step forward for each character, and not more steps back than there were forward."""
    words = LongestWords(WORDS[name])
    words._fails = Counting("I", words._fails)
    Counting.asked = 0
    assert sum(end - start for start, end in words(text)) <= len(text)
    assert Counting.asked <= len(text)


@pytest.mark.parametrize("name", WORDS)
def test_memory_is_a_multiple_of_what_the_words_differ_in(name):
    words = LongestWords(WORDS[name])
    beginnings = {word[::-1][:size] for word in WORDS[name] for size in range(1, min(len(word), 1001) + 1)}
    nodes = max(len(beginnings), max(map(len, WORDS[name]))) + 1
    assert len(words._chars) == len(words._fails) == len(words._sizes) == nodes
    kept = sum(map(sys.getsizeof, (words._chars, words._fails, words._sizes, words._branches)))
    assert kept < 20 * nodes + 10_000


def test_what_re_finds_and_what_it_does_not():
    assert trie_pattern(["a" * LONG, "b"]) is not None
    assert trie_pattern(["a" * (LONG + 1), "b"]) is None
    assert trie_pattern(["a" * size for size in range(1, 60)]) is None
    assert isinstance(finder(["a" * (LONG + 1)]), LongestWords)


def load(*tokens):
    model = {"type": "BPE", "vocab": {"a": 0, " ": 1}, "merges": []}
    return Pipeline(hf_json.parse(json.dumps({"model": model, "added_tokens": list(tokens)}).encode()))


def test_added_tokens_that_begin_with_each_other():
    made = load(*({"id": 0, "content": "a" * size, **FLAGS} for size in range(2, 3000)))
    assert made.encode("a" * 10_000).tokens == ["a" * 2999] * 3 + ["a" * 1003]
    assert made.encode("a" * 10).tokens == ["a" * 10]


def test_added_tokens_that_take_all_the_space_behind_them():
    """Each of them takes it anew, as in the reference."""
    made = load({"id": 0, "content": "  ", **FLAGS, "rstrip": True})
    assert made.encode(" " * 6).tokens == [" " * 6, " " * 4, " " * 2]
    with pytest.raises(ValueError, match=r"the added token '  ' with its rstrip would make [0-9,]+ characters"):
        made.encode(" " * 30_000)


def test_added_tokens_of_too_many_characters():
    with pytest.raises(ValueError, match="the added tokens have more than 8,388,608 characters in all"):
        load(*({"id": 0, "content": f"{number}" + "a" * 1_000_000, **FLAGS} for number in range(9)))


def test_the_pieces_of_a_sentencepiece_model():
    """Where they are long, too, the longest is found first."""
    for words in ({"a", "a" * (LONG + 1), "a" * (LONG + 5), "b"}, {"a" * size for size in range(1, 60)}, {"a" * 300}):
        text = "b" + "a" * (LONG + 3) + "ba"
        assert [match.span() for match in one_of(words).finditer(text)] == one_by_one(words, text)
