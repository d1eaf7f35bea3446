"""Write ``tests/vectors/hf.json``: small tokenizer.json files with what ``tokenizers`` 0.23.3 makes of some texts.

    python tests/parity/hf_vectors.py

The vectors are run where the reference cannot go (``tests/unit/test_hf_vectors.py``, Pyodide). In an environment with
``tokenizers`` 0.22.1, nothing is written: it must give the same for all but the cases of ``new_since_0_22``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from tokenizers import __version__ as release

TARGET = Path(__file__).parents[1] / "vectors" / "hf.json"
UNK: dict[str, Any] = {"vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "<0xC3>": 4, "<0xA9>": 5}, "merges": ["a b"]}
UNK |= {"type": "BPE", "unk_token": "<unk>"}
CHARS: dict[str, Any] = {"type": "BPE", "vocab": {"<unk>": 0}, "merges": [], "unk_token": "<unk>"}
TEXT = "  Äé e\u0301\u0316 ﬁ① İΣ\n日本ー語\u200b\x00\t가\u1100\u1161😀² a-b--c."


def token(content: str, **flags: bool) -> dict[str, Any]:
    names = ("special", "single_word", "lstrip", "rstrip", "normalized")
    return {"id": 0, "content": content, **dict.fromkeys(names, False), **flags}


def cases() -> dict[str, tuple[dict[str, Any], list[str]]]:
    """Name -> tokenizer.json without what is usual, and texts."""
    split = {"type": "Split", "pattern": {"String": "-"}, "invert": False}
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"):
        found[f"normalizer {name}"] = ({"model": CHARS, "normalizer": {"type": name}}, [TEXT])
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
    found["BERT"] = ({"model": CHARS, "normalizer": bert, "pre_tokenizer": {"type": "BertPreTokenizer"}}, [TEXT])
    for name in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        found[f"Split {name}"] = (
            {"model": CHARS, "pre_tokenizer": split | {"behavior": name}},
            ["the-final--countdown"],
        )
    for name in ("Whitespace", "WhitespaceSplit", "Punctuation", "UnicodeScripts", "FixedLength"):
        found[f"pre-tokenizer {name}"] = ({"model": CHARS, "pre_tokenizer": {"type": name}}, [TEXT, " Apples は林檎"])
    for scheme in ("always", "first", "never"):
        step = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme}
        strip = {"type": "Strip", "strip_left": True, "strip_right": False}
        texts = ["a b", " a  b", "▁a", "", " "]
        found[f"Metaspace {scheme}"] = ({"model": CHARS, "pre_tokenizer": step, "added_tokens": [token("<s>")]}, texts)
        found[f"Strip, then Metaspace {scheme}"] = ({"model": CHARS, "normalizer": strip, "pre_tokenizer": step}, texts)
    for fallback in (True, False):
        for fuse in (True, False):
            model = UNK | {"byte_fallback": fallback, "fuse_unk": fuse}
            found[f"unknown: bytes {fallback}, fuse {fuse}"] = ({"model": model}, ["zéb", "zzééa", "aé", "azb", "zaz"])
    found["no unknown token: characters are dropped"] = ({"model": UNK | {"unk_token": None}}, ["azb", "z", "éab"])
    affixes = {"type": "BPE", "continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
    affixes |= {"vocab": {"a": 0, "##b": 1, "##b</w>": 2, "ab": 3, "a</w>": 4, "##bb</w>": 5, "##a": 6}}
    affixes |= {"merges": ["a ##b", "##b ##b</w>"]}
    found["prefix and suffix"] = ({"model": affixes, "pre_tokenizer": {"type": "WhitespaceSplit"}}, ["ab a abb", "bba"])
    found["a merge listed twice keeps its last rank"] = (
        {"model": {"vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}, "merges": ["a b", "b c", "a b"]}}, ["abc"],
    )  # fmt: skip
    overlap = [token("<r>", rstrip=True), token(" X"), token("  ")]
    found["a token within space that rstrip has taken"] = (
        {"model": CHARS, "added_tokens": overlap},
        ["<r>   X", "a<r> X"],
    )
    words = [token("cat", single_word=True), token("ca"), token("<l>", lstrip=True)]
    found["added tokens"] = (
        {"model": CHARS, "added_tokens": words, "normalizer": {"type": "Lowercase"}},
        ["cat. cat's cats _cat cat\u0301 cat\u200d", "a \u00a0<l> b\u200b<l>", "a<l>cat"],
    )
    nested = [token("ab"), token("abcd"), token("bcde")]
    found["leftmost, then longest"] = ({"model": CHARS, "added_tokens": nested}, ["abcde", "abcx", "xbcdeab"])
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    gpt = {"vocab": {char: at for at, char in enumerate("abĠÃ©Ċĉ1")}, "merges": []}
    found["ByteLevel with its own trimming"] = (
        {"model": gpt, "pre_tokenizer": byte_level, "post_processor": byte_level, "decoder": byte_level,
         "added_tokens": [token("<s>", special=True)]},
        [" a  b", "a<s>b", "é\n\ta1b", "a", " "],
    )  # fmt: skip
    special = {"type": "RobertaProcessing", "sep": ["b", 2], "cls": ["a", 1], "trim_offsets": True}
    special["add_prefix_space"] = False
    found["Roberta"] = ({"model": UNK, "post_processor": special}, ["abz", ""])
    cutting = {"max_length": 6, "stride": 1, "strategy": "LongestFirst", "direction": "Left"}
    padding = {"strategy": {"Fixed": 8}, "direction": "Left", "pad_id": 9, "pad_type_id": 1, "pad_token": "[PAD]"}
    found["truncation and padding"] = (
        {"model": UNK, "post_processor": special, "truncation": cutting, "padding": padding}, ["abzabzabzab", "a"],
    )  # fmt: skip
    return found


def new_since_0_22() -> dict[str, tuple[dict[str, Any], list[str]]]:
    """What 0.22.1 did otherwise: about added tokens, and with Unicode 16.0."""
    lower: dict[str, Any] = {"model": UNK, "normalizer": {"type": "Lowercase"}}
    holes: dict[str, Any] = {"vocab": {"a": 0, "b": 20, "c": 4}, "merges": []}
    raw, normalized = token("É"), token("É", normalized=True)
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    found["a normalized token is spelled as it is looked for"] = (
        lower | {"added_tokens": [token("İ", normalized=True)]}, ["İ i\u0307 a"],
    )  # fmt: skip
    found["a special token that is spelled otherwise is not skipped"] = (
        lower | {"added_tokens": [token("É", normalized=True, special=True)]}, ["aÉ", "aé"],
    )  # fmt: skip
    found["of two with one content, the later is looked for: in normalized text"] = (
        lower | {"added_tokens": [raw, normalized]}, ["É", "é", "aÉbéa"],
    )  # fmt: skip
    found["of two with one content, the later is looked for: in raw text"] = (
        lower | {"added_tokens": [normalized, raw]}, ["É", "é", "aÉbéa"],
    )  # fmt: skip
    found["of a special one and a plain one, too"] = (
        lower | {"added_tokens": [token("É", special=True), normalized]}, ["É", "é", "aÉbéa"],
    )  # fmt: skip
    small = CHARS | {
        "vocab": {char: at for at, char in enumerate(["<unk>", *"\ua7cf\ua7d3\ua7d5\U00016ebb\U00016ed3"])}
    }
    found["lower case of Unicode 17.0"] = (
        {"model": small, "normalizer": {"type": "Lowercase"}},
        ["\ua7cea\ua7d2\ua7d4", "\U00016ea0\U00016eb8\U00016eb9"],
    )
    bert = {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "lowercase": True}
    found["lower case of Unicode 17.0 in BERT"] = ({"model": small, "normalizer": bert}, ["\ua7ceA\U00016ea0"])
    found["numbers of Unicode 17.0"] = (
        {"model": CHARS, "pre_tokenizer": {"type": "Digits", "individual_digits": True}},
        ["a\U00011de0b\U00011de9\U00011dea", "a\U00016ff4b\U00016ff6\U00016ff7"],
    )  # fmt: skip
    found["new ids are counted from the size of the vocabulary"] = (
        {"model": holes, "added_tokens": [token("b"), token("X"), token("Y")]}, ["bXYac"],
    )  # fmt: skip
    found["of two with one id, the later is looked for"] = (
        {"model": holes, "added_tokens": [token("X"), token("c"), token("Y")]}, ["XcYa"],
    )  # fmt: skip
    return found


def vectors() -> list[dict[str, Any]]:
    made = []
    for name, (config, texts) in (cases() | new_since_0_22()).items():
        reference = Tokenizer.from_str(json.dumps(config))
        results = []
        for text in texts:
            encoding = reference.encode(text)
            results.append(
                {
                    "text": text,
                    "ids": encoding.ids,
                    "tokens": encoding.tokens,
                    "offsets": encoding.offsets,
                    "words": encoding.word_ids,
                    "overflowing": [each.ids for each in encoding.overflowing],
                    "decoded": reference.decode(encoding.ids),
                }
            )
        made.append({"name": name, "tokenizer": config, "results": results})
    return made


def written() -> str:
    lines = ",\n".join(json.dumps(vector, ensure_ascii=True) for vector in vectors())
    return f"[\n{lines}\n]\n"


def differing() -> list[str]:
    """The names of those that this release gives otherwise than they are written."""
    there = json.loads(TARGET.read_text(encoding="utf-8"))
    here = json.loads(written())
    return [vector["name"] for vector, mine in zip(there, here, strict=True) if vector != mine]


if __name__ == "__main__":
    if release == "0.22.1":
        assert set(differing()) == set(new_since_0_22()), differing()
    else:
        TARGET.write_text(written(), encoding="utf-8")
    print(f"{len(cases())} tokenizers as with both releases, {len(new_since_0_22())} as with the newer one")
