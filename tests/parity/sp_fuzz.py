"""Random SentencePiece models against the reference: ids, pieces, offsets and decoded text.

python -m tests.parity.sp_fuzz N SEED    N models, 12 texts each; prints what differs
"""

import random
import sys
from typing import NamedTuple

import sentencepiece
from tests.spmodels import (
    BYTE,
    BYTES,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    charsmap,
    model,
    spec,
)

import bpeek

SPACE = "\u2581"
ALPHABETS = [
    "ab",
    "abc",
    f"ab{SPACE}",
    f"a{SPACE}",
    f"abcA.{SPACE}",
    f"aé漢{SPACE}",
    f"a😀漢字{SPACE}.",
    f"ab\u0301{SPACE}",
]
TEXTS = ["<0x41>", "<s>", "\t", "\n", "\u00a0", "\ufffd", "é", "漢", "😀", "𝒜", "ﬁ", "Z", "a\u0301", "\x00", "  ", " "]
MAPPED = ["a", "A", "ab", "é", "\t", " ", "  ", "b", "漢", "😀", "a\u0301", "\u0301", SPACE, "ba", "aab", "Z", "ZZ"]
INTO = ["", " ", "a", "ab", "  ", "a ", " a", "b", "é", "漢", SPACE, "a b", "😀", "Z"]


class Difference(NamedTuple):
    what: str
    model: bytes
    given: object
    wanted: object
    got: object


def random_word(rng: random.Random, alphabet: str, longest: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, longest)))


def random_pieces(rng: random.Random, alphabet: str, byte_fallback: bool) -> list[tuple[str, float, int]]:
    """Unknown, controls, bytes and then anything, in any order; scores with many ties."""
    words = {char for char in alphabet if rng.random() < 0.85}
    words |= {random_word(rng, alphabet, rng.choice([2, 3, 5])) for _ in range(rng.randint(0, 25))}
    words |= {left + right for left in list(words) for right in list(words) if rng.random() < 0.05}
    odd = rng.random() < 0.4  # types other than NORMAL
    pieces = []
    for word in sorted(words):
        score = rng.choice([0.0, -1.0, -2.5, float(-rng.randint(0, 9)), -rng.random(), 0.1, 1e30])
        kind = rng.choice([NORMAL] * 6 + [USER_DEFINED, UNUSED, CONTROL]) if odd else NORMAL
        pieces.append((word, score, kind))
    if rng.random() < 0.3:
        pieces += [
            (piece, 0.0, USER_DEFINED) for piece in {" ", "a b", " a", f"a{SPACE}"} - words if rng.random() < 0.4
        ]
    pieces += [(piece, 0.0, CONTROL) for piece in ("<s>", "</s>") if piece not in words]
    pieces.append((rng.choice(["<unk>", "<unk>", "q"]), 0.0, UNKNOWN))
    if byte_fallback:
        pieces += BYTES
        assert BYTE == BYTES[0][2]
    rng.shuffle(pieces)
    return pieces


def random_cleaning(rng: random.Random) -> bytes:
    flags = [rng.choice([None, None, True, False]) for _ in range(3)]
    rules = {rng.choice(MAPPED): rng.choice(INTO) for _ in range(rng.randint(1, 8))}
    return spec(*flags, charsmap=charsmap(rules) if rng.random() < 0.5 else None)


def random_model(rng: random.Random) -> tuple[bytes, str]:
    """A model and the alphabet of its pieces."""
    alphabet, byte_fallback = rng.choice(ALPHABETS), rng.random() < 0.35
    data = model(
        random_pieces(rng, alphabet, byte_fallback),
        byte_fallback=byte_fallback,
        suffix=rng.random() < 0.2,
        unk_surface=rng.choice([None, None, "", "?"]),
        normalizer=random_cleaning(rng),
        denormalizer=random_cleaning(rng) if rng.random() < 0.2 else None,
    )
    return data, alphabet


def random_text(rng: random.Random, alphabet: str) -> str:
    if rng.random() < 0.05:
        return random_word(rng, alphabet + " ", 1) * rng.randint(100, 300) + random_word(rng, alphabet + " ", 150)
    return "".join(
        rng.choice([random_word(rng, alphabet + " ", 6), " ", *MAPPED, *TEXTS][: rng.choice([1, 2, 99])])
        for _ in range(rng.randint(0, 9))
    )


def differences(data: bytes, texts: list[str], id_lists: list[list[int]]) -> list[Difference]:
    reference = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokenizer = bpeek.load(data, name="tokenizer.model")
    found = []
    for text in texts:
        wanted = reference.Encode(text, return_type="offset_mapping")
        encoding = tokenizer.encode(text)
        got = {"ids": encoding.ids, "pieces": encoding.tokens, "offsets": encoding.offsets}
        found += [Difference(what, data, text, wanted[what], got[what]) for what in got if got[what] != wanted[what]]
        if tokenizer.count(text) != len(wanted["ids"]):
            found.append(Difference("count", data, text, len(wanted["ids"]), tokenizer.count(text)))
    for ids in id_lists:
        if reference.Decode(ids) != tokenizer.decode(ids):
            found.append(Difference("decode", data, ids, reference.Decode(ids), tokenizer.decode(ids)))
    return found


def random_differences(seed: int) -> list[Difference]:
    rng = random.Random(seed)
    data, alphabet = random_model(rng)
    texts = [random_text(rng, alphabet) for _ in range(12)]
    size = sentencepiece.SentencePieceProcessor(model_proto=data).GetPieceSize()
    some = rng.sample(range(size), min(8, size))
    id_lists = [rng.choices(some if rng.random() < 0.7 else range(size), k=rng.randint(0, 8)) for _ in range(12)]
    return differences(data, texts, id_lists)


def main(count: int, seed: int) -> None:
    bad = 0
    for number in range(seed, seed + count):
        found = random_differences(number)
        bad += bool(found)
        for difference in found[:1]:
            print(f"seed {number}: {difference.what} of {str(difference.given)[:80]!r}")
            print(f"    wanted {str(difference.wanted)[:200]}\n    got    {str(difference.got)[:200]}")
    print(f"{count} models from seed {seed}: {bad} differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
