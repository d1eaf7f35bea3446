"""A JupyterLite site made as docs/jupyterlite.md says, with our wheel, and the example notebook run in it."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browser.test_accessible import AXE

import bpeek
import serve
import vocabs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/jupyterlite.md").read_text(encoding="utf-8")
VOCABULARIES = ["cl100k_base", "r50k_base"]
STARTED_MS = 120_000  # other tests may share the machine


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page tells to do, but for the installation of what the test run has installed."""
    folder = tmp_path_factory.mktemp("lite")
    (folder / "requirements.txt").write_text(blocks("text")[0])
    (folder / "lock.py").write_text(blocks("python")[0])
    (folder / "jupyter-lite.json").write_text(blocks("json")[0])
    _, get_pyodide, download, lock, build = blocks("sh")
    programs = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": str(ROOT / "dist"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }

    def run(commands: str) -> None:
        subprocess.run(["bash", "-euc", commands], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)

    run(get_pyodide)
    run(download)
    run(lock)
    for notebook in (ROOT / "docs/examples").glob("*.ipynb"):
        shutil.copy(notebook, folder / "files")
    for name in VOCABULARIES:
        shutil.copy(vocabs.fetch(name), folder / "files")
    run(build)
    return folder / "site"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """In a sub-folder, as on most static hosts."""
    with serve.server(site.parent) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/{site.name}/"
        httpd.shutdown()


@pytest.fixture(scope="module")
def notebook(browser: Browser, address: str) -> Iterator[Page]:
    """The example notebook, all cells of which are being run; no other host is asked for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.set_default_timeout(STARTED_MS)
    page.goto(address + "notebooks/index.html?path=tokens.ipynb")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    yield page
    context.close()
    hosts = {urlsplit(url).netloc for url in asked}
    assert hosts - {""} == {urlsplit(address).netloc}  # what has none are data and blobs


def outputs(page: Page, code: str) -> object:
    """What is below the cell with this code."""
    return page.locator(".jp-CodeCell", has_text=code).locator(".jp-OutputArea-output")


def test_what_is_to_be_installed_is_what_the_test_run_has() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for requirement in re.findall(r'"(\S+==\S+)"', blocks("sh")[0]):
        assert f'"{requirement}' in project
    (pyodide,) = re.findall(r"pack --silent pyodide@(\S+)", blocks("sh")[1])
    assert json.loads((ROOT / "web/package.json").read_bytes())["devDependencies"]["pyodide"] == pyodide


def test_a_vocabulary_of_the_file_browser_shows_tokens(notebook: Page) -> None:
    card = outputs(notebook, "encoding = tok.encode(text)").locator(".bpeek")
    expect(card.locator(".bp-facts")).to_contain_text("tokens", timeout=STARTED_MS)
    text = card.locator(".bp-text")
    assert text.evaluate("element => element.textContent").startswith("Hello 👩‍💻! Tokens are")
    first = text.locator(".bp-t").first
    assert (first.text_content(), first.get_attribute("title")) == (
        "Hello",
        "Hello\nid 9906, token 0\ncharacters 0–5\nbytes 0–5: 48 65 6c 6c 6f",
    )
    # The style is at work: a token has its colour, and the parts of a character are below it.
    assert first.evaluate("element => getComputedStyle(element).backgroundColor") == "rgb(211, 233, 248)"
    glyph = text.locator(".bp-char").first
    assert glyph.locator(".bp-glyph").text_content() == "👩‍💻" and glyph.locator(".bp-t").count() == 6


def test_other_outputs(notebook: Page) -> None:
    loaded = outputs(notebook, 'bpeek.load("cl100k_base.tiktoken")').locator(".bpeek")
    expect(loaded).to_contain_text("100,261")
    compared = outputs(notebook, "tok.compare(").locator(".bpeek")
    expect(compared.locator(".bp-differ").nth(2)).to_be_visible()
    explained = outputs(notebook, "tok.explain(").locator(".bpeek")
    expect(explained).to_contain_text("tokenization")


def test_the_widget_follows_what_is_typed(notebook: Page, load_vocabulary: Callable[[str], bpeek.Tokenizer]) -> None:
    widget = notebook.locator(".bp-live")
    expect(widget.locator(".bp-text")).to_have_text("Type here.", timeout=STARTED_MS)
    text = "ddbb<b>漢字 x"  # keys that would delete or add cells, were they not for the text field
    field = widget.get_by_label("Text")
    field.fill("")
    field.press_sequentially(text)
    expect(field).to_have_value(text)
    expect(widget.locator(".bp-text")).to_have_text(text)
    count = len(load_vocabulary("cl100k_base").encode(text))
    expect(widget.get_by_role("status")).to_have_text(f"{count} tokens · 11 characters · 15 bytes")


def test_the_outputs_are_accessible(notebook: Page) -> None:
    notebook.evaluate(AXE.read_text(encoding="utf-8"))
    found = notebook.evaluate(
        "async () => (await axe.run('.bpeek')).violations.map(each => [each.id, each.nodes[0].html])"
    )
    assert found == []


def test_it_follows_the_theme_of_jupyterlab(notebook: Page) -> None:
    card = notebook.locator(".bpeek").first
    expect(card).to_have_css("background-color", "rgb(255, 255, 255)")
    notebook.get_by_role("menuitem", name="Settings", exact=True).click()
    notebook.locator(".lm-Menu-item", has_text="Theme").first.hover()
    notebook.locator(".lm-Menu-item", has_text="JupyterLab Dark").first.click()
    expect(card).to_have_css("background-color", "rgb(23, 26, 32)")
