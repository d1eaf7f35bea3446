"""A differential fuzzer: random ``tokenizer.json`` files and texts, in ``tokenizers`` and here.

    python tests/parity/hf_fuzz.py 1000 7        # 1,000 configurations from seed 7, each with some texts

Every configuration is built from all components; texts are rich in characters that matter to some step.
Where ``tokenizers`` 0.22.1 is installed, what it does otherwise than 0.23.3 is left out (docs/differences.md).
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tokenizers import Tokenizer
from tokenizers import __version__ as release

import bpeek
from bpeek.bytechars import BYTE_TO_CHAR, to_chars
from bpeek.errors import BpeekError
from bpeek.formats.hf_json import parse
from bpeek.pipeline import model
from bpeek.pipeline.columns import Columns
from bpeek.pipeline.run import Pipeline

PLAIN = list("abcdeABC019 .,'-!_x")
EDGE = [
    *"\u0301\u0316\u0344é\u1e9bİΣßſﬁ①²Ⅳ١\u1100\u1161\u11a8각가日本ー語カﾞ\uff9e一\u3000\u00a0\u2009\u200b\u200c\u200d\ufeff\ufffd",
    *"\n\r\t\x00\x01\x0b\x0c\x1c\x7f\x85\xad\u2028\u2581Ġ€«»\u2e43\u0600\u0903\u0e33\u0915\u094d",
    *"😀👩🇩🇪\U0001d7d8\U00011935\U00011930\U000105d2\U0002b820\U00020000\u0149\ufb2c\u0f73",
    "  ", "\r\n", "e\u0301", "a\u0316\u0301", "'ll", "'S", "12345", "</w>", "##", "<0x41>", "<unk>",
]  # fmt: skip
REGEXES = [
    r"\s+", r"\d", r"\p{L}+", r"[^\s\p{L}\p{N}]+", r" ?\p{L}+| ?\p{N}+|\s+(?!\S)|\s+", r"(?=b)", r"-+|a", r"\w+", r"\b",
    r"\p{N}{1,3}", r"(?i:'s|'ll)|\p{L}+|.", r"[a-c&&[^b]]+", r"^a|b$", r"\h+", r"\R", r"a|é", r"[[:punct:]]", r"\p{M}",
]  # fmt: skip
NULLABLE = [r"x*", r"^", r"$", r"b?", ""]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


class Generator:
    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Any) -> Any:
        return self.random.choice(items)

    def flag(self) -> bool:
        return self.chance(0.5)

    def pattern(self, zero_width: bool = True) -> dict[str, str]:
        """Insertions before everything are left out for Replace: docs/differences.md says why."""
        if self.flag():
            found = self.pick(REGEXES)
            return {"Regex": found if zero_width or found not in (r"\b", r"(?=b)") else r"\s+"}
        return {"String": self.pick([" ", "a", "ab", "  ", "é", "\u0301", "--", "▁", "日"])}

    # --- steps ---------------------------------------------------------------------------------------------

    def normalizer(self, depth: int = 0) -> dict[str, Any]:
        kind = self.pick(
            ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Prepend", "Replace", "Nmt"]
            + ["BertNormalizer", "ByteLevel"] * (depth == 0 or self.chance(0.3)) + ["Sequence"] * 3 * (depth < 2)
        )  # fmt: skip
        fields: dict[str, Any] = {
            "Strip": {"strip_left": self.flag(), "strip_right": self.flag()},
            "Prepend": {"prepend": self.pick(["▁", "ab", "\u0301", " "])},
            "Replace": {"pattern": self.pattern(False), "content": self.pick(["▁", "", "ab", " ", "é", "\u0301"])},
            "BertNormalizer": {
                "clean_text": self.flag(),
                "handle_chinese_chars": self.flag(),
                "strip_accents": self.pick([None, True, False]),
                "lowercase": self.flag(),
            },
            "Sequence": {"normalizers": []},
        }
        if kind == "Sequence":
            steps = [self.normalizer(depth + 1) for _ in range(self.random.randrange(4))]
            fields["Sequence"] = {"normalizers": steps}
        return {"type": kind, **fields.get(kind, {})}

    def pre_tokenizer(self, depth: int = 0) -> dict[str, Any]:
        kind = self.pick(
            ["ByteLevel", "Split", "Split", "Metaspace", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits"]
            + ["BertPreTokenizer", "CharDelimiterSplit", "UnicodeScripts", "FixedLength"]
            + ["Sequence"] * 4 * (depth < 2)
        )  # fmt: skip
        if kind == "Sequence":
            steps = [self.pre_tokenizer(depth + 1) for _ in range(self.random.randrange(4))]
            return {"type": kind, "pretokenizers": steps}
        split: dict[str, Any] = {
            "pattern": self.pattern(),
            "behavior": self.pick(BEHAVIORS),
            "invert": self.chance(0.3),
        }
        if self.chance(0.1):
            split["pattern"] = {"Regex": self.pick(NULLABLE)}
        fields: dict[str, Any] = {
            "ByteLevel": {"add_prefix_space": self.flag(), "trim_offsets": self.flag(), "use_regex": self.flag()},
            "Split": split,
            "Metaspace": {
                "replacement": self.pick("▁▁_"),
                "prepend_scheme": self.pick(["always", "first", "never"]),
                "split": self.flag(),
            },
            "Punctuation": {"behavior": self.pick(BEHAVIORS)},
            "Digits": {"individual_digits": self.flag()},
            "CharDelimiterSplit": {"delimiter": self.pick("-a é")},
            "FixedLength": {"length": self.random.randrange(1, 5)},
        }
        return {"type": kind, **fields.get(kind, {})}

    def post_processor(self, tokens: list[str], depth: int = 0) -> dict[str, Any]:
        kind = self.pick(["ByteLevel", "Template", "Template", "Bert", "Roberta"] + ["Sequence"] * (depth == 0))
        byte_level = {"add_prefix_space": self.flag(), "trim_offsets": self.flag()}
        sep, cls = ([self.pick(tokens), self.random.randrange(99)] for _ in range(2))
        if kind == "ByteLevel":
            return {"type": "ByteLevel", **byte_level, "use_regex": True}
        if kind == "Bert":
            return {"type": "BertProcessing", "sep": sep, "cls": cls}
        if kind == "Roberta":
            return {"type": "RobertaProcessing", "sep": sep, "cls": cls, **byte_level}
        if kind == "Sequence":
            first = {"type": "ByteLevel", **byte_level, "use_regex": True}
            return {
                "type": "Sequence",
                "processors": [first, self.post_processor(tokens, 1)][: self.random.randrange(3)],
            }
        names = self.random.sample(tokens, min(2, len(tokens)))
        specials = {}
        for name in names:
            n = self.pick([1, 1, 2])
            specials[name] = {"id": name, "ids": [self.random.randrange(99) for _ in range(n)], "tokens": [name] * n}

        def template(sequences: str) -> list[dict[str, Any]]:
            pieces = [{"Sequence": {"id": each, "type_id": self.random.randrange(3)}} for each in sequences]
            for name in names * self.random.randrange(3):
                special = {"SpecialToken": {"id": name, "type_id": self.random.randrange(3)}}
                pieces.insert(self.random.randrange(len(pieces) + 1), special)
            return pieces

        pair = self.pick(["AB", "AB", "BA", "ABA"])
        return {
            "type": "TemplateProcessing",
            "single": template("A"),
            "pair": template(pair),
            "special_tokens": specials,
        }

    def decoder(self, depth: int = 0) -> dict[str, Any]:
        kind = self.pick(
            ["ByteLevel", "ByteFallback", "Fuse", "Strip", "Replace", "Metaspace", "BPEDecoder", "WordPiece", "CTC"]
            + ["Sequence"] * 4 * (depth == 0)
        )
        if kind == "Sequence":
            return {"type": kind, "decoders": [self.decoder(1) for _ in range(self.random.randrange(4))]}
        fields: dict[str, Any] = {
            "ByteLevel": {"add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "Strip": {"content": self.pick(" a▁"), "start": self.random.randrange(3), "stop": 0},
            "Replace": {"pattern": self.pattern(), "content": self.pick([" ", "", "X$0"])},
            "Metaspace": {"replacement": "▁", "prepend_scheme": self.pick(["always", "first", "never"]), "split": True},
            "BPEDecoder": {"suffix": self.pick(["</w>", "a", ""])},
            "WordPiece": {"prefix": "##", "cleanup": self.flag()},
            "CTC": {"pad_token": "a", "word_delimiter_token": "b", "cleanup": self.flag()},
        }
        return {"type": kind, **fields.get(kind, {})}

    # --- the model and what surrounds it -------------------------------------------------------------------

    def alphabet(self) -> list[str]:
        return self.random.sample(PLAIN, 8) + self.random.sample([char for char in EDGE if len(char) == 1], 8) + ["▁"]

    def model(self, alphabet: list[str], byte_level: bool) -> dict[str, Any]:
        prefix, suffix = (self.pick(["", mark]) if self.chance(0.2) else None for mark in ("##", "</w>"))
        chars = list(dict.fromkeys("".join(alphabet)))
        if byte_level:
            chars = list(dict.fromkeys([*to_chars("".join(chars).encode()), "Ġ"]))
            if self.chance(0.3):
                chars = list(BYTE_TO_CHAR.values())
        words = [*chars]
        for mark, add in ((prefix, lambda char, mark: mark + char), (suffix, lambda char, mark: char + mark)):
            if mark:
                words += [add(char, mark) for char in chars]
        if prefix and suffix:
            words += [prefix + char + suffix for char in chars]
        tokens = list(dict.fromkeys(words))
        merges: list[list[str]] = []
        size = len((prefix or "").encode())
        for _ in range(self.random.randrange(40)):
            left, right = self.pick(tokens), self.pick(tokens)
            if size and not right.startswith(prefix):
                continue
            if suffix and left.endswith(suffix):
                continue
            merges.append([left, right])
            tokens.append(left + right[size:])
        if self.chance(0.4):
            tokens += [f"<0x{byte:02X}>" for byte in range(256) if self.chance(0.97) or self.chance(0.9)]
        if self.chance(0.6):
            tokens.append("<unk>")
            if self.chance(0.2):
                merges.append(["<unk>", tokens[0]])
                tokens.append("<unk>" + tokens[0][size:])
                if size:
                    merges.pop()
        tokens = list(dict.fromkeys(tokens))
        if self.flag():
            self.random.shuffle(merges)
        removed = [token for token in chars if self.chance(0.1) and not any(token in merge for merge in merges)]
        tokens = [token for token in tokens if token not in removed]
        if self.chance(0.3):
            self.random.shuffle(tokens)
        step = self.pick([1, 1, 1, 2])
        model: dict[str, Any] = {
            "type": "BPE",
            "vocab": {token: at * step for at, token in enumerate(tokens)},
            "merges": [" ".join(merge) for merge in merges] if self.flag() else merges,
            "unk_token": "<unk>" if "<unk>" in tokens else None,
            "fuse_unk": self.flag(),
            "byte_fallback": self.flag(),
            "continuing_subword_prefix": prefix,
            "end_of_word_suffix": suffix,
            "ignore_merges": self.chance(0.3),
        }
        if any(" " in part for merge in merges for part in merge):
            model["merges"] = merges
        return model

    def added_tokens(self, vocab: list[str]) -> list[dict[str, Any]]:
        contents = [
            "<s>",
            "</s>",
            "<mask>",
            "ab",
            "abc",
            "a",
            "AB",
            " b",
            "  ",
            "é",
            "[X]",
            "\n",
            "<unk>",
            "日本",
            "_1",
        ]
        tokens = []
        for _ in range(self.random.randrange(7)):
            content = self.pick(contents) if self.chance(0.8) else self.pick(vocab)
            flags = {
                name: self.chance(p)
                for name, p in (("single_word", 0.2), ("lstrip", 0.25), ("rstrip", 0.25), ("normalized", 0.4))
            }
            tokens.append({"id": self.random.randrange(99), "content": content, "special": self.flag(), **flags})
        return tokens

    def config(self) -> dict[str, Any]:
        if self.chance(0.15):
            return self.of_sentencepiece_kind()
        alphabet = self.alphabet()
        normalizer = self.normalizer() if self.chance(0.6) else None
        pre_tokenizer = self.pre_tokenizer() if self.chance(0.7) else None
        byte_level = "ByteLevel" in json.dumps([normalizer, pre_tokenizer])
        model = self.model(alphabet, byte_level)
        vocab = list(model["vocab"])
        config: dict[str, Any] = {
            "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer,
            "model": model,
            "added_tokens": self.added_tokens(vocab),
            "post_processor": self.post_processor(["<s>", "</s>", *vocab[:2]]) if self.chance(0.5) else None,
            "decoder": self.decoder() if self.chance(0.7) else None,
        }
        if self.chance(0.15):
            length = self.random.randrange(12)
            config["truncation"] = {
                "max_length": length,
                "stride": self.random.randrange(max(1, min(3, length - 5))),
                "strategy": self.pick(["LongestFirst", "OnlyFirst", "OnlySecond"]),
                "direction": self.pick(["Left", "Right"]),
            }
        if self.chance(0.15):
            config["padding"] = {
                "strategy": self.pick(["BatchLongest", {"Fixed": self.random.randrange(20)}]),
                "direction": self.pick(["Left", "Right"]),
                "pad_to_multiple_of": self.pick([None, 4, 0]),
                "pad_id": 3,
                "pad_type_id": 1,
                "pad_token": "[PAD]",
            }
        self.parts = alphabet * 3 + PLAIN + EDGE + [token["content"] for token in config["added_tokens"]] * 4
        return config

    def of_sentencepiece_kind(self) -> dict[str, Any]:
        """Llama, Gemma and their kin: spaces replaced, no pre-tokenizer to speak of, all bytes in the vocabulary."""
        alphabet = self.alphabet()
        model = self.model(alphabet, False)
        model |= {"byte_fallback": True, "continuing_subword_prefix": None, "end_of_word_suffix": None}
        bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
        tokens = [*model["vocab"], *bytes_, *("".join(self.pick(alphabet) for _ in "ab") for _ in range(9))]
        model["vocab"] = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
        chars = [token for token in model["vocab"] if len(token) == 1]
        model["merges"] = [[*token] for token in model["vocab"] if len(token) == 2 and {*token} <= {*chars}]
        marked = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
        prefixed = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, marked]}
        added = [token | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), self.chance(0.1))
                 for token in self.added_tokens(list(model["vocab"]))]  # fmt: skip
        self.parts = alphabet * 3 + PLAIN + EDGE + [" ", "▁", *(token["content"] for token in added)] * 4
        split = {"type": "Split", "pattern": {"String": " "}, "behavior": self.pick(BEHAVIORS), "invert": self.flag()}
        first = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
        return {
            "normalizer": self.pick([None, marked, marked, prefixed]),
            "pre_tokenizer": self.pick([None, split, split, first]),
            "model": model,
            "added_tokens": added,
            "decoder": None,
        }

    def of_byte_level_kind(self) -> dict[str, Any]:
        """GPT-2, Llama 3 and their kin: patterns, then all bytes in the vocabulary, which take the direct road."""
        config = self.config() | {"truncation": None}
        alphabet = [*"abc19A _\n'é日𝕏\u00a0", "'s"]
        vocab = list(BYTE_TO_CHAR.values())
        merges = []
        for _ in range(30):
            word = to_chars("".join(self.pick(alphabet) for _ in range(self.random.randrange(1, 4))).encode())
            for end in range(2, len(word) + 1):
                cuts = [at for at in range(1, end) if word[:at] in vocab and word[at:end] in vocab]
                if word[:end] not in vocab and cuts:
                    at = self.pick(cuts)
                    merges.append([word[:at], word[at:end]])
                    vocab.append(word[:end])
        byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": self.flag()}
        kept = self.pick([("Isolated", False), ("Isolated", True), ("Removed", True)])
        split = {"type": "Split", "pattern": {"Regex": self.pick(REGEXES)}, "behavior": kept[0], "invert": kept[1]}
        trim = {"trim_offsets": True, "add_prefix_space": self.flag()}
        roberta = {"type": "RobertaProcessing", "sep": ["</s>", 3], "cls": ["<s>", 4], **trim}
        self.random.shuffle(vocab)
        holes = self.pick([1, 1, 2])  # ids of added tokens may then be those of others
        config["model"] = {"type": "BPE", "vocab": {token: at * holes for at, token in enumerate(vocab)}}
        config["model"] |= {"merges": merges, "ignore_merges": self.chance(0.3)}
        steps = [*[split] * self.flag(), byte_level]
        config["pre_tokenizer"] = self.pick([byte_level, {"type": "Sequence", "pretokenizers": steps}])
        config["normalizer"] = self.pick([None, None, {"type": "NFC"}, {"type": "NFKD"}])
        config["post_processor"] = self.pick([config.get("post_processor"), None, byte_level | trim, roberta])
        self.parts = alphabet * 3 + EDGE + [token["content"] for token in config["added_tokens"]] * 4
        return config

    def text(self) -> str:
        return "".join(self.pick(self.parts) for _ in range(self.random.randrange(14)))


def of_both_releases(config: dict[str, Any]) -> dict[str, Any]:
    """Each content is added once, as it is, to a vocabulary without holes."""
    once = {token["content"]: token | {"normalized": False} for token in config["added_tokens"]}
    model = config["model"]
    model["vocab"] = {token: at for at, token in enumerate(model["vocab"])}
    return config | {"added_tokens": list(once.values())}


# --- comparison --------------------------------------------------------------------------------------------


@contextmanager
def quiet() -> Iterator[None]:
    """Panics of the reference write to the process's own stderr."""
    saved, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


