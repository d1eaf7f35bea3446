"""What streams promise beyond the same ids: bounded memory and time, whole characters, no shared state."""

import gc
import json
import random
import tracemalloc

import pytest
from tests.texts import mixture

import bpeek
from bpeek.pipeline import decoders
from bpeek.pipeline.decoding import Decoding


@pytest.fixture(scope="module")
def bytes_only():
    """One token for every byte, words as pieces."""
    spec = bpeek.Spec(
        "tiktoken",
        None,
        "rust",
        bpeek.Model("by_rank", {bytes([byte]): byte for byte in range(256)}),
        (bpeek.AddedToken("<|end|>", 300),),
        pre_tokenizer={"type": "Split", "pattern": {"Regex": r"\w+|\W"}, "behavior": "Removed", "invert": True},
    )
    return bpeek.Tokenizer(spec)


def test_halves_of_a_surrogate_pair(bytes_only):
    stream = bytes_only.stream_encoder()
    ids = stream.feed("a\ud83d") + stream.feed("") + stream.feed("\ude00\ud800") + stream.finish()
    assert ids == bytes_only.encode("a😀\ufffd").ids


def test_a_special_token_in_many_chunks(bytes_only):
    stream = bytes_only.stream_encoder()
    ids = [token for char in "a <|end|> b<|end" for token in stream.feed(char)] + stream.finish()
    assert ids == bytes_only.encode("a <|end|> b<|end").ids
    stream = bytes_only.stream_encoder(add_special_tokens=False)
    assert stream.feed("<|end|>") + stream.finish() == list(b"<|end|>")


def test_nothing(bytes_only):
    stream = bytes_only.stream_encoder()
    assert (stream.feed(""), stream.offsets, stream.finish(), stream.offsets) == ([], [], [], [])


def test_what_waits_is_short(bytes_only):
    stream, text, most = bytes_only.stream_encoder(), mixture(20_000, 1), 0
    for char in text:
        stream.feed(char)
        most = max(most, sum(map(len, stream._waiting)))
    assert most < 100


def test_memory_does_not_grow(bytes_only):
    stream = bytes_only.stream_encoder()
    chunk = "some words, and more of them\n" * 10

    def feed(times):
        for _ in range(times):
            stream.feed(chunk)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first, last = feed(20), feed(500)
    finally:
        tracemalloc.stop()
    assert last - first < 20_000


def test_one_long_piece_is_looked_at_once(bytes_only):
    """However small the chunks are: no character is asked about twice, no text joined twice."""
    stream = bytes_only.stream_encoder()
    borders, asked = bytes_only._road.borders, 0

    class Counting(dict):
        def __getitem__(self, pair):
            nonlocal asked
            asked += 1
            return borders[pair]

    stream._parts.__dict__["borders"] = Counting()
    size = 30_000
    for _ in range(size):
        stream.feed("a")
    assert asked < 2 * size and len(stream._waiting) == size
    assert stream.finish() == [97] * size


