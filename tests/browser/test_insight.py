"""What the page says of a token, and of a vocabulary."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.browser.test_accessible import assert_accessible
from tests.browser.test_page import load, read_special, reference, write

import bpeek
import vocabs

OpenPage = Callable[..., Page]


def test_merges_step_by_step(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "so indivisibility 7")
    page.locator("token-view .token", has_text="ibility").click()
    how = page.locator("#card-body .how")
    expect(how).to_contain_text("alternative 2 of the pattern")
    # The same merges as the engine itself tells.
    told = bpeek.load(vocabs.fetch("cl100k_base")).explain("so indivisibility 7")
    (piece,) = (piece for piece in told.pieces if "ibility" in piece.text)
    states = [[symbol.replace(" ", "␣") for symbol in state] for state in piece.states()]
    slider = how.get_by_role("slider")
    symbols = how.locator(".symbol")
    assert symbols.all_text_contents() == states[-1]
    expect(how.locator(".this")).to_have_text("ibility")
    slider.focus()
    page.keyboard.press("Home")
    assert symbols.all_text_contents() == states[0]
    for number, (state, merge) in enumerate(zip(states[1:], piece.merges, strict=True), 1):
        page.keyboard.press("ArrowRight")
        assert symbols.all_text_contents() == state
        expect(how.locator("output")).to_contain_text(f"Step {number} of {len(piece.merges)}, rank {merge.rank:,}:")
        assert "".join(how.locator(".made span").all_text_contents()) == merge.made.replace(" ", "␣")
    expect(how.locator(".made span")).to_have_count(2)


def test_only_what_is_around_a_token_is_asked(open_page: OpenPage) -> None:
    page = open_page()
    text = "a line of text, and then the next.\n" * 20_000
    page.locator("#text").evaluate("(area, text) => { area.value = text }", text)
    page.locator("#text").dispatch_event("input")
    expect(page.locator("#count")).to_have_attribute("data-value", str(len(reference("cl100k_base").encode(text))))
    page.locator("token-view .token", has_text="line").nth(3).click()
    expect(page.locator("#card-body .how")).to_contain_text(re.compile(r"Step (\d) of \1, rank"))
    page.locator("#text").evaluate("area => { area.value = 'x'.repeat(9000) }")
    page.locator("#text").dispatch_event("input")
    expect(page.locator("#characters")).to_have_text("9,000")
    page.locator("token-view .token").nth(3).click()
    expect(page.locator("#card-body .how")).to_contain_text("could not be followed")


def test_normalization_and_what_a_template_adds(open_page: OpenPage) -> None:
    page = open_page()
    load(page, vocabs.fetch("llama2"))
    write(page, "two words")
    page.locator("token-view .token", has_text="words").click()
    expect(page.locator("#card-body .how")).to_contain_text("Normalized by")
    page.locator("token-view .special").first.click()
    expect(page.locator("#card-body .how")).to_contain_text("adds it to every text")


def test_lookalikes(open_page: OpenPage) -> None:
    page = open_page()
    write(page, "a<|endoftext|>b")
    expect(page.locator("token-view .lookalike")).to_have_count(0)
    page.locator("token-view .special").click()
    expect(page.locator("#card-body .how")).to_contain_text("was taken for a special token")
    read_special(page, "text")
    expect(page.locator("token-view .lookalike")).to_have_text("<|endoftext|>")
    page.locator("token-view .lookalike .token").nth(1).click()
    expect(page.locator("#card-body .how")).to_contain_text("was not taken for a special token")
    page.locator("#text").evaluate("area => { area.setRangeText('', 3, 4); area.dispatchEvent(new Event('input')) }")
    expect(page.locator("token-view .lookalike")).to_have_count(0)


def test_inspection(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    load(page, vocabs.fetch("r50k_base"))
    page.get_by_role("button", name="Inspect").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("takes some seconds")
    expect(dialog.locator("dl")).to_be_visible()
    found = bpeek.load(vocabs.fetch("r50k_base")).inspect()
    expect(dialog).to_contain_text(f"{found.rules.useful:,} are ever of use")
    expect(dialog).to_contain_text(f"the last {found.lookahead.chain_bound:,} bytes")
    shown = dialog.locator("table", has_text="Tokens that no text gives")
    expect(shown.locator("caption span")).to_have_text(f"{len(found.unreachable):,}")
    expect(dialog.locator("table", has_text="Patterns that cut text")).to_contain_text(found.patterns[0].source)
    expect(dialog.locator("table", has_text="Longest tokens")).to_contain_text(re.compile(r"\S×\d"))
    assert page.locator("#inspection-body").evaluate("body => body.scrollWidth <= body.clientWidth")
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#status")).to_have_text(re.compile("Ready: r50k_base"))
