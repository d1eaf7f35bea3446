"""What people have set in their system holds in every state of the page: nothing moves, and colours are theirs."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_page import read_special, write
from tests.browser.test_robust import BLOCK, settled
from tests.browser.test_tools import versus

OpenPage = Callable[..., Page]

# Looks at every frame for what runs, in shadow trees as well, and at every scroll for one that takes its time.
WATCH = """{
    window.moved = [];
    const look = () => {
        const shadows = [...document.querySelectorAll("*")].map(({shadowRoot}) => shadowRoot).filter(Boolean);
        for (const each of [document, ...shadows].flatMap((root) => root.getAnimations())) {
            moved.push(each.animationName ?? each.transitionProperty);
        }
        requestAnimationFrame(look);
    };
    look();
    for (const name of ["scrollIntoView", "scrollTo", "scrollBy"]) {
        const real = Element.prototype[name];
        Element.prototype[name] = function (...args) {
            if (args[0]?.behavior === "smooth") moved.push(name);
            return real.apply(this, args);
        };
    }
}"""
DRAG = """() => {
    const data = new DataTransfer();
    data.items.add(new File(["x"], "x.txt"));
    document.body.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def states(page: Page) -> Iterator[str]:
    """Leads the page through what it can show."""
    yield "start"
    page.locator("token-view .token").nth(3).hover()
    yield "hover"
    page.locator("token-view .token").nth(3).click()
    expect(page.get_by_role("slider")).to_be_visible()
    yield "card"
    page.get_by_label("Limit").fill("20")
    page.get_by_label("Show spaces").check()
    page.get_by_label("As a table").check()
    page.get_by_role("button", name="Copy", exact=True).click()
    yield "table"
    versus(page, "o200k_base")
    page.get_by_role("button", name="Next difference").click()
    yield "comparison"
    read_special(page, "error")
    expect(page.get_by_role("alert")).to_be_visible()
    yield "refused"
    for name in ("Help", "Recent files none yet"):
        page.get_by_role("button", name=name).click()
        page.keyboard.press("Escape")
    page.locator("#file").set_input_files({"name": "x.tiktoken", "mimeType": "", "buffer": b"!"})
    expect(page.locator("#status")).to_have_attribute("data-state", "error")
    yield "error"
    page.evaluate(DRAG)
    expect(page.locator("#drop-hint")).to_be_visible()
    yield "drag"
    page.get_by_role("button", name="Dismiss").evaluate("button => button.click()")
    read_special(page, "text")
    settled(page)
    page.workers[-1].evaluate(BLOCK)
    page.locator("#text").fill("slow")
    expect(page.locator("#view")).to_have_class("stale")
    page.get_by_role("button", name="Cancel").click()
    yield "stopped"
    write(page, "and on\n" * 50)
    page.locator("token-view .token").last.focus()
    yield "scrolled"


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_nothing_moves_for_whoever_wants_that(open_page: OpenPage, wish: str) -> None:
    page = open_page(WATCH, reduced_motion=wish, permissions=["clipboard-write"])
    moved: dict[str, list[str]] = {state: page.evaluate("moved.splice(0)") for state in states(page)}
    if wish == "reduce":
        assert {state: what for state, what in moved.items() if what} == {}
    else:  # what is looked for can be seen
        assert {"breathe", "scrollIntoView", "opacity"} <= {name for names in moved.values() for name in names}


# Of the element that has the focus, or of what stands for it: how wide a line is around it.
FOCUS = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const lines = [];
    for (let each = element; each && lines.length < 3; each = each.parentElement) {
        const {outlineStyle, outlineWidth} = getComputedStyle(each);
        lines.push(outlineStyle === "none" ? 0 : parseFloat(outlineWidth));
    }
    return [element.id || element.className || element.tagName, element === document.body ? -1 : Math.max(...lines)];
}"""
BORDERS = """tokens => tokens.map((token) => {
    const style = getComputedStyle(token);
    return ["border-block-end", "border-inline-start"].flatMap((edge) =>
        [style.getPropertyValue(`${edge}-style`), parseFloat(style.getPropertyValue(`${edge}-width`)) >= 1]);
})"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_forced_colours(open_page: OpenPage, theme: str) -> None:
    page = open_page(forced_colors="active", color_scheme=theme)
    # Each token has a line below and one before it, whatever becomes of its fill.
    borders = page.locator("token-view .token").evaluate_all(BORDERS)
    assert len(borders) > 50 and {tuple(each) for each in borders} == {("solid", True, "solid", True)}
    # What is pointed at, chosen or set is told by colours that the system has.
    page.locator("token-view .token").nth(3).click()
    system = page.evaluate("""() => {
        const made = document.body.appendChild(document.createElement("p"));
        made.style.backgroundColor = "Highlight";
        return getComputedStyle(made).backgroundColor;
    }""")
    for place in ("token-view .selected", "#ids .lit", "#policy :checked"):
        expect(page.locator(place).first).to_have_css("background-color", system)
    # Wherever Tab comes, one sees that it has come there.
    page.get_by_label("Limit").fill("20")
    page.locator("h1").evaluate("title => { title.tabIndex = -1; title.focus() }")
    seen: dict[str, float] = {}
    for _ in range(60):
        page.keyboard.press("Tab")
        name, width = page.evaluate(FOCUS)
        if width == -1:
            break
        seen[name] = width
    assert len(seen) > 20 and {name for name, width in seen.items() if width < 2} == set()
