"""``tokenizer.json`` from a ``Spec``: the other way round than ``hf_json``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ..spec import Spec


def tokenizer_json(spec: Spec) -> bytes:
    """A ``tokenizer.json``, of a spec that merges by pairs."""
    model = spec.model
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": spec.truncation,
        "padding": spec.padding,
        "added_tokens": [{"id": token.id, **asdict(token)} for token in spec.added_tokens],
        "normalizer": spec.normalizer,
        "pre_tokenizer": spec.pre_tokenizer,
        "post_processor": spec.post_processor,
        "decoder": spec.decoder,
        "model": {
            "type": "BPE",
            "dropout": model.dropout or None,
            "unk_token": model.unk_token,
            "continuing_subword_prefix": model.continuing_subword_prefix or None,
            "end_of_word_suffix": model.end_of_word_suffix or None,
            "fuse_unk": model.fuse_unk,
            "byte_fallback": model.byte_fallback,
            "ignore_merges": model.ignore_merges,
            "vocab": model.vocab,
            "merges": list(model.merges),
        },
    }
    return json.dumps(content, ensure_ascii=False).encode()