class Failed:
    """The reference raised (``panic``: crashed)."""

    def __init__(self, error: BaseException) -> None:
        self.panic, self.message = not isinstance(error, Exception), str(error)


def attempt(call: Any, *args: Any, **options: Any) -> Any:
    try:
        return call(*args, **options)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Failed(error)


def theirs(encoding: Any) -> list[Any]:
    fields = (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids)
    masks = (encoding.special_tokens_mask, encoding.attention_mask, encoding.sequence_ids)
    return [*fields, *masks, [theirs(each)[:8] for each in encoding.overflowing]]


def ours(columns: Columns) -> list[Any]:
    offsets = list(zip(columns.starts, columns.ends, strict=True))
    fields = (columns.ids, columns.tokens, offsets, columns.words, columns.type_ids)
    masks = (columns.special_mask, columns.attention_mask, columns.sequence_ids())
    return [*fields, *masks, [ours(each)[:8] for each in columns.overflowing]]


def of_encoding(encoding: bpeek.Encoding) -> list[Any]:
    fields = (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids)
    masks = (encoding.special_tokens_mask, encoding.attention_mask, encoding.sequence_ids)
    return [*fields, *masks, [of_encoding(each)[:8] for each in encoding.overflowing]]


def looked_up(encoding: Any) -> list[Any]:
    """All that an encoding can be asked, also for what is not there; but not for the token behind the last one, which
    the reference gives to the first text."""
    n, words = len(encoding.ids), range(max((word for word in encoding.word_ids if word is not None), default=0) + 2)
    tokens, places = [*range(n), n + 1], range(max((end for _, end in encoding.offsets), default=0) + 2)
    return [
        *([encoding.token_to_chars(at), encoding.token_to_word(at), encoding.token_to_sequence(at)] for at in tokens),
        *([encoding.char_to_token(at, of), encoding.char_to_word(at, of)] for at in places for of in range(3)),
        *([encoding.word_to_tokens(at, of), encoding.word_to_chars(at, of)] for at in words for of in range(3)),
    ]


