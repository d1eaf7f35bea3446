"""A started engine is kept, and a later visit goes on from there; nothing else that lies there is used."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import READY_MS, counts, wait_until

HEAD_BYTES = 1024
OPEN = "const file = await (await navigator.storage.getDirectory()).getFileHandle('bpeek engine', { create: false });"
HEAD = f"""async () => {{
  try {{ {OPEN} return await (await file.getFile()).slice(0, {HEAD_BYTES}).text(); }} catch {{ return ""; }}
}}"""
WRITE = f"""async ([position, text]) => {{
  {OPEN}
  const {{ size }} = await file.getFile();
  const writing = await file.createWritable({{ keepExistingData: true }});
  await writing.write({{ type: "write", position, data: text ?? new Uint8Array(size - position) }});
  await writing.close();
}}"""
GONE = (
    "async () => { for await (const _ of (await navigator.storage.getDirectory()).keys()) return false; return true; }"
)

Visit = Callable[[], tuple[Page, bool]]


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """Opens the page, and tells whether it went on from a snapshot: then the standard library is not fetched."""
    context = browser.new_context(service_workers="block")
    context.set_default_timeout(READY_MS)
    complaints: list[str] = []

    def visit() -> tuple[Page, bool]:
        page = context.new_page()
        fetched: list[str] = []
        page.on("request", lambda request: fetched.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        page.locator("#status[data-state=ready]").wait_for()
        return page, not any("stdlib" in url for url in fetched)

    yield visit
    context.close()
    assert complaints == []


def wait_until_kept(page: Page) -> str:
    """It is written some seconds after it is taken."""
    return str(
        wait_until(
            page, f"async () => {{ const head = await ({HEAD})(); return !head.includes('another build') && head; }}"
        )
    )


def test_the_next_visit_goes_on_from_a_snapshot(visit: Visit) -> None:
    page, resumed = visit()
    assert not resumed
    wait_until_kept(page)
    page, resumed = visit()
    assert resumed
    counts(page, "Hello 🦜, naïve 日本語!", 12)
    page.get_by_role("button", name="o200k_base Load").click()
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    counts(page, "Hello 🦜!", 5)
    page.get_by_role("button", name="Clear all data").click()
    expect(page.get_by_role("button", name="Cleared")).to_be_visible()
    assert page.evaluate(GONE)


def test_what_does_not_fit_gives_way(visit: Visit) -> None:
    page, _ = visit()
    head = wait_until_kept(page)
    page.evaluate(WRITE, [0, head.replace('"key":"', '"key":"another build ')[:HEAD_BYTES]])
    page, resumed = visit()
    assert not resumed
    wait_until_kept(page)
    page.evaluate(WRITE, [HEAD_BYTES, None])  # nothing but zeros for memory
    page, _ = visit()
    counts(page, "still here", 2)
    wait_until_kept(page)
    assert visit()[1]
