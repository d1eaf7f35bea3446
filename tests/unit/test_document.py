"""Documents: what an edit costs and tells, and edits of what the neighbours decide."""

import random
from itertools import pairwise

import pytest
from tests.live import Case
from tests.live_checks import Edited
from tests.unit.test_borders import ADDED, load, some_texts
from tests.unit.tiny import FILE, PATTERN, SPECIAL

import bpeek
from bpeek import document as module
from bpeek.parts import Parts


@pytest.fixture
def tok():
    pieces = ["<unk>", "\u2581a", "\u2581b", "\u2581", "a", "b", "c"]
    return bpeek.Tokenizer.from_pieces(pieces, range(0, -7, -1), [2, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize("added", ADDED, ids=str)
@pytest.mark.parametrize("normalizer", [None, {"type": "Prepend", "prepend": "▁"}, {"type": "NFC"}], ids=str)
def test_edits_beside_added_tokens(added, normalizer, small_segments):
    tok, rng = load(normalizer, None, added), random.Random(6)
    for text in some_texts(7, 25):
        edited = Edited(Case(tok, None, {}), text)
        for new in some_texts(text, 8):
            start = rng.randint(0, len(edited.text))
            end = min(len(edited.text), start + rng.choice([0, 1, 1, 3]))
            edited.replace(start, end, new[: rng.choice([0, 1, 1, 9])])


def test_a_single_word_whose_neighbour_is_edited(small_segments):
    tok = load(None, {"type": "Whitespace"}, {"content": "<>", "single_word": True})
    edited = Edited(Case(tok, None, {}), "bb<>bb")
    edited.replace(0, 2, "\n\n")
    edited.replace(4, 6, "  ")
    assert tok.special_tokens["<>"] in edited.document.ids
    edited.replace(0, 2, "\na")


def test_the_cost_does_not_grow(tok, monkeypatch):
    """An edit encodes as much text in a long document as in a short one."""
    encoded = 0
    road = tok._road
    clean = road.ids

    def counting(text, allowed):
        nonlocal encoded
        encoded += len(text)
        return clean(text, allowed)

    costs = []
    monkeypatch.setattr(road, "ids", counting)
    for size in (1_000, 100_000):
        document = tok.document("a b c " * size)
        document.replace(30, 31, "b")
        encoded = 0
        for at in range(100, 200):
            document.replace(at, at, "c")
        costs.append(encoded)
    assert costs[1] <= costs[0] < 100 * 10 * module.SEGMENT


def test_a_change_is_as_small_as_can_be(tok):
    document = tok.document("a b a b a")
    for unchanged in (document.replace(3, 3, ""), document.replace(2, 3, "b")):
        assert unchanged.removed == 0 and not unchanged.ids
    change = document.replace(2, 3, "a")
    assert (change.index, change.removed, change.ids, change.offsets) == (1, 1, [1], [(1, 3)])
    assert document.text == "a a a b a"


def test_empty_and_whole(tok):
    document = tok.document()
    assert (document.text, document.ids, len(document), document.count()) == ("", [], 0, 0)
    document.replace(0, 0, "a b")
    assert document.ids == tok.encode("a b").ids and document.count() == 2
    document.replace(0, 3, "")
    assert (document.text, document.ids) == ("", [])


@pytest.mark.parametrize("span", [(-1, 0), (2, 1), (0, 4), (4, 4)])
def test_places_outside(tok, span):
    document = tok.document("a b")
    with pytest.raises(bpeek.BpeekError, match="no part of a text of 3 characters"):
        document.replace(*span, "x")
    with pytest.raises(bpeek.BpeekError):
        document.count(*span)
    assert document.text == "a b"


def test_utf16_places(tok):
    document = tok.document("a😀b")
    assert [document.from_utf16(unit) for unit in range(5)] == [0, 1, 1, 2, 3]


def test_lone_surrogates(tok):
    document = tok.document("a\ud800")
    document.replace(1, 1, "\ud83d\ude00")
    assert document.text == "a😀\ufffd"


def test_chunks_of_a_run_without_borders(monkeypatch):
    """Each is encoded with some text around it, not with all the rest of the run."""
    tok = bpeek.load(FILE, pattern=PATTERN, special_tokens=SPECIAL)
    encoded = []
    for name in ("count", "columns"):
        method = getattr(Parts, name)
        monkeypatch.setattr(Parts, name, lambda *given, method=method: encoded.append(len(given[-1])) or method(*given))
    work = []
    for size in (6_000, 12_000):
        encoded.clear()
        text = "l" * size
        chunks = list(tok.chunks(text, 100, overlap=10))
        work.append(sum(encoded))
        assert (chunks[0].start, chunks[-1].end) == (0, size)
        assert all(chunk.count == tok.count(chunk.text) <= 100 for chunk in chunks)
        for one, other in pairwise(chunks):
            assert one.start < other.start < one.end < other.end and tok.count(text[other.start : one.end]) <= 10
    assert work[1] < 3 * work[0]
