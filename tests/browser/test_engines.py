"""The page in browsers of other makers, Firefox and WebKitGTK: start, sample, typing, colours, a dropped vocabulary."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import tiktoken
from playwright.sync_api import Playwright
from selenium.webdriver import WebKitGTK
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

import browsers
import vocabs
from bpeek.formats.presets import presets

TEXT = "Hi 👩‍🚀 naïve 日本語!"
READY_S = 90  # generous: other tests may share the machine

SHOWN = """() => {
  const view = document.querySelector("#view");
  const tokens = [...view.shadowRoot.querySelectorAll(".token")].sort((a, b) => a.dataset.index - b.dataset.index);
  return {
    idle: document.querySelector("#status").dataset.state === "ready" && view.getAttribute("aria-busy") === "false",
    text: document.querySelector("#text").value,
    drawn: view.shadowRoot.textContent,
    tokens: tokens.map(({ dataset }) => [dataset.id, dataset.start, dataset.end].map(Number)),
    colours: tokens.map((token) => getComputedStyle(token).backgroundColor),
  };
}"""
TYPE = """(text) => {
  const field = document.querySelector("#text");
  field.focus();
  field.select();
  document.execCommand("insertText", false, text);
}"""
DROP = """async (name) => {
  const data = new DataTransfer();
  data.items.add(new File([await (await fetch(`vocab/${name}`)).arrayBuffer()], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""

# The first token: how far from where it should be the mark in the field begins, and how much wider it is.
POINT = """async () => {
  const field = document.querySelector("#text");
  const token = document.querySelector("#view").shadowRoot.querySelector(".token");
  token.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
  while (!document.querySelector(".field-box")) await new Promise((next) => setTimeout(next, 20));
  const [mark, drawn] = [document.querySelector(".field-box"), token].map((box) => box.getBoundingClientRect());
  const left = field.getBoundingClientRect().left + parseFloat(getComputedStyle(field).paddingLeft);
  return [mark.left - left, mark.width - drawn.width];
}"""

Run = Callable[..., Any]


@contextmanager
def firefox(playwright: Playwright, address: str) -> Iterator[Run]:
    browser = playwright.firefox.launch(channel="moz-firefox", executable_path=need(browsers.firefox))
    page = browser.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    yield page.evaluate
    browser.close()
    assert complaints == []


@contextmanager
def webkit(_: Playwright, address: str) -> Iterator[Run]:
    options = Options()
    options.binary_location = need(browsers.webkit)
    options.add_argument("--automation")
    drawing = {"WEBKIT_DISABLE_COMPOSITING_MODE": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    as_root = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
    with ExitStack() as stack:
        env = {**os.environ, **drawing, **as_root, "DISPLAY": stack.enter_context(display())}
        driver = WebKitGTK(options=options, service=Service(shutil.which("WebKitWebDriver"), env=env))
        stack.callback(driver.quit)
        driver.set_script_timeout(READY_S)
        driver.get(address)
        call = "const args = [...arguments]; const done = args.pop(); Promise.resolve((%s)(...args)).then(done);"
        yield lambda script, *args: driver.execute_async_script(call % script, *args)


@contextmanager
def display() -> Iterator[str]:
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24"]
    with open(read) as number, subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL) as process:
        os.close(write)
        try:
            yield f":{number.readline().strip()}"
        finally:
            process.terminate()


def need(find: Callable[[], str | None]) -> str:
    return find() or pytest.fail("Firefox and WebKitGTK are needed: run tools/browsers.py.")


# Selenium's driver of WebKitGTK is constructed in a way that Selenium itself has left behind.
@pytest.mark.filterwarnings("ignore:setting remote_server_addr:DeprecationWarning")
@pytest.mark.parametrize("open_in", [firefox, webkit])
def test_page(open_in: Callable[..., Any], playwright: Playwright, address: str) -> None:
    with open_in(playwright, address) as run:
        sample = wait(run, lambda shown: shown["tokens"])
        assert_shows(sample, "cl100k_base")
        assert "<|endoftext|>" in sample["text"]
        assert run("() => document.querySelector('#kernel').textContent").startswith("a kernel of WebAssembly")

        run(TYPE, TEXT)
        typed = wait(run, lambda shown: shown["drawn"] == shown["text"] == TEXT)
        assert_shows(typed, "cl100k_base")
        assert len(set(typed["colours"])) == 5
        assert run(POINT) == pytest.approx([0, 0], abs=1.5)

        run(DROP, "r50k_base.ranks")
        expected = reference("r50k_base").encode(TEXT)
        dropped = wait(run, lambda shown: len(shown["tokens"]) == len(expected))
        assert_shows(dropped, "r50k_base")

        run(TYPE, 10 * TEXT)  # long enough for the kernel
        assert_shows(wait(run, lambda shown: shown["drawn"] == shown["text"] == 10 * TEXT), "r50k_base")


def wait(run: Run, good: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    end = time.monotonic() + READY_S
    while not ((shown := run(SHOWN))["idle"] and good(shown)):
        assert time.monotonic() < end, shown
        time.sleep(0.1)
    return shown


def assert_shows(shown: dict[str, Any], name: str) -> None:
    encoding = reference(name)
    ids = encoding.encode(shown["text"], allowed_special="all")
    assert [token for token, _, _ in shown["tokens"]] == ids
    units = shown["text"].encode("utf-16-le")
    for token, start, end in shown["tokens"]:
        piece = encoding.decode_single_token_bytes(token) if token < encoding.max_token_value else b""
        covered = units[2 * start : 2 * end].decode("utf-16-le").encode()
        assert piece in covered, (token, covered)


def reference(name: str) -> tiktoken.Encoding:
    preset = next(preset for preset in presets() if preset.name == name)
    ranks = vocabs.tiktoken_dict(vocabs.fetch(name))
    return tiktoken.Encoding(name, pat_str=preset.pattern, mergeable_ranks=ranks, special_tokens=preset.special_tokens)
