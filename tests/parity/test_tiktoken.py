"""Id for id the same as tiktoken, on real vocabularies."""

import random
import runpy
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tests.texts import SNIPPETS, every_scalar, mixture, soup
from tiktoken_ext import openai_public

import bpeek
import vocabs
from bpeek.formats.packed import pack
from bpeek.formats.presets import presets
from bpeek.formats.tiktoken import parse_ranks

pytestmark = pytest.mark.usefixtures("kernel")

PUBLISHED = ["r50k_base", "p50k_base", "cl100k_base", "o200k_base"]
NAMES = [*PUBLISHED, "whisper_multilingual"]
RANKS = {
    **{"gpt2": "r50k_base", "p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"},
    **{"whisper_v3": "whisper_multilingual", "whisper_en": "whisper_gpt2"},
}


@cache
def ranks(name):
    return vocabs.tiktoken_dict(vocabs.fetch(name))


@cache
def reference(name):
    """tiktoken's own encoding, its constructor's downloads answered from the cache."""
    file = RANKS.get(name, name)
    if file.startswith("whisper_"):
        return whispers(file.removeprefix("whisper_"), 100 if name == "whisper_v3" else 99)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: ranks(file))
        patch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **kwargs: ranks(file))
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())


def whispers(ranks, languages):
    """What Whisper's own code makes of its file."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "assets").mkdir()
        shutil.copy(vocabs.fetch(f"whisper_{ranks}"), f"{folder}/assets/{ranks}.tiktoken")
        code = Path(shutil.copy(vocabs.fetch("whisper_code"), folder))
        return runpy.run_path(str(code))["get_encoding"](ranks, languages)


@cache
def ours(name):
    return bpeek.load(vocabs.fetch(RANKS.get(name, name)), name=f"{name}.tiktoken")


def check(name, text):
    assert ours(name).encode_ordinary(text) == reference(name).encode_ordinary(text)


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_named_encodings_are_the_references(preset):
    tok, ref = ours(preset.name), reference(preset.name)
    assert preset.pattern == ref._pat_str
    assert tok.special_tokens == ref._special_tokens
    assert tok.spec.name == preset.name
    text = "".join(tok.special_tokens) + "x<|endoftext|>y"
    assert tok.encode(text).ids == ref.encode(text, allowed_special="all")
    assert tok.decode(tok.encode(text).ids, skip_special_tokens=False) == ref.decode(
        ref.encode(text, allowed_special="all")
    )


def test_whispers_vocabularies_are_known_by_content():
    """The last line of one is `= 50256`, which only keeps a place."""
    path = vocabs.fetch("whisper_multilingual")
    tok = bpeek.load(path.read_bytes())
    assert (tok.spec.name, tok.spec.source["recognised_by"]) == ("whisper_multilingual", "content")
    assert bpeek.load(vocabs.fetch("whisper_gpt2").read_bytes()).spec.name == "r50k_base"  # the same ranks
    special = {"<|endoftext|>": 50257, "<|startoftranscript|>": 50258, "<|0.00|>": 50364}
    given = bpeek.load(path, pattern=reference("r50k_base")._pat_str, special_tokens=special)
    for each in (tok, given):
        assert each.encode("<|0.00|> Hello wörld").ids == [50364, 2425, 261, 2311, 348]
        assert (each.decode([50256]), each.token_bytes(50256), each.id_to_token(50256)) == ("", b"", "")
        assert each.decode_with_offsets([2425, 50256, 348]) == (" Hellold", [0, 6, 6])


@pytest.mark.parametrize("name", PUBLISHED)
def test_packed_ranks_are_the_published(name):
    packed = pack(parse_ranks(vocabs.fetch(name).read_bytes()))
    spec = bpeek.load(packed, name=f"{name}.ranks").spec
    assert spec == ours(name).spec and spec.source == ours(name).spec.source


@pytest.mark.parametrize("name", NAMES)
def test_every_scalar_value(name):
    for text in every_scalar():
        check(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_soup(name, data):
    check(name, data.draw(soup))


@pytest.mark.parametrize("name", NAMES)
def test_mixtures(name):
    for seed in range(40):
        check(name, mixture(20_000 if seed < 2 else 2_000, seed))


@pytest.mark.parametrize("name", NAMES)
def test_token_soup(name):
    """Texts made of the vocabulary's own tokens hit the hard cases of merging."""
    generator = random.Random(11)
    tokens = list(ranks(name))
    for _ in range(1500):
        text = b"".join(generator.choices(tokens, k=generator.randint(1, 25))).decode("utf-8", "ignore")
        check(name, text)


