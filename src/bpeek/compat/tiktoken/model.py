"""Which encoding a model of OpenAI's uses."""

from __future__ import annotations

from .core import Encoding
from .registry import get_encoding


def _by_name(names: dict[str, str]) -> dict[str, str]:
    return {name: encoding for encoding, together in names.items() for name in together.split()}


MODEL_TO_ENCODING = _by_name(
    {
        "o200k_base": "o1 o3 o4-mini gpt-5 gpt-4.1 gpt-4o",
        "cl100k_base": "gpt-4 gpt-3.5-turbo gpt-3.5 gpt-35-turbo davinci-002 babbage-002 text-embedding-ada-002 "
        "text-embedding-3-small text-embedding-3-large",
        "p50k_base": "text-davinci-003 text-davinci-002 code-davinci-002 code-davinci-001 code-cushman-002 "
        "code-cushman-001 davinci-codex cushman-codex",
        "p50k_edit": "text-davinci-edit-001 code-davinci-edit-001",
        "r50k_base": "text-davinci-001 text-curie-001 text-babbage-001 text-ada-001 davinci curie babbage ada "
        "text-similarity-davinci-001 text-similarity-curie-001 text-similarity-babbage-001 text-similarity-ada-001 "
        "text-search-davinci-doc-001 text-search-curie-doc-001 text-search-babbage-doc-001 text-search-ada-doc-001 "
        "code-search-babbage-code-001 code-search-ada-code-001",
        "gpt2": "gpt2 gpt-2",
    }
)
# No prefix begins another one that has a different encoding, but for "ft:gpt-4o" and "ft:gpt-4", in this order.
MODEL_PREFIX_TO_ENCODING = _by_name(
    {
        "o200k_base": "o1- o3- o4-mini- gpt-5 gpt-4.5- gpt-4.1- chatgpt-4o- gpt-4o- ft:gpt-4o",
        "cl100k_base": "gpt-4- gpt-3.5-turbo- gpt-35-turbo- ft:gpt-4 ft:gpt-3.5-turbo ft:davinci-002 ft:babbage-002",
        "o200k_harmony": "gpt-oss-",
    }
)


def encoding_name_for_model(model_name: str) -> str:
    """The name of a model's encoding, by its own name or by how it begins. Raises ``KeyError`` for others.

    >>> encoding_name_for_model("gpt-4o-2024-05-13")
    'o200k_base'
    """
    if model_name in MODEL_TO_ENCODING:
        return MODEL_TO_ENCODING[model_name]
    for prefix, encoding_name in MODEL_PREFIX_TO_ENCODING.items():
        if model_name.startswith(prefix):
            return encoding_name
    raise KeyError(
        f"Could not automatically map {model_name} to a tokeniser. "
        "Please use `tiktoken.get_encoding` to explicitly get the tokeniser you expect."
    )


def encoding_for_model(model_name: str) -> Encoding:
    """The encoding of a model. Raises ``KeyError`` if the model is not known."""
    return get_encoding(encoding_name_for_model(model_name))
