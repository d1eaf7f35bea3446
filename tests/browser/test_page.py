"""What a person can do on the page, and what it shows for it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import tiktoken
from playwright.sync_api import Page, expect
from sentencepiece import SentencePieceProcessor
from tokenizers import Tokenizer

import vocabs
from bpeek.formats.presets import presets

OpenPage = Callable[..., Page]

# UTF-16, code-point and byte places all differ here, and several characters are cut by token borders.
TRICKY = "naïve 🦜𝔘 日本語の👩‍🚀 é\n\tif (x) {  // done\n"


class Shown(NamedTuple):
    id: int
    start: int
    end: int


CHILD_TEXTS = "rows => rows.map(row => [...row.children].map(child => child.textContent))"


def tokens(page: Page) -> list[Shown]:
    """Waits until the view shows as many tokens as are counted, then reads them."""
    expect(page.locator("#view")).to_have_attribute("aria-busy", "false")
    found = page.locator("token-view .token").evaluate_all(
        "elements => elements.map(({dataset: d}) => [d.index, d.id, d.start, d.end].map(Number))"
    )
    return [Shown(*row) for _, *row in sorted(found)]


def write(page: Page, text: str) -> list[Shown]:
    page.locator("#text").fill(text)  # the view is marked as busy before this returns
    return tokens(page)


def read_special(page: Page, policy: str) -> None:
    """Another way of reading special tokens."""
    page.locator(f"#policy [value={policy}]").check()


def load(page: Page, *files: Path) -> None:
    page.locator("#file").set_input_files([*files])
    expect(page.locator("#shelf [aria-pressed=true] .name")).to_have_text(re.compile(re.escape(files[-1].stem)))
    expect(page.locator("#status")).to_have_attribute("data-state", "ready")


def reference(name: str) -> tiktoken.Encoding:
    preset = next(preset for preset in presets() if preset.name == name)
    ranks = vocabs.tiktoken_dict(vocabs.fetch(name))
    return tiktoken.Encoding(name, pat_str=preset.pattern, mergeable_ranks=ranks, special_tokens=preset.special_tokens)


def spans(encoding: tiktoken.Encoding, ids: list[int]) -> list[dict[str, tuple[int, int]]]:
    """Of each token, its bytes, and the characters that they touch in code points and UTF-16 units."""
    pieces = [encoding.decode_single_token_bytes(token) for token in ids]
    text = b"".join(pieces).decode()
    owner = [index for index, character in enumerate(text) for _ in character.encode()]
    utf16 = [len(text[:index].encode("utf-16-le")) // 2 for index in range(len(text) + 1)]
    rows, at = [], 0
    for piece in pieces:
        first, last = owner[at], owner[at + len(piece) - 1] + 1
        rows.append({"bytes": (at, at + len(piece)), "points": (first, last), "utf16": (utf16[first], utf16[last])})
        at += len(piece)
    return rows


def test_default_page_shows_tokens(open_page: OpenPage) -> None:
    page = open_page()
    text = page.locator("#text").input_value()
    expected = reference("cl100k_base").encode(text, allowed_special="all")
    assert [token.id for token in tokens(page)] == expected
    expect(page.locator("#count")).to_have_attribute("data-value", str(len(expected)))
    assert {"<|endoftext|>"} == set(page.locator("token-view .special").all_text_contents())
    assert any(ord(character) > 0xFFFF for character in text)


def test_dropped_tiktoken_file(open_page: OpenPage) -> None:
    page = open_page()
    # A real drop, of a File made in the page: the ranks are ASCII.
    page.evaluate(
        """(ranks) => {
            const data = new DataTransfer();
            data.items.add(new File([ranks], "my copy.tiktoken"));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }""",
        vocabs.fetch("o200k_base").read_text("ascii"),
    )
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    assert [token.id for token in write(page, TRICKY)] == reference("o200k_base").encode(TRICKY)
    expect(page.locator("#shelf [aria-pressed=true] .meta")).to_contain_text("446a9538")


@pytest.mark.parametrize("name", ["llama3", "deepseek_v3"])
def test_dropped_tokenizer_json(open_page: OpenPage, name: str) -> None:
    page = open_page()
    load(page, vocabs.fetch(name))
    expected = Tokenizer.from_file(str(vocabs.fetch(name))).encode(TRICKY)
    assert [token.id for token in write(page, TRICKY)] == expected.ids


def test_dropped_vocab_and_merges(open_page: OpenPage) -> None:
    page = open_page()
    vocab, merges = vocabs.fetch("gpt2_vocab"), vocabs.fetch("gpt2_merges")
    page.set_input_files("#file", [vocab, merges])
    expect(page.locator("#shelf [aria-pressed=true] .name")).to_contain_text("gpt2_vocab")
    expected = reference("r50k_base").encode(TRICKY)  # the same vocabulary, as ranks
    assert [token.id for token in write(page, TRICKY)] == expected


def test_dropped_sentencepiece_model(open_page: OpenPage) -> None:
    page = open_page()
    path = vocabs.fetch("mistral_v1")
    load(page, path)
    expected = SentencePieceProcessor(model_file=str(path)).encode(TRICKY)
    assert [token.id for token in write(page, TRICKY)] == expected


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_spans_in_three_units(open_page: OpenPage, name: str) -> None:
    page = open_page()
    if name != "cl100k_base":
        page.get_by_role("button", name=f"{name} Load").click()
        expect(page.locator("#status")).to_have_text(f"Ready: {name}")
    encoding = reference(name)
    ids = encoding.encode(TRICKY)
    expected = spans(encoding, ids)
    assert write(page, TRICKY) == [Shown(token, *row["utf16"]) for token, row in zip(ids, expected, strict=True)]

    page.locator("token-view .token").first.focus()
    for index, row in enumerate(expected, 1):
        expect(page.locator("#card-body")).to_contain_text(f"{index} of {len(ids)}")
        facts = dict(page.locator("#card-body dl > div").evaluate_all(CHILD_TEXTS))
        for fact, unit in (("UTF-16 units", "utf16"), ("characters", "points"), ("bytes", "bytes")):
            assert facts[f"Place in {fact}"] == "{} – {}".format(*row[unit])
        page.keyboard.press("ArrowRight")


def test_characters_are_drawn_once(open_page: OpenPage) -> None:
    page = open_page()
    text = "🦜日本語👩‍🚀🇨🇭"
    assert len(write(page, text)) > len(text)
    assert "".join(page.locator("token-view .glyph, token-view .token").all_inner_texts()) == text
    assert "\ufffd" not in page.locator("token-view").inner_text()


def test_several_files_and_the_shelf(open_page: OpenPage) -> None:
    page = open_page()
    load(page, vocabs.fetch("r50k_base"), vocabs.fetch("p50k_base"))
    text = "    indented"
    expected = {name: str(len(reference(name).encode(text))) for name in ("r50k_base", "p50k_base")}
    assert len(set(expected.values())) == 2
    write(page, text)
    expect(page.locator("#count")).to_have_attribute("data-value", expected["p50k_base"])
    page.locator("#shelf .pick", has_text="r50k_base").click()
    expect(page.locator("#count")).to_have_attribute("data-value", expected["r50k_base"])
    page.get_by_label("Remove r50k_base").click()
    expect(page.locator("#status")).to_have_text("Ready: p50k_base")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("broken.tiktoken", b"IQ== 0\nIg== 1\n!!! 2\n", r"broken\.tiktoken, line 3"),
        ("tokenizer.json", b'{"model": {"type": "BPE", ', r"tokenizer\.json"),
        ("noise.bin", bytes(range(256)) * 8, r"noise\.bin"),
        ("empty.tiktoken", b"", r"empty\.tiktoken"),
    ],
)
def test_broken_file(open_page: OpenPage, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    page = open_page()
    (tmp_path / name).write_bytes(content)
    page.locator("#file").set_input_files(tmp_path / name)
    expect(page.locator("#status")).to_have_attribute("data-state", "error")
    message = page.locator("#status").inner_text()
    assert re.search(says, message, re.IGNORECASE) and message.endswith(".")
    assert "Traceback" not in message and "Error" not in message
    # What was loaded before still works.
    assert [token.id for token in write(page, "hello")] == reference("cl100k_base").encode("hello")


def test_unknown_ranks_ask_for_a_pattern(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    lines = vocabs.fetch("r50k_base").read_bytes().splitlines(keepends=True)
    unknown = tmp_path / "mine.tiktoken"
    unknown.write_bytes(b"".join(lines[:30_000]))
    page.locator("#file").set_input_files(unknown)
    expect(page.locator("#pattern-form")).to_be_visible()
    page.get_by_label("Same as").select_option("cl100k_base")
    page.get_by_label("Special tokens, one").fill("<|end|> 30000\n")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.locator("#status")).to_have_text("Ready: mine")
    assert write(page, "a<|end|>")[-1].id == 30_000


def test_special_tokens_three_ways(open_page: OpenPage) -> None:
    page = open_page()
    text = "a<|endoftext|>"
    encoding = reference("cl100k_base")
    assert [token.id for token in write(page, text)] == encoding.encode(text, allowed_special="all")
    read_special(page, "text")
    expect(page.locator("#count")).to_have_attribute("data-value", str(len(encoding.encode_ordinary(text))))
    read_special(page, "error")
    expect(page.locator("#notice")).to_contain_text("<|endoftext|> at character 1")
    # By keys, as radio buttons are; a line says what the chosen one does.
    page.locator("token-view .token").first.focus()
    page.keyboard.press("Tab")
    ways = page.get_by_role("radiogroup", name="Special tokens")
    expect(ways.get_by_role("radio", name="refuse")).to_be_focused()
    expect(ways.get_by_role("paragraph")).to_have_text(re.compile("is not tokenized"))
    page.keyboard.press("ArrowLeft")
    expect(ways.get_by_role("radio", name="as text")).to_be_checked()
    expect(ways.get_by_role("radio", name="as text")).to_have_accessible_description(re.compile("like any other text"))
    expect(ways.get_by_role("paragraph")).to_have_text(re.compile("like any other text"))
    expect(page.locator("#count")).to_have_attribute("data-value", str(len(encoding.encode_ordinary(text))))


def test_whitespace_marks_leave_the_text_alone(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "a b\tc\nd")
    page.get_by_label("Show spaces").check()
    marks = page.locator("token-view .mark").evaluate_all("all => all.map(mark => mark.dataset.mark)")
    assert marks == ["·", "⇥", "↵"]
    assert page.locator("token-view .token").evaluate_all("all => all.map(e => e.textContent).join('')") == "a b\tc\nd"


def test_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "one two three\nfour")
    page.locator("#whitespace").focus()
    page.keyboard.press("Tab")
    focused = page.locator("token-view .token:focus")
    expect(focused).to_have_text("one")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text("four")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_text(" two")
    page.keyboard.press("Enter")
    expect(page.locator("#card")).to_have_class(re.compile("pinned"))
    expect(page.locator("#card-body")).to_contain_text("20 74 77 6f")
    expect(page.locator("#ids .lit")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#card")).not_to_have_class(re.compile("pinned"))


def test_a_phone_shows_a_sheet_for_a_tapped_token(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("token-view .token").nth(3).tap()
    expect(page.locator("#card-close")).to_be_in_viewport()
    page.locator("#card-close").tap()
    expect(page.locator("#card")).not_to_have_class(re.compile("pinned"))
