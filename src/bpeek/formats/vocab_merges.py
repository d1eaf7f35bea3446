"""``vocab.json`` + ``merges.txt``: the two files of GPT-2, RoBERTa and their kin; and CLIP's merges alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from operator import add
from typing import Any

from ..bytechars import CHAR_TO_BYTE
from ..errors import FormatError
from ..spec import AddedToken, Model, Spec, Step
from .hf_json import load_json, read_vocab
from .merges import Pairs, ranked, split_merges

_BYTE_LEVEL: Step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
# CLIP's own pattern; its words end in </w> and its text is in lower case.
_CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
# Tokens that such vocabularies hold and that are not text; <mask> takes the space before it with it.
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|startoftext|>", "<|endoftext|>")


# CLIP's own merges: the first line names them, and its code reads only so many.
_CLIP_NAME = '"bpe_simple_vocab_16e6.txt#version'
_CLIP_MERGES = 49_152 - 256 - 2


def parse(vocab_json: bytes, merges_txt: bytes, name: str | None = None) -> Spec:
    """Read the two files. Tokens are written in GPT-2's byte alphabet; a vocabulary whose tokens end in
    ``</w>`` is of CLIP's kind.

    >>> spec = parse(b'{"a": 0, "b": 1, "ab": 2}', b"#version: 0.2\\na b\\n")
    >>> spec.model.merges, spec.pre_tokenizer["type"]
    ((('a', 'b'),), 'ByteLevel')
    """
    try:
        vocab = read_vocab(load_json(vocab_json), "vocab")
    except FormatError as error:
        raise FormatError(
            error.message, file="vocab.json", line=error.line, byte=error.byte, field=error.field
        ) from None
    with _told_of("merges.txt"):
        parts, first = _parts(merges_txt)
        merges = ranked(parts, vocab, 0, line=first)
    return _spec("vocab.json + merges.txt", vocab, merges, name)


def parse_clip(merges_txt: bytes, name: str | None = None) -> Spec:
    """Read CLIP's merges alone, as CLIP does: each byte is a token, by itself and at the end of a word, and so is what
    each merge makes."""
    with _told_of(name):
        parts, first = _parts(merges_txt)
        if len(parts) < 2 * _CLIP_MERGES:
            told = f"{len(parts) // 2:,} merges, and CLIP has {_CLIP_MERGES:,}; the file is cut off: fetch it again"
            raise FormatError(told, line=len(parts) // 2 + first)
        chars = sorted(CHAR_TO_BYTE)
        made = map(add, parts[::2], parts[1::2])
        tokens = (*chars, *(f"{char}</w>" for char in chars), *made, "<|startoftext|>", "<|endoftext|>")
        vocab = {token: id for id, token in enumerate(tokens)}
        merges = ranked(parts, vocab, 0, line=first)
    return _spec("CLIP's merges", vocab, merges, name)


@contextmanager
def _told_of(file: str | None) -> Iterator[None]:
    """Errors name the file that is wrong."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8", file=file, byte=error.start) from None
    except FormatError as error:
        raise FormatError(error.message, file=file, line=error.line) from None


def _parts(merges_txt: bytes) -> tuple[list[str], int]:
    """The parts of the merges, left and right in turn, and the number of the first one's line."""
    lines = [line.removesuffix("\r") for line in merges_txt.decode("utf-8").split("\n")]
    while lines and not lines[-1]:
        del lines[-1]
    first = int(bool(lines) and lines[0].startswith(("#version", _CLIP_NAME)))
    end = _CLIP_MERGES + 1 if lines and lines[0].startswith(_CLIP_NAME) else None
    return split_merges(lines[first:end], line=first + 1), first + 1


def _spec(format: str, vocab: Mapping[str, int], merges: Pairs, name: str | None) -> Spec:
    clip = any(right.endswith("</w>") for _, right in merges[:1000])
    made = {left + right for left, right in merges}  # what merging makes is text
    tokens = tuple(
        AddedToken(token, vocab[token], lstrip=token == "<mask>", normalized=False)
        for token in _SPECIAL
        if token in vocab and token not in made
    )
    model = Model("by_pair", vocab, merges, end_of_word_suffix="</w>" if clip else "")
    spec = Spec(format, name, "oniguruma", model, tokens)
    return replace(spec, **(_clip_steps if clip else _gpt2_steps)(vocab))


def _gpt2_steps(vocab: Mapping[str, int]) -> dict[str, Any]:
    post: Step = _BYTE_LEVEL
    if "<s>" in vocab and "</s>" in vocab:  # RoBERTa wraps its text
        marks = {key: [token, vocab[token]] for key, token in (("sep", "</s>"), ("cls", "<s>"))}
        post = {"type": "RobertaProcessing", **marks, "trim_offsets": True, "add_prefix_space": False}
    return {"pre_tokenizer": _BYTE_LEVEL, "post_processor": post, "decoder": _BYTE_LEVEL}


def _clip_steps(vocab: Mapping[str, int]) -> dict[str, Any]:
    steps = [
        {"type": "NFC"},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Lowercase"},
    ]
    split = {"type": "Split", "pattern": {"Regex": _CLIP}, "behavior": "Removed", "invert": True}
    post: Step | None = None
    if "<|startoftext|>" in vocab and "<|endoftext|>" in vocab:
        marks = {"sep": ["<|endoftext|>", vocab["<|endoftext|>"]], "cls": ["<|startoftext|>", vocab["<|startoftext|>"]]}
        post = {"type": "RobertaProcessing", **marks, "trim_offsets": False, "add_prefix_space": False}
    decoders = [
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        {"type": "Replace", "pattern": {"String": "</w>"}, "content": " "},
    ]
    return {
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL]},
        "post_processor": post,
        "decoder": {"type": "Sequence", "decoders": decoders},
    }
