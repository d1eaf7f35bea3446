"""The kernel: the definition of merging, the same at every border of blocks, and safe whatever files and texts say."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise, product
from pathlib import Path
from time import process_time

import pytest
import wasmtime
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels import (
    BYTE_LEVEL,
    BYTES,
    by_pair,
    by_rank,
    byte_level,
    columns,
    runs,
    with_kernel,
    without_kernel,
)
from tests.texts import soup

import bpeek
from bpeek.bpe import merge_steps
from bpeek.bytechars import BYTE_TO_CHAR, to_chars
from bpeek.formats.sentencepiece import from_pieces
from bpeek.formats.tiktoken import spec_of
from bpeek.kernel import available, compiled
from bpeek.kernel import on_demand as demand
from bpeek.kernel.compiled import Kernel
from bpeek.kernel.host import start, wasm
from bpeek.kernel.native import Native
from bpeek.spec import BYTE, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Cleaning

SOURCE = Path(__file__).parents[2] / "kernel" / "src"
BARE = Cleaning(add_dummy_prefix=False, remove_extra_whitespaces=False)
EXAMPLES = settings(max_examples=150)


def merged(ids, rank, made):
    """What is left when nothing merges any more, by the definition."""
    for step in merge_steps(ids, rank, made):
        ids = list(step.ids)
    return list(ids)


def same(spec, texts, **options):
    """Tokenizers with and without the kernel say the same of all texts; gives the one with it."""
    ours, plain = with_kernel(spec), without_kernel(spec)
    for text in texts:
        assert columns(ours, text, **options) == columns(plain, text, **options), repr(text)[:200]
    assert runs(ours) and not runs(plain)
    return ours


# --- the definition ------------------------------------------------------------------------------------------

words = st.text("aé漢", min_size=1, max_size=4) | st.text("ab\0", min_size=1, max_size=9)
# Of up to 48 symbols, and of more, where a queue is used.
pieces = st.text("aé漢b\0", min_size=1, max_size=12) | st.text("aé漢", min_size=50, max_size=140)


def cut_anywhere(data, word):
    """Bytes of a word, perhaps without some at the ends: tokens need not be characters."""
    encoded = word.encode()
    start = data.draw(st.integers(0, len(encoded) - 1))
    return encoded[start : data.draw(st.integers(start + 1, len(encoded)))]


@EXAMPLES
@given(st.data())
def test_by_rank(data):
    """Tokens of any bytes in any order: most such dictionaries no training would make."""
    tokens = [cut_anywhere(data, word) for word in data.draw(st.lists(words, max_size=25))]
    spec = by_rank(tokens)
    vocab = spec.model.vocab
    token_of = {id: token for token, id in vocab.items()}
    tokenizer = with_kernel(spec)
    for piece in data.draw(st.lists(pieces, min_size=1, max_size=4)):
        expected = merged(
            [vocab[bytes([byte])] for byte in piece.encode()],
            lambda left, right: vocab.get(token_of[left] + token_of[right], 1 << 40),
            lambda rank: rank,
        )
        whole = vocab.get(piece.encode())
        assert tokenizer.encode_ordinary(piece) == (expected if whole is None else [whole])
    assert runs(tokenizer)


@st.composite
def merge_lists(draw, alphabet):
    """Merges of letters and of what merges have made, in any order and some of them twice."""
    tokens = list(alphabet)
    merges = []
    for _ in range(draw(st.integers(0, 14))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if len(left + right) <= 12:
            merges.append((left, right))
            tokens.append(left + right)
    merges += draw(st.lists(st.sampled_from(merges), max_size=2)) if merges else []
    return draw(st.permutations(merges)) if draw(st.booleans()) else merges


def by_merges(vocab, merges, symbols):
    """The ids that a list of merges leaves of some symbols; a pair that is there twice has its last rank."""
    ranks = {(vocab[left], vocab[right]): rank for rank, (left, right) in enumerate(merges)}
    made = [vocab[left + right] for left, right in merges]
    return merged(symbols, lambda left, right: ranks.get((left, right), 1 << 40), made.__getitem__)


@EXAMPLES
@given(merge_lists([*map(to_chars, (b"a", b"b", b"\0", *(bytes([byte]) for byte in "é漢".encode())))]), st.data())
def test_by_pair_of_bytes(merges, data):
    ignore_merges = data.draw(st.booleans())
    spec = byte_level(merges, ignore_merges=ignore_merges)
    vocab, tokenizer = spec.model.vocab, with_kernel(spec)
    for piece in data.draw(st.lists(pieces, min_size=1, max_size=4)):
        whole = vocab.get(to_chars(piece.encode())) if ignore_merges else None
        symbols = [vocab[BYTE_TO_CHAR[byte]] for byte in piece.encode()]
        assert tokenizer.encode_ordinary(piece) == ([whole] if whole else by_merges(vocab, merges, symbols))
    assert runs(tokenizer)


@EXAMPLES
@given(merge_lists("aé漢b"), st.data())
def test_by_pair_of_characters(merges, data):
    """As Llama 2 and Gemma: characters that are no token become bytes."""
    ignore_merges = data.draw(st.booleans())
    tokens = [
        "a",
        "é",
        "漢",
        "b",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *(left + right for left, right in merges),
    ]
    vocab = {token: id for id, token in enumerate(data.draw(st.permutations([*dict.fromkeys(tokens)])))}
    spec = by_pair(vocab, merges, byte_fallback=True, ignore_merges=ignore_merges)
    tokenizer = with_kernel(spec)
    for piece in data.draw(st.lists(pieces | st.text(min_size=1, max_size=9), min_size=1, max_size=4)):
        whole = vocab.get(piece) if ignore_merges else None
        known = [
            [vocab[char]] if char in vocab else [vocab[f"<0x{byte:02X}>"] for byte in char.encode()] for char in piece
        ]
        expected = by_merges(vocab, merges, [*chain.from_iterable(known)])
        assert tokenizer.encode_ordinary(piece) == (expected if whole is None else [whole])
    assert runs(tokenizer)


def by_score(text, scores):
    """SentencePiece's rule: of neighbours that make a piece, those of the highest score, and of these the leftmost."""
    symbols = list(text)
    while found := [
        (-scores[left + right], at) for at, (left, right) in enumerate(pairwise(symbols)) if left + right in scores
    ]:
        at = min(found)[1]
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
    return symbols


