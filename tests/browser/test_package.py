"""The packed npm package in a clean folder: what its README shows, bundled, in plain pages, and in Node."""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import serve
import vocabs

WEB = Path(__file__).parents[2] / "web"
TOOLS = WEB / "node_modules"
HELLO = "5 tokens: 9906, 11410, 99, 250, 0"
# Ranks, byte level with a template, normalized and not split at all.
VOCABULARIES = ["cl100k_base", "r50k_base", "llama3", "llama2"]


class Strict(serve.Handler):
    """With the README's policy and with cross-origin isolation in `strict/`."""

    def end_headers(self) -> None:
        if self.path.startswith("/strict/"):
            (policy,) = re.findall(r"^default-src .*$", readme(), re.MULTILINE)
            self.send_header("Content-Security-Policy", f"{policy}; require-trusted-types-for 'script'")
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


def readme() -> str:
    return (WEB / "README.md").read_text(encoding="utf-8")


def examples() -> tuple[dict[str, str], list[str]]:
    """The README's files, which say their name in a first comment, and its other examples."""
    files, others = {}, []
    for code in re.findall(r"^```(?:html|js|tsx?)\n(.*?)^```$", readme(), re.MULTILINE | re.DOTALL):
        if named := re.match(r"(?://|<!--) (\w+\.\w+)(?: -->)?\n", code):
            files[named[1]] = code[named.end() :]
        else:
            others.append(code)
    return files, others


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    given = {"PATH": str(Path(shutil.which("node") or "node").parent) + ":/usr/bin:/bin", **env}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=cwd, env=given, **streams, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean folder in which the package is installed from its tarball, with the README's files and ours."""
    folder = tmp_path_factory.mktemp("app")
    shutil.copytree(Path(__file__).with_name("app"), folder, dirs_exist_ok=True)
    for name, text in examples()[0].items():
        (folder / name).write_text(text, encoding="utf-8")
    (tarball,) = serve.SITE.parent.glob("*.tgz")
    home = str(tmp_path_factory.mktemp("home"))  # with no settings of npm
    run("npm", "install", "--offline", "--no-audit", "--no-fund", tarball, cwd=folder, HOME=home)
    for name in ["react", "react-dom", "@types", "webpack"]:
        (folder / "node_modules" / name).symlink_to(TOOLS / name)
    (folder / "public").mkdir()
    for name in VOCABULARIES:
        path = vocabs.fetch(name)
        (folder / f"{name}{path.suffix}").symlink_to(path)
    (folder / "public" / "cl100k_base.tiktoken").symlink_to(vocabs.fetch("cl100k_base"))
    return folder


@pytest.fixture(scope="module")
def address(app: Path) -> Iterator[str]:
    """Serves what Vite builds, once for the root and once for any folder, what webpack builds, and plain pages."""
    vite = [TOOLS / "vite" / "bin" / "vite.js", "build", "--logLevel", "warn"]
    told = run("node", *vite, "--outDir", "site", cwd=app, PAGES="index react only", NODE_ENV="production")
    assert set(re.findall(r"\[([A-Z_]+)\]", told)) <= {"PLUGIN_TIMINGS"}, told  # no warning of what the package does
    run("node", *vite, "--base=./", "--outDir", "site/some/folder", cwd=app, NODE_ENV="production")
    page, script = (
        (app / "plain.html").read_text("utf-8"),
        re.compile(r"<script type=.module.>(.*)</script>", re.DOTALL),
    )
    (app / "plain.js").write_text(script.search(page)[1], encoding="utf-8")
    run("node", "webpack.mjs", cwd=app)
    (app / "site" / "webpack" / "index.html").write_text(
        script.sub('<script type="module" src="main.js"></script>', page)
    )
    (app / "site" / "webpack" / "cl100k_base.tiktoken").symlink_to(vocabs.fetch("cl100k_base"))
    package = app / "node_modules" / "bpeek" / "dist"
    (app / "bpeek").symlink_to(package)
    assets = ["pyodide.asm.js", "pyodide.asm.wasm", "stdlib.zip", "bpeek.whl"]
    for folder, names in {"worker": ["worker.js"], "assets": assets}.items():
        (app / folder).mkdir()
        for name in names:
            (app / folder / name).symlink_to(package / name)
    (app / "site" / "plain").symlink_to(app)
    (app / "site" / "strict").symlink_to(app)
    with serve.server(app / "site", handler=Strict) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_context().new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda one: one.type == "error" and complaints.append(f"{one.text} {one.location}"))
    yield page
    page.context.close()
    assert [text for text in complaints if "favicon" not in text] == []


@pytest.mark.parametrize("path", ["index.html", "some/folder/index.html", "plain/plain.html", "webpack/"])
def test_quick_starts(page: Page, address: str, path: str) -> None:
    page.goto(address + path)
    expect(page.locator("output")).to_have_text(HELLO)
    expect(page.locator("token-view .token")).to_have_count(5)


def test_react(page: Page, address: str) -> None:
    page.goto(f"{address}react.html")
    expect(page.locator("token-view[whitespace] .token")).to_have_count(5)


