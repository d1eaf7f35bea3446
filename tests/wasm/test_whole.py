"""The published wheel in plain Pyodide, where no tiktoken is and no process can be started."""

import json
import subprocess
from pathlib import Path

import vocabs

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, os
os.environ["TIKTOKEN_CACHE_DIR"] = "/vocabularies"
from bpeek.compat import install_tiktoken
install_tiktoken()

# From here on as a program that knows nothing of bpeek.
import tiktoken

enc = tiktoken.encoding_for_model("gpt-4")
try:
    enc.encode("<|endoftext|>")
except ValueError as error:
    refused = str(error).splitlines()[0]
try:
    tiktoken.get_encoding("p50k_edit_of_mine")
except ValueError as error:
    unknown = str(error).splitlines()[0]
ids = enc.encode_batch(["hello world", "Hello 👩‍💻"], num_threads=4)

import bpeek

tok = bpeek.Tokenizer.from_pieces(["<unk>", "a"], [0, -1], [2, 1])
assert tok.count_batch(["a", "aa"]) == [2, 3]
try:
    tok.count_batch(["a"], processes=2)
except bpeek.UnsupportedError as error:
    alone = str(error)[:23]
json.dumps([enc.name, ids, enc.decode_batch(ids), enc.decode_with_offsets(ids[1])[1], refused, unknown, alone])
"""


def test_a_program_that_uses_tiktoken() -> None:
    (wheel,) = (ROOT / "dist").glob("*.whl")
    folder = vocabs.fetch("cl100k_base").parent
    command = ["node", str(Path(__file__).with_name("whole.mjs")), str(wheel), str(folder)]
    result = subprocess.run(command, input=PROGRAM, capture_output=True, encoding="utf-8")
    assert not result.returncode, result.stderr
    assert json.loads(result.stdout) == [
        "cl100k_base",
        [[15339, 1917], [9906, 62904, 102, 378, 235, 93273, 119]],
        ["hello world", "Hello 👩‍💻"],
        [0, 5, 6, 7, 7, 8, 8],
        "Encountered text corresponding to disallowed special token '<|endoftext|>'.",
        "Unknown encoding p50k_edit_of_mine.",
        "a page has no processes",
    ]