@st.composite
def scored(draw):
    """Pieces with many equal scores. Some characters are only parts of pieces, some are UNUSED, some none at all."""
    names = draw(st.lists(st.text("ab漢x▁", min_size=1, max_size=5), max_size=20, unique=True))
    rows = [(name, float(draw(st.integers(-3, 0))), NORMAL) for name in names]
    if draw(st.booleans()):
        rows += [(char, 0.0, UNUSED) for char in "x漢" if char not in names]
    fallback = draw(st.booleans())
    rows += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)] if fallback else []
    rows = [("<unk>", 0.0, UNKNOWN), *draw(st.permutations(rows))]
    return from_pieces(*zip(*rows, strict=True), byte_fallback=fallback, normalizer=BARE), rows


@EXAMPLES
@given(
    scored(),
    st.lists(st.text("ab漢x▁é", min_size=1, max_size=12) | st.text("ab漢x", min_size=50, max_size=140), max_size=4),
)
def test_by_score(model, texts):
    spec, rows = model
    scores = {name: score for name, score, kind in rows if kind in (NORMAL, UNUSED)}
    ids = {name: id for id, (name, _, kind) in enumerate(rows) if kind == NORMAL}
    of_byte = {int(name[3:5], 16): id for id, (name, _, kind) in enumerate(rows) if kind == BYTE}
    tokenizer = with_kernel(spec)
    for text in [*texts, "ab漢x漢é"]:
        expected = []
        for symbol in by_score(text, scores):
            if symbol in ids:
                expected.append(ids[symbol])
            elif of_byte:
                expected += [of_byte[byte] for byte in symbol.encode()]
            elif expected[-1:] != [0]:
                expected.append(0)
        assert tokenizer.encode_ordinary(text) == expected
    assert runs(tokenizer)


