"""The built site in a real browser: `open_page()` gives a page on which the default vocabulary is ready."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

import browsers
import serve

READY_MS = 60_000  # generous: other tests may share the machine
expect.set_options(timeout=READY_MS)

# Is a service worker there? (What waits for `serviceWorker.ready` waits for ever if none comes.)
SERVED = "async () => Boolean((await navigator.serviceWorker.getRegistration())?.active)"


def wait_until(page: Page, question: str) -> Any:
    """The first answer that is true. (To ``wait_for_function`` a promise is true, whatever it will be.)"""
    deadline = time.monotonic() + READY_MS / 1000
    while not (answer := page.evaluate(question)):
        assert time.monotonic() < deadline, f"this has not become true: {question}"
        page.wait_for_timeout(50)
    return answer


def counts(page: Page, text: str, tokens: int) -> None:
    """Types a text, and waits for the number of its tokens."""
    page.locator("#text").fill(text)
    expect(page.locator("#count")).to_have_attribute("data-value", str(tokens))


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The page lives in a sub-folder, as on most static hosts."""
    if not (serve.SITE / "index.html").exists():
        pytest.fail("There is no site in dist/: run ./build_wasm.sh first.")
    with serve.server(serve.SITE.parent) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/{serve.SITE.name}/"
        httpd.shutdown()


@pytest.fixture(scope="session")
def executable() -> str:
    path = browsers.chromium()
    if path is None:
        pytest.fail("The browser tests need Chromium: run tools/browsers.py.")
    return path


@pytest.fixture(scope="session")
def playwright(executable: str) -> Iterator[Playwright]:
    """There is one in a process; whoever looks for Chromium asks another, and comes before."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright, executable: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens the page with options of a browser context, a script `before` it; fails on any error or foreign request."""
    pages, complaints = [], []

    def open_page(before: str = "", **options: object) -> Page:
        page = browser.new_context(**options).new_page()
        page.add_init_script(before)
        page.set_default_timeout(READY_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.context.on("request", lambda request: request.url.startswith(address) or complaints.append(request.url))
        page.goto(address)
        page.locator("#status[data-state=ready]").wait_for()
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert complaints == []
