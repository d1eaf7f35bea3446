"""What a file is, its content decides; what is no vocabulary is told what it is."""

import gzip
import io
import json
import pickle
import zipfile
from base64 import b64encode
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.spmodels import NORMAL, UNKNOWN, model
from tests.wrong import FILES, MERGES, PATTERN, SENTENCEPIECE, TEKKEN, TIKTOKEN, VOCAB_JSON

import bpeek
from bpeek import formats
from bpeek.formats import hf_json, packed, tiktoken
from bpeek.formats.merges import taken_out

KINDS = {
    "x.tiktoken": "tiktoken",
    "tokenizer.model": "SentencePiece BPE",
    "tekken.json": "tekken.json",
    "model.gguf": "GGUF",
    "tokenizer.json": "tokenizer.json",
}


def load(data, name=None):
    return bpeek.load(data, name=name, **({"pattern": PATTERN} if data == TIKTOKEN or name == "ranks" else {}))


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"folder/{name.replace('_', '.')}", data)
    return out.getvalue()


@pytest.mark.parametrize(
    "files", [("tokenizer.json",), ("tekken.json", "tokenizer.model"), ("vocab.json", "merges.txt")]
)
def test_a_folder_stands_for_the_tokenizer_in_it(tmp_path, files):
    for name in files:
        (tmp_path / name).write_bytes({"vocab.json": VOCAB_JSON, "merges.txt": MERGES}.get(name) or FILES[name])
    expected = bpeek.load([tmp_path / name for name in files] if files[0] == "vocab.json" else tmp_path / files[0])
    assert bpeek.load(tmp_path).spec == bpeek.load(str(tmp_path)).spec == expected.spec


def test_where_there_is_no_vocabulary_it_is_told_what_to_give(tmp_path):
    with pytest.raises(bpeek.BpeekError, match="this folder holds no"):
        bpeek.load(tmp_path)
    with pytest.raises(
        FileNotFoundError, match="bpeek brings no vocabulary and downloads none; give the path"
    ) as caught:
        bpeek.load("cl100k_base")
    assert caught.value.filename == "cl100k_base"


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("given", [None, "tokenizer.model", "data.bin"])
def test_the_content_decides(name, given):
    tokenizer = load(FILES[name], given)
    assert tokenizer.spec.format == KINDS[name]
    header = len(FILES[name]) - 40 * (name == "model.gguf")  # the tensors behind it are not looked at
    assert tokenizer.spec.source["bytes"] == header and len(tokenizer.spec.source["sha256"]) == 64


@pytest.mark.parametrize("name", KINDS)
def test_gzipped_and_zipped(name):
    data = FILES[name]
    for archive in (gzip.compress(data), zipped(**{name.replace(".", "_"): data})):
        tokenizer = load(archive, "ranks" if data == TIKTOKEN else None)
        assert tokenizer.spec.format == KINDS[name] and tokenizer.get_vocab() == load(data).get_vocab()


def test_merges_are_pairs_whatever_the_ids():
    top = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "bab": 3}, "merges": ["a b", "b ab"]}}
    pairs = (("a", "b"), ("b", "ab"))
    merges = formats.parse(json.dumps(top).encode()).model.merges
    assert merges == pairs == tuple(pickle.loads(pickle.dumps(merges))) and merges != pairs[:1]
    assert (merges[-1], merges[:1], repr(merges)) == (pairs[1], pairs[:1], repr(pairs))
    top["model"]["vocab"]["bab"] = 0  # two tokens of one id
    assert formats.parse(json.dumps(top).encode()).model.merges == pairs


PUNCTUATION = st.text('",[]: \\\t\n#é😀', max_size=6)
SPLICES = (b'"', b"\\", b",", b"[", b"]", b" ", b"\t", b"\r", b'",\t"', b'",\r"', b"NaN", b'"merges": [', b"\xff")


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_merges_that_are_written_alike_are_read_as_all_others(data):
    """Cut out of the file and read as one list, or found to be unusual: whatever the tokens, and where it is broken."""
    pairs = data.draw(st.lists(st.tuples(PUNCTUATION, PUNCTUATION), max_size=5))
    merges = [" ".join(each).replace("\n", "Ċ") for each in pairs] if data.draw(st.booleans()) else pairs
    tokens = ["merges", *chain.from_iterable(pairs), *map("".join, pairs)][: data.draw(st.sampled_from([3, 99, 99]))]
    vocab = {token.replace("\n", "Ċ") if pairs is not merges else token: id for id, token in enumerate(tokens)}
    top = {"added_tokens": [], "model": {"vocab": vocab, "merges": merges}}
    indent, separators = data.draw(st.sampled_from([None, 2, "\t"])), data.draw(st.sampled_from([None, (",", ":")]))
    file = json.dumps(top, indent=indent, separators=separators, ensure_ascii=data.draw(st.booleans())).encode()
    for splice in data.draw(st.lists(st.sampled_from(SPLICES), max_size=2)):
        at = data.draw(st.integers(0, len(file)))
        file = file[:at] + splice + file[at:]

    def read():
        try:
            return hf_json.parse(file)
        except bpeek.BpeekError as error:
            return str(error), vars(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bpeek.formats.merges._BLOCK", data.draw(st.sampled_from([1, 40, 1 << 17])))
        quickly = read()
        patch.setattr(hf_json, "taken_out", lambda data: None)
        assert quickly == read()


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}])
def test_published_ways_of_writing_merges_are_read_as_bytes(style):
    for merges in (["a b", '\\ "'], [["a", "b"], ["\n", '"'], ["\\", "]"]]):
        rest, written = taken_out(json.dumps({"model": {"merges": merges}}, **style).encode())
        assert json.loads(rest)["model"].keys() == {"merges"}
        assert list(written) == [[part for merge in merges for part in (merge.split() if " " in merge else merge)]]


