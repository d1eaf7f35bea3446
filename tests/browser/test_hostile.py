"""Tokens, names, patterns, texts and links are of anyone's making: nothing in them becomes code, markup, a request."""

import json
from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Browser, Page, expect
from tests.browser.test_page import read_special, write
from tests.browser.test_robust import HOSTILE, assert_inert, tiktoken_file

OpenPage = Callable[..., Page]

# What would show that something of it had come alive.
TRACES = """() => [
    document.querySelectorAll("[onerror], [onclick], [onpointerover], [style*=fixed]").length,
    document.querySelectorAll("iframe, object, embed, base").length,
    [...document.querySelectorAll("[src], [href], [action]")].map((e) => e.src ?? e.href)
        .filter((url) => !url.startsWith(location.origin) && !url.startsWith("blob:")),
]"""


def assert_harmless(page: Page) -> None:
    assert_inert(page)
    assert page.evaluate(TRACES) == [0, 0, []]


def load_hostile(page: Page) -> None:
    name = "".join(HOSTILE).replace("/", "∕") + ".tiktoken"
    data = tiktoken_file([payload.encode() for payload in HOSTILE])
    page.locator("#file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    page.get_by_label("Split pattern").fill(r"<img src=x onerror=alert\(1\)>|[\s\S]+")
    page.get_by_label("Special tokens, one").fill("\n".join(f"{text}! {300 + i}" for i, text in enumerate(HOSTILE)))
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.locator("#shelf [aria-pressed=true] .name")).to_contain_text("onerror")
    expect(page.locator("#status")).to_have_attribute("data-state", "ready")


def test_all_over_the_page(open_page: OpenPage, browser: Browser) -> None:
    page = open_page(viewport={"width": 1280, "height": 900})
    load_hostile(page)
    for policy, text in (
        ("special", "!".join([*HOSTILE, ""])),
        ("text", HOSTILE[0] + " and " + "!".join([*HOSTILE, ""])),
    ):
        read_special(page, policy)
        write(page, text)
        page.locator("token-view .token").first.click()
        expect(page.locator("#card-body .how")).to_be_visible()
        assert_harmless(page)
    page.get_by_label("Compare cl100k_base").click()
    expect(page.locator("#comparison")).to_be_visible()
    assert_harmless(page)
    read_special(page, "error")
    expect(page.locator("#notice")).to_contain_text("onerror")
    read_special(page, "special")
    page.get_by_role("button", name="Recent files").click()
    expect(page.locator("#recent-list .pick")).to_have_count(1)
    page.get_by_role("button", name="Inspect").click()
    expect(page.locator("#inspection-body dl")).to_be_visible()
    assert_harmless(page)
    page.keyboard.press("Escape")

    # The files that it writes, opened where no policy protects.
    page.get_by_role("button", name="Export").click()
    other = browser.new_page()
    foreign: list[str] = []
    other.on("request", lambda request: foreign.append(request.url))
    other.on("dialog", lambda dialog: foreign.append(dialog.message) or dialog.dismiss())
    for kind in ("HTML", "SVG"):
        with page.expect_download() as saved:
            page.get_by_label(f"Save {kind}").click()
        path = saved.value.path()
        content = path.read_text(encoding="utf-8")
        other.goto("about:blank")
        other.set_content(content)
        assert other.locator("img, script, foreignObject, iframe, a").count() == 0
        assert "onerror=alert(1)" in other.locator("body").text_content()
    assert [url for url in foreign if url != "about:blank"] == []
    other.close()


def test_links(open_page: OpenPage) -> None:
    page = open_page()
    for payload in HOSTILE:
        for field in ("v", "with", "special", "colors", "limit", "text", payload):
            fragment = f"#{quote(field)}={quote(payload)}&v={'0' * 64}:{quote(payload)}"
            page.evaluate("(fragment) => { location.hash = fragment }", fragment)
    expect(page.locator("#link-note")).to_be_visible()
    assert_harmless(page)
    # As a link gives it: a file that is not here, by a name of anyone's making.
    page.locator("#text").fill(json.dumps(HOSTILE))
    assert_harmless(page)


SINKS = """async () => {
    await new Promise((resolve) => setTimeout(resolve)); // or else the test's own rights hold, which has `eval`
    const tries = {
        html: () => { document.createElement("div").innerHTML = "<b>x</b>" },
        parser: () => { new DOMParser().parseFromString("<b>x</b>", "text/html") },
        script: () => { document.createElement("script").src = "assets/other.js" },
        code: () => { document.createElement("script").text = "1" },
        worker: () => { new Worker("assets/other.js") },
        foreign: () => { new Worker("https://example.invalid/assets/worker-x.js") },
        eval: () => { (0, eval)("1") },
        policy: () => { trustedTypes.createPolicy("mine", {}) },
        again: () => { trustedTypes.createPolicy("default", {}) },
    };
    return Object.keys(tries).filter((name) => {
        try {
            tries[name]();
            return true;
        } catch {
            return false;
        }
    });
}"""


def test_no_string_becomes_code(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.locator("#status[data-state=ready]").wait_for()
    assert page.evaluate("trustedTypes.defaultPolicy !== null")
    assert page.evaluate(SINKS) == []
    # Nor may it fetch from elsewhere, or send a form.
    assert (
        page.evaluate("fetch('https://example.invalid/').then(() => 'sent', ({message}) => message)")
        == "Failed to fetch"
    )
    page.close()
