"""`bpeek serve` with vocabularies: the page opens with them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import vocabs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def link() -> Iterator[str]:
    """What the command prints, with the package of the page as it stands in the tree."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "page")])
    files = [str(vocabs.fetch(name)) for name in ("gpt2_vocab", "gpt2_merges")]
    command = [sys.executable, "-m", "bpeek", "serve", "--no-browser", "--port", "0", *files]
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as serving:
        assert serving.stdout is not None
        yield serving.stdout.readline().split()[1]
        serving.send_signal(signal.SIGINT)


def test_the_page_opens_with_the_vocabulary(browser: Browser, link: str) -> None:
    page = browser.new_context().new_page()
    errors: list[str] = []
    foreign: list[str] = []
    origin = link.partition("#")[0]
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("request", lambda request: request.url.startswith(origin) or foreign.append(request.url))
    page.goto(link)
    expect(page.locator("#shelf [aria-pressed=true] .name")).to_contain_text("gpt2_vocab")
    page.locator("#status[data-state=ready]").wait_for()
    page.locator("#text").fill("Hello world")
    expect(page.locator("#ids")).to_contain_text("15496")
    assert (errors, foreign) == ([], [])
    page.context.close()
