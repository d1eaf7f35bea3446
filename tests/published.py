"""The patterns of published tokenizers."""

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
R50K = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
UPPER, LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PREFIX, TAIL = r"[^\r\n\p{L}\p{N}]?", r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = (
    f"{PREFIX}[{UPPER}]*[{LOWER}]+{CONTRACTION}|{PREFIX}[{UPPER}]+[{LOWER}]*{CONTRACTION}|{TAIL}"
)  # fmt: skip
NO_HAN = r"&&[^\p{Han}]"
KIMI = (
    rf"[\p{{Han}}]+|{PREFIX}[{UPPER}{NO_HAN}]*[{LOWER}{NO_HAN}]+{CONTRACTION}"
    rf"|{PREFIX}[{UPPER}{NO_HAN}]+[{LOWER}{NO_HAN}]*{CONTRACTION}|{TAIL}"
)
DEEPSEEK = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    r"""| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
)

# Patterns that cover every text; each reads the same in both dialects.
PUBLISHED = {
    "gpt2": GPT2,
    "r50k": R50K,
    "cl100k": CL100K,
    "llama3": LLAMA3,
    "o200k": O200K,
    "kimi": KIMI,
    "qwen": LLAMA3.replace("{1,3}", ""),
    "qwen35": LLAMA3.replace("{1,3}", "").replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"^\s\p{L}", r"^\s\p{L}\p{M}"),
    "minicpm5": LLAMA3.replace("{1,3}", "+"),
    "seed": LLAMA3.replace("{1,3}", "{1}").replace(r" ?[^\s\p{L}\p{N}]", r" ?[^\s\p{L}\p{N}\r\n]"),
    "jais2": LLAMA3.replace(r"\s+(?!\S)|\s+", r"\s{512}(?!\S)|\s{64}(?!\S)|\s{8}(?!\S)|\s{1,2}(?!\S)|\s{1}"),
    "tekken": O200K.replace(CONTRACTION, "").replace("{1,3}", ""),
    "bailing": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    ),
    "exaone": (
        r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
    ),
}

# Patterns that leave something out, which other steps of the same tokenizers take.
PARTS = {
    "deepseek_v3, digits": r"\p{N}{1,3}",
    "deepseek_v3, Chinese and Japanese": r"[一-龥\u3040-\u309f\u30a0-\u30ff]+",
    "deepseek_v3, words": DEEPSEEK,
    "digits one by one (NeoX, StarCoder, Llama)": r"\p{N}",
    "falcon": r"[0-9][0-9][0-9]",
    "falcon, punctuation": r"\p{P}",
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "bert words": r"\w+|[^\w\s]+",
}
