"""The documentation: complete, at peace with the network, and right about JavaScript."""

import re
import tarfile
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser
from tests.examples import NAMES, ROOT, blocks

import serve
import vocabs

DOCS = ROOT / "dist" / "docs"
AXE = ROOT / "demo" / "node_modules" / "axe-core" / "axe.min.js"
# The theme's landmarks without names are no barrier; what is worse would be ours.
RUN_AXE = "async () => (await axe.run()).violations.filter(v => /serious|critical/.test(v.impact)).map(v => v.help)"
# The blocks of the package's README are files of projects: test_package.py makes these.
JAVASCRIPT = [name for name in NAMES if name != "web/README.md" and blocks(ROOT / name, "js")]

PAGE = """<!doctype html>
<meta charset="utf-8">
<script type="importmap">
  {"imports": {"bpeek": "./package/dist/index.js", "bpeek/define": "./package/dist/define.js"}}
</script>
%s
<script type="module">
const file = new File([await (await fetch("cl100k_base.tiktoken")).blob()], "cl100k_base.tiktoken");
%s
document.title = "done";
</script>
"""


class Html(HTMLParser):
    """What a page names: ``ids`` of its own, ``links`` that a click follows, ``parts`` that are fetched at once."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.parts: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            elif name in ("href", "src", "action", "poster", "data", "srcset"):
                (self.links if tag == "a" else self.parts).add(value or "")


@pytest.fixture(scope="module")
def pages() -> dict[Path, Html]:
    if not (DOCS / "index.html").exists():
        pytest.fail("There is no documentation in dist/: run ./build_wasm.sh --docs first.")
    # 404.html stands for whatever page is not there, and so begins its links at the root.
    return {path: Html(path) for path in DOCS.rglob("*.html") if path.name != "404.html"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("docs")
    (folder / "docs").symlink_to(DOCS)
    (folder / "cl100k_base.tiktoken").symlink_to(vocabs.fetch("cl100k_base"))
    (package,) = (ROOT / "dist").glob("bpeek-*.tgz")
    with tarfile.open(package) as tar:
        tar.extractall(folder, filter="data")
    for name in JAVASCRIPT:
        source = "\n".join(source for _, source in blocks(ROOT / name, "js"))
        body = "\n".join(source for _, source in blocks(ROOT / name, "html")) or "<token-view></token-view>"
        (folder / f"{Path(name).stem}.html").write_text(PAGE % (body, source), encoding="utf-8")
    with serve.server(folder) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def test_every_page_is_in_the_site(pages: dict[Path, Html]) -> None:
    sources = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert {path.relative_to(DOCS) for path in pages} == sources
    linked = {
        (DOCS / "index.html").parent.joinpath(urlsplit(link).path).resolve()
        for link in pages[DOCS / "index.html"].links
    }
    assert set(pages) <= linked | {DOCS / "index.html"}, "a page is not in the navigation of docs/zensical.toml"


def test_every_link_leads_somewhere(pages: dict[Path, Html]) -> None:
    wrong = []
    for path, html in pages.items():
        for link in html.links | html.parts:
            to = urlsplit(link)
            if to.scheme or to.netloc:
                continue
            target = (path.parent / unquote(to.path)).resolve() if to.path else path
            target = target / "index.html" if target.is_dir() else target
            known = pages[target].ids if target in pages else {""}
            if not target.exists() or (to.fragment and unquote(to.fragment) not in known):
                wrong.append(f"{path.relative_to(DOCS)}: {link}")
    assert wrong == []


def test_nothing_is_named_that_another_host_would_have_to_send(pages: dict[Path, Html]) -> None:
    foreign = [part for html in pages.values() for part in html.parts if urlsplit(part).netloc]
    for style in DOCS.rglob("*.css"):
        foreign += re.findall(r"url\(\s*[\"']?(?:https?:)?//[^)]*|@import[^;]*", style.read_text(encoding="utf-8"))
    assert foreign == []


def test_the_site_opens_without_asking_another_host(browser: Browser, address: str, pages: dict[Path, Html]) -> None:
    complaints: list[str] = []
    context = browser.new_context()
    context.on(
        "request", lambda request: request.url.startswith((address, "data:", "blob:")) or complaints.append(request.url)
    )
    context.on("response", lambda response: response.status >= 400 and complaints.append(response.url))
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    for path in pages:
        page.goto(f"{address}docs/{path.relative_to(DOCS).as_posix()}")
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type("truncate")
    for _ in range(100):  # the results are in a closed shadow tree: they are there once Enter leads to one
        page.keyboard.press("Enter")
        if "?h=truncate#" in page.url:
            break
        page.wait_for_timeout(100)
    else:
        complaints.append(f"A search leads to {page.url}")
    context.close()
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe(browser: Browser, address: str, theme: str) -> None:
    page = browser.new_context(color_scheme=theme).new_page()
    for name in ("index", "reference/errors"):
        page.goto(f"{address}docs/{name}.html")
        page.add_script_tag(path=AXE)
        assert page.evaluate(RUN_AXE) == [], name
    page.context.close()


@pytest.mark.parametrize("name", JAVASCRIPT)
def test_the_examples_in_javascript(browser: Browser, address: str, name: str) -> None:
    said: list[str] = []
    page = browser.new_context().new_page()
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: message.type == "log" and said.append(message.text.strip()))
    page.goto(f"{address}{Path(name).stem}.html")
    page.wait_for_function("document.title === 'done'")
    page.locator("token-view .token").first.wait_for()
    page.context.close()
    source = "\n".join(source for _, source in blocks(ROOT / name, "js"))
    told = re.findall(r"^ *console\.log\(.*\); // (.*)$", source, re.MULTILINE)
    assert len(said) == len(told) and all(map(str.startswith, told, said)), said
