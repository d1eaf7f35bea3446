"""``bpeek.compat.tiktoken`` beside tiktoken itself: the same names, signatures, results and classes of errors."""

import copy
import hashlib
import importlib
import inspect
import pickle
import pkgutil
import random
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tests.parity.test_tiktoken import RANKS, ranks, reference
from tests.texts import SNIPPETS, soup

import bpeek
import vocabs
from bpeek import compat
from bpeek.compat import tiktoken as ours
from bpeek.compat.tiktoken import openai_public
from bpeek.formats.presets import presets

pytestmark = pytest.mark.usefixtures("kernel")

NAMES = ["gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"]
TOY_RANKS = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abc": 257, b" a": 258, "é".encode(): 259}
TOY = {
    "pat_str": r"\w+|\s+(?!\S)|\W",
    "mergeable_ranks": TOY_RANKS,
    "special_tokens": {"<|endoftext|>": 260, "<|x|>": 262},
}
BOTH = (ours, tiktoken)


@pytest.fixture(autouse=True)
def files(monkeypatch):
    """The vocabularies, and nothing from the test before."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")  # tiktoken then keeps no copies, and bpeek sees no directory
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    ours.load.read_from(vocabs.CACHE)
    yield
    ours.load.read_from(None)


def outcome(call):
    try:
        return call()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return error


def agree(call, here, there):
    """The same value, or an error of the same class (where tiktoken's Rust panics, any error of Python's)."""
    expected = outcome(lambda: call(there))
    found = outcome(lambda: call(here))
    if isinstance(expected, BaseException):
        assert isinstance(found, type(expected) if isinstance(expected, Exception) else Exception), (found, expected)
    else:
        assert type(found) is type(expected) and found == expected
    return found


def pair(name):
    return ours.get_encoding(name), reference(name)


def toys():
    return [module.Encoding("toy", **TOY) for module in BOTH]


# Names


def public(namespace):
    """Public names that are not just imported into a module."""
    home = namespace.__name__
    return {
        name: value
        for name, value in vars(namespace).items()
        if not name.startswith("_")
        and not isinstance(value, types.ModuleType)
        and not (hasattr(value, "__module__") and not value.__module__.startswith(home.partition(".core")[0]))
    }


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in found]


@pytest.mark.parametrize("part", ["", ".core", ".load", ".model", ".registry"])
def test_every_public_name_has_the_same_signature(part):
    theirs = importlib.import_module("tiktoken" + part)
    mine = importlib.import_module("bpeek.compat.tiktoken" + part)
    for name, value in public(theirs).items():
        assert hasattr(mine, name), name
        if inspect.isfunction(value):
            assert parameters(getattr(mine, name))[: len(parameters(value))] == parameters(value), name


def test_encoding_has_every_member():
    for name, value in vars(tiktoken.Encoding).items():
        if name.startswith("_") and name not in ("__init__", "__repr__", "_encode_bytes", "_encode_single_piece"):
            continue
        mine = inspect.getattr_static(ours.Encoding, name)
        assert type(mine) is type(value), name
        if inspect.isfunction(value):
            assert parameters(mine) == parameters(value), name
    toy, theirs = toys()
    assert set(vars(theirs)) - {"_core_bpe"} <= set(vars(toy))


def test_models_and_encodings_are_the_same():
    assert ours.__version__ == tiktoken.__version__
    assert ours.list_encoding_names() == tiktoken.list_encoding_names() == NAMES
    theirs = importlib.import_module("tiktoken.model")
    for table in ("MODEL_TO_ENCODING", "MODEL_PREFIX_TO_ENCODING"):
        assert getattr(ours.model, table) == getattr(theirs, table)
    models = [*theirs.MODEL_TO_ENCODING, *(f"{prefix}x" for prefix in theirs.MODEL_PREFIX_TO_ENCODING)]
    for model in [*models, "gpt-4o-mini", "gpt-oss-120b", "ft:gpt-4o:x", "gpt-9", "", "GPT-4"]:
        agree(lambda module, model=model: module.encoding_name_for_model(model), *BOTH)
    assert ours.encoding_for_model("gpt-4") is ours.get_encoding("cl100k_base")
    with pytest.raises(KeyError, match="Could not automatically map gpt-9 to a tokeniser"):
        ours.encoding_for_model("gpt-9")


@pytest.mark.parametrize("wrong", ["nope", "", 5, None])
def test_unknown_encodings(wrong):
    found = agree(lambda module: module.get_encoding(wrong), *BOTH)
    start = "Unknown encoding" if isinstance(wrong, str) else "Expected a string in get_encoding"
    assert str(found).startswith(start)


@pytest.mark.parametrize("name", NAMES)
def test_what_an_encoding_is(name):
    enc, ref = pair(name)
    for attribute in ("name", "n_vocab", "max_token_value", "eot_token", "special_tokens_set", "_special_tokens"):
        agree(lambda each, attribute=attribute: getattr(each, attribute), enc, ref)
    assert (enc._pat_str, enc._mergeable_ranks) == (ref._pat_str, ref._mergeable_ranks)
    assert repr(enc) == repr(ref)
    assert enc.token_byte_values() == ref.token_byte_values()
    for token in (*ref._special_tokens.values(), 0, 255, 50256, 10**9):
        assert enc.is_special_token(token) == ref.is_special_token(token)
    assert ours.get_encoding(name) is enc


# Encoding

SPECIALS = ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start|>", "<|x|>", "<|endoftext"]
texts = st.lists(st.sampled_from([*SNIPPETS, *SPECIALS]), max_size=8).map("".join) | soup
surrogates = st.text(st.characters() | st.sampled_from("\ud83d\ude00\ud800\udc00a"), max_size=8)
policies = st.fixed_dictionaries(
    {},
    optional={
        "allowed_special": st.sampled_from(["all", set(), {"<|endoftext|>"}, frozenset(SPECIALS), {"nope"}]),
        "disallowed_special": st.sampled_from(["all", (), set(), ["<|endoftext|>"], {"don't"}, ("<|x|>", "hello")]),
    },
)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_harmony"])
@given(text=texts | surrogates, policy=policies)
def test_encode(name, text, policy):
    enc, ref = pair(name)
    ids = agree(lambda each: each.encode_ordinary(text), enc, ref)
    agree(lambda each: each.decode(ids), enc, ref)
    agree(lambda each: each.encode_ordinary_batch([text, "x"], num_threads=1), enc, ref)
    agree(lambda each: each.encode_batch(["x", text], num_threads=1, **policy), enc, ref)
    found = agree(lambda each: each.encode(text, **policy), enc, ref)
    if isinstance(found, bpeek.SpecialTokenError):
        assert text.startswith(found.token, found.pos)


@given(text=texts, policy=policies)
def test_numpy(text, policy):
    enc, ref = pair("cl100k_base")
    expected = outcome(lambda: ref.encode_to_numpy(text, **policy))
    found = outcome(lambda: enc.encode_to_numpy(text, **policy))
    if isinstance(expected, ValueError):
        assert isinstance(found, ValueError)
        return
    assert found.dtype == expected.dtype == np.uint32 and found.tolist() == expected.tolist()
    assert found.flags.writeable == expected.flags.writeable
    assert enc.decode(found) == ref.decode(expected) and enc.decode_bytes(found) == ref.decode_bytes(expected)


def test_the_words_of_the_policys_error_are_tiktokens():
    for name in NAMES:
        enc, ref = pair(name)
        errors = [outcome(lambda each=each: each.encode("a<|endoftext|>")) for each in (enc, ref)]
        assert str(errors[0]) == str(errors[1])


@given(text=st.text("ab cé\n\t!x", max_size=10) | texts, policy=policies)
def test_unstable_toy(text, policy):
    check_unstable(*toys(), text, policy)


def check_unstable(enc, ref, text, policy):
    expected = outcome(lambda: ref.encode_with_unstable(text, **policy))
    found = outcome(lambda: enc.encode_with_unstable(text, **policy))
    if isinstance(expected, Exception):
        assert isinstance(found, type(expected))
        return
    assert found[0] == expected[0]
    assert len(found[1]) == len(expected[1])
    assert set(map(tuple, found[1])) == set(map(tuple, expected[1]))


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base"])
def test_unstable(name):
    for text in ("hello fanta", "", "a\n\n", "x \n \t", "don", "12", "👩", "é", "<|endoftext|>", "a<|endoftext|>b"):
        check_unstable(*pair(name), text, {"allowed_special": "all"})


@given(data=st.binary(max_size=12) | texts.map(str.encode))
def test_any_bytes(data):
    for enc, ref in (pair("cl100k_base"), toys()):
        agree(lambda each: each._encode_bytes(data), enc, ref)
        if data:
            agree(lambda each: each._encode_single_piece(data), enc, ref)


@given(data=st.data())
def test_single_tokens(data):
    enc, ref = pair("cl100k_base")
    token = data.draw(
        st.sampled_from(sorted(ranks("cl100k_base"))) | st.binary() | st.text() | st.sampled_from(SPECIALS)
    )
    agree(lambda each: each.encode_single_token(token), enc, ref)


# Decoding

ids = st.sampled_from([*range(400), 5000, 50255, 100256, 100257, 100276, 100277, 2**31, 2**32 - 1])
WRONG_IDS = [5, None, "12", b"12", 1.0, [1.0], ["1"], [None], [-1], [2**32], [2**70], [[1]], {1: 2}, iter([1])]


@given(tokens=st.lists(ids, max_size=8), errors=st.sampled_from(["strict", "replace", "ignore", "backslashreplace"]))
def test_decode(tokens, errors):
    enc, ref = pair("cl100k_base")
    for call in (
        lambda each: each.decode(tokens, errors=errors),
        lambda each: each.decode_bytes(tokens),
        lambda each: each.decode_tokens_bytes(tokens),
        lambda each: each.decode_with_offsets(tokens),
        lambda each: each.decode_batch([tokens, [1]], errors=errors, num_threads=2),
        lambda each: each.decode_bytes_batch([tokens, tokens], num_threads=1),
        lambda each: each.decode_bytes(tuple(tokens)),
        lambda each: each.decode_bytes(np.array(tokens, dtype=np.int64)),
    ):
        agree(call, enc, ref)
    for token in tokens:
        agree(lambda each, token=token: each.decode_single_token_bytes(token), enc, ref)
        agree(lambda each, token=token: each.decode_single_token_bytes(np.uint32(token)), enc, ref)


@pytest.mark.parametrize("wrong", WRONG_IDS[:-2], ids=repr)
def test_what_are_no_ids(wrong):
    """But mappings and iterators, which bpeek takes as what they yield."""
    enc, ref = pair("cl100k_base")
    for name in ("decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
        agree(lambda each, name=name: getattr(each, name)(wrong), enc, ref)
    for token in wrong if isinstance(wrong, (list, str)) else [wrong]:
        if not isinstance(token, int):
            agree(lambda each, token=token: each.decode_single_token_bytes(token), enc, ref)


def test_what_is_no_text():
    enc, ref = pair("cl100k_base")
    for wrong in (None, 5, b"bytes", ["a"]):
        for name in ("encode", "encode_ordinary", "encode_to_numpy", "encode_with_unstable"):
            agree(lambda each, name=name, wrong=wrong: getattr(each, name)(wrong), enc, ref)
    for wrong in (None, 5, ["a"]):
        agree(lambda each, wrong=wrong: each.encode_single_token(wrong), enc, ref)
    for allowed in (["<|endoftext|>"], 5, None):
        agree(lambda each, allowed=allowed: each.encode("x", allowed_special=allowed), enc, ref)
        agree(lambda each, allowed=allowed: each.encode("x", disallowed_special=[5]), enc, ref)


def test_what_only_bpeek_takes():
    """The differences that docs/compat.md lists."""
    enc, ref = pair("cl100k_base")
    text = "a\ud83d\ude00\ud800"
    assert enc.encode_to_numpy(text).tolist() == enc.encode(text) == ref.encode(text)
    tokens, completions = enc.encode_with_unstable(text)
    assert all(enc.decode_bytes(tokens + ids).startswith(enc.decode_bytes(enc.encode(text))) for ids in completions)
    for name in ("encode_to_numpy", "encode_with_unstable"):
        with pytest.raises(UnicodeEncodeError):
            getattr(ref, name)(text)
    assert enc.decode(iter([31373, 995])) == enc.decode({31373: 0, 995: 1}) == enc.decode([31373, 995])
    assert enc.encode("<|endoftext|>", allowed_special=["<|endoftext|>"], disallowed_special=()) == [100257]
    with pytest.raises(TypeError, match="an id must be an int, not str"):
        enc.is_special_token("1")
    longer = {"special_tokens": {"<|a|>": 300, "<|a|><|b|>": 301}}
    assert ours.Encoding("toy", **TOY | longer).encode("<|a|><|b|>", allowed_special="all") == [301]
    with pytest.raises(bpeek.PatternError):
        ours.Encoding("toy", **TOY | {"pat_str": "(?=(a+)+b)a"})


# Making, copying and finding encodings


@pytest.mark.parametrize(
    "change",
    [
        {"explicit_n_vocab": 262},
        {"explicit_n_vocab": 263},
        {"mergeable_ranks": {}},
        {"mergeable_ranks": TOY_RANKS | {b"zz": 256}},
        {"pat_str": "("},
        {"special_tokens": {}},
        {"special_tokens": {"<|a|>": 5}},
        {"mergeable_ranks": {b"a": 0, b"b": 1}},
    ],
    ids=repr,
)
def test_constructor(change):
    made = [outcome(lambda module=module: module.Encoding("toy", **TOY | change)) for module in BOTH]
    if isinstance(made[1], BaseException):
        # tiktoken asserts, or panics; here it is a sentence.
        wanted = type(made[1]) if isinstance(made[1], ValueError) else ValueError
        assert isinstance(made[0], wanted) and str(made[0])
        return
    for text in ("ab abc é", "a", "xyz", "abz" * 60, ""):
        agree(lambda each, text=text: each.encode_ordinary(text), *made)
        agree(lambda each, text=text: each._encode_bytes(text.encode() + b"\xff"), *made)
    for token in (0, 5, 256, 260):
        agree(lambda each, token=token: each.decode_bytes([token]), *made)
    agree(lambda each: each.eot_token, *made)
    agree(lambda each: each.n_vocab, *made)


def test_pickles_by_name():
    enc = ours.get_encoding("gpt2")
    packed = pickle.dumps(enc)
    assert len(packed) < 200
    for other in (pickle.loads(packed), copy.copy(enc), copy.deepcopy(enc)):
        assert other.encode("hello world") == enc.encode("hello world") == [31373, 995]
    toy, _ = toys()
    other = pickle.loads(pickle.dumps(toy))
    assert other.encode("abé<|x|>", allowed_special="all") == toy.encode("abé<|x|>", allowed_special="all")
    assert len(pickle.dumps(toy)) < 5000


def test_extending_an_encoding():
    """As tiktoken's README shows it."""
    base = ours.get_encoding("cl100k_base")
    extended = {
        "pat_str": base._pat_str,
        "mergeable_ranks": base._mergeable_ranks,
        "special_tokens": {**base._special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265},
    }
    enc, ref = (module.Encoding("cl100k_im", **extended) for module in BOTH)
    text = "<|im_start|>user\nhi<|im_end|>"
    agree(lambda each: each.encode(text, allowed_special="all"), enc, ref)
    agree(lambda each: each.encode(text, allowed_special={"<|im_start|>"}), enc, ref)


