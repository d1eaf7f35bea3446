"""Whatever a public function is given: it takes it, or an error of ours says what it wants."""

import inspect
import io
import linecache
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.unit.tiny import FILE, PATTERN, SPECIAL
from tests.wrong import FILES

import bpeek
from bpeek.conversion import convert

SOURCE = str(Path(bpeek.__file__).parent)
TINY = {"tokenizer.model": FILES["tokenizer.model"], "tokenizer.json": FILES["tokenizer.json"]}


class Writer:
    """As much of a file as ``print`` needs."""

    def __init__(self):
        self.parts = []
        self.write = self.parts.append


class Odd:
    """Answers nothing."""


HOSTILE = [
    *(None, True, 0, 5, -1, 2**31, 2**70, 1.5, float("nan"), 1j, "", "x", "all", "\ud800", b"x", bytearray(b"x")),
    *([], [1], [1.0], [-1], [2**32], [2**70], ["x"], [None], [b"x"], ["\ud800"], [[1]], [("a", "b", "c")], [("a", 5)]),
    *({}, {1: 2}, {"x": "y"}, {"x": 1.5}, {"x": -1}, {"": 5}, {5: 5}, (), ("a",), (1, 2, 3), {1}, {"x"}, {5}),
    *(
        Odd(),
        Odd,
        len,
        range(3),
        io.StringIO("x"),
        io.BytesIO(b"x"),
        np.int64(1),
        np.float64(1),
        np.array([1]),
        Ellipsis,
    ),
]
# Arguments that do. What is not named here is left out.
METHODS = {
    "chunks": {"text": "a b", "n": 2, "overlap": 1},
    "compare": {"text": "a b"},
    "count": {"text": "a b"},
    "count_batch": {"texts": ["a", "b"]},
    "decode": {"ids": [1, 2]},
    "decode_bytes": {"ids": [1, 2]},
    "decode_with_offsets": {"ids": [1, 2]},
    "document": {"text": "a b"},
    "encode": {"text": "a b", "pair": "c"},
    "encode_batch": {"texts": ["a", ("b", "c")]},
    "encode_file": {"path": str(Path(__file__).parents[2] / ".gitignore")},
    "encode_ordinary": {"text": "a b"},
    "encode_ordinary_batch": {"texts": ["a", "b"]},
    "encode_to_array": {"text": "a b"},
    "explain": {"text": "a b"},
    "fits": {"text": "a b", "n": 1},
    "from_pieces": {"pieces": ["<unk>", "a"], "scores": [0, -1], "types": [2, 1]},
    "get_vocab": {},
    "id_to_token": {"token_id": 1},
    "inspect": {},
    "kernel": None,
    "pool": {},
    "special_tokens": None,
    "stream_decoder": {},
    "stream_encoder": {},
    "token_bytes": {"token_id": 1},
    "token_to_id": {"token": "a"},
    "truncate": {"text": "a b", "n": 1, "side": "left"},
    "vocab_size": None,
}
# True or false may be anything; processes are not started here; what is passed on has its own tests.
ANY = {"add_special_tokens", "skip_special_tokens", "processes", "options", "others"}
PATHS = {"path", "source"}  # Python's own errors tell of a path that cannot be one


@pytest.fixture(scope="module", params=[*TINY, "tiktoken"])
def tok(request):
    if request.param == "tiktoken":
        return bpeek.load(FILE, pattern=PATTERN, special_tokens=SPECIAL)
    return bpeek.load(TINY[request.param])


def fault(call):
    """What is wrong with how a call ends, or ``None``."""
    try:
        result = call()
        if inspect.isgenerator(result):
            list(result)
    except bpeek.BpeekError as error:
        return None if str(error) else error
    except TypeError as error:
        # One of ours, not one that came up somewhere inside.
        frame = inspect.getinnerframes(error.__traceback__)[-1]
        line = linecache.getline(frame.filename, frame.lineno)
        return None if frame.filename.startswith(SOURCE) and "raise " in line else error
    except OSError:
        return None  # of a path, as `open` has it
    except Exception as error:
        return error
    return None


def faults(call, valid, names):
    """Every argument replaced by every hostile one."""
    for name in names:
        for value in HOSTILE:
            if name == "progress" and callable(value):
                continue  # what a function of the caller's raises is its own
            wrong = fault(partial(call, **{**valid, name: value}))
            if wrong is not None and not (name in PATHS and isinstance(wrong, ValueError)):
                yield f"{name}={value!r}: {type(wrong).__name__}: {wrong}"


def positional(function, valid):
    """The same function, called with keywords alone, though it may take some arguments only by position."""

    def call(**arguments):
        return function(*[arguments.pop(name) for name in valid if name in arguments], **arguments)

    return call


def test_every_method_is_tried():
    assert set(METHODS) == {name for name in vars(bpeek.Tokenizer) if not name.startswith("_")}


@pytest.mark.parametrize("name", [name for name, valid in METHODS.items() if valid is not None and name != "pool"])
def test_methods(tok, name):
    function, valid = getattr(tok, name), METHODS[name]
    known = inspect.signature(function).parameters
    names = [each for each in known if each not in ANY]
    assert not [*faults(positional(function, valid), valid, names)]


