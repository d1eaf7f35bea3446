"""What the page does for whoever errs, uses keys alone, or holds a phone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_page import load, read_special, write
from tests.browser.test_tools import versus

import vocabs

OpenPage = Callable[..., Page]

DROP = """([name, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], name));
    document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    path = tmp_path / "mine.tiktoken"
    path.write_bytes(b"".join(vocabs.fetch("r50k_base").read_bytes().splitlines(keepends=True)[:300]))
    return path


def test_a_refused_pattern_stays(open_page: OpenPage, unknown: Path) -> None:
    page = open_page()
    page.locator("#file").set_input_files(unknown)
    form, pattern = page.locator("#pattern-form"), page.get_by_label("Split pattern")
    expect(form).to_contain_text("How does mine.tiktoken split text?")
    expect(page.locator("#status")).to_have_text("mine.tiktoken needs a split pattern")
    pattern.fill("🦜|a(b|c")
    page.get_by_label("Special tokens, one").fill("<|end|> 300")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(form.get_by_role("alert")).to_contain_text("'(' is never closed")
    expect(form.locator("mark")).to_have_text("(")
    expect(pattern).to_have_value("🦜|a(b|c")
    assert pattern.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == "("
    expect(page.get_by_label("Special tokens, one")).to_have_value("<|end|> 300")
    pattern.fill("a|.")
    expect(form.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Load", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("Ready: mine")
    expect(form).to_be_hidden()
    assert page.evaluate(FOCUSED).startswith("mine")
    # It is about one file: another one ends it, even if it is broken.
    page.get_by_label("Remove mine").click()
    page.locator("#file").set_input_files(unknown)
    expect(form).to_be_visible()
    expect(pattern).to_have_value("")
    page.locator("#file").set_input_files({"name": "broken.json", "mimeType": "", "buffer": b"{"})
    expect(page.locator("#status")).to_contain_text("broken.json")
    expect(form).to_be_hidden()
    # What was said can be put away, and leaves the head of the page as it was.
    page.get_by_role("button", name="Dismiss the message").click()
    expect(page.locator("#status")).to_have_text("Ready: cl100k_base")


def test_the_focus_stays_on_the_shelf(open_page: OpenPage) -> None:
    page = open_page()

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).focus()
        page.keyboard.press("Enter")

    press("o200k_base Load")
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    assert page.evaluate(FOCUSED).startswith("o200k_base")
    press("Compare cl100k_base")
    expect(page.locator("#comparison")).to_be_visible()
    assert page.evaluate(FOCUSED) == "Compare cl100k_base"
    press("Compare p50k_base")
    expect(page.locator("token-compare .number")).to_have_count(3)
    assert page.evaluate(FOCUSED) == "Compare p50k_base"
    press("Remove o200k_base")
    expect(page.locator("#shelf .remove")).to_have_count(2)
    assert page.evaluate(FOCUSED) == "Remove p50k_base"


def test_the_same_tokenizer_again(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name="r50k_base Load").click()
    expect(page.locator("#status")).to_have_text("Ready: r50k_base")
    page.locator("#shelf .pick", has_text="cl100k_base").click()
    load(page, vocabs.fetch("r50k_base"))
    expect(page.locator("#shelf .remove")).to_have_count(2)
    assert write(page, "hello")


def test_a_text_dropped_anywhere(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate(DROP, ["notes.txt", "buy milk\nbuy bread\n"])
    expect(page.locator("#text-note")).to_contain_text("notes.txt")
    expect(page.locator("#count")).to_have_attribute("data-value", "6")
    expect(page.locator("#status")).to_have_text("Ready: cl100k_base")
    page.evaluate(DROP, ["merges.txt", "buy milk\nbuy bread\n"])
    expect(page.locator("#status")).to_contain_text("vocab.json")
    page.evaluate(DROP, ["half.txt", "#version: 0.2\nl o\nlo w\n"])
    expect(page.locator("#status")).to_contain_text("half.txt")
    expect(page.locator("#status")).to_contain_text("vocab.json")
    expect(page.locator("#text")).to_have_value("buy milk\nbuy bread\n")


def test_refused_text_is_nowhere_told_as_read(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator("#sample")).to_have_value("A bit of everything")
    write(page, "a<|endoftext|>")
    expect(page.locator("#sample")).to_have_value("")
    read_special(page, "error")
    expect(page.locator("#status")).to_have_text("Not tokenized")
    expect(page.locator("#status")).to_have_attribute("data-state", "waiting")
    for name in ("Export", "Share"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    for place in ("#count", "#ratio", "#ids"):
        expect(page.locator(place)).not_to_have_css("opacity", "1")
    page.get_by_role("button", name="Read it as text").click()
    expect(page.get_by_role("button", name="Export", exact=True)).to_be_enabled()
    expect(page.locator("#count")).to_have_css("opacity", "1")


def test_a_phone_shows_what_was_asked_for(open_page: OpenPage) -> None:
    size = {"width": 390, "height": 844}
    page = open_page(viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce")
    write(page, "line\n" * 12)
    page.locator("token-view .token").last.tap()
    expect(page.locator("#card-body .how")).to_be_visible()
    token = page.locator("token-view .token").last.bounding_box()
    sheet = page.locator("#card").bounding_box()
    assert token and sheet and 0 < token["y"] < token["y"] + token["height"] <= sheet["y"]
    page.locator("#card-close").tap()
    page.evaluate("scrollTo(0, 0)")
    versus(page, "o200k_base")
    expect(page.locator("token-compare .row").first).to_be_in_viewport()