@pytest.fixture
def fresh(monkeypatch):
    """No encoding made yet."""
    monkeypatch.setattr(ours.registry, "ENCODINGS", {})
    monkeypatch.setattr(ours.registry, "ENCODING_CONSTRUCTORS", None)
    ours.load.read_from(None)


def test_without_files_the_error_says_what_to_do(fresh, tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"bpeek downloads nothing.*TIKTOKEN_CACHE_DIR.*read_from"):
        ours.get_encoding("cl100k_base")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"holds neither that nor 9b5ad71b2ce5302211f9c61530b329a4922fc6a4"):
        ours.get_encoding("cl100k_base")
    ours.load.read_from(lambda url: None)
    with pytest.raises(FileNotFoundError, match="the function given to read_from has none"):
        ours.get_encoding("gpt2")
    ours.load.read_from(lambda url: b"IQ== 0")
    with pytest.raises(ValueError, match="Hash mismatch"):
        ours.get_encoding("cl100k_base")
    with pytest.raises(TypeError, match="a directory or a function, not int"):
        ours.load.read_from(5)


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_files_under_the_names_of_tiktokens_cache(fresh, tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, str(tmp_path))
    url = "https://openaipublic.blob.core.windows.net/encodings/r50k_base.tiktoken"
    (tmp_path / hashlib.sha1(url.encode()).hexdigest()).symlink_to(vocabs.fetch("r50k_base"))
    assert ours.get_encoding("r50k_base").encode("hello world") == [31373, 995]