def test_vocab_and_merges_together(tmp_path):
    (tmp_path / "vocab.json").write_bytes(VOCAB_JSON)
    (tmp_path / "merges.txt").write_bytes(MERGES)
    wanted = bpeek.load([tmp_path / "vocab.json", tmp_path / "merges.txt"])
    assert wanted.spec.format == "vocab.json + merges.txt" and wanted.encode_ordinary("he") == [5]
    archive = zipped(merges_txt=MERGES, vocab_json=VOCAB_JSON, readme_txt=b"x")
    for other in ([MERGES, VOCAB_JSON], (VOCAB_JSON, gzip.compress(MERGES)), archive):
        assert bpeek.load(other).spec.model == wanted.spec.model
    # A tokenizer.json beside them says more.
    assert (
        bpeek.load(zipped(vocab_json=VOCAB_JSON, tokenizer_json=FILES["tokenizer.json"])).spec.format
        == "tokenizer.json"
    )


@pytest.mark.parametrize(
    "files",
    [
        [TIKTOKEN, SENTENCEPIECE],
        [VOCAB_JSON, VOCAB_JSON],
        [VOCAB_JSON, MERGES, TEKKEN],
        [TIKTOKEN, FILES["tokenizer.json"]],
        [FILES["tokenizer.json"], SENTENCEPIECE],
    ],
)
def test_files_that_do_not_belong_together(files):
    with pytest.raises(bpeek.FormatError, match="several files"):
        bpeek.load(files)
    with pytest.raises(bpeek.FormatError, match="zip archive"):
        bpeek.load(zipped(), name="x.zip")


