"""After one visit the page needs no server; and no visit gets files of two builds."""

import base64
import hashlib
import json
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.browser.conftest import READY_MS, SERVED, counts, wait_until

import serve

KEPT = "async () => (await (await caches.open((await caches.keys())[0])).keys()).map(({url}) => url)"


class Host:
    """A server of a copy of the site in a sub-folder; it can be stopped, and counts the bodies that it sends."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "some" / "where"
        shutil.copytree(serve.SITE, self.site)
        self.sent: Counter[str] = Counter()
        sent = self.sent

        class Handler(serve.Handler):
            def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:
                sent[self.path] += 1
                super().copyfile(source, outputfile)

        self.server = serve.server(folder, handler=Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/some/where/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def update(self) -> None:
        """Another build: one asset has another content, and thus another name."""
        for packed in (*self.site.rglob("*.br"), *self.site.rglob("*.gz")):
            packed.unlink()
        (old,) = self.site.glob("assets/*.css")
        new = old.with_name("index-NEWBUILD.css")
        new.write_text(old.read_text() + "body { --build: new }")
        old.unlink()
        page, worker = self.site / "index.html", self.site / "sw.js"
        page.write_text(page.read_text().replace(old.name, new.name))
        files, rest = worker.read_text().split("\n", 1)
        sums = json.loads(files.removeprefix("const PAGE = ").removesuffix(";"))
        del sums[f"assets/{old.name}"]
        for name, path in ((f"assets/{new.name}", new), ("", page)):
            sums[name] = "sha256-" + base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()
        worker.write_text(f"const PAGE = {json.dumps(sums)};\n{rest}")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "host")
    yield host
    host.stop()


@pytest.fixture
def start(browser: Browser, executable: str, tmp_path: Path) -> Iterator[Callable[[], BrowserContext]]:
    """Starts a browser whose profile is on disk, and stays there."""
    contexts: list[BrowserContext] = []

    def start() -> BrowserContext:
        for context in contexts:
            context.close()
        launch = browser.browser_type.launch_persistent_context
        contexts[:] = [launch(tmp_path / "profile", executable_path=executable, args=["--no-sandbox"])]
        contexts[0].set_default_timeout(READY_MS)
        return contexts[0]

    yield start
    for context in contexts:
        context.close()


def visit(context: BrowserContext, host: Host) -> Page:
    page = context.new_page()
    page.goto(host.address)
    return ready(page)


def ready(page: Page) -> Page:
    page.locator("#status[data-state=ready]").wait_for()
    return page


def test_without_a_server(host: Host, start: Callable[[], BrowserContext]) -> None:
    context = start()
    page = visit(context, host)
    wait_until(page, SERVED)
    # What the page has fetched is kept from there: nothing but the worker itself is sent for it.
    assert set(host.sent.values()) == {1}
    page.get_by_role("button", name="o200k_base Load").click()
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    wait_until(page, f"async () => (await ({KEPT})()).some((url) => url.includes('o200k'))")
    host.stop()

    ready(page).reload()
    counts(ready(page), "no server", 2)
    counts(visit(context, host), "in another tab", 3)
    page = visit(start(), host)
    counts(page, "another day", 2)
    page.get_by_role("button", name="o200k_base Load").click()
    expect(page.locator("#status")).to_have_text("Ready: o200k_base")
    page.get_by_role("button", name="p50k_base Load").click()
    expect(page.locator("#status")).to_have_attribute("data-state", "error")
    counts(page, "still here", 2)


def test_an_update(host: Host, start: Callable[[], BrowserContext]) -> None:
    build = "getComputedStyle(document.body).getPropertyValue('--build')"
    context = start()
    old = visit(context, host)
    wait_until(old, SERVED)
    host.update()
    new = visit(context, host)
    assert (old.evaluate(build), new.evaluate(build)) == ("", "new")
    # While the old page is open, what is kept stays its own.
    wait_until(new, "async () => (await navigator.serviceWorker.getRegistration()).waiting !== null")
    old.close()
    new.reload()
    wait_until(ready(new), "async () => (await navigator.serviceWorker.getRegistration()).waiting === null")
    host.stop()
    page = visit(context, host)
    assert page.evaluate(build) == "new"
    counts(page, "a new build", 3)
    assert len([url for url in page.evaluate(KEPT) if ".css" in url]) == 1