FIELDS = "ids tokens offsets words types special attention sequences overflowing".split()


def compare(config: dict[str, Any], texts: list[str], found: list[str]) -> int:
    """Append what differs to ``found``; returns the number of texts that could be compared."""
    data = json.dumps(config, ensure_ascii=False)
    with quiet():
        reference = attempt(Tokenizer.from_str, data)
    try:
        tokenizer = bpeek.Tokenizer(parse(data.encode()))
        pipeline = tokenizer._road.pipeline
    except BpeekError as error:
        # docs/differences.md: such a token cuts text everywhere in the reference, or crashes it.
        if not isinstance(reference, Failed) and "leaves nothing of the added token" not in str(error):
            found.append(f"only we refuse it: {error}")
        return 0
    if isinstance(reference, Failed):
        if not reference.panic:
            found.append(f"only the reference refuses it: {reference.message}")
        return 0
    added = pipeline.added
    if len(added.contents(normalized=True)) < sum(token.normalized for token in added.by_id.values()):
        return 0  # two with one normalized form: the reference takes one by chance
    compared = 0
    for text, other in zip(texts, texts[1:] + texts[:1], strict=True):
        for pair in (None, other):
            add = len(text) % 2 == 0
            with quiet():
                expected = attempt(reference.encode, text, pair, add_special_tokens=add)
            second = None if pair is None else pair
            try:
                columns = encode(pipeline, text, second, add)
                whole = tokenizer.encode(text, second, add_special_tokens=add)
                units = whole.offsets_utf16, whole.offsets_bytes
            except BpeekError as error:
                if not isinstance(expected, Failed):
                    found.append(f"{text!r}, {second!r}: only we fail: {error}")
                continue
            if isinstance(expected, Failed):
                if not expected.panic:
                    found.append(f"{text!r}, {second!r}: only the reference fails: {expected.message}")
                continue
            compared += 1
            assert set(map(len, units)) == {len(whole)}
            for road, results in (("pipeline", ours(columns)), ("tokenizer", of_encoding(whole))):
                for name, want, got in zip(FIELDS, theirs(expected), results, strict=True):
                    if want != got:
                        found.append(f"{road}, {text!r}, {second!r}, add={add}: {name}\n    {want}\n    {got}")
                        break
            if [*map(looked_up, [expected, *expected.overflowing])] != [*map(looked_up, [whole, *whole.overflowing])]:
                found.append(f"{text!r}, {second!r}, add={add}: look-ups differ")
        ids = [len(char) * at * 7 % 90 for at, char in enumerate(text)] + [12345678]
        ids += pipeline.encode(text).ids if compared else []
        for skip in (True, False):
            with quiet():
                expected = attempt(reference.decode, ids, skip_special_tokens=skip)
            if not isinstance(expected, Failed) and expected != (got := pipeline.decode(ids, skip)):
                found.append(f"decode {ids} {skip}:\n    {expected!r}\n    {got!r}")
        words = text.split("a")
        with quiet():
            expected = attempt(reference.encode, words, is_pretokenized=True, add_special_tokens=False)
        if not isinstance(expected, Failed):
            got = ours(pipeline.post_process([pipeline.encode_words(words)], False))
            if theirs(expected) != got:
                found.append(f"words {words}:\n    {theirs(expected)}\n    {got}")
        for pair in (None, other.split("b")):
            with quiet():
                expected = attempt(reference.encode, words, pair, is_pretokenized=True)
            if not isinstance(expected, Failed):
                whole = tokenizer.encode(words, pair, is_split_into_words=True)
                if theirs(expected) != (got := of_encoding(whole)):
                    found.append(f"words {words} {pair}:\n    {theirs(expected)}\n    {got}")
                if looked_up(expected) != looked_up(whole):
                    found.append(f"words {words} {pair}: look-ups differ")
        with quiet():
            expected = attempt(reference.encode, text, add_special_tokens=False)
        if not isinstance(expected, Failed) and not config.get("truncation") and not config.get("padding"):
            if (plain := pipeline.encode_plain(text).tolist()) != without_specials(reference, config, text):
                found.append(f"{text!r}: ids without offsets differ: {plain}")
    return compared


