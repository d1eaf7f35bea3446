"""Visit the built site in Chromium, first with an empty cache, then again; print bytes sent and times to first tokens.

python tools/measure.py [ROUNDS]
python tools/measure.py keys [ROUNDS]    of texts of a megabyte: what pasting, dropping, keys and scrolling take
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

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


# People stay for a while: what a later visit starts from is kept when the first tokens have been shown.
STAY_MS = 8000


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
    page.wait_for_timeout(STAY_MS)
    page.close()
    return start + duration, start + duration - worker


def visits(playwright: Playwright, executable: str | None, site: Path, later: int = 3) -> Iterator[Visit]:
    """One first visit and some later ones. With a profile on disk, as people have: only there does Chromium keep
    compiled code."""
    with counting_server(site) as (url, sent), tempfile.TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(profile, executable_path=executable)
        for number in range(1 + later):
            sent.clear()
            times = visit(context, url)
            yield Visit(number == 0, sent.total(), *times)
        context.close()


LINES = "It was the best of times, 日本 🙂 it was the worst of times.\n" * 17_000
TEXTS = {"lines": LINES, "one line": LINES.replace("\n", " "), "no spaces": "abcdefghij日本" * 85_000}
WORDS = "some words "

WATCH = """() => {
    const zero = () => ({tasks: [], frames: [], tokens: undefined, start: performance.now()});
    globalThis.seen = zero();
    globalThis.again = () => { globalThis.seen = zero(); };
    new PerformanceObserver((list) => {
        for (const {duration} of list.getEntries()) seen.tasks.push(duration);
    }).observe({type: "longtask"});
    new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
        seen.tokens ??= performance.now() - seen.start;
    }))).observe(document.querySelector("#count"), {attributes: true});
    let last = performance.now();
    const frame = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
}"""
DROP = """(text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "long.txt"));
    const drop = new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true});
    document.querySelector("#text").dispatchEvent(drop);
}"""
SCROLLER = ".cm-scroller"


class Seen(NamedTuple):
    """Of something done: milliseconds to the first new tokens, of the longest task, and of the slowest of 20 frames."""

    tokens: float
    longest: float
    frame: float

    def __str__(self) -> str:
        return (
            f"tokens after {self.tokens:5.0f} ms, longest task {self.longest:4.0f} ms, slow frames {self.frame:3.0f} ms"
        )


def observed(page: Page, action: Callable[[], object]) -> Seen:
    page.wait_for_timeout(1000)
    page.evaluate("again()")
    action()
    page.wait_for_timeout(500)
    page.locator("#view[aria-busy=false]").wait_for()
    page.wait_for_timeout(500)
    seen = page.evaluate("seen")
    frames = sorted(seen["frames"])
    return Seen(seen["tokens"] or 0, max(seen["tasks"], default=0), frames[len(frames) * 19 // 20])


def megabyte(page: Page, text: str) -> Iterator[tuple[str, Seen]]:
    """Gives the text to the page, and does in it what people do."""
    page.evaluate(WATCH)
    yield "drop", observed(page, lambda: page.evaluate(DROP, text))
    page.locator("#sample").select_option(index=1)
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator("#text").press("ControlOrMeta+a")
    yield "paste", observed(page, lambda: page.keyboard.press("ControlOrMeta+v"))
    for place in ("end", "start", "middle"):
        go_to(page, place)
        observed(page, lambda: page.keyboard.type("a"))
        yield place, observed(page, lambda: page.keyboard.type(WORDS, delay=120))
    for name in (SCROLLER, "token-view"):
        page.locator(name).hover()
        yield f"scroll {name}", observed(page, lambda: scroll(page))


def go_to(page: Page, place: str) -> None:
    keys = {"start": "ControlOrMeta+Home", "end": "ControlOrMeta+End"}
    if place in keys:
        return page.keyboard.press(keys[place])
    page.locator(SCROLLER).evaluate("element => element.scrollTop = element.scrollHeight / 2")
    page.wait_for_timeout(500)
    page.locator(SCROLLER).click()


def scroll(page: Page) -> None:
    for _ in range(60):
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(16)


def keys(playwright: Playwright, executable: str | None, rounds: int) -> None:
    """The least of some rounds: whatever else runs on the machine only adds."""
    with counting_server(serve.SITE) as (url, _):
        browser = playwright.chromium.launch(executable_path=executable)
        for name, text in TEXTS.items():
            all_seen: dict[str, list[Seen]] = {}
            for _ in range(rounds):
                page = browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
                page.goto(url)
                page.locator("#status[data-state=ready]").wait_for()
                for action, seen in megabyte(page, text):
                    all_seen.setdefault(action, []).append(seen)
                page.context.close()
            for action, each in all_seen.items():
                print(f"{name}, {action}: {Seen(*map(min, zip(*each, strict=True)))}", flush=True)
        browser.close()


def main(*arguments: str) -> None:
    executable = browsers.chromium()
    with sync_playwright() as playwright:
        if arguments[:1] == ("keys",):
            return keys(playwright, executable, int(arguments[1]) if arguments[1:] else 3)
        for _ in range(int(arguments[0]) if arguments else 3):
            for each in visits(playwright, executable, serve.SITE):
                name = "first visit" if each.is_first else "later visit"
                print(f"{name}: {each.sent:,} bytes, tokens after {each.navigation:.0f} ms,", end=" ")
                print(f"{each.worker:.0f} from `new Worker`", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
