"""Every border that is claimed is one: a text cut there is encoded as the whole is, step by step of a pipeline."""

import json
import random

import pytest
from tests import spmodels
from tests.live import Case

import bpeek

ALPHABET = [*"ab1 ,-Aé\u0301▁日\n\t\u3000ﬁΣ\u0345\x00가\u11a8😀<>"]
TEXTS = [*ALPHABET, "ab", "--", "  ", "<a>", "<>", "e\u0301", "aa"]

NORMALIZERS = [
    None,
    *({"type": kind} for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")),
    *(
        {"type": "Replace", "pattern": pattern, "content": content}
        for pattern in ({"String": " "}, {"String": "ab"}, {"Regex": "a+b?"}, {"Regex": r"\s+"}, {"Regex": "-(?!-)"})
        for content in ("▁", "", "xa", "b")
    ),
    *({"type": "Strip", "strip_left": left, "strip_right": not left} for left in (True, False)),
    {"type": "Prepend", "prepend": "a"},
    {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True},
    {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Prepend", "prepend": "▁"}, {"type": "Lowercase"}]},
]  # fmt: skip
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
PRE_TOKENIZERS = [
    None,
    *(
        {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}
        for pattern in ({"String": "a"}, {"String": "ab"}, {"Regex": r"\s+|a"}, {"Regex": r"a+(?=b)|b|\s+(?!\S)"})
        for behavior in BEHAVIORS
        for invert in (False, True)
    ),
    *({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True} for prefix in (False, True)),
    *(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("always", "first", "never")
        for split in (True, False)
    ),
    *({"type": kind} for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "UnicodeScripts")),
    *({"type": "Punctuation", "behavior": behavior} for behavior in BEHAVIORS),
    *({"type": "Digits", "individual_digits": each} for each in (True, False)),
    {"type": "CharDelimiterSplit", "delimiter": "-"},
    {"type": "FixedLength", "length": 2},
    {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, {"type": "Whitespace"}]},
]
ADDED = [
    {},
    {"content": "ab"},
    {"content": "<a>", "lstrip": True},
    {"content": "<a>", "rstrip": True, "normalized": True},
    {"content": "<>", "single_word": True},
    {"content": "a", "rstrip": True, "lstrip": True},
]


def load(normalizer=None, pre_tokenizer=None, added=None, **model) -> bpeek.Tokenizer:
    rng = random.Random(1)
    chars = [*ALPHABET, "e", "x", "f", "i", "Ġ", "Ã", "©", "σ"]
    byte_level = pre_tokenizer is not None and pre_tokenizer["type"] == "ByteLevel"
    vocab, merges = [*chars, "<unk>"], []
    for _ in range(0 if "continuing_subword_prefix" in model else 60):
        left, right = rng.choice(vocab[:-1] if not merges else [*chars, *vocab[-8:]]), rng.choice(chars)
        if left != "<unk>" and left + right not in vocab:
            merges.append([left, right])
            vocab.append(left + right)
    if byte_level:
        vocab = list(dict.fromkeys([*vocab, *(chr(code) for code in [*range(33, 127), *range(161, 324)])]))
    ids = {token: number for number, token in enumerate(vocab)}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added_tokens = [{**flags, **added, "id": ids.get(added["content"], len(ids))}] if added else []
    config = {
        "added_tokens": added_tokens,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "model": {"type": "BPE", "vocab": ids, "merges": merges, "unk_token": "<unk>", "fuse_unk": True, **model},
    }
    return bpeek.load(json.dumps(config).encode(), name="tokenizer.json")


def check(tok: bpeek.Tokenizer, texts) -> int:
    """Cut texts at every border; the number of cuts."""
    road, specials, cuts = tok._road, tok._road.special_contents, 0
    for text in texts:
        whole = None
        for at in range(1, len(text)):
            if not road.borders[text[at - 1 : at + 1]]:
                continue
            whole = whole or columns(road.alone(text, specials))
            head, joined, char = (
                columns(road.alone(part, specials)) for part in (text[:at], text[at - 1 :], text[at - 1])
            )
            by, n_bytes = at - 1, len(text[: at - 1].encode())
            tail = [
                (token, start + by, end + by, first + n_bytes, last + n_bytes)
                for token, start, end, first, last in joined[len(char) :]
            ]
            assert joined[: len(char)] == char
            assert head + tail == whole, (text, at)
            cuts += 1
    return cuts


