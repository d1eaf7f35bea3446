"""What the page offers beside the tokens: comparison, limit, colours, card, export, links, help."""

import csv
import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.test_accessible import assert_accessible
from tests.browser.test_page import TRICKY, load, read_special, reference, write

import bpeek
import vocabs

OpenPage = Callable[..., Page]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
DIFFERS = "token-compare .cell:first-child .differs"


def versus(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Compare {name}").click()


def compared(text: str, *names: str) -> bpeek.Comparison:
    return bpeek.compare(text, {name: bpeek.load(vocabs.fetch(name)) for name in names})


def differing(found: bpeek.Comparison) -> list[str]:
    return [found.text[each.start : each.end] for each in found.segments if not each.agree]


def paste(page: Page, text: str) -> None:
    page.locator("#text").evaluate("(area, text) => { area.value = text }", text)
    page.locator("#text").dispatch_event("input")


def test_up_to_four_side_by_side(open_page: OpenPage) -> None:
    page = open_page()
    write(page, TRICKY)
    columns = ["cl100k_base", "o200k_base", "p50k_base", "r50k_base"]
    for count, name in enumerate(columns[1:], 2):
        versus(page, name)
        found = compared(TRICKY, *columns[:count])
        expect(page.locator("token-compare .number")).to_have_text([f"{n:,}" for n in found.counts.values()])
        # The marks that show what cannot be seen are drawn by style: the text is the text.
        assert page.locator(DIFFERS).evaluate_all("all => all.map(e => e.textContent)") == differing(found)
        expect(page.locator("#comparison-told")).to_contain_text(f"{len(differing(found))} places differ")
    load(page, vocabs.fetch("llama3"))
    expect(page.locator("token-compare .name").first).to_have_text(re.compile("llama3"))
    versus(page, "cl100k_base")
    expect(page.locator("#status")).to_have_text(re.compile("compared at most"))

    # All columns light up together, and the ids stand below.
    page.locator("token-compare .row .cell:nth-child(3) .differs").first.hover()
    expect(page.locator("token-compare .active")).to_have_count(4)
    expect(page.locator("#difference p")).to_have_count(4)

    # Typing goes on below.
    page.locator("#text").fill("indivisibility")
    expect(page.locator("token-compare .row")).to_have_count(1)
    expect(page.locator("token-compare .cell").first).to_have_text("indivisibility")

    for name in columns[1:]:
        page.get_by_role("button", name=f"Remove {name}").click()
    expect(page.locator("#comparison")).to_be_hidden()


def test_differences_by_key_and_alone(open_page: OpenPage) -> None:
    page = open_page()
    text = "plain words\nв лесу\nplain words\nещё лес\n"
    write(page, text)
    versus(page, "o200k_base")
    told = differing(compared(text, "cl100k_base", "o200k_base"))
    expect(page.locator("token-compare .row")).to_have_count(4)
    page.get_by_label("Only lines that differ").check()
    expect(page.locator("token-compare .row")).to_have_count(2)
    page.get_by_role("button", name="Next difference").click()
    focused = page.locator("token-compare .differs:focus")
    for part in told[1:]:
        page.keyboard.press("ArrowRight")
        assert focused.evaluate("e => e.textContent") == part
    page.keyboard.press("Home")
    assert focused.evaluate("e => e.textContent") == told[0]
    assert "o200k_base, " in (focused.get_attribute("aria-label") or "")
    ids = reference("o200k_base").encode(told[0])
    expect(page.locator("#difference p").nth(1)).to_contain_text(str(ids[0]))
    page.get_by_role("button", name="Compare o200k_base").click()
    expect(page.locator("#comparison")).to_be_hidden()


def test_a_megabyte_is_compared(open_page: OpenPage) -> None:
    page = open_page()
    versus(page, "o200k_base")
    expect(page.locator("#comparison")).to_be_visible()
    text = "It was the best of times, 日本 🙂 it was the worst of times.\n" * 17_000 + "лес"
    paste(page, text)
    # The same line, again and again: a small part tells what the whole has.
    lines, end = (len(differing(compared(part, "cl100k_base", "o200k_base"))) for part in (text[:59], "лес"))
    expect(page.locator("#comparison-told")).to_contain_text(f"{17_000 * lines + end:,} places differ")
    assert page.locator("token-compare .row").count() < 300
    page.evaluate("document.querySelector('token-compare').focusDifference(0)")
    page.keyboard.press("End")
    focused = page.locator("token-compare .differs:focus")
    expect(focused).to_be_in_viewport()
    assert focused.evaluate("e => e.textContent") == "лес"
    assert page.locator("token-compare .row").count() < 300


def test_a_limit_is_kept_and_marks_what_is_beyond(open_page: OpenPage) -> None:
    page = open_page()
    limit, told, over = page.get_by_label("Limit"), page.locator("#limit-told"), page.locator("token-view .token.over")
    write(page, "one two three four")
    limit.fill("3")
    expect(told).to_have_text("1 over: the limit falls after character 13")
    expect(over).to_have_text([" four"])
    page.get_by_role("button", name="Show the place").click()
    expect(page.locator("token-view .token:focus")).to_have_text(" four")
    write(page, "zero one two three four")
    expect(over).to_have_text([" three", " four"])
    expect(page.locator("#spoken-count")).to_have_text("5 tokens, 2 over: the limit falls after character 12")
    write(page, "one two")
    expect(told).to_have_text("1 of 3 left")
    expect(over).to_have_count(0)
    page.reload()
    expect(limit).to_have_value("3")
    expect(told).to_contain_text("over")
    limit.fill("-5")
    expect(told).to_have_text("A limit is a whole number from 1 to 1,000,000,000")
    limit.fill("")
    expect(told).to_have_text("")
    expect(over).to_have_count(0)


def test_colours_by_id(open_page: OpenPage) -> None:
    page = open_page()
    text = "the cat, the dog, the owl, the cat"
    write(page, text)
    read = "all => all.map(e => [e.dataset.id, e.className])"
    assert len({kind for _, kind in page.locator("token-view .token").evaluate_all(read)}) == 5
    page.get_by_label("Colours").select_option("id")
    shown = page.locator("token-view .token").evaluate_all(read)
    assert len({tuple(row) for row in shown}) == len({token for token, _ in shown}) < len(shown)
    page.reload()
    expect(page.get_by_label("Colours")).to_have_value("id")
    expect(page.locator("#view")).to_have_attribute("colors", "id")


def test_the_card_of_a_chosen_token(open_page: OpenPage) -> None:
    page = open_page(permissions=CLIPBOARD)
    write(page, "so\t 🦜 indivisibility")
    page.locator("token-view .slices .token").first.click()
    card = page.locator("#card-body")
    expect(card.locator(".points")).to_contain_text("U+1F99C PARROT")
    expect(card.locator(".text dd")).to_have_text("part of 🦜")
    page.get_by_role("option", name="tab, id").click()
    expect(card.locator(".points")).to_contain_text("U+0009 tab")
    page.locator("token-view .token", has_text="ibility").click()
    expect(card.locator(".points .point")).to_have_count(len("ibility"))
    expect(card).to_contain_text("LATIN SMALL LETTER Y")
    (token,) = reference("cl100k_base").encode("ibility")
    expect(card.locator("dl > div", has_text="Rank")).to_contain_text(f"{token:,}")  # tiktoken's ids are ranks
    for name, value in {"Id": str(token), "Text": "ibility", "Bytes": "69 62 69 6c 69 74 79"}.items():
        card.get_by_role("button", name=f"Copy: {name}").click()
        expect(card.get_by_role("button", name=f"Copied: {name}")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == value
    # Escape closes it from within, and the keys are where they were.
    page.keyboard.press("Escape")
    expect(page.locator("#card-close")).to_be_hidden()
    expect(page.locator("token-view .token:focus")).to_have_text("ibility")


def test_export(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(permissions=CLIPBOARD, accept_downloads=True)
    text = '=1+1 <img src=x onerror=alert(1)> 🦜\n"<|endoftext|>'
    write(page, text)
    expected = reference("cl100k_base").encode(text, allowed_special="all")
    page.get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")

    def save(name: str) -> str:
        with page.expect_download() as download:
            dialog.get_by_role("button", name=f"Save {name}").click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path.read_bytes().decode()

    assert json.loads(save("Ids")) == expected
    told = json.loads(save("JSON"))
    assert told["text"] == text and [token["id"] for token in told["tokens"]] == expected
    data = text.encode()
    rows = list(csv.DictReader(io.StringIO(save("CSV"), newline="")))
    assert [int(row["id"]) for row in rows] == expected
    assert bytes.fromhex("".join(row["hex"] for row in rows)) == data
    assert not any(row["text"].startswith(("=", "+", "-", "@")) for row in rows)
    assert "<img" not in save("HTML")
    picture = tmp_path / "tokens.svg"
    picture.write_text(save("SVG"))
    # It is an image, of the size that it says.
    size = """svg => new Promise((resolve, reject) => {
        const image = new Image();
        image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
        image.onerror = reject;
        image.src = "data:image/svg+xml," + encodeURIComponent(svg);
    })"""
    assert page.evaluate(size, picture.read_text())[0] == 800

    dialog.get_by_role("button", name="Copy HTML").click()
    expect(dialog.get_by_role("button", name="Copy HTML")).to_have_text("Copied")
    read = "navigator.clipboard.read().then(([item]) => item.getType('text/html')).then(blob => blob.text())"
    pasted = page.evaluate(read)
    assert html.unescape(re.sub("<[^>]*>", "", pasted)).strip() == text and "<img" not in pasted
    dialog.get_by_role("button", name="Copy Ids").click()
    expect(dialog.get_by_role("button", name="Copy Ids")).to_have_text("Copied")
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == expected


def test_a_link_shows_what_it_was_made_of(open_page: OpenPage) -> None:
    page = open_page()
    text = "shared 🦜 <b>text</b>\n<|endoftext|>"
    write(page, text)
    versus(page, "r50k_base")
    expect(page.locator("#comparison")).to_be_visible()
    page.get_by_label("Limit").fill("4")
    page.get_by_label("Colours").select_option("id")
    read_special(page, "text")
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link", exact=True)
    expect(link).to_have_value(re.compile("#"))
    without = link.input_value()
    assert "text=" not in without
    page.get_by_label("Put my text into the link").check()
    expect(link).to_have_value(re.compile("&text="))
    address = link.input_value()

    page.goto("about:blank")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    expect(page.locator("token-compare .name")).to_have_text(["cl100k_base", "r50k_base"])
    expect(page.locator("#text")).to_have_value(text)
    expect(page.get_by_role("radio", name="as text")).to_be_checked()
    expect(page.locator("#view")).to_have_attribute("colors", "id")
    count = len(reference("cl100k_base").encode_ordinary(text))
    expect(page.locator("#count")).to_have_attribute("data-value", str(count))
    expect(page.locator("#limit-told")).to_contain_text(f"{count - 4} over")
    expect(page.locator("#link-note")).to_be_hidden()
    assert requests and not any("text=" in url.partition("#")[0] for url in requests)

    # Pasted into a page that is open, it is followed as well; damaged, as far as it can be read.
    page.evaluate("location.hash = 'v=o200k_base&text=AAAA'")
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    expect(page.locator("#link-note")).to_contain_text("damaged")
    expect(page.locator("#text")).to_have_value(text)
    page.goto("about:blank")
    page.goto(address.partition("#")[0] + "#v=no_such_base&limit=9")
    expect(page.locator("#status")).to_have_text("Ready: cl100k_base")
    expect(page.get_by_label("Limit")).to_have_value("9")
    expect(page.locator("#link-note")).to_contain_text("damaged")


def test_a_link_to_a_file_asks_for_it(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_label("Keep files that I open").evaluate("box => box.click()")  # as if it were another's device
    load(page, vocabs.fetch("llama3"))
    page.get_by_role("button", name="Share").click()
    address = page.get_by_label("Link", exact=True)
    expect(address).to_have_value(re.compile("sha256-"))
    link = address.input_value()
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#link-note")).to_contain_text("llama3")
    expect(page.locator("#status")).to_have_text("Ready: cl100k_base")
    load(page, vocabs.fetch("llama3"))
    expect(page.locator("#link-note")).to_be_hidden()


def test_a_refused_special_token_may_be_read_otherwise(open_page: OpenPage) -> None:
    page = open_page()
    read_special(page, "error")
    text = "🙂 a<|endoftext|>"
    page.locator("#text").fill(text)
    expect(page.locator("#notice")).to_contain_text("at character 3")
    page.get_by_role("button", name="Show it in the text").click()
    selected = "area => area.value.slice(area.selectionStart, area.selectionEnd)"
    assert page.locator("#text").evaluate(selected) == "<|endoftext|>"
    page.get_by_role("button", name="Read it as text").click()
    expect(page.get_by_role("radio", name="as text")).to_be_checked()
    expect(page.locator("token-view .lookalike")).to_have_text("<|endoftext|>")
    expect(page.locator("#notice-ways")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_panel_is_accessible_and_fits(open_page: OpenPage, theme: str) -> None:
    page = open_page(color_scheme=theme, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    write(page, "naïve 🦜 в лесу שלום\n<|endoftext|>")
    page.get_by_label("Limit").fill("5")
    versus(page, "o200k_base")
    expect(page.locator(DIFFERS).first).to_be_visible()
    page.locator(DIFFERS).first.hover()
    page.locator("token-view .token").nth(1).click()
    expect(page.locator("#card-body .how")).to_be_visible()
    assert_accessible(page)
    for name in ("Share", "Export", "Help"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert_accessible(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    page.keyboard.press("Escape")
    # 200 % zoom, and a phone held upright at 400 %.
    for width in (640, 320):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#comparison").evaluate("panel => panel.scrollWidth <= panel.clientWidth")
        assert_accessible(page)
    page.get_by_role("button", name="Help", exact=True).click()
    dialog = page.get_by_role("dialog")
    assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")


def test_tokens_as_a_table(open_page: OpenPage) -> None:
    page = open_page()
    text = "so\t 🦜<|endoftext|> שלום"
    write(page, text)
    page.get_by_label("As a table").check()
    expect(page.locator("#ids")).to_be_hidden()
    table = page.locator("#token-table")
    rows = table.locator("tbody tr")
    expected = bpeek.load(vocabs.fetch("cl100k_base")).encode(text)
    spans = zip(expected.ids, expected.offsets_utf16, expected.offsets, expected.offsets_bytes, strict=True)
    cells = [(str(i), *(f"{a} – {b}" for a, b in places)) for i, *places in spans]
    expect(rows).to_have_count(len(cells))
    read = "all => all.map(row => [1, 3, 4, 5].map(i => row.cells[i].textContent))"
    assert [tuple(row) for row in rows.evaluate_all(read)] == cells
    expect(rows.nth(1).locator("bdi")).to_have_text("\\t")
    expect(table.locator(".chip")).to_have_text("<|endoftext|>")
    # Both ways, by pointer and by key.
    rows.nth(1).hover()
    expect(page.locator("token-view .active")).to_have_attribute("data-index", "1")
    expect(page.locator("#card-body")).to_contain_text("\\t")
    page.locator("token-view .token").first.hover()
    expect(table.locator(".lit td").first).to_have_text("1")
    page.mouse.move(0, 0)  # nothing else is to come under the pointer when the page scrolls
    rows.last.get_by_role("button").focus()
    expect(page.locator("token-view .active")).to_have_attribute("data-index", str(len(cells) - 1))
    page.keyboard.press("Enter")
    expect(page.locator("#card-body .how")).to_be_visible()
    assert_accessible(page)
    # A token that is chosen is gone to, wherever its row is.
    paste(page, " a" * 250)
    told = page.locator("#token-table-told")
    expect(told).to_have_text("1 to 100 of 250")
    page.get_by_role("button", name="Tokens after these").click()
    expect(told).to_have_text("101 to 200 of 250")
    page.locator("token-view .token").last.click()
    expect(told).to_have_text("201 to 250 of 250")
    expect(table.locator(".lit td").first).to_have_text("250")
    expect(page.get_by_role("button", name="Tokens after these")).to_be_disabled()
    paste(page, "")
    expect(told).to_have_text("No tokens")
    page.reload()
    expect(page.get_by_label("As a table")).to_be_checked()
