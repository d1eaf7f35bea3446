"""The published encodings, as constructors of the arguments of ``Encoding``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...formats.presets import presets
from .load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe

_HOST = "https://openaipublic.blob.core.windows.net"
_GPT2 = f"{_HOST}/gpt-2/encodings/main"
_FILES = {"p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}


def _gpt2_ranks(sha256: str) -> dict[bytes, int]:
    """Those of ``r50k_base``, which are the same; or from GPT-2's own two files."""
    try:
        return load_tiktoken_bpe(f"{_HOST}/encodings/r50k_base.tiktoken", sha256)
    except FileNotFoundError as error:
        try:
            return data_gym_to_mergeable_bpe_ranks(
                f"{_GPT2}/vocab.bpe",
                f"{_GPT2}/encoder.json",
                "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
                "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
            )
        except FileNotFoundError:
            raise error from None


def _arguments(name: str) -> dict[str, Any]:
    (preset,) = (preset for preset in presets() if preset.name == name)
    url = f"{_HOST}/encodings/{_FILES.get(name, name)}.tiktoken"
    return {
        "name": name,
        "pat_str": preset.pattern,
        "mergeable_ranks": _gpt2_ranks(preset.sha256) if name == "gpt2" else load_tiktoken_bpe(url, preset.sha256),
        "special_tokens": dict(preset.special_tokens),
    }


NAMES = ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {name: partial(_arguments, name) for name in NAMES}
