r"""How text is cut before it is merged, by the names that llama.cpp has for it (``tokenizer.ggml.pre``).

The patterns are those of ``llama-vocab.cpp``, as llama-cpp-python 0.3.36 has it. Where one is adapted there to its own
matcher, and the model's own is told beside it, that one stands here. Each cuts what the one before it has left; what
lies between matches is kept.
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import UnsupportedError
from ..spec import Step

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_QWEN35 = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SEED_CODER = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_BAILING = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
_LLAMA3 = rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_SIGNS}"
_QWEN2 = rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_SIGNS}"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CASED = r"[^\r\n\p{L}\p{N}]?%s*%s+%s|[^\r\n\p{L}\p{N}]?%s+%s*%s"
_CASED_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_O200K_WORDS = _CASED % ((_UPPER, _LOWER, f"{_CONTRACTIONS}?") * 2)
_O200K = rf"{_O200K_WORDS}|\p{{N}}{{1,3}}|{_CASED_SIGNS}"
_TEKKEN = rf"{_CASED % ((_UPPER, _LOWER, '') * 2)}|\p{{N}}|{_CASED_SIGNS}"
_DEEPSEEK3_WORDS = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"""| ?[\p{P}\p{S}]+"""
)
_CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
_DEEPSEEK3 = (r"\p{N}{1,3}", _CJK, rf"{_DEEPSEEK3_WORDS}[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
_HAN = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
# The scripts that have cases, as DeepSeek lists them.
_LETTERS = (
    "A-Za-z"
    "\xb5\xc0-\xd6\xd8-\xf6\xf8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377"
    "\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f"
    "\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
    "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d"
    "\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb"
    "\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128"
    "\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4"
    "\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf"
    "\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3"
    "\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df"
    "\U0001e900-\U0001e943"
)
_DEEPSEEK_SIGNS = "[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+"
_DEEPSEEK_LLM = (r"[\r\n]", rf"\s?[{_LETTERS}]+", rf"\s?{_DEEPSEEK_SIGNS}", r"\s+$", _HAN, r"\p{N}+")
_BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"


BYTES: Step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


class Pre(NamedTuple):
    """``ignore_merges``: a piece that is a token is one. ``adds_bos``: unless the file says otherwise."""

    patterns: tuple[str, ...]
    ignore_merges: bool = False
    adds_bos: bool = False

    @property
    def step(self) -> Step:
        steps = [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
            for pattern in self.patterns
        ]
        return {"type": "Sequence", "pretokenizers": [*steps, BYTES]}


_KNOWN: dict[str, Pre] = {
    "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code "
    "roberta-bpe exaone4 mpt olmo jais trillion granite-docling": Pre((_GPT2,)),
    "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2": Pre((r"\p{N}", _GPT2)),
    "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano": Pre((_LLAMA3,), True, True),
    "glm4 glm5": Pre((_LLAMA3,), True),
    "chatglm-bpe dbrx smaug-bpe": Pre((_LLAMA3,)),
    "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2": Pre((_QWEN2,)),
    "qwen35": Pre((_QWEN35,)),
    "gpt-4o llama4 kanana2 talkie minimax-m2": Pre((_O200K,)),
    "tekken": Pre((_TEKKEN,), True, True),
    "deepseek-v3 hunyuan-dense joyai-llm hy_v4": Pre(_DEEPSEEK3),
    "deepseek-llm": Pre(_DEEPSEEK_LLM),
    "deepseek-coder": Pre((r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HAN, r"\p{N}")),
    "falcon": Pre((r"[\p{P}\$\+<=>\^~\|`]+", _GPT2, "[0-9][0-9][0-9]")),
    "bloom poro-chat gpt3-finnish": Pre((_BLOOM,)),
    "viking": Pre((_BLOOM, r"\p{N}")),
    "seed-coder": Pre((_SEED_CODER,)),
    "bailingmoe bailingmoe2 llada-moe": Pre((_BAILING,)),
    "minicpm5": Pre((r"\p{N}{1,3}", rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}+|{_SIGNS}"), True),
    "ufakzeka": Pre((rf"{_WORDS}|\p{{N}}|{_SIGNS}",)),
    "laguna": Pre((r"[^\n]+|\n+", _QWEN2)),
    "default": Pre((r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]")),
}


def pre_tokenizer(name: str | None) -> Pre:
    """Raises ``UnsupportedError`` for a name that is not known."""
    if name is None:
        name = "default"  # as llama.cpp takes it
    for names, pre in _KNOWN.items():
        if name in names.split():
            return pre
    raise UnsupportedError(
        f"bpeek does not know how a model with the pre-tokenizer {name!r} cuts text: load the model's tokenizer.json",
        feature=name,
        where="tokenizer.ggml.pre",
    )
