"""The npm package by itself: a page without a bundler, as its README has it."""

import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import serve
import vocabs

EDITED = ["r50k_base", "llama3", "llama2"]  # ranks, byte level with a template, normalized and not split at all

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
  const collect = async (stream) => {
    const found = [];
    for await (const chunk of stream) found.push(...chunk);
    return found;
  };
  const streamOf = (chunks) => new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const cut = ["Hello \\ud83e", "\\udd9c", "!"];
  const ids = await collect(streamOf(cut).pipeThrough(tokenizer.encoderStream()));
  const text = await collect(streamOf(ids).pipeThrough(tokenizer.decoderStream()));
  const refused = await tokenizer.encode("<|endoftext|>").catch((error) => error);
  const log = [
    [...encoding.ids], encoding.byteSpan(1), encoding.codePointSpan(1), await tokenizer.decode(encoding.ids),
    await tokenizer.count("Hello"), refused instanceof SpecialTokenError, (await tokenizer.token(15496)).text,
    ids, text.join(""),
  ];
  tokenizer.dispose();
  engine.terminate();
  document.querySelector("#log").textContent = JSON.stringify(log);
</script>
"""

EDITS = """
<!doctype html>
<meta charset="utf-8">
<p id="log"></p>
<script type="module">
  import { createEngine } from "./package/dist/index.js";

  let state = 6;
  const roll = (limit) => Math.floor(((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * limit);
  const parts = ["", " ", "a", "the ", "'s", "\\n", "\\n\\n", "  ", "7", "é", "e\\u0301", "🙂",
    "\\ud83d", "\\ude43", "語", "<s>", "</", "s>",
    "<|endoftext|>", "<|end",
    "and a longer run of words.\\n".repeat(8)];
  const columns = ({ ids, starts, ends, byteStarts, byteEnds }) => [ids, starts, ends, byteStarts, byteEnds].join(";");
  const engine = await createEngine();
  const wrong = [];
  for (const name of FILES) {
    const file = await (await fetch(name)).blob();
    const tokenizer = await engine.load(new File([file], name));
    for (const policy of ["special", "text"]) {
      const document = await tokenizer.open("It was naïve 🦜.\\n\\n  def f(x):\\n", { policy });
      for (let i = 0; i < 60; i++) {
        const { text } = document;
        const start = roll(text.length + 1);
        const end = Math.min(text.length, start + [0, 0, 1, 2, 30, 300][roll(6)]);
        const come = parts[roll(parts.length)];
        await document.replace(start, end, come);
        const expected = await tokenizer.encode(text.slice(0, start) + come + text.slice(end), { policy });
        if (columns(document.encoding) !== columns(expected)) wrong.push([name, policy, text, start, end, come]);
        const sums = ({ bytes, codePoints }) => `${bytes} ${codePoints}`;
        if (sums(document.encoding) !== sums(expected)) wrong.push([text]);
      }
      document.close();
    }
    tokenizer.dispose();
  }
  globalThis.document.querySelector("#log").textContent = JSON.stringify(wrong);
</script>
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tarball,) = serve.SITE.parent.glob("*.tgz")
    with tarfile.open(tarball) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    for name in EDITED:
        (tmp_path / f"{name}{vocabs.fetch(name).suffix}").write_bytes(vocabs.fetch(name).read_bytes())
    files = [f"{name}{vocabs.fetch(name).suffix}" for name in EDITED]
    (tmp_path / "edits.html").write_text(EDITS.replace("FILES", repr(files)), encoding="utf-8")
    (tmp_path / "r50k_base.tiktoken").write_bytes(vocabs.fetch("r50k_base").read_bytes())
    with serve.server(tmp_path) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def test_plain_page(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address)
    expected = '[[15496,12520,99,250,0],[5,8],[5,7],"Hello 🦜!",1,true,"Hello",[15496,12520,99,250,0],"Hello 🦜!"]'
    expect(page.locator("#log")).to_have_text(expected)
    expect(page.locator("token-view .token")).to_have_count(5)
    page.context.close()


def test_documents_are_as_if_encoded_anew(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}edits.html")
    expect(page.locator("#log")).to_have_text("[]", timeout=180_000)
    page.context.close()