def columns(encoding):
    return list(zip(encoding.ids, *encoding.spans, *encoding.byte_spans, strict=True))


def some_texts(seed, count, parts=TEXTS):
    rng = random.Random(seed)
    for _ in range(count):
        some = rng.sample(parts, rng.randint(2, 6))
        yield "".join(rng.choices(some, k=rng.randint(2, 9)))


def is_blind(step) -> bool:
    """Are no borders known for such a step? (Then editing is slow, but right.)"""
    return step["type"] in {"BertNormalizer", "FixedLength", "UnicodeScripts"}


def name(step):
    return "none" if step is None else "-".join(map(str, step.values()))[:60]


@pytest.mark.parametrize("step", NORMALIZERS, ids=name)
def test_normalizers(step):
    cuts = check(load(normalizer=step), some_texts(1, 250))
    cuts += check(load(normalizer=step, added={"content": "aé", "normalized": True}), some_texts(2, 100))
    assert cuts > 50 or is_blind(step)


@pytest.mark.parametrize("step", PRE_TOKENIZERS, ids=name)
def test_pre_tokenizers(step):
    cuts = check(load(pre_tokenizer=step), some_texts(3, 250))
    assert cuts > 20 or is_blind(step)


@pytest.mark.parametrize("added", ADDED, ids=str)
@pytest.mark.parametrize(
    "steps",
    [(None, None), (None, PRE_TOKENIZERS[-7]), ({"type": "Prepend", "prepend": "▁"}, None), ({"type": "NFC"}, None)],
    ids=str,
)
def test_added_tokens(added, steps):
    assert check(load(*steps, added), some_texts(4, 200)) > 50


@pytest.mark.parametrize(
    "model",
    [
        {"fuse_unk": False},
        {"unk_token": None},
        {"ignore_merges": True},
        {"end_of_word_suffix": "b"},
        {"continuing_subword_prefix": "a"},
    ],
    ids=str,
)
@pytest.mark.parametrize("step", [None, {"type": "Whitespace"}], ids=name)
def test_models(model, step):
    if "end_of_word_suffix" in model or "continuing_subword_prefix" in model:
        step = step or {"type": "WhitespaceSplit"}
    check(load(pre_tokenizer=step, **model), some_texts(5, 250, [*TEXTS, "z", "zz", "q"]))


@pytest.mark.parametrize("kind", ["ranks", "hugging_face", "sentencepiece"])
def test_random_tokenizers(kind):
    cuts = 0
    for seed in range(120):
        case = getattr(Case, kind)(seed)
        if case is not None:
            try:
                cuts += check(case.tok, [case.text() for _ in range(6)])
            except AssertionError as error:
                raise AssertionError(f"{kind} {seed}") from error
    assert cuts > 500


def dense_sentencepiece(rng: random.Random) -> bpeek.Tokenizer:
    """A model of few characters, where the user's pieces and the character map meet at every turn."""

    def word(most: int, chars: str = "abxy ") -> str:
        return "".join(rng.choices(chars, k=rng.randint(1, most)))

    pieces = dict.fromkeys(["<unk>", *"aby\u2581"], 1) | {"<unk>": 2}
    kinds = [1] * 6 + rng.choice([[4, 4], [4, 5], []])
    for kind in rng.choices(kinds, k=8):
        pieces.setdefault(word(3) if kind == 4 else word(3, "aby\u2581"), kind)
    rules = {word(3, "abxy "): rng.choice(["", "a", "b", " ", "ab", "\u2581"]) for _ in range(rng.choice([0, 1, 3]))}
    options = (rng.random() < 0.5 for _ in range(3))
    data = spmodels.model(
        [(piece, -float(number), kind) for number, (piece, kind) in enumerate(pieces.items())],
        suffix=rng.random() < 0.1,
        normalizer=spmodels.spec(*options, charsmap=spmodels.charsmap(rules) if rules else None),
    )
    return bpeek.load(data, name="m.model")


def test_sentencepiece_where_everything_meets():
    cuts = 0
    for seed in range(400):
        rng = random.Random(seed)
        tok = dense_sentencepiece(rng)
        texts = ["".join(rng.choices("abxy \u2581z", k=rng.randint(2, 9))) for _ in range(12)]
        try:
            cuts += check(tok, texts)
        except AssertionError as error:
            raise AssertionError(f"{seed}") from error
    assert cuts > 500