def test_a_function_brings_files(fresh):
    asked = []

    def bring(url):
        asked.append(url)
        return vocabs.fetch(RANKS.get(name, name)).read_bytes()

    ours.load.read_from(bring)
    for name in ("p50k_edit", "o200k_harmony"):
        assert ours.get_encoding(name).encode("hello world") == reference(name).encode("hello world")
    assert [url.rpartition("/")[2] for url in asked] == ["p50k_base.tiktoken", "o200k_base.tiktoken"]


def test_gpt2_from_its_own_files(fresh, tmp_path):
    (tmp_path / "vocab.bpe").symlink_to(vocabs.fetch("gpt2_merges"))
    (tmp_path / "encoder.json").symlink_to(vocabs.fetch("gpt2_vocab"))
    ours.load.read_from(tmp_path)
    assert ours.get_encoding("gpt2")._mergeable_ranks == ranks("r50k_base")


def test_local_files(tmp_path):
    path = tmp_path / "toy.tiktoken"
    ours.load.dump_tiktoken_bpe(TOY_RANKS, str(path))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for module in BOTH:
        assert module.load.load_tiktoken_bpe(str(path), digest) == TOY_RANKS
    for damaged in (b"Yg==1", b"  ", b"\tYg==  1 2 ", b"Yg== 1\x0b2\x0c3", b"Yg==\x1c1"):
        path.write_bytes(b"YQ== 0\r\n\n%b\n" % damaged)
        found = agree(lambda module: module.load.load_tiktoken_bpe(str(path)), *BOTH)
        assert str(found) == f"Error parsing line {damaged!r} in {path}"
    with pytest.raises(FileNotFoundError):
        ours.load.load_tiktoken_bpe(str(tmp_path / "nothing"))