def test_files(bytes_only, tmp_path, monkeypatch):
    path, text, seen = tmp_path / "text", mixture(3_000, 2), []
    path.write_bytes(text.encode())
    monkeypatch.setattr("bpeek.stream.CHUNK", 7)
    ids = [
        token for part in bytes_only.encode_file(path, lambda done, size: seen.append((done, size))) for token in part
    ]
    assert ids == bytes_only.encode(text).ids
    size = len(text.encode())
    assert seen[0] == (7, size) and seen[-1] == (size, size) and len(seen) == -(-size // 7)
    for data in (b"abcdefgh\xff", b"abcdefg\xe6\xbcx", b"abcdefgh\xe6"):
        path.write_bytes(data)
        with pytest.raises(UnicodeDecodeError) as caught:
            list(bytes_only.encode_file(path))
        with pytest.raises(UnicodeDecodeError) as whole:
            data.decode()
        assert f"(byte {whole.value.start} of {str(path)!a})" in str(caught.value)


def test_whole_characters_only(bytes_only):
    """A character waits until it is complete; what is broken is told as soon as that is certain."""
    stream = bytes_only.stream_decoder()
    fed = [stream.feed(byte) for byte in "é\ufffd漢".encode() + b"\xe6\xbcx\xff"]
    assert fed == ["", "é", "", "", "\ufffd", "", "", "漢", "", "", "\ufffdx", "\ufffd"]
    assert stream.feed(0xF0) + stream.finish() == "\ufffd"
    assert stream.finish() == ""


def test_decoders_share_nothing(bytes_only):
    data = "aé漢😀\ufffd".encode() * 3
    rng = random.Random(3)
    streams = [(bytes_only.stream_decoder(), []) for _ in range(5)]
    for byte in data:
        for stream, out in rng.sample(streams, 5):
            out.append(stream.feed([byte]))
    assert {"".join(out) for _, out in streams} == {data.decode()}


def test_errors_and_special_tokens(bytes_only):
    stream = bytes_only.stream_decoder(skip_special_tokens=False, errors="ignore")
    assert stream.feed([97, 0xFF, 300]) == "a<|end|>"
    assert bytes_only.stream_decoder().feed([97, 300]) == "a"
    with pytest.raises(bpeek.UnknownTokenError):
        stream.feed(9999)


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


@pytest.fixture(scope="module")
def byte_fallback():
    """Llama 2's decoder: each byte of a character without a token is a token."""
    decoders = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]
    model = {"type": "BPE", "vocab": {token: at for at, token in enumerate([*BYTES, "▁", "a"])}, "merges": []}
    config = {"model": {**model, "byte_fallback": True}, "decoder": {"type": "Sequence", "decoders": decoders}}
    return bpeek.load(json.dumps(config).encode(), name="tokenizer.json")


def test_characters_come_when_they_are_complete(byte_fallback):
    """And not with the next token that is no byte."""
    stream = byte_fallback.stream_decoder()
    ids = byte_fallback.encode_ordinary("▁삥뽕빵\na")
    assert [stream.feed(token) for token in ids] == ["", "", "", "삥", "", "", "뽕", "", "", "빵", "\n", "a"]
    assert stream.finish() == ""
    assert [stream.feed(token) for token in ids[:3]] + [stream.finish()] == ["", "", "", "\ufffd\ufffd"]


def test_a_broken_run_of_bytes(byte_fallback):
    """What was complete stays; decoding at once makes U+FFFD of all bytes of the run."""
    ids = [0x0A, 0xC3, 0xC3, 0x41, 257, 0x42]
    assert byte_fallback.decode(ids) == "\ufffd" * 4 + "aB"
    stream = byte_fallback.stream_decoder()
    assert [stream.feed(token) for token in ids] == ["\n", "", "\ufffd\ufffd", "\ufffd", "a", "B"]


@pytest.mark.parametrize("steps", [["ByteFallback"], ["ByteFallback", "Fuse"], ["ByteFallback", "WordPiece"], ["Fuse"]])
def test_every_run_of_bytes_that_is_right(steps):
    """Bit by bit as at once, whatever is done before and after."""
    kinds = {"WordPiece": {"prefix": "##", "cleanup": True}}
    step = {"type": "Sequence", "decoders": [{"type": name, **kinds.get(name, {})} for name in steps]}
    rng, decode = random.Random(1), decoders.build(step, "oniguruma")
    for _ in range(300):
        text = "".join(rng.choices(["a", "é", "삥", "😀", "\n", " ."], k=rng.randrange(8)))
        tokens = [
            token
            for char in text
            for token in ([char] if rng.random() < 0.4 else map(BYTES.__getitem__, char.encode()))
        ]
        decoding = Decoding(step, "oniguruma")
        assert "".join(decoding([token]) for token in tokens) + decoding([], last=True) == decode(tokens)
