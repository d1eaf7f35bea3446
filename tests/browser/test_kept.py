"""What the page keeps on the device: files that were opened, as long as one wishes."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.browser.conftest import SERVED, wait_until
from tests.browser.test_page import load, write
from tests.browser.test_robust import HOSTILE, assert_inert

import vocabs

OpenPage = Callable[..., Page]

ROWS = "#recent-list .pick"
LEFT = """async () => [
    (await indexedDB.databases()).length,
    (await caches.keys()).length,
    (await navigator.serviceWorker.getRegistrations()).length,
    localStorage.length,
]"""


def again(page: Page) -> None:
    page.reload()
    page.locator("#status[data-state=ready]").wait_for()
    page.get_by_role("button", name="Recent files").click()


def test_recent_files(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator("#recent-count")).to_have_text("none yet")
    load(page, vocabs.fetch("p50k_base"))
    page.locator("#file").set_input_files([vocabs.fetch("gpt2_vocab"), vocabs.fetch("gpt2_merges")])
    expect(page.locator("#recent-count")).to_have_text("2 on this device")
    again(page)
    expect(page.locator(ROWS)).to_have_count(2)
    expect(page.locator(ROWS).last).to_contain_text(re.compile(r"p50k_base.* · 836 kB · 94b5ca7d · \w+ \d+, 20\d\d"))
    page.locator(ROWS).first.click()
    expect(page.locator("#status")).to_have_text(re.compile("^Ready: gpt2_vocab"))
    assert [token.id for token in write(page, "hello")] == [31373]
    page.locator(ROWS, has_text="p50k_base").click()
    expect(page.locator("#status")).to_have_text("Ready: p50k_base")
    shelf = page.locator("#shelf .pick")
    loaded = shelf.count()
    page.locator(ROWS, has_text="gpt2").click()  # it is on the shelf
    expect(page.locator("#status")).to_have_text(re.compile("^Ready: gpt2_vocab"))
    assert shelf.count() == loaded

    page.get_by_label("Forget p50k_base.tiktoken").click()
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("button", name="Forget all").click()
    expect(page.locator("#recent-count")).to_have_text("none yet")
    page.get_by_label("Keep files").uncheck()
    load(page, vocabs.fetch("r50k_base"))
    again(page)
    expect(page.get_by_label("Keep files")).not_to_be_checked()
    expect(page.locator(ROWS)).to_have_count(0)


def test_hostile_names_and_what_had_to_be_asked(open_page: OpenPage) -> None:
    page = open_page()
    data = b"".join(vocabs.fetch("r50k_base").read_bytes().splitlines(keepends=True)[:400])
    names = [payload.replace("/", "∕") for payload in HOSTILE]
    for rank, name in enumerate(names):
        # Each a little longer, and thus another file.
        more = b"".join(
            b"%s %d\n" % (code, 400 + i)
            for i, code in enumerate([b"YWFhYWFh", b"YmJiYmJi", b"Y2NjY2Nj", b"ZGRkZGRk"][:rank])
        )
        page.locator("#file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data + more})
        page.get_by_label("Split pattern").fill(r"[\s\S]")
        page.get_by_role("button", name="Load", exact=True).click()
        expect(page.locator("#status")).to_have_attribute("data-state", "ready")
        expect(page.locator("#recent-count")).to_have_text(f"{rank + 1} on this device")
    again(page)
    assert page.locator(f"{ROWS} .name").all_text_contents() == names[::-1]
    assert page.locator(f"{ROWS} bdi").count() == 2 * len(names)
    page.locator(ROWS).last.click()
    expect(page.locator("#status")).to_have_text(re.compile("^Ready: (?!cl100k)"))
    write(page, "ab")
    expect(page.locator("#count")).to_have_attribute("data-value", "2")  # the pattern was kept as well
    assert_inert(page)


def test_clear_all_data(open_page: OpenPage) -> None:
    page = open_page()
    load(page, vocabs.fetch("r50k_base"))
    expect(page.locator("#recent-count")).to_have_text("1 on this device")
    page.get_by_role("button", name="Recent files").click()
    page.get_by_label("Keep files").uncheck()
    wait_until(page, SERVED)
    assert page.evaluate(LEFT) == [1, 1, 1, 1]
    page.get_by_role("button", name="Clear all data").click()
    expect(page.get_by_role("button", name="Cleared")).to_be_visible()
    assert page.evaluate(LEFT) == [0, 0, 0, 0]
    expect(page.get_by_label("Keep files")).to_be_checked()
    # Nor does the service worker, which serves the page until it is closed, begin anew.
    page.get_by_role("button", name="p50k_base Load").click()
    expect(page.locator("#status")).to_have_text("Ready: p50k_base")
    assert page.evaluate(LEFT) == [0, 0, 0, 0]


def test_a_browser_that_keeps_nothing(open_page: OpenPage) -> None:
    refuse = "() => { throw new DOMException('not here', 'SecurityError') }"
    page = open_page(
        f"indexedDB.open = {refuse}; navigator.serviceWorker.register = {refuse};"
        f"Object.defineProperty(window, 'localStorage', {{get: {refuse}}})"
    )
    expect(page.get_by_role("button", name="Recent files")).to_be_hidden()
    load(page, vocabs.fetch("r50k_base"))
    assert [token.id for token in write(page, "hello")] == [31373]
    page.get_by_role("button", name="Clear all data").click()
    expect(page.get_by_role("button", name="Cleared")).to_be_visible()
