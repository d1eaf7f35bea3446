"""Every kind of damage to every format: an error of ours with its place, soon and in little memory, or a tokenizer
that works. Never another exception, never a hang."""

import gzip
import io
import json
import os
import random
import tracemalloc
import zipfile
from base64 import b64encode
from threading import Thread

import pytest
from tests import wrong
from tests.spmodels import BYTES, CONTROL, NORMAL, UNKNOWN, charsmap, field, model, spec
from tests.wrong import FILES, SENTENCEPIECE, TIKTOKEN, TOKENIZER_JSON, outcome

import bpeek
from bpeek import formats

FULL = bool(os.environ.get("BPEEK_FULL"))


def test_the_files_are_sound():
    wrong.sound()
    assert outcome([wrong.VOCAB_JSON, wrong.MERGES], "vocab.json") is None


# Any damage, to any format


@pytest.mark.parametrize("name", FILES)
def test_cut_off_anywhere(name):
    data = FILES[name]
    step = 1 if FULL or len(data) < 5000 else 5
    for size in range(0, len(data), step):
        error = outcome(data[:size], name)
        # A .tiktoken file without its last token is a smaller one, and a model without its last message may be sound.
        if name.endswith(".json"):
            assert isinstance(error, bpeek.FormatError) and (error.byte is not None or error.line is not None)


@pytest.mark.parametrize("name", FILES)
def test_flipped_bits(name):
    rng = random.Random(name)
    for _ in range(20_000 if FULL else 800):
        data = bytearray(FILES[name])
        for _ in range(rng.choice([1, 1, 2, 5])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        outcome(bytes(data), name)


@pytest.mark.parametrize("name", FILES)
def test_bytes_put_in_left_out_and_moved(name):
    rng = random.Random(name)
    for _ in range(10_000 if FULL else 400):
        data = FILES[name]
        at, to = sorted(rng.choices(range(len(data)), k=2))
        piece = data[at : min(to, at + rng.choice([1, 4, 100]))]
        noise = rng.choice([piece, b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b'"', b"9" * 30, rng.randbytes(3)])
        outcome(data[:at] + noise + data[at + rng.choice([0, len(piece)]) :], name)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\n\n", b"\r\n", b" "])
def test_something_before_the_file(name, prefix):
    outcome(prefix + FILES[name], name)
    outcome(prefix + FILES[name], "unnamed")


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_line_end(name):
    for end in (b"\r\n", b"\r"):
        outcome(FILES[name].replace(b"\n", end), name)


# JSON: wrong types at every path


@pytest.mark.parametrize(
    "path, value",
    [
        (("padding", "strategy", "Fixed"), 1 << 32),
        (("padding", "pad_to_multiple_of"), 1 << 32),
    ],
)
def test_paddings_of_billions(path, value):
    data = json.dumps(wrong.replaced(TOKENIZER_JSON, path, value)).encode()
    with pytest.raises(bpeek.FormatError) as caught:
        bpeek.load(data)
    assert caught.value.field.startswith(path[0])


@pytest.mark.parametrize("name", ["tokenizer.json", "tekken.json"])
def test_wrong_values_at_every_path(name):
    top = json.loads(FILES[name])
    for path in wrong.json_paths(top):
        for value in wrong.WRONG_VALUES:
            outcome(json.dumps(wrong.replaced(top, path, value)).encode(), name)
        for changed in (wrong.removed(top, path), wrong.doubled(top, path)):
            outcome(json.dumps(changed).encode(), name)


STEPS = {
    "normalizer": ("normalizers", {"type": "NFC"}),
    "pre_tokenizer": ("pretokenizers", {"type": "Whitespace"}),
    "post_processor": ("processors", {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}),
    "decoder": ("decoders", {"type": "Fuse"}),
}


@pytest.mark.parametrize("kind", STEPS)
@pytest.mark.parametrize("depth", [50, 300, 3000])
def test_steps_nested_deeply(kind, depth):
    key, inner = STEPS[kind]
    text = json.dumps({**TOKENIZER_JSON, kind: "HERE"})
    nested = f'{{"type": "Sequence", "{key}": [' * depth + json.dumps(inner) + "]}" * depth
    error = outcome(text.replace('"HERE"', nested).encode(), "tokenizer.json")
    assert (error is None) == (depth == 50)


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, '{"a":' * 300_000, '{"model":' + "[" * 900 + "]" * 900 + "}", '{"model": ' + "9" * 5000 + "}"],
)
def test_deep_and_enormous_json(text):
    assert isinstance(outcome(text.encode(), "tokenizer.json"), bpeek.FormatError)


