"""Generated texts, rich in what tokenizers get wrong."""

import random

from hypothesis import strategies as st

# One or more of every kind that some split pattern tells apart, and the famous traps.
SNIPPETS = [
    *("don't", "I'LL", "we'Ve", "'s'S'ſ", "it’s", "DON'T", "o'clock", "x'd'D"),
    *(" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n ", "\u00a0", "\u3000", "\u2028", "\x0b", "\x85"),
    *("\x1c", "\x1d", "\x1e", "\x1f", "\x00", "\x7f", "\u200b", "\u200d", "\ufeff", "\u00ad"),
    *("K", "ſ", "ß", "ẞ", "İ", "ı", "ǅ", "ʰ", "ª", "º", "ﬁ", "ＡＢ", "ſt"),
    *("e\u0301", "\u0301", "a\u0316\u0301", "क्षि", "ที่", "한국어", "각", "\u1100\u1161\u11a8"),
    *("漢字", "日本語", "かな", "カナ", "ー", "々", "、。", "𠀀𠮷", "龘", "亚洲"),
    *("😀", "👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "❤️", "✈︎", "🫨"),
    *("𝒜", "𝓫𝔠", "𐐀", "𐐨", "𑁒𑁓", "𝟘𝟙", "𞤀", "🄰", "𐄇", "\U0001f100", "\U000e0001", "\U0010ffff"),
    *("\ue000", "\uf8ff", "\ufffd", "\ufffe", "\U000f0000", "\u0378", "\U00013430", "\U000323b0", "\U00016ea0"),
    *("0", "12", "123", "1234567", "½", "²", "Ⅳ", "١٢٣", "一二", "〇", "3.14", "1,000", "0x1F"),
    *("hello", " world", "Hello", "HELLO", "camelCase", "snake_case", "XMLHttpRequest", "naïve", "Ünïcödé"),
    *("!", "?!", "...", "---", "/", "//", "/\n/", ">>>", "(){}[]", "<|endoftext|>", "<|im_start|>", "```", "—", "…"),
    *("Привет", "мир", "Ελλάδα", "שלום", "مرحبا", "नमस्ते", "ไทย", "ქართული", "አማርኛ"),
    *("def f(x):\n    return x\n", "https://example.org/a?b=c", "aaaaaaaa", "        ", "\n\n\n\n", "^^^^^^"),
]

scalars = st.characters(exclude_categories=["Cs"])
soup = st.lists(st.sampled_from(SNIPPETS) | scalars, max_size=14).map("".join)


def mixture(size: int, seed: int) -> str:
    """About ``size`` characters of snippets, the same for the same seed."""
    generator = random.Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(generator.choice(SNIPPETS))
        length += len(parts[-1])
    return "".join(parts)


def every_scalar(block: int = 4096) -> list[str]:
    """All 1,112,064 scalar values, each one after a letter, and between a blank and a digit."""
    scalar = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    texts = []
    for start in range(0, len(scalar), block):
        chars = scalar[start : start + block]
        texts.append("".join(f"a{c} {c}1" for c in chars))
    return texts
