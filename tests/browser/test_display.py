"""What encodings show in notebooks, as a page of its own: themes, widths, accessibility, without the style sheet."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.test_accessible import assert_accessible

import bpeek
from bpeek.display import html

TEXT = (
    "Hello, wörld! 漢字 and 👩‍💻 antidisestablishmentarianism\n\tשלום \x00\u202e\x1b[31m <|endoftext|> <b>x</b>"
    + "a long line " * 20
)
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(23, 26, 32)"}
SAYS = {
    "data-jp-theme-light": {"light": "true", "dark": "false"},
    "class": {"light": "vscode-light", "dark": "vscode-dark"},
    "data-theme": {"light": "light", "dark": "dark"},
    "data-md-color-scheme": {"light": "default", "dark": "slate"},
}


@pytest.fixture(scope="module")
def content(load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> str:
    tok, other = load_vocabulary("cl100k_base"), load_vocabulary("llama2")
    like = tok.encode([bpeek.Trusted("<|endoftext|>"), "a <|endoftext|>"])
    shown = [tok.encode(TEXT), like, other.encode("漢"), tok, tok.compare(TEXT, other), tok.explain("a <b>")]
    return "".join(each._repr_html_() for each in shown)


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_it_is_accessible_and_fits(browser: Browser, content: str, theme: str, width: int) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 800})
    page = context.new_page()
    page.set_content(html.page(f"<main><h1>Tokens</h1>{content}</main>"))
    expect(page.locator(".bpeek").first).to_have_css("background-color", GROUND[theme])
    page.locator("summary").first.click()
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A character is drawn over the slices of its tokens, and the pointer finds each of them.
    slices = page.locator(".bp-char").first.locator(".bp-t")
    boxes = [slices.nth(number).bounding_box() for number in range(slices.count())]
    glyph = page.locator(".bp-glyph").first.bounding_box()
    assert boxes[0]["x"] >= glyph["x"] - 1 and boxes[-1]["x"] + boxes[-1]["width"] <= glyph["x"] + glyph["width"] + 1
    assert all(one["x"] + one["width"] <= other["x"] + 0.5 for one, other in pairwise(boxes))
    slices.first.hover()
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_a_notebook_says_comes_before_the_system(page: Page, content: str, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "light" else "light")
    page.set_content(html.page(content))
    for name, values in SAYS.items():
        page.locator("body").evaluate("(body, [name, value]) => body.setAttribute(name, value)", [name, values[theme]])
        expect(page.locator(".bpeek").first).to_have_css("background-color", GROUND[theme])
        page.locator("body").evaluate("(body, name) => body.removeAttribute(name)", name)


def test_without_its_style_sheet_tokens_are_still_parted(page: Page, content: str) -> None:
    page.set_content(html.page(re.sub("<style>.*?</style>", "", content)))
    token = page.locator(".bp-t").first
    expect(token).to_have_css("border-bottom", "2px solid rgb(0, 114, 178)")
    expect(page.locator(".bp-text").first).to_have_css("white-space", "pre-wrap")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()