def test_plug_ins(fresh, tmp_path, monkeypatch):
    import tiktoken_ext

    (tmp_path / "toys.py").write_text(f"ENCODING_CONSTRUCTORS = {{'toy': lambda: {TOY | {'name': 'toy'}!r}}}")
    monkeypatch.setattr(tiktoken_ext, "__path__", [*tiktoken_ext.__path__, str(tmp_path)])
    assert ours.list_encoding_names() == [*NAMES, "toy"]
    assert ours.get_encoding("toy").encode("ab") == [256]
    for text, message in (
        ("", "does not define"),
        ("ENCODING_CONSTRUCTORS = {'toy': None}", "Duplicate encoding name toy"),
    ):
        monkeypatch.setattr(ours.registry, "ENCODING_CONSTRUCTORS", None)
        monkeypatch.delitem(sys.modules, "tiktoken_ext.broken", raising=False)
        (tmp_path / "broken.py").write_text(text)
        importlib.invalidate_caches()
        with pytest.raises(ValueError, match=message):
            ours.list_encoding_names()


def test_installed_under_the_name_tiktoken():
    """In a process of its own, where nothing has imported the real one."""
    source = f"""
from bpeek import compat
compat.install_tiktoken()
import tiktoken, tiktoken.load
from tiktoken.core import Encoding
assert tiktoken.load.read_from.__module__ == "bpeek.compat.tiktoken.load"
tiktoken.load.read_from({str(vocabs.CACHE)!r})
assert isinstance(tiktoken.encoding_for_model("gpt-4"), Encoding)
print(tiktoken.get_encoding("cl100k_base").encode("hello world"))
"""
    result = subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(Path(bpeek.__file__).parents[1])},
    )
    assert result.stdout == "[15339, 1917]\n", result.stderr
    with pytest.raises(bpeek.BpeekError, match="imported already"):
        compat.install_tiktoken()


def test_the_module_names_all_that_the_engine_has():
    assert set(openai_public.ENCODING_CONSTRUCTORS) == {
        preset.name for preset in presets() if not preset.name.startswith("whisper")
    }
    found = {module.name for module in pkgutil.iter_modules(ours.__path__)}
    assert found == {"core", "load", "model", "openai_public", "registry"}


def test_soup_of_tokens():
    generator = random.Random(5)
    enc, ref = pair("o200k_base")
    tokens = [*ranks("o200k_base"), *(special.encode() for special in ref.special_tokens_set)]
    for _ in range(300):
        text = b"".join(generator.choices(tokens, k=20)).decode("utf-8", "ignore")
        assert enc.encode(text, allowed_special="all") == ref.encode(text, allowed_special="all")
