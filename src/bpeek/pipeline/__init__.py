"""The pipeline of a ``tokenizer.json``: normalize, cut, merge, post-process, decode.

``Pipeline`` runs all of it, exactly as ``tokenizers`` 0.22.1 does; its parts (the normalizers, the
added-token finder, the decoders) can be used by themselves.
"""

from __future__ import annotations

from .columns import Columns
from .run import Pipeline, is_plain_byte_level

__all__ = ["Columns", "Pipeline", "is_plain_byte_level"]
