"""Print the path of a Chromium for the browser tests: Playwright's own, the system's, or one installed now."""

import os
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def find() -> str | None:
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    found = (os.environ.get("CHROMIUM"), own, *map(shutil.which, NAMES), MACOS)
    return next((path for path in found if path and Path(path).exists()), None)


def install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
            subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL, check=False)


def main() -> None:
    path = find() or install() or find()
    if not path:
        raise SystemExit("The browser tests need Chromium: run `.venv/bin/playwright install chromium` and try again.")
    print(path)


if __name__ == "__main__":
    main()