@pytest.mark.parametrize(
    "source", ["(", "(?=(a+)+b)a", "[z-a]", r"\p{Nope}", "a{99999}", "(" * 5000 + ")" * 5000, "|x" * 20_000]
)
def test_patterns_that_cannot_be_used(source):
    path = ("pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")
    data = json.dumps(wrong.replaced(TOKENIZER_JSON, path, source)).encode()
    assert isinstance(outcome(data, "tokenizer.json"), bpeek.BpeekError)
    with pytest.raises(bpeek.PatternError):
        bpeek.load(TIKTOKEN, pattern=source)


@pytest.mark.parametrize(
    "merges", [["h q"], ["he he"], ["h e", "x"], ["h"], ["h e l"], [["h"]], [["h", "e", "l"]], ["h e", ["l", "l"]], [5]]
)
def test_merges_that_refer_to_nothing(merges):
    data = json.dumps(wrong.replaced(TOKENIZER_JSON, ("model", "merges"), merges)).encode()
    error = outcome(data, "tokenizer.json")
    assert isinstance(error, bpeek.FormatError) and error.field.startswith("model.merges")


def test_a_template_that_refers_to_nothing_or_to_itself():
    for part in ({"SpecialToken": {"id": "<q>", "type_id": 0}}, {"Sequence": {"id": "C", "type_id": 0}}):
        data = json.dumps(wrong.replaced(TOKENIZER_JSON, ("post_processor", "single", 0), part)).encode()
        outcome(data, "tokenizer.json")
    itself = {"<s>": {"id": "<s>", "ids": [0], "tokens": ["A"]}, "A": {"id": "A", "ids": [1], "tokens": ["<s>"]}}
    outcome(json.dumps(wrong.replaced(TOKENIZER_JSON, ("post_processor", "special_tokens"), itself)).encode(), "x")


# .tiktoken: lines


@pytest.mark.parametrize(
    "line, words",
    [
        (b"!!!! 300", "BASE64 RANK"),
        (b"YWI 300", "BASE64 RANK"),
        (b"YWI=", "BASE64 RANK"),
        (b"YWI= 1.5", "BASE64 RANK"),
        (b"YWI= -1", "BASE64 RANK"),
        (b"YWI= 03", "BASE64 RANK"),
        (b"YWI= 9999999999", "BASE64 RANK"),
        (b"YWI= 300 x", "BASE64 RANK"),
        (b"== 300", "BASE64 RANK"),
        (b"YW\0= 300", "BASE64 RANK"),
        (b"   ", "BASE64 RANK"),
        (b"YQ== 300", "already"),
        (b"YWI= 0", "taken"),
        (b64encode(b"x" * 9000) + b" 300", "longer"),
    ],
)
def test_a_bad_line_is_named(line, words):
    error = outcome(TIKTOKEN + line + b"\nYWJj 301\n", "x.tiktoken")
    assert isinstance(error, bpeek.FormatError) and words in str(error) and error.line == TIKTOKEN.count(b"\n") + 1