@pytest.mark.parametrize("name", NAMES)
def test_every_token_alone(name):
    tok, ref = ours(name), reference(name)
    for token, rank in ranks(name).items():
        assert tok.token_bytes(rank) == token
    texts = [token.decode() for token in ranks(name) if _is_utf8(token)]
    assert [tok.encode_ordinary(text) for text in texts] == ref.encode_ordinary_batch(texts, num_threads=1)


def _is_utf8(token):
    try:
        return bool(token.decode())
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", ["a", "^", " ", "\n", "ab", "漢", "あ", "👩‍💻", "1", "'s", "\u0301", "A", " a"])
def test_long_runs(name, unit):
    check(name, unit * (5_000 // len(unit)))


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(st.characters() | st.sampled_from("\ud83d\ude00\ud800\udc00a")))
def test_lone_surrogates(name, text):
    check(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(text=soup)
def test_offsets_partition_the_text(name, text):
    enc = ours(name).encode(text, add_special_tokens=False)
    data = text.encode()
    assert [data[start:end] for start, end in enc.offsets_bytes] == [ours(name).token_bytes(i) for i in enc.ids]
    edges = [0, *(end for _, end in enc.offsets_bytes)]
    assert [start for start, _ in enc.offsets_bytes] == edges[:-1] and edges[-1] == len(data)
    utf16 = text.encode("utf-16-le")
    for (byte_start, byte_end), (start, end), (start16, end16) in zip(
        enc.offsets_bytes, enc.offsets, enc.offsets_utf16, strict=True
    ):
        # The whole of every character that the token touches, and no other.
        assert start == len(data[:byte_start].decode("utf-8", "ignore"))
        assert len(text[:end].encode()) >= byte_end > len(text[: end - 1].encode())
        assert utf16[start16 * 2 : end16 * 2].decode("utf-16-le") == text[start:end]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(text=st.lists(st.sampled_from([*SNIPPETS, "<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"])).map("".join))
def test_special_tokens_policy(name, text):
    tok, ref = ours(name), reference(name)
    assert tok.encode(text).ids == ref.encode(text, allowed_special="all")
    for allowed, disallowed in [
        (set(), ()),
        ({"<|endoftext|>"}, ()),
        ({"<|endoftext|>"}, "all"),
        ("all", {"don't"}),
        (set(), {"hello", "<|endofprompt|>"}),
        (set(), "all"),
    ]:
        options = {"allowed_special": allowed, "disallowed_special": disallowed}
        try:
            expected = ref.encode(text, **options)
        except ValueError as error:
            with pytest.raises(bpeek.SpecialTokenError) as caught:
                tok.encode(text, **options)
            assert repr(caught.value.token) in str(error)
            assert text.startswith(caught.value.token, caught.value.pos)
        else:
            assert tok.encode(text, **options).ids == expected
    assert tok.count(text) == len(tok.encode(text))
    assert tok.count(text, add_special_tokens=False) == len(tok.encode_ordinary(text))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_decoding(name, data):
    tok, ref = ours(name), reference(name)
    known = st.sampled_from([*range(400), *ref._special_tokens.values(), 5000, 50255])
    ids = data.draw(st.lists(known, max_size=20))
    assert tok.decode_bytes(ids) == ref.decode_bytes(ids)
    assert tok.decode(ids, skip_special_tokens=False) == ref.decode(ids)
    try:
        expected = ref.decode_with_offsets(ids)
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            tok.decode_with_offsets(ids)
    else:
        assert tok.decode_with_offsets(ids) == expected


@pytest.mark.parametrize("unknown", [100256, 2**31, -1])
def test_unknown_ids(unknown):
    tok = ours("cl100k_base")
    with pytest.raises(bpeek.UnknownTokenError) as caught:
        tok.decode([0, unknown])
    assert caught.value.token == unknown and isinstance(caught.value, KeyError)
    assert tok.id_to_token(unknown) is None
