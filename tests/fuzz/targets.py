"""Fuzz targets, one a format: any bytes load as a tokenizer that works, or fail with an error of ours.

python -m tests.fuzz.targets SECONDS [SEED] [NAME]    mutate small sound files; report executions and faults

The mutations are those of a coverage fuzzer without the coverage: it finds nothing that reads the whole
file at once (JSON, regular expressions) better than random changes do, and needs no compiler.
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter

from tests.wrong import FILES, MERGES, VOCAB_JSON, outcome

PAIR = "vocab.json + merges.txt"
_TOKENS = [
    *(b"\0", b"\xff", b"\x80", b"\x7f", b"\n", b"\r\n", b" ", b"\t", b'"', b"\\", b"\\ud800", b"{", b"}", b"[", b"]"),
    *(b",", b":", b"null", b"true", b"-1", b"1e999", b"4294967296", b"18446744073709551616", b"99999999", b"0"),
    *(b"\xff\xff\xff\xff\x0f", b"\x0a", b"\x12", b"\x1a", b"\x15\0\0\xc0\x7f", b"\x18\x04", b"\x18\x05", b"\x18\x63"),
    *(b"\xef\xbb\xbf", b"\xed\xa0\x80", "▁".encode(), "🦊".encode(), b"<unk>", b"(a+)+", b"\\p{L}", b"==", b"YQ== 0"),
    *(b'"type":', b'"Sequence"', b'"Replace"', b'"Regex":', b'"model"', b'"merges"', b'"id":'),
]


def mutated(rng: random.Random, data: bytes) -> bytes:
    """A few changes: bits, tokens, stretches copied, moved or left out."""
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        at, to = sorted(rng.choices(range(len(data) + 1), k=2))
        to = min(to, at + rng.choice([1, 2, 8, 64, 1000]))
        match rng.randrange(6):
            case 0 if at < len(data):
                data = data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
            case 1:
                data = data[:at] + rng.choice(_TOKENS) + data[to if rng.random() < 0.5 else at :]
            case 2:
                data = data[:at] + data[to:]
            case 3:
                place = rng.randrange(len(data) + 1)
                data = data[:place] + data[at:to] + data[place:]
            case 4:
                data = data[:at] + rng.randbytes(rng.choice([1, 2, 4])) + data[to:]
            case _:
                data = data[:at] + data[at:to] * rng.choice([2, 3, 50]) + data[to:]
    return data


def execute(name: str, data: bytes) -> bool:
    """Run one input; tells whether it loaded."""
    if name == PAIR:
        vocab, _, merges = data.partition(b"\xfe")
        return outcome([vocab, merges], "vocab.json") is None
    return outcome(data, name) is None


def seeds(name: str) -> bytes:
    return VOCAB_JSON + b"\xfe" + MERGES if name == PAIR else FILES[name]


TARGETS = (*FILES, PAIR)


def main(seconds: float, seed: int, names: list[str]) -> None:
    for name in names:
        rng, runs, loaded, faults = random.Random(f"{seed} {name}"), 0, 0, Counter[str]()
        until = time.monotonic() + seconds / len(names)
        while time.monotonic() < until:
            data = mutated(rng, seeds(name))
            runs += 1
            try:
                loaded += execute(name, data)
            except Exception as error:  # whatever it is, it is a finding
                where = traceback.extract_tb(error.__traceback__)[-1]
                fault = f"{type(error).__name__} in {where.name}: {str(error)[:80]}"
                if not faults[fault]:
                    print(f"{name}: {fault}\n    {data[:2000]!r}")
                faults[fault] += 1
        print(f"{name}: {runs:,} executions, {loaded:,} loaded, {faults.total()} faults of {len(faults)} kinds")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(float(given[0]), int(given[1]) if len(given) > 1 else 0, given[2:] or list(TARGETS))