WRONG = {
    "empty": (b"", "empty"),
    "blank": (b" \n", "empty"),
    "nothing": (bytes(5000), "NUL"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "LFS pointer"),
    "safetensors": (b"\x40\0\0\0\0\0\0\0" + b'{"__metadata__":{}}', "safetensors"),
    "png": (b"\x89PNG\r\n\x1a\n", "image"),
    "jpeg": (b"\xff\xd8\xff\xe0", "image"),
    "gif": (b"GIF89a", "image"),
    "bmp": (b"BM\x36\0\0\0\0\0\0\0", "image"),
    "pdf": (b"%PDF-1.7", "PDF"),
    "html": (b"\n<!DOCTYPE html><title>404</title>", "web page"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04", "zstd"),
    "pickle": (b"\x80\x02}q\0.", "pickle"),
    "utf-16": ('{"a": 1}'.encode("utf-16"), "UTF-16"),
    "not found": (b"Entry not found", "error message"),
    "readme": (b"---\nlicense: mit\n---\n", "README"),
    "vocab.txt": (b"[PAD]\n[UNK]\n[CLS]\nthe\n##s\n", "WordPiece"),
    "x.vocab": ("<unk>\t0\n▁the\t-3.5\n▁a\t-4\n".encode(), ".model file beside"),
    "merges.txt": (MERGES, "vocab.json"),
    "old merges.txt": (b"h e\nl l\nhe ll\n", "vocab.json"),
    "text": (b"What is this?\nNobody knows.\n", "none of the files"),
    "vocab.json": (VOCAB_JSON, "merges.txt"),
    "gpt2's": (b'{"model": 5, "##": 1}', "merges.txt"),
    "wordpiece vocab": (b'{"[UNK]": 0, "the": 1}', "WordPiece"),
    "tokenizer_config": (b'{"tokenizer_class": "X", "model_max_length": 1}', "tokenizer.json beside it"),
    "special_tokens_map": (b'{"bos_token": "<s>", "eos_token": "</s>"}', "special_tokens_map"),
    "config": (b'{"architectures": ["X"], "model_type": "x"}', "config.json"),
    "index": (b'{"metadata": {}, "weight_map": {}}', "weights"),
    "error": (b'{"error": "Repository not found"}', "error message"),
    "list": (b"[1, 2]", "list"),
    "unigram": (json.dumps({"model": {"type": "Unigram", "vocab": [["a", 0.0]]}}).encode(), "Unigram"),
    "wordpiece": (json.dumps({"model": {"type": "WordPiece", "vocab": {"a": 0}}}).encode(), "WordPiece"),
    "sp unigram": (model([("<unk>", 0.0, UNKNOWN), ("a", 0.0, NORMAL)], model_type=1), "Unigram"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_vocabulary(kind):
    data, words = WRONG[kind]
    for name in (None, "tokenizer.json"):
        with pytest.raises((bpeek.FormatError, bpeek.UnsupportedError), match=words) as caught:
            bpeek.load(data, name=name)
        if isinstance(caught.value, bpeek.FormatError):
            assert caught.value.file == name


def test_a_pattern_is_for_ranks_only():
    with pytest.raises(bpeek.FormatError, match="has its own"):
        bpeek.load(SENTENCEPIECE, pattern=PATTERN)
    with pytest.raises(bpeek.FormatError, match="pattern="):
        bpeek.load(TIKTOKEN)


def test_names_only_help():
    with pytest.raises(bpeek.FormatError) as caught:
        bpeek.load(b"!!\n!!\n", name="mine.tiktoken", pattern=PATTERN)
    assert caught.value.line == 1
    with pytest.raises(bpeek.FormatError) as caught:
        bpeek.load(b"\x08\x01", name="tokenizer.model")
    assert caught.value.byte == 1


def test_ranks_are_read_in_blocks():
    tokens = [*(bytes([byte]) for byte in range(256)), *(b"%07d" % number for number in range(150_000))]
    lines = [b64encode(token) + b" %d" % rank for rank, token in enumerate(tokens)]
    assert tiktoken.parse_ranks(b"\n".join(lines)) == {token: rank for rank, token in enumerate(tokens)}
    for place in (0, 70_000, 150_255):
        broken = [*lines[:place], b"?", *lines[place:]]
        with pytest.raises(bpeek.FormatError) as caught:
            tiktoken.parse_ranks(b"\n".join(broken))
        assert caught.value.line == place + 1
    with pytest.raises(bpeek.FormatError, match="already") as caught:
        tiktoken.parse_ranks(b"\n".join([*lines, lines[300]]))
    assert caught.value.line == len(lines) + 1


def test_an_empty_token_keeps_a_place():
    """Its id decodes to nothing and is never made, not even where a pattern matches nothing."""
    tok = bpeek.load(TIKTOKEN + b"= 300\n", pattern=r"h*|\PL", special_tokens={"<|end|>": 301})
    plain = bpeek.load(TIKTOKEN, pattern=r"h*|\PL", special_tokens={"<|end|>": 301})
    assert tok.vocab_size == plain.vocab_size + 1 and tok.get_vocab()[b""] == tok.token_to_id(b"") == 300
    assert (tok.token_bytes(300), tok.decode([104, 300, 105])) == (b"", "hi")
    for text in ("", "hehhh  hé<|end|>é", "漢h漢" * 300):
        assert tok.encode(text).ids == plain.encode(text).ids and 300 not in tok.encode(text).ids
        assert tok.encode(text).offsets == plain.encode(text).offsets
        assert list(tok.explain(text).tokens) == list(plain.explain(text).tokens)
    assert "keeps a place: 1: 300 ''" in str(tok.inspect())
    for twice in (b"= 300\n= 301\n", b"= 255\n", b" 300\n", b"== 300\n"):
        with pytest.raises(bpeek.FormatError) as caught:
            bpeek.load(TIKTOKEN + twice, pattern=PATTERN)
        assert caught.value.line >= TIKTOKEN.count(b"\n") + 1


def test_only_published_ranks_are_read_packed():
    ranks = tiktoken.parse_ranks(TIKTOKEN)
    assert packed.unpack(packed.pack(ranks)) == ranks
    with pytest.raises(bpeek.FormatError, match=r"load the \.tiktoken file"):
        bpeek.load(packed.pack(ranks), pattern=PATTERN)


def test_tekken_ids_are_ranks_behind_the_special_tokens():
    tokenizer = bpeek.load(TEKKEN)
    assert tokenizer.special_tokens == {"<unk>": 0, **{f"<SPECIAL_{token}>": token for token in range(1, 5)}}
    assert tokenizer.encode("hello a<SPECIAL_3>").ids == [259 + 5, 32 + 5, 97 + 5, 3]
    without = json.loads(TEKKEN)
    del without["special_tokens"]
    assert list(bpeek.load(json.dumps(without).encode()).special_tokens) == [
        "<unk>",
        "<s>",
        "</s>",
        "[INST]",
        "[/INST]",
    ]


def test_clips_merges_that_are_cut_off():
    for lines in (b"", b"i n\n", b"i n\nt h\n" * 100):
        with pytest.raises(bpeek.FormatError, match=r"merges, and CLIP has 48,894; the file is cut off") as caught:
            bpeek.load(gzip.compress(b'"bpe_simple_vocab_16e6.txt#version: 0.2\n' + lines), name="x.txt.gz")
        assert (caught.value.file, caught.value.line) == ("x.txt", lines.count(b"\n") + 2)
    for wrong, line in ((b"i n\nt", 3), (b"i\xff n\n", None)):
        with pytest.raises(bpeek.FormatError) as caught:
            bpeek.load(b'"bpe_simple_vocab_16e6.txt#version: 0.2\n' + wrong)
        assert caught.value.line == line


def test_parse_alone_makes_a_spec():
    assert formats.parse(SENTENCEPIECE).model.rule == "by_score"
