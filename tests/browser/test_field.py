"""The text field beside the tokens: what is pointed at is marked in it, and its line ends are those of the text."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_page import reference, tokens, write
from tests.browser.test_robust import settled

OpenPage = Callable[..., Page]

# Where the browser itself finds the edges of the mark in the field, as places in its text.
MARKED = """() => {
    const boxes = [...document.querySelectorAll(".field-box")].map((box) => box.getBoundingClientRect());
    if (boxes.length === 0) return null;
    const at = (x, {top, height}) => document.caretPositionFromPoint(x, top + height / 2).offset;
    return [at(boxes[0].left + 0.5, boxes[0]), at(boxes.at(-1).right - 0.5, boxes.at(-1))];
}"""
IN_LONG_TEXT = """() => {
    const mark = document.querySelector("#long-text").shadowRoot.querySelector(".mark")?.getBoundingClientRect();
    if (!mark) return null;
    const root = document.querySelector("#long-text").shadowRoot;
    const at = (x) => document.caretPositionFromPoint(x, mark.top + mark.height / 2, {shadowRoots: [root]});
    const [first, last] = [at(mark.left + 0.5), at(mark.right - 0.5)];
    return first.offsetNode.data.slice(first.offset, last.offset);
}"""
PLACES = (
    "() => ['text', 'view', 'ids'].map((id) => JSON.stringify(document.getElementById(id).getBoundingClientRect()))"
)


def test_a_token_is_marked_where_it_stands(open_page: OpenPage) -> None:
    page = open_page()
    text = "Words that wrap " * 9 + "\n\ttabs,  spaces  and 日本語 naïve\n" + "more\n" * 30
    shown = write(page, text)
    before = page.evaluate(PLACES)
    page.locator("token-view .token").first.focus()
    for token in shown[:45]:
        ends_in_line = not text[token.start : token.end].startswith("\n")
        if ends_in_line:
            page.locator(".field-box").first.wait_for()
            assert page.evaluate(MARKED) == [token.start, len(text[: token.end].rstrip("\n"))]
        page.keyboard.press("ArrowRight")
    assert page.evaluate(PLACES) == before
    # The field goes where the token is, and the mark where the field scrolls.
    page.locator("token-view .token").last.click()
    expect(page.locator(".field-box")).to_be_visible()
    assert page.locator("#text").evaluate("field => field.scrollTop") > 0
    high = page.locator(".field-box").bounding_box()
    page.locator("#text").evaluate("field => { field.scrollTop -= 40 }")
    page.wait_for_function(
        "y => document.querySelector('.field-box').getBoundingClientRect().y > y + 39", arg=high["y"]
    )
    # With the first key there is none, and nothing is left of what told the place.
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    page.locator("#text").press("x")
    expect(page.locator(".field-box")).to_have_count(0)
    expect(page.locator(".field-copy")).to_be_empty()


def test_and_in_a_long_text(open_page: OpenPage) -> None:
    page = open_page()
    page.locator("#text").fill("One of many words\n" * 8_000)
    expect(page.locator("#long-text")).to_be_visible()
    settled(page)
    page.locator("token-view .token").nth(2).click()  # far from where the caret is
    page.wait_for_function(f"() => ({IN_LONG_TEXT})() === ' many'")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => ({IN_LONG_TEXT})() === ' words'")
    page.mouse.move(0, 0)
    page.get_by_role("textbox", name="Text", exact=True).press("ControlOrMeta+Home")
    page.keyboard.type("x")
    page.wait_for_function(f"() => ({IN_LONG_TEXT})() === null")


def ids(text: str) -> list[int]:
    return reference("cl100k_base").encode(text, allowed_special="all")


def found(page: Page) -> list[int]:
    settled(page)
    return [token.id for token in tokens(page)]


@pytest.mark.parametrize(("end", "name"), [("\r\n", "CRLF"), ("\r", "CR")])
def test_line_ends_of_a_file_are_kept(open_page: OpenPage, end: str, name: str) -> None:
    page = open_page()
    row = page.locator("#line-ends")
    text = f"one{end}{end}two 🙂<|endoftext|>{end}"
    file = {"name": "a.txt", "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label("Open a text").set_input_files(file)
    expect(row).to_contain_text(f"The line ends are {name}, and are read so.")
    expect(page.locator("#characters")).to_have_text(str(len(text)))
    assert found(page) == ids(text)
    # Places in the text are places in the field.
    page.locator("token-view .special").hover()
    page.locator(".field-box").wait_for()
    assert page.evaluate(MARKED) == [11, 24]
    # Typing makes more of them.
    page.locator("#text").press("ControlOrMeta+End")
    page.keyboard.type("x\n")
    assert found(page) == ids(f"{text}x{end}")
    row.get_by_role("button", name="Read them as LF").click()
    assert found(page) == ids(f"{text}x{end}".replace(end, "\n"))
    row.get_by_role("button", name=f"Read them as {name}").click()
    assert found(page) == ids(f"{text}x{end}")
    write(page, "")
    expect(row).to_be_hidden()
    assert [token.id for token in write(page, "a\nb")] == ids("a\nb")


def test_line_ends_that_are_pasted_become_the_texts(open_page: OpenPage) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    row = page.locator("#line-ends")
    page.locator("#text").fill("")
    page.evaluate("navigator.clipboard.writeText('one\\r\\ntwo\\r\\n')")
    page.locator("#text").press("ControlOrMeta+v")
    expect(row).to_contain_text("The line ends were CRLF; here they are LF, which may be other tokens.")
    assert found(page) == ids("one\ntwo\n")
    row.get_by_role("button", name="Read them as CRLF").click()
    expect(row).to_contain_text("The line ends are CRLF")
    assert found(page) == ids("one\r\ntwo\r\n")
    # A text with several kinds can have but one.
    file = {"name": "b.txt", "mimeType": "text/plain", "buffer": b"a\r\nb\nc\r"}
    page.get_by_label("Open a text").set_input_files(file)
    expect(row).to_contain_text("The line ends were of several kinds; here they are LF")
    expect(row.get_by_role("button")).to_be_hidden()
    assert found(page) == ids("a\nb\nc\n")
    page.locator("#text").press("x")
    expect(row).to_be_hidden()