def without_specials(reference: Any, config: dict[str, Any], text: str) -> list[int]:
    """The ids before post-processing (which may double or drop them)."""
    bare = Tokenizer.from_str(json.dumps({**config, "post_processor": None}))
    return list(bare.encode(text, add_special_tokens=False).ids)


def encode(pipeline: Pipeline, text: str, second: str | None, add_special_tokens: bool) -> Columns:
    parts = [pipeline.encode(text)]
    if second is not None:
        parts.append(pipeline.encode(second, type_id=1))
    return pipeline.post_process(parts, add_special_tokens)


def run(count: int, seed: object, texts: int = 6) -> tuple[int, list[str]]:
    """Compare ``count`` random configurations; returns the number of compared encodings and the differences."""
    compared, differences = 0, []
    for number in range(count):
        generator = Generator(f"{seed}-{number}")
        config = generator.of_byte_level_kind() if number % 5 == 4 else generator.config()
        if release == "0.22.1":
            config = of_both_releases(config)
        found: list[str] = []
        model.LONG = generator.pick([2, 5, 32])  # long pieces are cut into parts: here, short ones too
        compared += compare(config, [generator.text() for _ in range(texts)], found)
        if found:
            differences.append(
                f"--- {seed}-{number} ({len(found)})\n{found[0]}\n{json.dumps(config, ensure_ascii=False)}"
            )
    return compared, differences


if __name__ == "__main__":
    total, differing = run(int(sys.argv[1]), sys.argv[2])
    print("\n".join(differing[:20]))
    print(f"{total} encodings compared, {len(differing)} configurations differ")
    sys.exit(bool(differing))
