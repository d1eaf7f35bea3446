"""What ``inspect`` says of real vocabularies; the references, asked, agree."""

import json
import os
import random
from collections import Counter
from functools import cache

import pytest
import sentencepiece
import tiktoken
import tokenizers
from tests.conftest import tokenizer

import vocabs

FULL = bool(os.environ.get("BPEEK_FULL"))
LETTERS = {
    "p": "no merge path",
    "c": "cut by the pattern",
    "n": "changed by normalization",
    "b": "its character is a token",
}

# rules, useful, bound, same semantics, partial, only whole, only in context, unreachable by reason
REAL = {
    "r50k_base": (108_299, 50_000, 339, True, 344, 0, 0, {}),
    "p50k_base": (108_599, 50_024, 420, True, 344, 0, 0, {}),
    "cl100k_base": (233_378, 100_000, 599, True, 773, 0, 0, {}),
    "o200k_base": (446_189, 199_742, 745, True, 1562, 0, 12, {}),
    "gpt4o": (199_742, 199_742, 745, True, 1562, 0, 12, {}),
    "llama3": (280_147, 127_156, None, None, 1352, 588, 0, {}),
    "qwen3": (151_387, 151_387, 599, True, 1448, 0, 0, {"c": 1661, "n": 248}),
    "deepseek_v3": (127_741, 127_741, 468, True, 1470, 0, 0, {}),
    "llama2": (58_980, 28_446, 254, True, 0, 0, 0, {"b": 127}),
    "gemma3": (514_906, 236_335, None, False, 0, 0, 0, {"b": 112, "p": 4}),
    "mistral_v1": (58_980, 28_446, None, None, 0, 0, 0, {"b": 127}),
}
IN_CI = ["cl100k_base", "o200k_base", "llama3", "qwen3", "llama2", "gemma3", "mistral_v1"]


@cache
def inspected(name):
    return tokenizer(name).inspect()


def reference(name):
    """The ids of a text by the reference, special tokens being text where it can take them so."""
    file = vocabs.fetch(name)
    if name.endswith("_base"):
        pattern = vocabs_pattern(name)
        encoding = tiktoken.Encoding(
            name, pat_str=pattern, mergeable_ranks=vocabs.tiktoken_dict(file), special_tokens={}
        )
        return encoding.encode_ordinary
    if name == "mistral_v1":
        return sentencepiece.SentencePieceProcessor(model_file=str(file)).Encode
    config = json.loads(file.read_text(encoding="utf-8"))
    config["added_tokens"] = [token for token in config["added_tokens"] if not token["special"]]
    config["post_processor"] = None
    theirs = tokenizers.Tokenizer.from_str(json.dumps(config))
    return lambda text: theirs.encode(text, add_special_tokens=False).ids


def vocabs_pattern(name):
    from bpeek.formats.presets import presets

    return next(preset.pattern for preset in presets() if preset.name == name)


@pytest.mark.parametrize("name", REAL if FULL else IN_CI)
def test_real_vocabularies(name):
    found = inspected(name)
    rules, useful, bound, same, partial, whole, in_context, by_reason = REAL[name]
    assert (found.rules.count, found.rules.useful) == (rules, useful)
    assert (found.lookahead.chain_bound, found.same_semantics) == (bound, same)
    assert (len(found.partial), len(found.only_whole), len(found.only_in_context)) == (partial, whole, in_context)
    counted = Counter(each.reason for each in found.unreachable)
    assert counted == {"not UTF-8": 13} | {LETTERS[letter]: count for letter, count in by_reason.items()}
    assert all(each.proved for each in found.unreachable)
    json.dumps(found.to_dict())
    assert found.name in str(found)
    check_by_reference(tokenizer(name), found, reference(name))


def check_by_reference(tok, found, encode):
    space = "▁" if {"▁the", "▁de"} & set(tok.get_vocab()) else " "
    never = {each.id for each in found.unreachable} | set(found.partial)
    for each in found.unreachable:
        if each.reason not in ("not UTF-8", "its character is a token"):
            text = tok.token_bytes(each.id).decode().replace(space, " ")
            assert each.id not in encode(text)
    for id, text in found.only_in_context:
        assert id in encode(text) and encode(tok.token_bytes(id).decode()) != [id]
    for id in found.only_whole:
        assert encode(tok.token_bytes(id).decode()) == [id]
    added = {token.id for token in tok.spec.added_tokens}
    bytes_of_unknown = {tok.token_to_id(f"<0x{byte:02X}>") for byte in range(256)}
    others = sorted(set(tok.get_vocab().values()) - never - added - bytes_of_unknown - set(dict(found.only_in_context)))
    for id in others if FULL else random.Random(7).sample(others, 3000):
        text = tok.token_bytes(id).decode().replace(space, " ")
        assert id in encode(text) or id in encode("\n" + text) or id in encode(text.removeprefix(" "))


def test_llama3_is_improper():
    facts = inspected("llama3").rules
    assert not facts.weakly_proper and not facts.proper and not facts.useful_proper
    assert len(facts.improper_uses) == 85 and facts.falling == 107
    assert inspected("llama3").suspects == (".:.", ":.:", ":.:.:")


def test_gemma3_takes_runs_differently():
    found = inspected("gemma3")
    assert len(found.rules.improper_uses) == 90
    assert [len(token) for token in found.witness.sentencepiece] == [31, 1]
    assert [len(token) for token in found.witness.hugging_face] == [16, 16]
    named = {each.token for each in found.unreachable if each.reason == "no merge path"}
    assert named == {"▁YYYY", "▁yyyy", "▁diffformul", "▁::::::::"}
