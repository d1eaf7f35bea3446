"""Published ``.tiktoken`` vocabularies: pattern and special tokens, by the content of the ranks.

Patterns and special tokens are those of tiktoken 0.14.0 and of Whisper; ``tests/parity`` compares each with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import NamedTuple

_GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
_CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

_WHISPER = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
# In the order of their ids; the last came with large-v3.
_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi "
    "ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd "
    "gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
).split()

_R50K_SPECIAL = {"<|endoftext|>": 50256}
_CL100K_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_O200K_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


class Preset(NamedTuple):
    name: str
    n_ranks: int
    size: int  # bytes of the published file
    sha256: str  # of the ranks written as `TOKEN RANK\n` in rank order: that of the published file
    packed: str  # the same of what ``packed.pack`` makes of them; empty where nothing does
    pattern: str
    special: Mapping[str, int] | Callable[[], Mapping[str, int]]  # made when asked for, if they are many

    @property
    def special_tokens(self) -> Mapping[str, int]:
        return self.special() if callable(self.special) else self.special


def _harmony_special() -> dict[str, int]:
    named = {
        "startoftext": 199998,
        "endoftext": 199999,
        "return": 200002,
        "constrain": 200003,
        "channel": 200005,
        "start": 200006,
        "end": 200007,
        "message": 200008,
        "call": 200012,
    }
    special = {f"<|{name}|>": rank for name, rank in named.items()}
    reserved = [200000, 200001, 200004, 200009, 200010, 200011, *range(200013, 201088)]
    special |= {f"<|reserved_{rank}|>": rank for rank in reserved}
    # Last, so that id 200018, which has two names, decodes to this one, as in the reference.
    return special | {"<|endofprompt|>": 200018}


def _whisper_special(first: int, languages: int) -> dict[str, int]:
    tasks = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")
    seconds = (f"{step / 50:.2f}" for step in range(1501))
    names = ("endoftext", "startoftranscript", *_LANGUAGES[:languages], *tasks, *seconds)
    return {f"<|{name}|>": rank for rank, name in enumerate(names, first)}


@cache
def presets() -> tuple[Preset, ...]:
    """All named encodings. Of those with the same ranks the first is the default."""
    r50k = (
        50256,
        835554,
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        "d92330f05cbe8b697462e29044ed2db2e98644666d042f664bce8cbfc4098ce8",
    )
    p50k = (
        50280,
        836186,
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        "7b0314943ade3fa517640e2f70ed7565e8fdd49bad72c0811354011da7b04d94",
    )
    cl100k = (
        100256,
        1681126,
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "67cfbdb82e95e19f58f78d18b4cab944ab3d719635d616bce5ddb5c1f2a63295",
    )
    o200k = (
        199998,
        3613922,
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "ae1ac98474ab181e862aa6e6059ca84a42dc204e9d8958b44aca97938c934c60",
    )
    multilingual = (50257, 816730, "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126", "")
    fim = {"<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283}
    return (
        Preset("r50k_base", *r50k, _GPT2, _R50K_SPECIAL),
        Preset("gpt2", *r50k, _GPT2, _R50K_SPECIAL),
        Preset("p50k_base", *p50k, _GPT2, _R50K_SPECIAL),
        Preset("p50k_edit", *p50k, _GPT2, _R50K_SPECIAL | fim),
        Preset("cl100k_base", *cl100k, _CL100K, _CL100K_SPECIAL),
        Preset("o200k_base", *o200k, _O200K, _O200K_SPECIAL),
        Preset("o200k_harmony", *o200k, _O200K, _harmony_special),
        Preset("whisper_multilingual", *multilingual, _WHISPER, partial(_whisper_special, 50257, 99)),
        Preset("whisper_v3", *multilingual, _WHISPER, partial(_whisper_special, 50257, 100)),
        Preset("whisper_en", *r50k, _WHISPER, partial(_whisper_special, 50256, 99)),
    )


def recognise(sha256: str, n_ranks: int, name: str) -> tuple[Preset, str] | None:
    """The preset for some ranks, and how it was recognised: by content, file name or rank count."""
    known = presets()
    by_name = [preset for preset in known if preset.name == name]
    for how, candidates in (
        ("content", [preset for preset in known if preset.sha256 == sha256]),
        ("file name", by_name),
        # Not those of Whisper: many retrained vocabularies have as many ranks.
        ("rank count", [preset for preset in known if preset.n_ranks == n_ranks and preset.packed]),
    ):
        if candidates:
            named = [preset for preset in candidates if preset.name == name]
            return (named or candidates)[0], how
    return None
