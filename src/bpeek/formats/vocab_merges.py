"""``vocab.json`` + ``merges.txt``: the two files of GPT-2, RoBERTa and their kin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ..errors import FormatError
from ..spec import AddedToken, Model, Spec, Step
from .hf_json import load_json, read_vocab
from .merges import ranked, split_merges

_BYTE_LEVEL: Step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
# CLIP's own pattern; its words end in </w> and its text is in lower case.
_CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
# Tokens that such vocabularies hold and that are not text; <mask> takes the space before it with it.
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|startoftext|>", "<|endoftext|>")


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
    try:
        lines = [line.removesuffix("\r") for line in merges_txt.decode("utf-8").split("\n")]
        first = 0
        while lines and not lines[-1]:
            del lines[-1]
        if lines and lines[0].startswith("#version"):
            first = 1
        merges = ranked(split_merges(lines[first:], line=first + 1), vocab, 0, line=first + 1)
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8", file="merges.txt", byte=error.start) from None
    except FormatError as error:
        raise FormatError(error.message, file="merges.txt", line=error.line) from None
    clip = any(right.endswith("</w>") for _, right in merges[:1000])
    made = {left + right for left, right in merges}  # what merging makes is text
    tokens = tuple(
        AddedToken(token, vocab[token], lstrip=token == "<mask>", normalized=False)
        for token in _SPECIAL
        if token in vocab and token not in made
    )
    model = Model("by_pair", vocab, merges, end_of_word_suffix="</w>" if clip else "")
    return (_clip_spec if clip else _gpt2_spec)(model, tokens, name)


def _gpt2_spec(model: Model, tokens: tuple[AddedToken, ...], name: str | None) -> Spec:
    post: Step = _BYTE_LEVEL
    vocab = cast("Mapping[str, int]", model.vocab)
    if "<s>" in vocab and "</s>" in vocab:  # RoBERTa wraps its text
        marks = {key: [token, vocab[token]] for key, token in (("sep", "</s>"), ("cls", "<s>"))}
        post = {"type": "RobertaProcessing", **marks, "trim_offsets": True, "add_prefix_space": False}
    return Spec(
        "vocab.json + merges.txt", name, "oniguruma", model, tokens,
        pre_tokenizer=_BYTE_LEVEL, post_processor=post, decoder=_BYTE_LEVEL,
    )  # fmt: skip


def _clip_spec(model: Model, tokens: tuple[AddedToken, ...], name: str | None) -> Spec:
    steps = [
        {"type": "NFC"},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
        {"type": "Lowercase"},
    ]
    split = {"type": "Split", "pattern": {"Regex": _CLIP}, "behavior": "Removed", "invert": True}
    post: Step | None = None
    vocab = cast("Mapping[str, int]", model.vocab)
    if "<|startoftext|>" in vocab and "<|endoftext|>" in vocab:
        marks = {"sep": ["<|endoftext|>", vocab["<|endoftext|>"]], "cls": ["<|startoftext|>", vocab["<|startoftext|>"]]}
        post = {"type": "RobertaProcessing", **marks, "trim_offsets": False, "add_prefix_space": False}
    return Spec(
        "vocab.json + merges.txt", name, "oniguruma", model, tokens,
        normalizer={"type": "Sequence", "normalizers": steps},
        pre_tokenizer={"type": "Sequence", "pretokenizers": [split, _BYTE_LEVEL]},
        post_processor=post,
        decoder={"type": "Sequence", "decoders": [
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            {"type": "Replace", "pattern": {"String": "</w>"}, "content": " "},
        ]},
    )  # fmt: skip