@pytest.mark.parametrize(
    "change", [lambda d: d.replace(b" ", b"\t"), lambda d: b"\xef\xbb\xbf" + d, lambda d: d.replace(b"\n", b"\r")]
)
def test_oddities_that_the_reference_reads(change):
    tokenizer = bpeek.load(change(TIKTOKEN), pattern=wrong.PATTERN)
    assert tokenizer.get_vocab() == bpeek.load(TIKTOKEN, pattern=wrong.PATTERN).get_vocab()


@pytest.mark.parametrize("rank", [b"99999999", b"70000000"])
def test_sparse_ranks(rank):
    assert isinstance(outcome(TIKTOKEN + b"YWI= " + rank, "x.tiktoken"), bpeek.FormatError)


def test_missing_single_bytes():
    assert "single bytes" in str(outcome(TIKTOKEN.split(b"\n", 1)[1], "x.tiktoken"))


# SentencePiece: protobuf


@pytest.mark.parametrize(
    "data, words",
    [
        (b"\x0a\x0e\x0a\x05<unk>\x0a\xff\xff\xff\xff\x0f", "left"),
        (SENTENCEPIECE + b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "left"),
        (SENTENCEPIECE + b"\x0a" + b"\xff" * 11, "ten bytes"),
        (SENTENCEPIECE + b"\x08\x01", "wire type 0"),
        (SENTENCEPIECE + b"\x0f", "wire type 7"),
        (SENTENCEPIECE + b"\x0c", "wire type 4"),
        (SENTENCEPIECE + b"\x0b", "group"),
        (SENTENCEPIECE + b"\x0b" * 200, "wire type 3"),
        (SENTENCEPIECE + b"\x02\x00", "field number"),
        (SENTENCEPIECE + field(1, field(1, b"\xff\xfe")), "UTF-8"),
        (SENTENCEPIECE + field(1, field(1, 1.5)), "wire type 5"),
        (SENTENCEPIECE + field(1, b""), "empty"),
        (SENTENCEPIECE + field(1, field(1, "he")), "already"),
        (field(1, field(1, "a") + field(2, 0.0)) + field(2, field(3, 2)), "UNKNOWN"),
        (model([("<unk>", 0.0, UNKNOWN), *BYTES[:-1]], byte_fallback=True), "256"),
        (model([("<unk>", 0.0, UNKNOWN), ("x", float("nan"), NORMAL)]), "not a number"),
        (model([("<unk>", 0.0, UNKNOWN), ("x", 0.0, NORMAL), ("x", 0.0, CONTROL)]), "already"),
    ],
)
def test_a_wrong_model_is_named(data, words):
    error = outcome(data, "tokenizer.model")
    assert isinstance(error, bpeek.FormatError) and words in str(error)
    assert error.byte is not None or error.field is not None


@pytest.mark.parametrize("kind, name", [(1, "Unigram"), (3, "Word"), (4, "Char"), (9, "Unigram")])
def test_models_of_other_kinds(kind, name):
    error = outcome(model([("<unk>", 0.0, UNKNOWN)], model_type=kind), "tokenizer.model")
    assert isinstance(error, bpeek.UnsupportedError) and error.feature == name


def test_every_damage_to_a_character_map():
    whole = charsmap({"A": "a", "Ab": "b", "ﬁ": "fi", "é": "e"})
    rng = random.Random(5)

    def attempt(data: bytes) -> bpeek.BpeekError | None:
        pieces = [("<unk>", 0.0, UNKNOWN), ("a", 0.0, NORMAL)]
        return outcome(model(pieces, normalizer=spec(charsmap=data)), "tokenizer.model")

    assert attempt(whole) is None
    for size in [*range(1, 30), *range(30, len(whole) - 1, 97), len(whole) - 1]:
        assert isinstance(attempt(whole[:size]), bpeek.FormatError)
    used = [at for at in range(4, len(whole), 4) if whole[at : at + 4] != bytes(4)]
    for _ in range(3000 if FULL else 300):
        data = bytearray(whole)
        at = rng.choice(used) + rng.randrange(4)
        data[min(at, len(data) - 1)] = rng.randrange(256)
        attempt(bytes(data))


