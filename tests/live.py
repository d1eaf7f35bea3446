"""What the tests of documents, streams, budgets and trust share: tokenizers of every kind, and what must hold."""

import json
import random
from functools import cache

import bpeek
from bpeek.bytechars import BYTE_TO_CHAR
from tests import spmodels
from tests.conftest import tokenizer
from tests.parity.hf_fuzz import Generator
from tests.parity.sp_fuzz import random_model, random_text
from tests.texts import SNIPPETS

REAL = ["cl100k_base", "o200k_base", "r50k_base", "llama3", "qwen3", "llama2", "gemma3", "mistral_v1"]
SPECIALS = ["<|endoftext|>", "<s>", "</s>", "<unk>", "<bos>", "<start_of_turn>", "<|begin_of_text|>", "<|im_start|>"]
SPECIALS += ["<|startoftext|>", "[INST]", "\u2581", "\u2581\u2581", "<0x41>", "\n", "<", "|>", "x"]
PARTS = [*SNIPPETS, *SPECIALS]

CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


@cache
def clip_like() -> bpeek.Tokenizer:
    """CLIP's pipeline on a small vocabulary: lower case, spaces dropped, words that know where they end."""
    letters = list(BYTE_TO_CHAR.values())
    vocab = [*letters, *(letter + "</w>" for letter in letters)]
    merges = []
    for word in [
        "he",
        "hel",
        "ll",
        "lo</w>",
        "wo",
        "wor",
        "ld</w>",
        "in",
        "ing</w>",
        "th",
        "the</w>",
        "12</w>",
        "!!</w>",
    ]:
        left = next(
            (word[:at] for at in range(len(word) - 1, 0, -1) if word[:at] in vocab and word[at:] in vocab), None
        )
        if left is not None:
            merges.append(f"{left} {word[len(left) :]}")
            vocab.append(word)
    specials = ["<|startoftext|>", "<|endoftext|>"]
    ids = {token: number for number, token in enumerate([*vocab, *specials])}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "special": True}
    start, end = specials
    config = {
        "added_tokens": [
            {"id": ids[start], "content": start, **flags, "normalized": True},
            {"id": ids[end], "content": end, **flags, "normalized": False},
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFC"},
                {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
                {"type": "Lowercase"},
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": CLIP}, "behavior": "Removed", "invert": True},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
            ],
        },
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": [end, ids[end]],
            "cls": [start, ids[start]],
            "trim_offsets": False,
            "add_prefix_space": False,
        },
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "model": {
            "type": "BPE",
            "unk_token": end,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "</w>",
            "vocab": ids,
            "merges": merges,
        },
    }
    return bpeek.load(json.dumps(config).encode(), name="clip.json")


def real(name: str) -> bpeek.Tokenizer:
    return clip_like() if name == "clip" else tokenizer(name)


def some_text(rng: random.Random, most: int = 40) -> str:
    return "".join(rng.choices(PARTS, k=rng.randint(0, most)))


class Case:
    """A tokenizer, random texts for it and the options to encode with."""

    def __init__(self, tok, text, options) -> None:
        self.tok, self.text, self.options = tok, text, options

    @classmethod
    def real(cls, name: str, rng: random.Random) -> "Case":
        return cls(real(name), lambda most=40: some_text(rng, most), rng.choice([{}, {"add_special_tokens": False}]))

    @classmethod
    def hugging_face(cls, seed: int) -> "Case | None":
        """A random ``tokenizer.json``; ``None`` if it cannot be told apart from chance or from its own limits."""
        generator = Generator(f"live-{seed}")
        config = generator.config() | {"truncation": None, "padding": None}
        config["model"]["dropout"] = None
        if config["model"].get("byte_fallback"):  # spans of affixes would lie outside the text, as in the reference
            config["model"] |= {"continuing_subword_prefix": None, "end_of_word_suffix": None}
        try:
            tok = bpeek.load(json.dumps(config).encode(), name="random.json")
            tok.document("")
            tok.encode("a b")
        except bpeek.BpeekError:
            return None
        return cls(tok, lambda most=2: "".join(generator.text() for _ in range(most)), {})

    @classmethod
    def sentencepiece(cls, seed: int) -> "Case":
        rng = random.Random(seed)
        data, alphabet = random_model(rng)
        return cls(
            bpeek.load(data, name="m.model"),
            lambda most=2: "".join(random_text(rng, alphabet) for _ in range(most)),
            {},
        )

    @classmethod
    def ranks(cls, seed: int) -> "Case":
        """A random ``.tiktoken`` file with a hostile pattern."""
        rng = random.Random(seed)
        tokens = [bytes([byte]) for byte in range(256)]
        for _ in range(rng.randint(0, 40)):
            left, right = (rng.choice([*tokens[-50:], b"a", b"b", b" ", b"\n"]) for _ in range(2))
            joined = left + right
            if joined not in tokens:
                tokens.append(joined)
        lines = [b"%s %d" % (b64(token), rank) for rank, token in enumerate(tokens)]
        specials = {
            text: 1000 + number for number, text in enumerate(rng.sample(["<a>", "ab", "a", "<a><b>", " <", "b\n"], 2))
        }
        tok = bpeek.load(b"\n".join(lines), pattern=rng.choice(PATTERNS), special_tokens=specials)
        return cls(tok, lambda most=20: "".join(rng.choices(HOSTILE, k=rng.randint(0, most))), {})


def b64(token: bytes) -> bytes:
    from base64 import b64encode

    return b64encode(token)


HOSTILE = [
    "a",
    "b",
    "ab",
    " ",
    "  ",
    "\n",
    "<a>",
    "<",
    ">",
    "1",
    "é",
    "漢",
    "😀",
    "e\u0301",
    "\r\n",
    "aab",
    "'s",
    "\x00",
]
PATTERNS = [
    *(r"a+b?|\s+(?!\S)|\s|.", r"(?=ab)a|[ab]+|.|\n", r"\w+$|\w|\W+", r"(?<=a)b+|a|.|\s", r"\s+\S|\S+|\s+"),
    *(r".+?(?=b)|b|\s|.", r"(?!a\n)a+\s?|[^a]{1,3}", r"(a|b)\d?|\S+|\s+(?=\S)|\s+", r"^a+|b+$|.|\s"),
    *(r"\b\w+\b|\W", r"[^\n]+\n?|\n", r"a(?:b|$)|[^a]+|a", r"\p{L}+", r"(?>a+)b|."),
]

__all__ = ["PARTS", "REAL", "Case", "clip_like", "real", "some_text", "spmodels"]
