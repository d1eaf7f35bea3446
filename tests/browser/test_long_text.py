"""A long text has an editor that lays out only what is seen; it is no other text for that."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.test_accessible import assert_accessible
from tests.browser.test_page import read_special, reference
from tests.browser.test_robust import settled

OpenPage = Callable[..., Page]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
COMPLAIN = (
    "addEventListener('securitypolicyviolation', ({violatedDirective}) => { throw new Error(violatedDirective) })"
)
HALF = "".join(f"Line {rank}: naïve 日本 🙂\t שלום\n" for rank in range(2_000))
LINES = f"{HALF}<|endoftext|>\n{HALF}"
ONE_LINE = LINES.replace("\n", " ")


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(COMPLAIN, permissions=CLIPBOARD)


def editor(page: Page) -> Locator:
    """The field or the long editor: one of them is there."""
    return page.get_by_role("textbox", name="Text", exact=True)


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    editor(page).press("ControlOrMeta+v")


def assert_holds(page: Page, text: str) -> None:
    settled(page)
    expect(page.locator("#characters")).to_have_text(f"{len(text):,}")
    expect(page.locator("#bytes")).to_have_text(f"{len(text.encode()):,}")
    page.locator("#copy-ids").click()
    expect(page.locator("#copy-ids")).to_have_text("Copied")
    expect(page.locator("#copy-ids")).to_have_text("Copy")
    ids = reference("cl100k_base").encode(text, allowed_special="all")
    assert page.evaluate("navigator.clipboard.readText()") == str(ids)


@pytest.mark.parametrize("text", [LINES, ONE_LINE], ids=["lines", "one line"])
def test_edits(page: Page, text: str) -> None:
    page.locator("#text").fill("before: ")
    read_special(page, "error")
    page.locator("#text").press("End")
    paste(page, text)
    expect(page.locator("#text")).to_be_hidden()
    expect(editor(page)).to_be_focused()

    # What is selected by a place in the text is that part of the text.
    page.get_by_role("button", name="Show it in the text").click()
    read_special(page, "special")
    editor(page).focus()
    page.keyboard.type("in the middle")
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    edited = f"before: {text}".replace("<|endoftext|>", "in the middle")
    assert_holds(page, edited)
    editor(page).press("ControlOrMeta+Home")
    page.keyboard.type("  first")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    editor(page).press("ControlOrMeta+End")
    page.keyboard.type("last 🙂")
    assert_holds(page, f"  firt{edited}last 🙂")


def test_from_one_editor_to_the_other_and_back(page: Page) -> None:
    page.locator("#text").fill("short")
    page.locator("#text").press("End")
    paste(page, "\r\nand long" * 20_000)
    expect(page.locator("#text")).to_be_hidden()
    assert_holds(page, "short" + "\nand long" * 20_000)
    # What made it long can be undone; nothing changes under the hands, and Tab leaves.
    editor(page).press("ControlOrMeta+z")
    expect(page.locator("#characters")).to_have_text("5")
    editor(page).press("ControlOrMeta+y")
    expect(page.locator("#characters")).to_have_text("180,005")
    editor(page).press("ControlOrMeta+z")
    expect(page.locator("#text")).to_be_hidden()
    editor(page).press("Tab")
    expect(editor(page)).not_to_be_focused()
    expect(page.locator("#text")).to_have_value("short")
    # Its label leads to either, and what is chosen or opened takes the place of either.
    page.get_by_label("Open a text").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": LINES.encode()}
    )
    assert_holds(page, LINES)
    page.locator("label[for=text]").click()
    expect(editor(page)).to_be_focused()
    page.locator("#sample").select_option(index=1)
    expect(page.locator("#text")).to_be_visible()
    expect(page.locator("#long-text")).to_be_hidden()


def test_what_is_typed_while_the_editor_is_fetched(open_page: OpenPage) -> None:
    page = open_page(COMPLAIN, permissions=CLIPBOARD, service_workers="block")
    held: list[Route] = []
    page.route("**/long-text-*", lambda route: held.append(route))
    page.locator("#text").fill("x" * 100_000)
    page.locator("#text").press_sequentially("yz")
    expect(page.locator("#characters")).to_have_text("100,001")
    held[0].continue_()
    expect(page.locator("#text")).to_be_hidden()
    page.keyboard.type("!")
    assert_holds(page, "x" * 100_000 + "yz!")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible_and_fits(open_page: OpenPage, theme: str) -> None:
    page = open_page(COMPLAIN, color_scheme=theme, viewport={"width": 320, "height": 800}, reduced_motion="reduce")
    page.locator("#text").fill(LINES)
    expect(editor(page)).to_be_focused()
    settled(page)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    # Each line has a direction of its own.
    directions = page.locator("#long-text .cm-line").evaluate_all(
        "lines => lines.map(line => getComputedStyle(line).direction)"
    )
    assert set(directions) == {"ltr"}
    editor(page).press("ControlOrMeta+Home")
    page.keyboard.type("שלום ")
    expect(page.locator("#long-text .cm-line").first).to_have_css("direction", "rtl")
