"""The native tokenizers, each behind the same three functions. Imported only in the peers' environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import vocabs

RANKS = ("cl100k_base", "o200k_base")
JSONS = ("llama3", "qwen3", "deepseek_v3", "llama2", "gemma3")
MODELS = ("mistral_v1",)
VOCABULARIES = (*RANKS, *JSONS, *MODELS)


class Engine(NamedTuple):
    name: str
    ids: Callable[[str], Sequence[int]]
    # Forgets what earlier texts taught it; `None` if it keeps nothing.
    forget: Callable[[], object] | None = None


def versions() -> dict[str, str]:
    import bpeek

    peers = {name: version(name) for name in ("wasmtime", "tiktoken", "tokenizers", "puretiktoken", "sentencepiece")}
    return {"bpeek": bpeek.__version__, **peers}


def _bpeek_spec(path: Path) -> Any:
    from bpeek import formats

    return formats.parse(path.read_bytes(), path.name)


# What BPEEK_KERNEL is for each way that bpeek runs; unset, the kernel takes texts that are long enough for it.
KERNEL = {"bpeek": None, "bpeek without the kernel": "0", "bpeek, all in the kernel": "1"}


@contextmanager
def kernel(choice: str | None) -> Iterator[None]:
    """Tokenizers that are made meanwhile use the kernel so."""
    before = os.environ.pop("BPEEK_KERNEL", None)
    if choice is not None:
        os.environ["BPEEK_KERNEL"] = choice
    try:
        yield
    finally:
        os.environ.pop("BPEEK_KERNEL", None)
        if before is not None:
            os.environ["BPEEK_KERNEL"] = before


class Fresh:
    """A bpeek tokenizer that can be had anew, its caches and lazy tables empty."""

    def __init__(self, path: Path, choice: str | None = None) -> None:
        self._spec, self._choice = _bpeek_spec(path), choice
        self.forget()

    def forget(self) -> None:
        from bpeek import Tokenizer

        with kernel(self._choice):
            self.tokenizer = Tokenizer(self._spec)


def bpeek(path: Path, name: str = "bpeek") -> Engine:
    fresh = Fresh(path, KERNEL[name])
    return Engine(name, lambda text: fresh.tokenizer.encode_ordinary(text), fresh.forget)


def bpeek_without(path: Path) -> Engine:
    return bpeek(path, "bpeek without the kernel")


def bpeek_offsets(path: Path) -> Engine:
    """Ids, and their spans in UTF-16 units."""
    fresh = Fresh(path)

    def ids(text: str) -> Sequence[int]:
        encoding = fresh.tokenizer.encode(text, add_special_tokens=False)
        encoding.utf16_columns()
        return encoding.ids

    return Engine("bpeek + UTF-16 offsets", ids, fresh.forget)


def tiktoken_encoding(path: Path) -> Any:
    """tiktoken's own constructor of a named encoding, on our file."""
    import tiktoken
    from tiktoken_ext import openai_public

    os.environ["TIKTOKEN_CACHE_DIR"] = ""  # the file is local already
    from_disk = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda url, expected_hash=None: from_disk(str(path))
    try:
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[path.stem]())
    finally:
        openai_public.load_tiktoken_bpe = from_disk


def tiktoken(path: Path) -> Engine:
    return Engine("tiktoken", tiktoken_encoding(path).encode_ordinary)


def puretiktoken(path: Path) -> Engine:
    import puretiktoken

    encoding = puretiktoken.Encoding(path.stem)  # it brings its own copy of the ranks
    return Engine("puretiktoken", encoding.encode_ordinary, encoding._cache.clear)


def tokenizers(path: Path) -> Engine:
    """The fastest call there is for one text, which keeps no offsets."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    return Engine(
        "tokenizers",
        lambda text: tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids,
        lambda: tokenizer.model._clear_cache(),
    )


def tokenizers_offsets(path: Path) -> Engine:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))

    def ids(text: str) -> Sequence[int]:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        encoding.offsets  # noqa: B018  (a list that is made when asked for)
        return encoding.ids

    return Engine("tokenizers + offsets", ids, lambda: tokenizer.model._clear_cache())


def sentencepiece(path: Path) -> Engine:
    from sentencepiece import SentencePieceProcessor

    return Engine("sentencepiece", SentencePieceProcessor(model_file=str(path)).encode)


# For each kind of vocabulary the reference, which the others must equal, first.
MAKERS: dict[str, tuple[Callable[[Path], Engine], ...]] = {
    "tiktoken": (tiktoken, bpeek, bpeek_without, bpeek_offsets, puretiktoken),
    "json": (tokenizers, bpeek, bpeek_without, bpeek_offsets, tokenizers_offsets),
    "model": (sentencepiece, bpeek, bpeek_without, bpeek_offsets),
}


def kind(vocabulary: str) -> str:
    if vocabulary in MODELS:
        return "model"
    return vocabs.SOURCES[vocabulary].file.rpartition(".")[2]


def reference(vocabulary: str) -> Engine:
    return MAKERS[kind(vocabulary)][0](vocabs.fetch(vocabulary))


def engines(vocabulary: str, only: Sequence[str] = ()) -> tuple[list[Engine], dict[str, str]]:
    """The engines that have this vocabulary, the reference first; and why others have not."""
    path = vocabs.fetch(vocabulary)
    found, missing = [], {}
    for make in MAKERS[kind(vocabulary)]:
        if only and make.__name__ not in only:
            continue
        try:
            found.append(make(path))
        except Exception as error:  # whatever keeps one engine out must not stop the others
            missing[make.__name__] = f"{type(error).__name__}: {error}"
    return found, missing
