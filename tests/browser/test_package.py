"""The npm package by itself: a page without a bundler, as its README has it."""

import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import serve
import vocabs

PAGE = """<!doctype html>
<meta charset="utf-8">
<script type="importmap">
  {"imports": {"bpeek": "./package/dist/index.js", "bpeek/define": "./package/dist/define.js"}}
</script>
<token-view></token-view>
<p id="log"></p>
<script type="module">
  import "bpeek/define";
  import { createEngine, SpecialTokenError } from "bpeek";

  const engine = await createEngine();
  const tokenizer = await engine.load(new URL("r50k_base.tiktoken", location.href));
  const encoding = await tokenizer.encode("Hello 🦜!");
  document.querySelector("token-view").encoding = encoding;
  const refused = await tokenizer.encode("<|endoftext|>").catch((error) => error);
  const log = [
    [...encoding.ids], encoding.byteSpan(1), encoding.codePointSpan(1), await tokenizer.decode(encoding.ids),
    await tokenizer.count("Hello"), refused instanceof SpecialTokenError, (await tokenizer.token(15496)).text,
  ];
  tokenizer.dispose();
  engine.terminate();
  document.querySelector("#log").textContent = JSON.stringify(log);
</script>
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tarball,) = serve.SITE.parent.glob("*.tgz")
    with tarfile.open(tarball) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "r50k_base.tiktoken").write_bytes(vocabs.fetch("r50k_base").read_bytes())
    with serve.server(tmp_path) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def test_plain_page(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address)
    expected = '[[15496,12520,99,250,0],[5,8],[5,7],"Hello 🦜!",1,true,"Hello"]'
    expect(page.locator("#log")).to_have_text(expected)
    expect(page.locator("token-view .token")).to_have_count(5)
    page.context.close()