# --- blocks --------------------------------------------------------------------------------------------------

WORDS = r" ?\w+|\s+(?!\S)|\S"
SPLIT = {"regex": r"[ab]+|\s", "behavior": "Isolated"}
REMOVED = {"regex": "[aé]+", "behavior": "Removed", "invert": True}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
MERGES = [("a", "b"), ("ab", "ab"), ("Ã", "©"), ("Ã©", "Ã©"), ("Ġ", "a"), ("æ¼", "¢"), ("æ", "¼"), ("æ¼¢", "æ")]
LETTERS = [chr(letter) for letter in range(ord("a"), ord("e"))]
CHARACTERS = {
    token: id
    for id, token in enumerate(["▁", *LETTERS, "é", "漢", "ab", "▁a", "▁▁", *(f"<0x{b:02X}>" for b in range(256))])
}
CHARACTER_MERGES = [("▁", "▁"), ("▁", "a"), ("a", "b")]
ADDED = [{"content": "<s>"}, {"content": "\n"}, {"content": "<e>", "lstrip": True}, {"content": "<f>", "rstrip": True}]
PIECES = [
    ("<unk>", 0.0, UNKNOWN),
    *((name, -1.0 * (len(name) > 1), NORMAL) for name in ["a", "b", "▁", "ab", "xb", "▁a", "漢b"]),
]
SCORED = {
    "unknown": PIECES,
    "own pieces": [*PIECES, ("ba", 0.0, USER_DEFINED), ("é", 0.0, USER_DEFINED)],
    "bytes": [*PIECES, *((f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256))],
}


def of_pieces(rows, cleaning=BARE):
    return from_pieces(
        *zip(*rows, strict=True), byte_fallback=any(kind == BYTE for *_, kind in rows), normalizer=cleaning
    )


def with_prefix(prefix, **rest):
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    normalizer = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": prefix}, replace]}
    return by_pair(CHARACTERS, CHARACTER_MERGES, normalizer=normalizer, byte_fallback=True, **rest)


KINDS = {
    "rank": lambda: by_rank([b"ab", b"aba", "é".encode(), "éé".encode(), b" a"], WORDS, {"<s>": 300, "\n": 301}),
    "rank, gaps": lambda: by_rank([b"ab", b"aba", "漢".encode()], r"ab+|漢é", {"<s>": 300}),
    "rank, look-behind": lambda: by_rank([b"ab", b"ba", b"bb"], r"(?<=a)b+|(?<!b)a|[^ab]+|\b\w|.", {"<s>": 300}),
    "rank, one piece": lambda: by_rank([b"ab", b"aba", "漢".encode()]),
    "pair": lambda: byte_level(MERGES, [SPLIT], added=ADDED),
    "pair, two patterns": lambda: byte_level(MERGES, [SPLIT, {"regex": "b|é", "behavior": "Isolated"}], added=ADDED),
    "pair, removed": lambda: byte_level(MERGES, [REMOVED], added=ADDED),
    "pair, uncut": lambda: byte_level(MERGES, added=ADDED),
    "pair, cut by Python": lambda: byte_level(MERGES, [{"regex": r"(a|é)\1|b+", "behavior": "Isolated"}], added=ADDED),
    "pair, prefix": lambda: by_pair(
        {char: id for id, char in enumerate([*BYTE_TO_CHAR.values(), "ab", "abab"])},
        MERGES[:2],
        {**BYTE_LEVEL, "use_regex": True, "add_prefix_space": True},
    ),
    "pair, NFC": lambda: byte_level(MERGES, [SPLIT], added=ADDED, normalizer={"type": "NFC"}),
    "characters": lambda: by_pair(CHARACTERS, CHARACTER_MERGES, byte_fallback=True, added=ADDED[:2]),
    "characters, replaced": lambda: with_prefix("▁", added=ADDED[:2]),
    "characters, long prefix": lambda: with_prefix("▁a▁b"),
    "characters, astral prefix": lambda: with_prefix("😀"),
    "characters, no bytes": lambda: by_pair(CHARACTERS, CHARACTER_MERGES, unk_token="a"),
    "characters, Metaspace": lambda: by_pair(CHARACTERS, CHARACTER_MERGES, METASPACE, byte_fallback=True),
    **{f"score, {name}": lambda rows=rows: of_pieces(rows) for name, rows in SCORED.items()},
    **{f"score, {name}, tidied": lambda rows=rows: of_pieces(rows, Cleaning()) for name, rows in SCORED.items()},
}
short_texts = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "ab",
            "abab",
            " ",
            "  ",
            "\n",
            "é",
            "e\u0301",
            "漢",
            "x",
            "y",
            "😀",
            "\0",
            "<s>",
            "<e>",
            "<f>",
            "ba",
            "▁",
        ]
    ),
    max_size=20,
).map("".join)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_pass_in_blocks_of_any_size(kind):
    """Pieces, gaps, special tokens, prefixes and what is looked back at, across borders."""
    spec = KINDS[kind]()
    ours, plain = with_kernel(spec), without_kernel(spec)

    @settings(max_examples=60)
    @given(short_texts, st.integers(1, 40) | st.integers(1, 4))
    def check(text, block):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled, "BLOCK", block)
            assert columns(ours, text) == columns(plain, text)

    check()
    assert runs(ours)


