"""axe finds nothing to complain of, in both themes, in every state of the page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_page import read_special

AXE = Path(__file__).parents[2] / "demo/node_modules/axe-core/axe.min.js"
RUN = "async () => (await axe.run()).violations.map(v => [v.id, v.help, v.nodes.slice(0, 3).map(n => n.html)])"


def assert_accessible(page: Page) -> None:
    # Not a script element: the page's policy would refuse it.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(RUN) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe(open_page: Callable[..., Page], theme: str, width: int) -> None:
    page = open_page(color_scheme=theme, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    assert_accessible(page)
    page.locator("token-view .token").nth(2).click()
    expect(page.locator("#card-body").get_by_role("slider")).to_be_visible()
    assert_accessible(page)
    broken = {"name": "x.tiktoken", "mimeType": "text/plain", "buffer": b"!"}
    page.locator("#file").set_input_files(broken)
    expect(page.locator("#status")).to_have_attribute("data-state", "error")
    read_special(page, "error")
    expect(page.locator("#notice")).to_be_visible()
    page.locator("#whitespace").check()
    assert_accessible(page)
