"""A vocabulary of a few tokens, and how the bridge's answers are read."""

from array import array
from base64 import b64encode

TOKENS = [*(bytes([byte]) for byte in range(256)), b"he", b"llo", b"hello", " 漢".encode()]
FILE = b"".join(b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(TOKENS))
PATTERN = r" ?\p{L}+|[^\p{L}]"
SPECIAL = {"<|end|>": 300}


def columns(result):
    values = result["ok"]
    assert isinstance(values, array) and values.typecode == "I" and len(values) % 5 == 0
    count = len(values) // 5
    return [values[at : at + count].tolist() for at in range(0, len(values), count or 1)]
