"""Texts from files, long texts, and stopping what takes long."""

import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.browser.test_page import load, reference, write
from tests.browser.test_robust import HOSTILE, assert_inert, settled

import vocabs

OpenPage = Callable[..., Page]

DROP = """([name, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(content), (char) => char.charCodeAt(0))], name));
    const event = (type) => new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true});
    const text = document.querySelector("#text");
    text.dispatchEvent(event("dragover"));
    const hint = document.querySelector("#drop-hint").innerText;
    text.dispatchEvent(event("drop"));
    return hint;
}"""


def drop(page: Page, name: str, content: bytes) -> None:
    """Drops a file on the editor."""
    assert page.evaluate(DROP, [name, b64encode(content).decode()]) == "Drop a text, or tokenizer files"


def test_a_file_on_the_editor(open_page: OpenPage) -> None:
    page = open_page()
    text = "naïve 日本\n\tletters\n"
    for content in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16"), text.encode("utf-16-be")):
        page.locator("#text").fill("before")
        drop(page, "notes.txt", content)
        expect(page.locator("#text")).to_have_value(text)
        expect(page.locator("#text-note")).to_have_text(f"notes.txt, {len(content)} B.")
        count = len(reference("cl100k_base").encode(text))
        expect(page.locator("#count")).to_have_attribute("data-value", str(count))
        expect(page.locator("#status")).to_have_text("Ready: cl100k_base")
    for name, content, says in (
        ("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "dot.png is neither a text nor a tokenizer"),
        ("old.txt", "café".encode("latin-1"), "old.txt is in an encoding that it does not tell"),
        ("huge.txt", b"too much " * 1_200_000, "huge.txt has 10.8 MB"),
    ):
        drop(page, name, content)
        expect(page.locator("#status")).to_contain_text(says)
        expect(page.locator("#text")).to_have_value(text)
    # A tokenizer is one wherever it is dropped, and so is one that needs a pattern.
    drop(page, "anything.txt", vocabs.fetch("r50k_base").read_bytes())
    expect(page.locator("#status")).to_have_text("Ready: r50k_base")
    drop(page, "mine", b"".join(vocabs.fetch("r50k_base").read_bytes().splitlines(keepends=True)[:300]))
    expect(page.locator("#pattern-form")).to_be_visible()
    expect(page.locator("#text")).to_have_value(text)


def test_a_text_that_made_way_comes_back(open_page: OpenPage) -> None:
    page = open_page()
    field, back = page.locator("#text"), page.get_by_role("button", name="Back to the text before")
    drop(page, "notes.txt", b"from a file")
    expect(field).to_have_value("from a file")
    expect(back).to_be_hidden()  # an example made way, which can be chosen again
    write(page, "mine,\ntyped")
    drop(page, "notes.txt", b"from a file")
    expect(field).to_have_value("from a file")
    back.click()
    expect(field).to_have_value("mine,\ntyped")
    expect(field).to_be_focused()
    expect(page.locator("#text-note")).to_be_hidden()
    expect(page.locator("#count")).to_have_attribute(
        "data-value", str(len(reference("cl100k_base").encode("mine,\ntyped")))
    )
    back.click()  # and there again
    expect(field).to_have_value("from a file")
    write(page, "once more")
    page.get_by_label("Example").select_option("Code")
    back.click()
    expect(field).to_have_value("once more")
    expect(page.get_by_label("Example")).to_have_value("")
    field.fill("")
    page.get_by_label("Example").select_option("Code")
    back.click()
    expect(field).to_have_value("once more")  # an empty text does not take its place


def test_a_text_of_hostile_name(open_page: OpenPage) -> None:
    page = open_page()
    name = "".join(HOSTILE).replace("/", "∕")
    content = {"name": name, "mimeType": "text/plain", "buffer": b"one\r\ntwo\r"}
    page.get_by_label("Open a text").set_input_files(content)
    expect(page.locator("#text")).to_have_value("one\ntwo\n")
    expect(page.locator("#text-note bdi")).to_have_text(name)
    assert_inert(page)
    write(page, "other")
    expect(page.locator("#text-note")).to_be_hidden()


def test_a_long_text_part_by_part(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    page.evaluate("""() => {
        window.counts = [];
        const count = document.querySelector("#count");
        new MutationObserver(() => counts.push(Number(count.dataset.value))).observe(count, {attributes: true});
    }""")
    text = "".join(f"It was the {rank}th of times, 日本 🙂 and the worst.\n" for rank in range(12_000))
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    page.get_by_label("Open a text").set_input_files(tmp_path / "long.txt")
    expect(page.locator("#characters")).to_have_text(f"{len(text):,}")
    settled(page)
    counts = page.evaluate("counts")
    assert counts == sorted(counts)
    assert len(counts) > 3
    assert counts[-1] == len(reference("cl100k_base").encode(text))
    expect(page.locator("#status")).to_have_text("Ready: cl100k_base")
    expect(page.locator("#cancel")).to_be_hidden()


def test_another_text_is_shown_from_its_beginning(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "typed\n" * 200)
    view = page.locator("token-view")
    last = view.locator(".token").last
    expect(last).to_be_in_viewport()  # one sees what one types
    drop(page, "notes.txt", b"a line\n" * 300)
    expect(page.locator("#count")).to_have_attribute("data-value", "900")
    expect(view.locator(".token").first).to_be_in_viewport()
    expect(last).not_to_be_in_viewport()


BLOCK = "() => void setTimeout(() => { const end = Date.now() + 60_000; while (Date.now() < end); })"


def test_what_takes_long_is_stopped(open_page: OpenPage) -> None:
    page = open_page()
    cancel = page.get_by_role("button", name="Cancel")
    page.workers[-1].evaluate(BLOCK)
    page.locator("#text").fill("never read")
    cancel.click()
    expect(page.locator("#notice")).to_contain_text("Stopped")
    expect(cancel).to_be_hidden()
    assert [token.id for token in write(page, "hello")] == reference("cl100k_base").encode("hello")
    expect(page.locator("#notice")).to_be_hidden()

    page.workers[-1].evaluate(BLOCK)
    page.locator("#file").set_input_files(vocabs.fetch("p50k_base"))
    cancel.click()
    expect(page.locator("#status")).to_have_text("p50k_base.tiktoken was not read to its end")
    load(page, vocabs.fetch("p50k_base"))

    page.get_by_role("button", name="Inspect").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    # What is written before the dialog tells that it was closed is not stopped with it.
    page.evaluate("""() => {
        document.querySelector("dialog[open]").close();
        const text = document.querySelector("#text");
        text.value = "hello, hello";
        text.dispatchEvent(new InputEvent("input"));
    }""")
    expect(page.locator("#count")).to_have_attribute("data-value", "3")
    expect(page.locator("#status")).to_have_text(re.compile("^Ready: p50k_base"))
