"""Visit the built site in Chromium, first with an empty cache, then again; print bytes sent and times to first tokens.

python tools/measure.py [ROUNDS]
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

import browsers
import serve

MARK_WORKER = """
globalThis.Worker = class extends Worker {
  constructor(...args) {
    performance.mark("worker");
    super(...args);
  }
};
"""


class Visit(NamedTuple):
    """Bytes that were sent, and milliseconds from the start of navigation, and from `new Worker`, to first tokens."""

    is_first: bool
    sent: int
    navigation: float
    worker: float


@contextmanager
def counting_server(site: Path) -> Iterator[tuple[str, Counter[str]]]:
    sent: Counter[str] = Counter()

    class Handler(serve.Handler):
        def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:
            sent[self.path] += os.fstat(source.fileno()).st_size
            super().copyfile(source, outputfile)

    with serve.server(site, handler=Handler) as httpd:
        threading.Thread(target=httpd.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{httpd.server_port}/", sent
        finally:
            httpd.shutdown()


def visit(context: BrowserContext, url: str) -> tuple[float, float]:
    page = context.new_page()
    page.add_init_script(MARK_WORKER)
    page.goto(url)
    page.wait_for_selector("#status[data-state=ready]", state="attached")
    start, duration = page.evaluate("""() => {
        const [{ startTime, duration }] = performance.getEntriesByName("first tokens");
        return [startTime, duration];
    }""")
    worker: float = page.evaluate("performance.getEntriesByName('worker')[0].startTime")
    page.close()
    return start + duration, start + duration - worker


def visits(playwright: Playwright, executable: str | None, site: Path, later: int = 3) -> Iterator[Visit]:
    """One first visit and some later ones. With a profile on disk, as people have: only there does Chromium keep the
    compiled runtime, and that from the second visit on."""
    with counting_server(site) as (url, sent), tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=executable)
        for number in range(1 + later):
            sent.clear()
            times = visit(context, url)
            yield Visit(number == 0, sent.total(), *times)
        context.close()


def main(rounds: int = 3) -> None:
    executable = browsers.chromium()
    with sync_playwright() as playwright:
        for _ in range(rounds):
            for each in visits(playwright, executable, serve.SITE):
                name = "first visit" if each.is_first else "later visit"
                print(f"{name}: {each.sent:,} bytes, tokens after {each.navigation:.0f} ms,", end=" ")
                print(f"{each.worker:.0f} from `new Worker`", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
