"""The same peers in a module worker of a page in Chromium; and two visits to the built site.

Runs in the peers' environment, which has Playwright.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from playwright.sync_api import Browser, Page, sync_playwright

import browsers
import serve

TIMEOUT = 900_000  # ms: a whole lap with slow peers
# Marks the moment at which the page makes its first worker.
MARK = "globalThis.Worker = class extends Worker { constructor(...a) { performance.mark('worker'); super(...a); } }"
# Seconds since the navigation began and since that moment, once tokens are there.
FIRST_TOKENS = """() => document.querySelector('token-view')?.shadowRoot?.querySelector('[data-id]')
  && [0, performance.getEntriesByName('worker')[0].startTime].map((start) => (performance.now() - start) / 1000)"""
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


def _visit(page: Page, url: str) -> dict[str, float]:
    page.set_default_timeout(60_000)
    page.add_init_script(MARK)
    page.goto(url)
    navigation, worker = page.wait_for_function(FIRST_TOKENS, polling="raf").json_value()
    page.close()
    return {"navigation": navigation, "worker": worker}


def _visits(browser: Browser, site: Path, rounds: int) -> dict[str, Any]:
    """Seconds until tokens are shown, and bytes sent, on a first visit and on later ones."""
    sent: Counter[str] = Counter()

    class Handler(serve.Handler):
        def copyfile(self, source: Any, outputfile: BinaryIO) -> None:
            data = source.read()
            sent[self.path] += len(data)
            outputfile.write(data)

    firsts, seconds, size = [], [], 0
    with _serving(functools.partial(Handler, directory=str(site))) as url:
        for _ in range(rounds):
            sent.clear()
            context = browser.new_context()
            firsts.append(_visit(context.new_page(), url))
            size = sum(sent.values())
            # Two more: V8 keeps compiled code only from the second use on.
            seconds.append([_visit(context.new_page(), url) for _ in range(2)][-1])
            context.close()
    median = {
        f"{name}_{what}": statistics.median(visit[what] for visit in visits)
        for name, visits in (("first", firsts), ("later", seconds))
        for what in ("navigation", "worker")
    }
    return {**median, "first_visit_bytes": size}


def run(task: dict[str, Any]) -> dict[str, Any]:
    executable = browsers.chromium()
    if executable is None:
        return {"rows": [], "error": "no Chromium found: install one, or say `playwright install chromium`"}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        answer = _lap(browser, task) if task["lap"] else {"rows": []}
        site = Path(task["site"])
        if (site / "index.html").exists():
            answer["visits"] = _visits(browser, site, task["visits"])
        answer["versions"] = {"chromium": browser.version}
        browser.close()
    return json.loads(json.dumps(answer))
