"""Several processes give what one gives: results, order and errors; and none is left behind."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.texts import SNIPPETS, mixture

import bpeek
import vocabs
from bpeek.pool import _chunks

ROOT = Path(bpeek.__file__).parents[2]
TEXTS = [*SNIPPETS, "", *(mixture(300, seed) for seed in range(60)), "a\ud800<|endoftext|></s>", mixture(30_000, 5)]
PADDING = {
    "strategy": "BatchLongest",
    "direction": "Left",
    "pad_to_multiple_of": 8,
    "pad_id": 7,
    "pad_type_id": 3,
    "pad_token": "<pad>",
}
TRUNCATION = {"max_length": 40, "strategy": "LongestFirst", "stride": 3, "direction": "Right"}


def everything(encoding):
    """All columns of an encoding, those of what overflowed too."""
    columns = "ids tokens type_ids attention_mask special_tokens_mask sequence_ids word_ids offsets offsets_utf16"
    own = [getattr(encoding, name) for name in columns.split()]
    return [*own, encoding.offsets_bytes, encoding.texts, encoding.special_ids, *map(everything, encoding.overflowing)]


def same(found, expected):
    assert list(map(everything, found)) == list(map(everything, expected))


@pytest.mark.parametrize(
    ("name", "method"), [("cl100k_base", "spawn"), ("llama2", "forkserver"), ("mistral_v3", "forkserver")]
)
def test_the_same_as_one_process(load_vocabulary, monkeypatch, name, method):
    tok = load_vocabulary(name)
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none=False: method)
    pairs = [("a b", "c"), "x", ("", "👩‍💻")]
    with tok.pool(2) as pool:
        same(pool.encode_batch(TEXTS), tok.encode_batch(TEXTS))
        same(pool.encode_batch(pairs, add_special_tokens=False), tok.encode_batch(pairs, add_special_tokens=False))
        assert pool.encode_ordinary_batch(TEXTS) == tok.encode_ordinary_batch(TEXTS)
        assert pool.count_batch(iter(TEXTS)) == tok.count_batch(TEXTS) == [len(tok.encode(text)) for text in TEXTS]
        assert pool.encode_batch([]) == pool.encode_ordinary_batch([]) == []
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("post_processor", [True, False])
def test_padding_together_and_truncation(load_vocabulary, post_processor):
    spec = replace(load_vocabulary("llama2").spec, padding=PADDING, truncation=TRUNCATION)
    tok = bpeek.Tokenizer(spec if post_processor else replace(spec, post_processor=None))
    texts = [*TEXTS[-20:-1], ("x", "y z")]
    found = tok.encode_batch(texts, processes=2)
    same(found, tok.encode_batch(texts))
    assert {len(encoding) for encoding in found} == {40}
    for one, other in zip(found, tok.encode_batch(texts), strict=True):
        for at in range(41):
            assert one.token_to_sequence(at) == other.token_to_sequence(at)
    words = [*(text.split() for text in TEXTS[-20:-1]), [["x"], ["y", "z"]]]
    found = tok.encode_batch(words, is_split_into_words=True, processes=2)
    same(found, tok.encode_batch(words, is_split_into_words=True))


def test_chunks_are_in_order_and_not_too_large():
    batch = [(text,) for text in TEXTS]
    chunks = list(_chunks(batch, 8))
    assert [texts for chunk in chunks for texts in chunk] == batch
    assert 2 < len(chunks) <= 8
    assert len(list(_chunks([("a" * 3_000_000,)] * 4, 2))) == 4
    assert len(list(_chunks([("",)] * 100, 10))) == 10


def test_nothing_is_left_of_one_call(load_vocabulary, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tok = load_vocabulary("r50k_base")
    with tok.pool(1) as pool:
        assert list(tmp_path.glob("bpeek-*"))
        with pytest.raises(ZeroDivisionError):
            with pool:
                raise ZeroDivisionError
    same(tok.encode_batch(TEXTS, processes=1), tok.encode_batch(TEXTS))  # the others: docs/howto/scale.md
    assert not list(tmp_path.glob("bpeek-*"))


def test_errors_come_back_as_themselves(load_vocabulary):
    spec = load_vocabulary("llama2").spec
    tok = bpeek.Tokenizer(replace(spec, truncation=TRUNCATION | {"strategy": "OnlySecond", "max_length": 4}))
    with tok.pool(1) as pool:
        texts = ["x", "one two three four five six seven"]
        with pytest.raises(bpeek.BpeekError, match="OnlySecond") as expected:
            tok.encode_batch(texts)
        with pytest.raises(type(expected.value)) as found:
            pool.encode_batch(texts)
        assert str(found.value) == str(expected.value)
        with pytest.raises(TypeError, match="a text must be a str, not int"):
            pool.encode_ordinary_batch(["a", 5])
        assert pool.count_batch(["a"]) == tok.count_batch(["a"])  # and is of use afterwards
    for method in (pool.count_batch, pool.encode_batch, pool.encode_ordinary_batch):
        with pytest.raises(bpeek.BpeekError, match="the pool is closed"):
            method(["a"])


def test_a_process_that_dies_is_an_error(load_vocabulary):
    with load_vocabulary("r50k_base").pool(2) as pool:
        assert pool.count_batch(["a b"]) == [2]
        (first, *_) = multiprocessing.active_children()
        os.kill(first.pid, signal.SIGKILL)
        with pytest.raises(bpeek.BpeekError, match="a process of the pool has died"):
            for _ in range(100):
                pool.count_batch(["a b"] * 100)
    assert not multiprocessing.active_children()


SCRIPT = """
import bpeek, multiprocessing, os, sys
tok = bpeek.load(sys.argv[1])
def main():
    with tok.pool(2) as pool:
        pool.count_batch(["a"] * 8)
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        pool.count_batch(["word " * 40_000] * 2_000)
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(tmp_path, number):
    """Ctrl-C goes to the whole group; what kills only the parent is noticed by the others."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    command = [sys.executable, str(path), str(vocabs.fetch("r50k_base"))]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(tmp_path)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(command, env=environment, start_new_session=True, **pipes) as script:
        children = list(map(int, script.stdout.readline().split()))
        assert len(children) == 2
        os.killpg(script.pid, number) if number == signal.SIGINT else script.send_signal(number)
        errors = script.stderr.read()
    assert script.returncode
    assert errors.count("Traceback") == (number == signal.SIGINT), errors
    for _ in range(600):
        if not any(map(_runs, children)):
            break
        time.sleep(0.05)
    assert not any(map(_runs, children))
    assert not list(tmp_path.glob("bpeek-*"))


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("method", [None, "spawn"])
def test_a_script_without_guard_is_told(tmp_path, method):
    """It ran once more in each process."""
    path = tmp_path / "script.py"
    lines = (
        "import bpeek, multiprocessing, sys",
        f"multiprocessing.set_start_method({method!r}, force=True)",
        "bpeek.load(sys.argv[1]).count_batch(['a'], processes=1)",
        "print('done')",
    )
    path.write_text("\n".join(lines))
    command = [sys.executable, str(path), str(vocabs.fetch("r50k_base"))]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    result = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    assert result.returncode and not result.stdout
    assert "BpeekError: a process of the pool has died" in result.stderr
    assert "BpeekError: This script starts processes, and each of them imports it" in result.stderr


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", 2**70])
def test_numbers_of_processes(load_vocabulary, wrong):
    with pytest.raises(bpeek.BpeekError, match="A number of processes is a whole number from 1"):
        load_vocabulary("r50k_base").encode_batch(["a"], processes=wrong)


def test_not_in_a_page(load_vocabulary, monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(bpeek.UnsupportedError, match="a page has no processes") as caught:
        load_vocabulary("r50k_base").encode_batch(["a"], processes=2)
    assert caught.value.feature == "processes"


# Pickles


@pytest.mark.parametrize("name", ["cl100k_base", "llama2", "mistral_v3", "tekken_240911"])
def test_tokenizers_are_pickled(load_vocabulary, name):
    """Their data, and nothing of their caches."""
    tok, text = load_vocabulary(name), "".join(SNIPPETS)
    expected = everything(tok.encode(text))
    packed = pickle.dumps(tok)
    assert len(packed) < len(pickle.dumps(tok.spec)) + 100
    assert len(packed) < vocabs.fetch(name).stat().st_size * 1.5
    other = pickle.loads(packed)
    assert everything(other.encode(text)) == expected
    assert other.spec == tok.spec
    assert copy.copy(tok) is copy.deepcopy(tok) is tok


def test_vocab_and_merges_are_pickled():
    tok = bpeek.load([vocabs.fetch("gpt2_vocab"), vocabs.fetch("gpt2_merges")])
    assert pickle.loads(pickle.dumps(tok)).encode("hello world").ids == tok.encode("hello world").ids == [31373, 995]


@pytest.mark.parametrize(
    "error",
    [
        bpeek.BpeekError("said"),
        bpeek.FormatError("said", file="f", line=3, byte=4, field="x"),
        bpeek.PatternError("said", "(", 0),
        bpeek.SpecialTokenError("said", "<|x|>", 5),
        bpeek.UnknownTokenError("said", b"x"),
        bpeek.UnsupportedError("said", feature="f", where="w"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_pickled_with_their_facts(error):
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error) and str(other) == str(error)
        assert vars(other) == vars(error) and other.args == error.args


def test_encodings_are_packed(load_vocabulary):
    text = mixture(20_000, 3)
    encoding = load_vocabulary("llama2").encode(text)
    expected = everything(encoding)
    packed = pickle.dumps(encoding)
    assert everything(pickle.loads(packed)) == expected
    assert len(packed) < len(text.encode()) + 40 * len(encoding)
