"""What ``tokenizers`` gives for small files (0.22.1 and 0.23.3 the same, where they agree), as
``tests/parity/hf_vectors.py`` wrote it down."""

import json
from pathlib import Path

import pytest

from bpeek.formats import hf_json
from bpeek.pipeline.run import Pipeline

pytestmark = pytest.mark.usefixtures("kernel")

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "hf.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vector(vector):
    pipeline = Pipeline(hf_json.parse(json.dumps(vector["tokenizer"]).encode()))
    for expected in vector["results"]:
        columns = pipeline.post_process([pipeline.encode(expected["text"])])
        found = {
            "text": expected["text"],
            "ids": columns.ids,
            "tokens": columns.tokens,
            "offsets": [list(span) for span in zip(columns.starts, columns.ends, strict=True)],
            "words": columns.words,
            "overflowing": [each.ids for each in columns.overflowing],
            "decoded": pipeline.decode(columns.ids),
        }
        assert found == expected
