"""tekken.json: tiktoken, built from the same ranks, gives the same ids less the number of special tokens."""

import base64
import json

import pytest
import tiktoken
from tests.texts import SNIPPETS, mixture

import bpeek
import vocabs

pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize("name", ["tekken_240718", "tekken_240911"])
def test_tekken_is_tiktoken_with_an_offset(name):
    path = vocabs.fetch(name)
    content = json.loads(path.read_bytes())
    config = content["config"]
    special = config["default_num_special_tokens"]
    entries = content["vocab"][: config["default_vocab_size"] - special]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in entries}
    reference = tiktoken.Encoding(name, pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})
    tokenizer = bpeek.load(path)
    assert tokenizer.vocab_size == config["default_vocab_size"] and len(tokenizer.special_tokens) == special
    for text in [*SNIPPETS, mixture(20_000, 3)]:
        ids = tokenizer.encode_ordinary(text)
        assert [token - special for token in ids] == reference.encode_ordinary(text)
        assert tokenizer.decode(ids) == text
    assert tokenizer.encode("[INST]a<SPECIAL_999>").ids == [3, ranks[b"a"] + special, 999]
    assert tokenizer.spec.source["family"].startswith("Mistral tekken")
