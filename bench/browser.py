"""The same peers in a module worker of a page in Chromium; and two visits to the built site.

Runs in the peers' environment, which has Playwright.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Playwright, sync_playwright

import browsers
import measure
import serve

TIMEOUT = 900_000  # ms: a whole lap with slow peers
LAP = """(task) => new Promise((done, failed) => {
  const worker = new Worker('worker.mjs', { type: 'module' });
  worker.onerror = (event) => failed(new Error(event.message));
  worker.onmessage = ({ data }) => {
    if (data.what) console.debug(data.what);
    else if (data.error) failed(new Error(data.error));
    else done(data.answer);
  };
  worker.postMessage(task);
})"""


@contextmanager
def _serving(handler: Any) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def _from_folders(task: dict[str, Any]) -> type[serve.Handler]:
    """Serves files out of several folders, and an empty page at the root."""

    class Handler(serve.Handler):
        def translate_path(self, path: str) -> str:
            self.encoding = None
            name = path.partition("?")[0].strip("/")
            folder, _, rest = name.partition("/")
            return task["files"].get(name) or str(Path(task["folders"].get(folder, "/nowhere")) / rest)

        def end_headers(self) -> None:
            # Isolated pages get clocks of 5 µs; others of 100 µs.
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            super().end_headers()

    return Handler


def _lap(browser: Browser, task: dict[str, Any]) -> dict[str, Any]:
    with _serving(_from_folders(task)) as url:
        page = browser.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("console", lambda message: print(f"\r{message.text}\033[K", end="", file=sys.stderr))
        page.goto(f"{url}index.html")
        answer = page.evaluate(LAP, task["lap"])
        page.close()
    print(file=sys.stderr)
    return answer


def _visits(playwright: Playwright, executable: str | None, site: Path, rounds: int) -> dict[str, Any]:
    """Seconds until tokens are shown, and bytes sent, on a first visit and on a later one."""
    firsts, laters = [], []
    for _ in range(rounds):
        first, *_, last = measure.visits(playwright, executable, site)
        firsts.append(first)
        laters.append(last)
    median = {
        f"{name}_{what}": statistics.median(getattr(visit, what) for visit in visits) / 1000
        for name, visits in (("first", firsts), ("later", laters))
        for what in ("navigation", "worker")
    }
    return {**median, "first_visit_bytes": firsts[-1].sent}


def run(task: dict[str, Any]) -> dict[str, Any]:
    executable = browsers.chromium()
    if executable is None:
        return {"rows": [], "error": "no Chromium found: install one, or say `playwright install chromium`"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        answer = _lap(browser, task) if task["lap"] else {"rows": []}
        site = Path(task["site"])
        if (site / "index.html").exists():
            answer["visits"] = _visits(playwright, executable, site, task["visits"])
        answer["versions"] = {"chromium": browser.version}
        browser.close()
    return json.loads(json.dumps(answer))