def test_under_a_strict_policy_and_isolated(page: Page, address: str) -> None:
    page.goto(f"{address}strict/strict.html")
    expect(page.locator("output")).to_have_text(re.compile("isolated"))
    expected: dict[str, Any] = {
        "ids": [9906, 11410, 99, 250, 0], "text": "Hello 🦜!", "refused": "<|endoftext|>", "same": True, "workers": 2,
        "drawn": "Hello 🦜!", "coloured": "rgb(211, 233, 248)", "isolated": True, "elsewhere": 0,
    }  # fmt: skip
    assert json.loads(page.locator("output").inner_text()) == expected


def test_elements_are_as_documented(page: Page, address: str, app: Path) -> None:
    """What the elements really have, what their manifest lists, and what the README tells are the same names."""
    page.goto(f"{address}plain/elements.html")
    expect(page.locator("output")).to_have_text("ready")
    for token in ["token-view .token", "token-compare .segment"]:
        page.locator(token).first.hover()
        page.locator(token).first.click()
    found = page.evaluate("found()")
    manifest = json.loads((app / "node_modules" / "bpeek" / "dist" / "custom-elements.json").read_text())
    (view,), (comparison,) = (module["declarations"] for module in manifest["modules"])

    def listed(element: dict[str, Any], kind: str) -> set[str]:
        return {each["name"] for each in element[kind]}

    prose = re.sub(r"^```.*?^```", "", readme(), flags=re.MULTILINE | re.DOTALL)
    told = prose.partition("## `<token-view>`")[2].partition("## Comparing")
    for element, section in (view, told[0]), (comparison, told[2].partition("## Hosting")[0]):
        real = {kind: set(names) for kind, names in found[element["tagName"]].items()}
        assert listed(element, "attributes") == real["attributes"]
        assert listed(element, "events") == real["events"]
        assert listed(element, "members") == real["members"]
        words = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]+)`", section))))
        for kind in ["attributes", "events", "members", "cssParts", "cssProperties"]:
            assert listed(element, kind) <= words
    parts, properties = (listed(view, kind) for kind in ["cssParts", "cssProperties"])
    shown = found["token-view"]
    assert (parts, properties) == (set(shown["parts"]), set(shown["properties"]))
    shown = found["token-compare"]
    assert listed(comparison, "cssParts") == set(shown["parts"]) - parts
    assert listed(comparison, "cssProperties") == set(shown["properties"]) - properties
    assert set(re.findall(r"`(--[\w-]+)`", told[0] + told[2])) == set(shown["properties"])


def test_documents_are_as_if_encoded_anew(page: Page, address: str) -> None:
    page.goto(f"{address}plain/edits.html")
    expect(page.locator("#log")).to_have_text("[]", timeout=180_000)


def test_who_imports_the_engine_alone_gets_no_element(app: Path, address: str) -> None:
    manifest = json.loads((app / "site" / ".vite" / "manifest.json").read_text())

    def loaded(key: str) -> str:
        chunk = manifest[key]
        imports = [*chunk.get("imports", []), *chunk.get("dynamicImports", [])]
        return (app / "site" / chunk["file"]).read_text(encoding="utf-8") + "".join(map(loaded, imports))

    assert "HTMLElement" in loaded("index.html")
    assert "HTMLElement" not in loaded("only.html")
    assert len(loaded("only.html")) < 20_000


def test_node(app: Path) -> None:
    (app / "hello.txt").write_text("Hello 🦜!", encoding="utf-8")
    assert run("node", "--import", "./offline.mjs", "node.mjs", cwd=app) == "done\n"
    assert "\nnode count.mjs README.md\n" in readme()
    assert run("node", "count.mjs", "hello.txt", cwd=app) == "5 hello.txt\n"


JAVASCRIPT = ["ES2024", "ESNext.Disposable"]
PAGE = [*JAVASCRIPT, "DOM", "DOM.Iterable"]


@pytest.mark.parametrize(
    ("resolution", "lib", "types", "files"),
    [
        ("bundler", PAGE, ["node"], "main|tokens|given|short|typed"),
        ("nodenext", PAGE, ["node"], "count|typed"),
        ("nodenext", JAVASCRIPT, ["node"], "count|typed"),  # what Node declares must do
        ("bundler", ["ES2023", "DOM", "DOM.Iterable"], [], "typed|given"),  # and who knows no `using`
    ],
)
def test_types(app: Path, resolution: str, lib: list[str], types: list[str], files: str) -> None:
    for i, code in enumerate(examples()[1]):
        (app / f"short{i}.ts").write_text(f"{code}\nexport {{}};\n", encoding="utf-8")
    module = "NodeNext" if resolution == "nodenext" else "ESNext"
    options = {
        "target": "ES2023", "module": module, "moduleResolution": resolution, "lib": lib, "types": types,
        "allowJs": True, "checkJs": True, "jsx": "react-jsx", "strict": True, "noEmit": True, "skipLibCheck": False,
        "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True, "verbatimModuleSyntax": True,
    }  # fmt: skip
    names = [path.name for path in app.glob("*.*") if re.fullmatch(rf"({files})\d*\.\w+", path.name)]
    assert len(names) >= 2
    (app / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": names}))
    run(TOOLS / ".bin" / "tsc", "-p", ".", cwd=app)