# Sizes


def megabytes_used(make: str, name: str) -> float:
    """How much more memory a process takes, at its peak, to refuse a file than to make it."""
    import subprocess
    import sys

    code = f"""
import sys; sys.path[:0] = {sys.path!r}
import base64, resource, bpeek
from tests.wrong import TIKTOKEN, SENTENCEPIECE, PATTERN, outcome
from tests.spmodels import field
data = {make}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
error = outcome(data, {name!r})
assert isinstance(error, bpeek.FormatError), error
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
assert grown <= 10 * len(data) + 30_000_000, (grown, len(data))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.returncode, done.stderr[-500:]


LARGE = [
    ("b'A' * (65 << 20)", "x.tiktoken"),
    ("TIKTOKEN + b'\\n' * 20_000_000 + b'!'", "x.tiktoken"),
    ("TIKTOKEN.replace(b' ', b'\\t') * 3000", "x.tiktoken"),
    ("TIKTOKEN + base64.b64encode(b'A' * 20_000_000) + b' 300'", "x.tiktoken"),
    ("b'[' + b'{},' * 3_000_000 + b'{}]'", "tokenizer.json"),
    ("b'{\"model\": {\"vocab\": {}, \"merges\": [' + b'[],' * 3_000_000 + b'[]]}}'", "tokenizer.json"),
    ("b'{\"model\": \"' + b'x' * 30_000_000", "tokenizer.json"),
    ("SENTENCEPIECE * 10_000", "tokenizer.model"),
    ("SENTENCEPIECE + field(1, b'') * 2_000_000", "tokenizer.model"),
    ("SENTENCEPIECE + b'\\x0a\\xff\\xff\\xff\\xff\\x07' + b'x' * 30_000_000", "tokenizer.model"),
    ("b'\\0' * 50_000_000", "x"),
    ("b'hello world\\n' * 3_000_000", "x"),
]


@pytest.mark.parametrize("make, name", LARGE)
def test_large_files(make, name):
    megabytes_used(make, name)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"\x00\x01\0\0\0\0\0\0" + b'{"model.embed_tokens.weight": ', "this is a .safetensors file"),
        (b"PK\x03\x04", "10,000,000,000 bytes are more than a vocabulary may have (536,870,912); load the model's"),
    ],
)
def test_weights_are_not_read(tmp_path, head, words):
    path = tmp_path / "weights"
    path.write_bytes(head)
    os.truncate(path, 10**10)  # takes no room on the disk, and would take that much memory
    tracemalloc.start()
    with pytest.raises(bpeek.FormatError) as caught:
        bpeek.load(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert words in str(caught.value)


def test_what_is_no_regular_file(monkeypatch, tmp_path):
    monkeypatch.setattr(formats, "MAX_BYTES", 1 << 20)
    with pytest.raises(bpeek.FormatError, match="nothing but NUL bytes"):
        bpeek.load("/dev/zero")
    os.mkfifo(path := tmp_path / "pipe")
    Thread(target=path.write_bytes, args=(FILES["tokenizer.json"],)).start()
    assert bpeek.load(path).spec == bpeek.load(FILES["tokenizer.json"], name="pipe").spec


def test_bombs():
    assert isinstance(outcome(gzip.compress(bytes(100_000_000), 1), "x.gz"), bpeek.FormatError)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vocab.json", bytes(100_000_000))
    assert isinstance(outcome(packed.getvalue(), "x.zip"), bpeek.FormatError)


def test_damaged_archives():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tokenizer.json", FILES["tokenizer.json"])
    rng = random.Random(0)
    for whole in (gzip.compress(FILES["tokenizer.json"]), packed.getvalue()):
        assert outcome(whole, "x") is None
        for _ in range(150):
            data = bytearray(whole)
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            outcome(bytes(data), "x")
            outcome(whole[: rng.randrange(len(whole))], "x")
