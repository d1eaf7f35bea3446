"""Visit the built site in Chromium, first with an empty cache, then again; print bytes sent and times to first tokens.

python tools/measure.py [ROUNDS]
"""

import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from playwright.sync_api import BrowserContext, sync_playwright

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


@contextmanager
def counting_server() -> Iterator[tuple[str, Counter[str]]]:
    sent: Counter[str] = Counter()

    class Handler(serve.Handler):
        def copyfile(self, source: BinaryIO, outputfile: BinaryIO) -> None:
            sent[self.path] += os.fstat(source.fileno()).st_size
            super().copyfile(source, outputfile)

    with serve.server(serve.SITE, handler=Handler) as httpd:
        threading.Thread(target=httpd.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{httpd.server_port}/", sent
        finally:
            httpd.shutdown()


def visit(context: BrowserContext, url: str) -> tuple[float, float]:
    """Milliseconds from the start of navigation, and from `new Worker`, until tokens are shown."""
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


def main(rounds: int = 3) -> None:
    executable = browsers.chromium()
    with counting_server() as (url, sent), sync_playwright() as playwright:
        for _ in range(rounds):
            # A profile on disk, as people have: only there does Chromium keep the compiled runtime.
            with tempfile.TemporaryDirectory() as profile:
                context = playwright.chromium.launch_persistent_context(profile, executable_path=executable)
                for name in ("first visit", *["later visit"] * 3):
                    sent.clear()
                    page, worker = visit(context, url)
                    print(f"{name}: {sent.total():,} bytes, tokens after {page:.0f} ms, {worker:.0f} from `new Worker`")
                context.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
