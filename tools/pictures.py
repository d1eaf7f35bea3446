"""Make the pictures of the page in docs/images anew, from the built site: three widths, two themes. Then look at them.

pip install --group pictures; python tools/pictures.py
"""

from __future__ import annotations

import threading
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

import browsers
import serve

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
SIZES = {1280: 900, 768: 1024, 390: 844}
THEMES = ("light", "dark")
LIMIT = "80"
EXPLAINED = 7  # a word with many merges
READY_MS = 60_000


def main() -> None:
    path = browsers.chromium()
    expect.set_options(timeout=READY_MS)
    with serve.server(serve.SITE) as httpd, sync_playwright() as playwright:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for theme in THEMES:
            for width, height in SIZES.items():
                size = {"width": width, "height": height}
                # The types want a literal and a mapping of their own.
                page = browser.new_page(color_scheme=theme, viewport=size, reduced_motion="reduce")  # type: ignore[arg-type]
                page.goto(f"http://127.0.0.1:{httpd.server_port}/")
                expect(page.locator("#status")).to_have_attribute("data-state", "ready")
                take(page, f"{theme}-{width}", is_wide=width == max(SIZES))
                page.close()
        browser.close()
        httpd.shutdown()


def take(page: Page, name: str, is_wide: bool) -> None:
    save(page, f"page-{name}")
    if name == "light-1280":
        explain(page)
        save(page, f"explain-{name}")
        page.keyboard.press("Escape")
    compare(page)
    save(page if is_wide else page.locator("#comparison"), f"compare-{name}")


def explain(page: Page) -> None:
    page.locator("token-view .token").nth(EXPLAINED).click()
    expect(page.get_by_role("slider")).to_be_visible()
    page.mouse.move(0, 0)


def compare(page: Page) -> None:
    page.get_by_label("Limit").fill(LIMIT)
    for count, other in enumerate(("o200k_base", "r50k_base"), 2):
        page.get_by_role("button", name=f"Compare {other}").click()
        expect(page.locator("token-compare .number")).to_have_count(count)
    page.get_by_role("button", name="Next difference").click()
    page.mouse.move(0, 0)
    expect(page.locator("#difference bdi").first).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def save(shown: Page | Locator, name: str) -> None:
    """Of 256 colours, which takes half of the bytes and cannot be seen."""
    data = shown.screenshot(full_page=True) if isinstance(shown, Page) else shown.screenshot()
    picture = Image.open(BytesIO(data)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
