"""The same vectors under CPython and inside Pyodide, held against the reference tokenizers."""

from itertools import accumulate, chain
from typing import Any, NamedTuple

import pytest
import tiktoken
import tokenizers

import vocabs
from bpeek import bridge
from bpeek.kernel import available

NAMES = ["r50k_base", "cl100k_base", "o200k_base", "llama3", "qwen3", "gpt4o"]

SCALARS = "".join(map(chr, chain(range(0xD800), range(0xE000, 0x20000))))
LINES = "\n".join(SCALARS[start : start + 60] for start in range(0, len(SCALARS), 60))
TEXTS = {
    "empty": "",
    "english": "Hello, world! It's 2026; they'll've paid $1,234.56 — \"twice\".",
    "code": "def f(x):\n    return {k: v for k, v in x.items()}  # tabs\t\there\r\n\r\n\r\n",
    "spaces": " a  b   c    \n \n\n  \u00a0\u2003\u3000x\u0085\u2028\u2029 ",
    "languages": "Größe 你好世界 こんにちは 안녕하세요 Привет मानक हिन्दी ภาษาไทย العربية עברית",
    "emoji": "👩‍💻👨‍👩‍👧‍👦🇩🇪🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☺️ a😀b",
    "astral": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐐷𐐷 𠜎𠜱 𝟘𝟙𝟚 e\u0301 ſ K İ",
    "controls": "\x00\x1c\x1d\x1e\x1f\x7f\ufeff\ufffd\U0010ffff",
    "specials": "<|endoftext|>a<|endofprompt|> <|begin_of_text|><|im_start|>user<|im_end|><|fim_prefix|>",
    "long": "a" * 3000 + " " * 500 + "\n" * 300 + "ab" * 1000,
    "scalars": LINES,
    "scalars between letters": "a".join(SCALARS[::7]),
}


class Vocabulary(NamedTuple):
    native: int
    wasm: int
    reference: Any


def ok(answer: dict[str, Any]) -> Any:
    assert "error" not in answer, answer["error"]
    return answer["ok"]


@pytest.fixture(scope="module", params=NAMES)
def vocabulary(request: pytest.FixtureRequest, wasm: Any) -> Vocabulary:
    path = vocabs.fetch(request.param)
    native = ok(bridge.call("load", path.read_bytes(), path.name))
    inside = ok(wasm.call("load", path.name, file=path))
    native_handle, wasm_handle = native.pop("handle"), inside.pop("handle")
    chosen = wasm.run("import os; os.environ['BPEEK_KERNEL']")
    assert inside.pop("kernel", None) == ("WebAssembly" if chosen == "1" else None)
    assert native.pop("kernel") == available()
    assert inside == native
    if path.suffix == ".json":
        return Vocabulary(native_handle, wasm_handle, tokenizers.Tokenizer.from_file(str(path)))
    reference = tiktoken.Encoding(
        request.param,
        pat_str=native["patterns"][0],
        mergeable_ranks=vocabs.tiktoken_dict(path),
        special_tokens=dict(native["special_tokens"]),
    )
    return Vocabulary(native_handle, wasm_handle, reference)


def expected(reference: Any, text: str) -> list[list[int]]:
    """Ids, starts and ends in UTF-16 units, by the reference."""
    utf16 = [0, *accumulate(1 + (char > "\uffff") for char in text)]
    if isinstance(reference, tokenizers.Tokenizer):
        encoding = reference.encode(text)
        return [encoding.ids, *([utf16[span[side]] for span in encoding.offsets] for side in (0, 1))]
    ids = reference.encode(text, allowed_special="all")
    ends = list(accumulate(map(len, reference.decode_tokens_bytes(ids))))
    # A token that begins or ends inside a character reports the whole of it.
    char = [n for n, char in enumerate(text) for _ in char.encode()]
    return [ids, [utf16[char[end]] for end in [0, *ends][: len(ids)]], [utf16[char[end - 1] + 1] for end in ends]]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_vector(vocabulary: Vocabulary, wasm: Any, text: str) -> None:
    columns = ok(wasm.call("encode", vocabulary.wasm, text, "special"))
    assert columns == list(ok(bridge.call("encode", vocabulary.native, text, "special")))
    n = len(columns) // 5
    assert [columns[:n], columns[n : 2 * n], columns[2 * n : 3 * n]] == expected(vocabulary.reference, text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_plain_text(vocabulary: Vocabulary, wasm: Any, text: str) -> None:
    columns = ok(wasm.call("encode", vocabulary.wasm, text, "text"))
    assert columns == list(ok(bridge.call("encode", vocabulary.native, text, "text")))
    ids = columns[: len(columns) // 5]
    assert ok(wasm.call("count", vocabulary.wasm, text, "text")) == len(ids)
    assert ok(wasm.call("decode", vocabulary.wasm, ids)) == ok(bridge.call("decode", vocabulary.native, ids))


def test_errors_are_the_same(vocabulary: Vocabulary, wasm: Any) -> None:
    answer = wasm.call("token", vocabulary.wasm, 10**8)
    assert answer["error"]["message"]
    assert answer == bridge.call("token", vocabulary.native, 10**8)