def test_documents_and_streams(tok):
    document, encoder, decoder = tok.document("a b"), tok.stream_encoder(), tok.stream_decoder()
    for function, valid in (
        (document.replace, {"start": 0, "end": 1, "new": "b"}),
        (document.count, {"start": 0, "end": 1}),
        (document.end_within, {"start": 0, "room": 1}),
        (document.start_within, {"end": 1, "room": 1}),
        (document.from_utf16, {"position": 1}),
        (encoder.feed, {"text": "a"}),
        (decoder.feed, {"ids": [1]}),
        (lambda part: tok.encode([bpeek.Trusted("a"), part]), {"part": "b"}),
        (lambda other: tok.compare("a", other), {"other": tok}),
        (lambda text, tokenizers: bpeek.compare(text, tokenizers), {"text": "a", "tokenizers": {"one": tok}}),
        (lambda other: bpeek.compare("a", {"one": tok, "two": other}), {"other": tok}),
    ):
        assert not [*faults(function, valid, valid)]
    assert document.ids == tok.document(document.text).ids


def test_encodings(tok):
    encoding = tok.encode("a b")
    for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
        function = getattr(encoding, name)
        (first, *_) = inspect.signature(function).parameters
        assert not [*faults(function, {first: 0}, inspect.signature(function).parameters)], name
    for function in (encoding.token_to_chars, encoding.token_to_word, encoding.token_to_sequence):
        assert not [*faults(function, {"index": 0}, ["index"])], function


def test_what_is_shown(tok):
    for shown in (tok.encode("a b"), tok.compare("a b", tok)):
        assert not [*faults(shown.show, {"file": io.StringIO(), "limit": 1}, ["file", "limit"])]
        assert not [*faults(shown.to_html, {"limit": 1}, ["limit", "page"])]
        shown.show(written := Writer())
        shown.show(expected := io.StringIO())
        assert "".join(written.parts) == expected.getvalue()


@pytest.mark.parametrize("column", range(3))
def test_pieces_of_any_kind(column):
    for value in HOSTILE:
        columns = [["<unk>", "a"], [0, -1], [2, 1]]
        columns[column][1] = value
        assert fault(partial(bpeek.Tokenizer.from_pieces, *columns)) is None, value


def test_loading():
    for name, data in [*TINY.items(), ("x.tiktoken", FILE)]:
        valid = {"source": data, "name": name}
        if name == "x.tiktoken":
            valid |= {"pattern": PATTERN, "special_tokens": SPECIAL}
        assert not [*faults(bpeek.load, valid, ["source", "name", "pattern", "special_tokens"])]


def test_converting(tok):
    assert not [*faults(convert, {"spec": tok.spec, "to": "tiktoken"}, ["spec", "to"])]
    with pytest.raises(TypeError, match=r"convert takes a Spec, as tok\.spec is one, not Tokenizer"):
        convert(tok, "tiktoken")
    with pytest.raises(bpeek.BpeekError, match=r"to must be 'tiktoken' or 'tokenizer\.json', not 'json'"):
        convert(tok.spec, "json")


def test_numbers_of_numpy_are_numbers(tok):
    ids = tok.encode_ordinary("a b")
    for kind in (np.uint32, np.int64, np.uint8):
        assert tok.decode(np.array(ids, dtype=kind)) == tok.decode(list(map(kind, ids))) == tok.decode(ids)
        assert tok.decode_bytes(np.array(ids, dtype=kind)) == tok.decode_bytes(ids)
        assert tok.id_to_token(kind(ids[0])) == tok.id_to_token(ids[0])
        assert tok.token_bytes(kind(ids[0])) == tok.token_bytes(ids[0])
        assert tok.truncate("a b", kind(1)) == tok.truncate("a b", 1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda tok: tok.encode_batch("abc"), "texts must be in a list or another iterable, not str"),
        (lambda tok: tok.count_batch(b"abc"), "texts must be in a list or another iterable, not bytes"),
        (lambda tok: tok.count(["a", "b"]), "a text must be a str, not list; several texts go to encode_batch"),
        (lambda tok: tok.decode([1.0]), "an id must be a whole number, not float"),
        (lambda tok: tok.decode_bytes(["1"]), "an id must be a whole number, not str"),
        (lambda tok: tok.token_bytes(1.0), "an id must be a whole number, not float"),
        (lambda tok: tok.id_to_token("1"), "an id must be a whole number, not str"),
        (
            lambda tok: tok.encode("x", allowed_special="<s>"),
            "allowed_special must be 'all' or special tokens in a set",
        ),
        (lambda tok: tok.encode("x", disallowed_special=[5]), "disallowed_special must be 'all' or special tokens"),
        (lambda tok: tok.fits("x", 1.5), "a number of tokens must be a whole number, not float"),
        (lambda tok: bpeek.Tokenizer("tokenizer.json"), "Tokenizer takes a Spec, not str; bpeek.load takes a file"),
        (lambda tok: tok.encode_file(0), "path must be a str or a path, not int"),
        (lambda tok: tok.stream_decoder(errors=5), "errors must be a str such as 'replace' or 'strict', not int"),
    ],
)
def test_what_they_say(tok, call, said):
    with pytest.raises(TypeError) as caught:
        call(tok)
    assert said in str(caught.value)


def test_what_only_the_value_is_wrong_of(tok):
    with pytest.raises(bpeek.BpeekError, match="errors='nonsense' is not known"):
        tok.decode([1], errors="nonsense")
    with pytest.raises(bpeek.BpeekError, match="a pair is two texts, not 3"):
        tok.encode_batch([("a", "b", "c")])
    for wrong in (-1, 2**70):
        with pytest.raises(bpeek.UnknownTokenError):
            tok.decode_bytes([wrong])
        assert tok.id_to_token(wrong) is None
    assert tok.token_to_id("\ud800") is None
