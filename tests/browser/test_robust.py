"""What must never happen: code from a file, a frozen page, a dead end."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import vocabs

OpenPage = Callable[..., Page]

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</token-view><script>alert(1)</script>",
    '" onpointerover="alert(1)" style="position:fixed;inset:0',
    "<style>*{display:none}</style>",
    "javascript:alert(1)//\u202egnp.\u2066",
]


def tiktoken_file(entries: list[bytes]) -> bytes:
    alphabet = [bytes([byte]) for byte in range(256)]
    lines = (b"%s %d\n" % (base64.b64encode(entry), rank) for rank, entry in enumerate([*alphabet, *entries]))
    return b"".join(lines)


def settled(page: Page) -> None:
    expect(page.locator("#view")).to_have_attribute("aria-busy", "false")


def assert_inert(page: Page) -> None:
    """No element came out of text: neither on the page nor in the view."""
    for tag in ("img", "script:not([src])", "style"):
        assert page.locator(f"body {tag}, token-view {tag}").count() == 0
    expect(page.locator("h1")).to_be_visible()


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_text_and_special_tokens(open_page: OpenPage, payload: str, tmp_path: Path) -> None:
    page = open_page()
    path = tmp_path / "hostile.tiktoken"
    path.write_bytes(tiktoken_file([payload.encode()]))
    page.locator("#file").set_input_files(path)
    page.get_by_label("Split pattern").fill(r"[\s\S]+")
    page.get_by_label("Special tokens, one").fill(f"{payload}! 300")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.locator("#status")).to_have_text("Ready: hostile")
    page.locator("#text").fill(f"{payload}{payload}!")
    expect(page.locator("#count")).to_have_attribute("data-value", "2")
    settled(page)
    page.locator("token-view .special").hover()
    expect(page.locator("#card-body")).to_contain_text("a special token")
    page.locator("token-view .token").first.hover()
    expect(page.locator("#card-body")).not_to_contain_text("a special token")
    assert_inert(page)


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_file_names(open_page: OpenPage, payload: str) -> None:
    page = open_page()
    name = payload.replace("/", "∕") + ".tiktoken"
    for content in (b"!", tiktoken_file([]), vocabs.fetch("r50k_base").read_bytes()):
        page.locator("#file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})
        expect(page.locator("#status")).not_to_have_attribute("data-state", "loading")
        assert_inert(page)


def test_hostile_tokenizer_json(open_page: OpenPage) -> None:
    page = open_page()
    file = json.loads(vocabs.fetch("llama3").read_bytes())
    for token, payload in zip(file["added_tokens"], HOSTILE, strict=False):
        token["content"] = payload
    file["post_processor"] = None
    data = json.dumps(file).encode()
    page.locator("#file").set_input_files({"name": "tokenizer.json", "mimeType": "application/json", "buffer": data})
    expect(page.locator("#status")).to_have_text(re.compile("^Ready: (?!cl100k)"))
    page.locator("#text").fill("".join(HOSTILE))
    expect(page.locator("token-view .special")).to_have_count(len(HOSTILE))
    assert_inert(page)


def test_typing_goes_on_while_a_megabyte_is_encoded(open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate("""() => {
        window.gaps = [];
        let last = performance.now();
        const frame = (now) => { gaps.push(now - last); last = now; requestAnimationFrame(frame); };
        requestAnimationFrame(frame);
    }""")
    text = "It was the best of times, 日本 🙂 it was the worst of times.\n" * 17_000
    page.locator("#text").evaluate("(area, text) => { area.value = text }", text)
    page.locator("#text").dispatch_event("input")
    editor = page.get_by_role("textbox", name="Text", exact=True)
    editor.press("Control+End")
    page.evaluate("gaps.length = 0")
    editor.press_sequentially("abc", delay=60)
    # The keys arrived; their tokens have not.
    expect(page.locator("#view")).to_have_class("stale")
    expect(editor).to_contain_text("abc")
    settled(page)
    expect(page.locator("#characters")).to_have_text(f"{len(text) + 3:,}")
    shown = page.locator("token-view .token").count()
    print(f"\nlongest frame {max(page.evaluate('gaps')):.0f} ms; {shown:,} tokens drawn")
    assert 0 < shown < 10_000


def test_a_dead_worker_is_replaced(open_page: OpenPage) -> None:
    page = open_page()
    (worker,) = page.workers
    with page.expect_event("worker"):
        # It dies while it is asked.
        worker.evaluate("() => setTimeout(() => { throw new Error('killed by a test') })")
        page.locator("#text").fill("still alive")
    expect(page.locator("#count")).to_have_attribute("data-value", "2")
    expect(page.locator("#status")).to_have_text(
        re.compile("^Ready: cl100k_base. The engine had stopped; it was started")
    )


# Ends workers as browsers do that lack memory: from outside, and nothing tells of it.
KILLER = """{
    const made = [];
    const Real = Worker;
    window.kill = () => made.at(-1).terminate();
    window.Worker = class extends Real {
        constructor(...args) {
            super(...args);
            made.push(this);
            this.addEventListener("message", ({data}) => window.deadly && data.phase === "ready" && this.terminate());
        }
    };
}"""
BLOCK = "() => void setTimeout(() => { const end = Date.now() + 60_000; while (Date.now() < end); })"


def test_a_worker_that_dies_without_a_word(open_page: OpenPage) -> None:
    page = open_page(KILLER)
    text = page.locator("#text")
    # At rest: whoever types finds another one.
    page.evaluate("kill()")
    text.fill("still alive")
    expect(page.locator("#count")).to_have_attribute("data-value", "2")
    expect(page.locator("#status")).to_contain_text("The engine had stopped; it was started again")
    # While it is asked.
    page.workers[-1].evaluate(BLOCK)
    text.fill("and again alive")
    page.evaluate("kill()")
    expect(page.locator("#count")).to_have_attribute("data-value", "3")
    settled(page)
    # And the one that is started in its place as well: that is told, and nothing is lost.
    page.evaluate("deadly = true; kill()")
    text.fill("three words left")
    expect(page.get_by_role("alert")).to_contain_text("The engine stopped: perhaps this browser has too little memory")
    expect(page.locator("#status")).to_have_text("Not tokenized")
    expect(page.get_by_role("button", name="Read it as text")).to_be_hidden()
    page.evaluate("deadly = false")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#count")).to_have_attribute("data-value", "3")
    expect(page.locator("#notice")).to_be_hidden()
    expect(page.locator("token-view .token").first).to_have_text("three")
    expect(text).to_have_value("three words left")
    expect(text).to_be_focused()


def test_works_with_the_network_off(open_page: OpenPage) -> None:
    page = open_page()
    page.context.set_offline(True)
    page.locator("#file").set_input_files(vocabs.fetch("p50k_base"))
    expect(page.locator("#status")).to_have_text("Ready: p50k_base")
    page.locator("#text").fill("no network")
    expect(page.locator("#count")).to_have_attribute("data-value", "2")