def test_every_block_size_of_one_text():
    text = "abab <s>éé漢漢é\n a<e>  x😀\0ab<s>" * 3
    for make in KINDS.values():
        spec = make()
        ours, expected = with_kernel(spec), columns(without_kernel(spec), text)
        for block in range(1, 41):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(compiled, "BLOCK", block)
                assert columns(ours, text) == expected, block


def test_blocks_of_the_real_size():
    """Two of them and a half, with one piece that is longer than any."""
    spec = by_rank([b"ab", b"abab", b" a", "漢".encode()], WORDS, {"<s>": 300})
    size = compiled.BLOCK // 20
    text = "<s>".join([" abab 漢a" * size, "ab" * (compiled.BLOCK // 2 + 7), " 漢<s>b " * 3 * size])
    ours, plain = with_kernel(spec).encode(text), without_kernel(spec).encode(text)
    assert ours.ids == plain.ids and ours.offsets_utf16 == plain.offsets_utf16 and ours.word_ids == plain.word_ids


# --- hostile files and texts ---------------------------------------------------------------------------------


def colliding(k):
    """Tokens that shared a key, whatever the seed, where a hash was multiplied once for each word."""
    for bits in product((0, 0x80), repeat=k):
        token = bytearray(b"abcdefgh" * (2 * k))
        for at, bit in enumerate(bits):
            for byte in (7, 11, 15):
                token[16 * at + byte] ^= bit
        yield bytes(token)


def seconds(tokens):
    kernel = Kernel(start(available()))
    began = process_time()
    kernel.tokens(b"".join(tokens), map(len, tokens), range(len(tokens)), len(tokens))
    return process_time() - began


def test_hashes_do_not_collide_whatever_the_seed():
    generator = random.Random(3)
    hostile, harmless = list(colliding(14)), [generator.randbytes(224) for _ in range(1 << 14)]
    # When all were in one slot, 15 times.
    assert min(seconds(hostile) for _ in range(3)) < 5 * min(seconds(harmless) for _ in range(3))


def test_tokens_that_hash_alike_without_a_seed():
    """Multiples of a power of two, and tokens that differ in one bit, wherever it is."""
    tokens = [bytes([0, 0, 0, 0, 0, 0, high, low]) for high in range(16) for low in range(16)]
    tokens += [(1 << bit).to_bytes(16, "little") for bit in range(128)]
    spec = by_rank(tokens)
    tokenizer = with_kernel(spec)
    for token, id in spec.model.vocab.items():
        if (text := token.decode("utf-8", "ignore")).encode() == token:
            assert tokenizer.encode_ordinary(text) == [id]
    assert runs(tokenizer)


@pytest.mark.parametrize("size", [*range(1, 26), 64])
def test_tokens_that_differ_in_one_bit_have_keys_of_their_own(size):
    """Two that had one would leave all the work to Python."""
    token = b"abcdefgh" * 8
    changed = {(int.from_bytes(token[:size]) ^ 1 << bit).to_bytes(size) for bit in range(8 * size)}
    tokenizer = with_kernel(by_rank([token[:size], *changed]))
    assert tokenizer.count(token[:size].decode()) == 1 and runs(tokenizer)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1024, 5000])
def test_tokens_of_every_size(size):
    """With neighbours of the same size that differ in one byte, at the beginning, inside and at the end."""
    token = (b"abcd\0efgh" * size)[:size]
    changed = {token[:at] + b"z" + token[at + 1 :] for at in {0, size // 2, size - 1}}
    halves = {token[: size // 2], token[size // 2 :], token[:-1]} - {b""}
    spec = by_rank([*halves, token, *changed])
    texts = [
        each.decode()
        for each in (token, token[:-1], token + b"a", b"a" + token, *changed, token * 3, token + token[::-1])
    ]
    tokenizer = same(spec, [text for text in texts if text])
    assert tokenizer.encode_ordinary(token.decode()) == [spec.model.vocab[token]]


def test_tokens_of_broken_utf8():
    parts = [each.encode() for each in "é漢😀"]
    broken = {each[start:end] for each in parts for start in range(4) for end in range(start + 1, 5)} - {b""}
    broken |= {left + right for left in broken for right in broken} | {b"\x80" * 5, b"\xff\xfe", b"\xf0\x9f"}
    ranks = sorted(broken, key=lambda token: (len(token), token))
    for tokens in (ranks, ranks[::-1], random.Random(1).sample(ranks, len(ranks))):
        same(by_rank(tokens), ["é漢😀" * 3, "漢漢é", "😀é😀a漢", "éa漢b😀c", "é" * 99])
        same(by_rank(tokens, r"\w+|\W"), ["é漢😀" * 3, "漢漢é 😀"])


def test_very_many_special_tokens():
    special = {f"<|{number}|>": 1000 + 7 * number for number in range(20_000)}
    text = "".join(f"ab{token} " for token in list(special)[::13])
    same(by_rank([b"ab", b"|>"], r"\w+|\W", special), [text, "<|7|><|7|>", "<|19999|>", "<|20000|>"])


@pytest.mark.parametrize("highest", [1_000_000, 1 << 21, (1 << 31) - 1])
def test_sparse_ids(highest):
    """Tables have room for all ids below the highest; where these are too many, Python does the work."""
    spec = by_rank([b"ab"], r"\w+|\W", {"<s>": highest})
    ours, plain = with_kernel(spec), without_kernel(spec)
    assert columns(ours, "ab<s>ab") == columns(plain, "ab<s>ab")
    assert runs(ours) == (highest < 1 << 20)


def test_long_pieces_of_a_model():
    """To know all parts of a piece takes its length squared: 65,534 characters are too many for a table."""
    rows = [*PIECES, ("ab" * 32_000, 0.0, NORMAL), ("abab", 0.0, NORMAL)]
    began = process_time()
    tokenizer = with_kernel(of_pieces(rows))
    assert tokenizer.encode("ababx").tokens == ["abab", "x"]
    assert process_time() - began < 2


@pytest.mark.parametrize("spec", [KINDS["rank"], KINDS["pair"], KINDS["characters"], KINDS["score, bytes"]])
def test_more_pieces_than_are_remembered(spec):
    generator = random.Random(5)
    drawn = ["".join(generator.choices("ab漢éx", k=generator.randint(3, 30))) for _ in range(60_000)]
    texts = [" ".join(drawn[:50_000]), " ".join(drawn[40_000:]), " ".join(drawn[:5000])]
    spec = spec()
    ours, plain = with_kernel(spec), without_kernel(spec)
    assert [ours.encode_ordinary(text) for text in texts] == [plain.encode_ordinary(text) for text in texts]
    assert runs(ours)


def test_any_tables_and_texts():
    """Whatever the bytes, nothing is read or written outside, and nothing traps."""
    generator = random.Random(11)
    for _ in range(30):
        alphabet = generator.choice([b"ab", b"a\0\xff", "aé漢😀".encode(), bytes(range(256))])
        longest = generator.choice([3, 9, 40, 300])
        tokens = [
            bytes(generator.choices(alphabet, k=generator.randint(1, longest)))
            for _ in range(generator.choice([1, 40, 900]))
        ]
        special = {f"<{id}>": 100_000 + generator.randint(0, 9) + 10 * id for id in range(generator.choice([0, 1, 30]))}
        spec = by_rank(tokens, generator.choice([r"\w+|\W", r"(?s:.+)", r"a", r"\s?\S*", r"(?<=a)\w|é|[^é]"]), special)
        letters = alphabet.decode("utf-8", "ignore") + "a<0>é漢 "
        texts = ["".join(generator.choices([*letters, *special], k=generator.choice([1, 30, 400]))) for _ in range(4)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled, "BLOCK", generator.choice([1, 5, 100, 1 << 18]))
            same(spec, texts)


@given(soup, soup)
def test_texts_of_two_kinds_in_turn(first, second):
    """Nothing of one text is left for the next one."""
    spec = KINDS["rank"]()
    ours = with_kernel(spec)
    before = columns(ours, first)
    columns(ours, second)
    assert columns(ours, first) == before == columns(without_kernel(spec), first)


# --- memory --------------------------------------------------------------------------------------------------


def limited(patch, size):
    """All kernels that are made have so many bytes of memory at most."""
    made = []

    def start_small(where):
        host = start(where)
        host._store.set_limits(memory_size=size)
        made.append(host)
        return host

    patch.setattr(demand, "start", start_small)
    return made


@pytest.mark.parametrize("kind", ["rank", "pair", "characters", "score, bytes"])
def test_a_memory_too_small_for_tables(kind, monkeypatch):
    """Python does the work then, wherever the making of tables ended."""
    spec = KINDS[kind]()
    text = "abab éé漢 <s>\n"
    expected = columns(without_kernel(spec), text)
    outcomes = set()
    for pages in [*range(1, 100, 3), 1000]:
        made = limited(monkeypatch, pages << 16)
        tokenizer = with_kernel(spec)
        assert columns(tokenizer, text) == expected
        assert made
        outcomes.add(runs(tokenizer))
        assert (tokenizer.kernel is not None) == runs(tokenizer)
    assert outcomes == {False, True}


@pytest.mark.parametrize(
    "error", [wasmtime.WasmtimeError("mmap failed"), OSError("GLIBC_2.99 not found"), RuntimeError()]
)
def test_what_does_not_start(error, monkeypatch):
    """As where the address space is limited, or a library cannot be loaded: Python does the work."""

    def refuse(*_):
        raise error

    spec = KINDS["rank"]()
    monkeypatch.setattr(wasmtime, "Instance", refuse)
    tokenizer = with_kernel(spec)
    assert columns(tokenizer, "abab é") == columns(without_kernel(spec), "abab é")
    assert tokenizer.kernel is None


AT_EXIT = """
import atexit, bpeek
atexit.register(lambda: print(old.encode_ordinary("a b"), make().encode("a b").offsets))
make = lambda: bpeek.Tokenizer.from_pieces(["<unk>", "\u2581a", "\u2581", "a", "b"], [0, -1, -2, -3, -4], [2, *[1] * 4])
old = make()
assert old.encode_ordinary("a b") and old._road.kernel._kernel
"""


def test_while_python_ends():
    """What was registered with ``atexit`` before there was a kernel runs after that is closed."""
    environment = {**os.environ, "BPEEK_KERNEL": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("[1, 2, 4] [(0, 1), (1, 2), (2, 3)]\n", "")


LONG = {
    "rank": lambda: by_rank([b"ab", b"aa"]),
    "pair": lambda: byte_level([("a", "a"), ("a", "b")]),
    "characters": lambda: by_pair(CHARACTERS, CHARACTER_MERGES, byte_fallback=True),
    "score": lambda: of_pieces([*SCORED["bytes"], ("▁▁", -1.0, NORMAL), ("aa", -1.0, NORMAL)]),
}


@pytest.mark.parametrize("room", [0, 6 << 20])  # for nothing more; for a text and its ids, but not for merging
@pytest.mark.parametrize("kind", LONG)
def test_a_memory_too_small_for_a_text(kind, room, monkeypatch):
    made = limited(monkeypatch, 1 << 30)
    spec = LONG[kind]()
    tokenizer, plain = with_kernel(spec), without_kernel(spec)
    short, long = "abab éé漢", ("▁" if kind in ("characters", "score") else "a") * 400_000
    expected = columns(plain, short)
    assert columns(tokenizer, short) == expected
    (host,) = made
    host._store.set_limits(memory_size=host._memory.data_len(host._store) + room)
    for _ in range(2):
        with pytest.raises(MemoryError, match="memory"):
            tokenizer.encode_ordinary(long)
        assert columns(tokenizer, short) == expected
    host._store.set_limits(memory_size=1 << 30)
    assert tokenizer.count(long) == plain.count(long) == 200_000


def test_memory_is_freed_with_the_tokenizer():
    specs = [KINDS[kind]() for kind in ("rank", "pair", "characters", "score, bytes")]
    gc.disable()
    try:
        for spec in specs:
            tokenizer = with_kernel(spec)
            columns(tokenizer, "abab <s> é")
            kernel = tokenizer._road.kernel._kernel
            parts = [weakref.ref(kernel), weakref.ref(kernel._host), weakref.ref(kernel._host._store)]
            del kernel, tokenizer
            assert [part() for part in parts] == [None] * 3
    finally:
        gc.enable()


# --- threads, and when it is used ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rank", "pair", "characters, replaced", "score, bytes"])
def test_threads_take_turns(kind):
    spec = KINDS[kind]()
    texts = [f"{'ab' * size} é漢 <s>{size}\n" * 30 for size in range(1, 40)]
    plain = without_kernel(spec)
    expected = [columns(plain, text) for text in texts]
    tokenizer = with_kernel(spec)  # its tables are made by whoever comes first
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert list(threads.map(lambda text: columns(tokenizer, text), texts)) == expected
    assert runs(tokenizer)


@pytest.mark.parametrize("kind", ["rank", "pair", "characters, replaced", "score, bytes"])
def test_what_interrupts_a_call_of_its_own_thread(kind, monkeypatch):
    """As a signal handler does: it gets its turn from Python, in the making of tables and between blocks."""
    spec, found = KINDS[kind](), []
    tokenizer, plain = with_kernel(spec), without_kernel(spec)
    call = Native.call

    def interrupted(self, function, *arguments):
        if not nested:
            nested.append(function)
            found.append((function, columns(tokenizer, "abab é漢 <s>")))
            nested.clear()
        return call(self, function, *arguments)

    nested = []
    monkeypatch.setattr(Native, "call", interrupted)
    assert columns(tokenizer, "ab é <s>" * 9) == columns(plain, "ab é <s>" * 9)
    assert {"reserveTokens", "encode"} <= {function for function, _ in found}
    expected = columns(plain, "abab é漢 <s>")
    assert all(each == expected for _, each in found)
    assert runs(tokenizer)


def test_short_texts_stay_in_python_and_long_ones_do_not(monkeypatch):
    monkeypatch.delenv("BPEEK_KERNEL", raising=False)
    tokenizer = bpeek.Tokenizer(KINDS["rank"]())
    tokenizer.encode_ordinary("ab" * 300)
    assert tokenizer.kernel == available() == Native.name and not runs(tokenizer)
    tokenizer.encode_ordinary("ab " * 40_000)
    assert runs(tokenizer)


def test_many_short_stretches_that_get_a_prefix_each_stay_in_python(monkeypatch):
    """A call for each took ten times as long."""
    spec = KINDS["characters, replaced"]()
    tokenizer, plain = with_kernel(spec), without_kernel(spec)
    columns(tokenizer, "ab")
    assert runs(tokenizer)
    tokenizer._road.kernel._price = demand._PRICES[Native.name]
    calls = []
    monkeypatch.setattr(Kernel, "encode", lambda self, *arguments: calls.append(arguments))
    text = "ab é<s>" * 1_000
    assert tokenizer.encode(text).ids == plain.encode(text).ids and not calls


def test_it_is_turned_off(monkeypatch):
    monkeypatch.setenv("BPEEK_KERNEL", "0")
    tokenizer = bpeek.Tokenizer(KINDS["rank"]())
    tokenizer.encode_ordinary("ab " * 40_000)
    assert available() is None and tokenizer.kernel is None and not runs(tokenizer)
    assert "kernel" not in repr(tokenizer)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tokenizer_says_where_it_runs(kind):
    tokenizer = with_kernel(KINDS[kind]())
    assert tokenizer.kernel == Native.name
    assert repr(tokenizer).endswith(" tokens, kernel: wasmtime>")
    assert "wasmtime" in tokenizer._repr_html_()


def test_where_the_kernel_cannot_do_it_that_is_said_once_it_is_known():
    tokenizer = with_kernel(by_pair({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.5))
    tokenizer.encode_ordinary("ab")
    assert tokenizer.kernel is None


def test_a_pair_of_texts_without_special_tokens():
    tokenizer = same(KINDS["pair"](), ["abab"], pair="é漢", add_special_tokens=False)
    encoding = tokenizer.encode("abab", "é", add_special_tokens=False)
    assert (encoding.tokens, encoding.offsets) == (["abab", "Ã©"], [(0, 4), (0, 1)])


def test_an_added_token_that_is_normalized_to_as_many_bytes():
    """And to more characters: ẛ has three bytes, and so have s and U+0307."""
    spec = byte_level(MERGES, added=[{"content": "ẛ", "normalized": True}], normalizer={"type": "NFKD"})
    tokenizer = same(spec, ["ẛ", "aẛb漢ẛẛ", "s\u0307"])
    assert tokenizer.encode("aẛb").offsets == [(0, 1), (1, 2), (2, 3)]


def test_a_vocabulary_without_some_bytes_is_for_python():
    """Only `compat.tiktoken` lets one pass, as tiktoken does."""
    tokenizer = with_kernel(spec_of({b"a": 0, b"b": 1, b"ab": 2}, WORDS, (), None))
    assert tokenizer.encode_ordinary("aab") == [0, 2]
    assert tokenizer.kernel is None


def test_the_alphabet_of_bytes():
    assert with_kernel(by_rank([])).encode_ordinary("aé\0") == [
        BYTES.index(byte) for byte in (b"a", b"\xc3", b"\xa9", b"\0")
    ]


# --- the file ------------------------------------------------------------------------------------------------


def test_it_is_small_and_asks_nothing_of_its_host():
    """(tests/wasm: it is what its source builds to.)"""
    module = wasmtime.Module(wasmtime.Engine(), wasm())
    assert len(wasm()) < 12_000 and not module.imports
    assert {export.name for export in module.exports} >= {"memory", "encode"}


def test_its_source_can_be_read():
    lines = [line.strip() for path in SOURCE.glob("*.ts") for line in path.read_text(encoding="utf-8").splitlines()]
    code = [line for line in lines if line.strip("{}()[];, ") and not line.startswith(("//", "/*", "*"))]
    assert 0 < len(code) < 700
