"""Find the browsers that the tests drive, or install them where apt may: ``python tools/browsers.py``.

Chromium does all the browser tests, Firefox and WebKitGTK a few each.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import sync_playwright


def chromium() -> str | None:
    """The one that the variable CHROMIUM names, Playwright's own, or the system's."""
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return first(os.environ.get("CHROMIUM"), own, *map(shutil.which, names), application("Google Chrome"))


def firefox() -> str | None:
    """Any that is installed: Playwright drives it by WebDriver BiDi."""
    return first(*map(shutil.which, ("firefox-esr", "firefox")), application("Firefox", "firefox"))


def webkit() -> str | None:
    """WebKitGTK's small browser, if its driver and a display to draw on are there as well."""
    found = sorted(map(str, Path("/usr").glob("lib*/**/webkit2gtk-4*/MiniBrowser")))
    return found[-1] if found and shutil.which("WebKitWebDriver") and shutil.which("Xvfb") else None


def application(name: str, program: str = "") -> str:
    return f"/Applications/{name}.app/Contents/MacOS/{program or name}"


def first(*paths: str | None) -> str | None:
    return next((path for path in paths if path and Path(path).exists()), None)


class Needed(NamedTuple):
    name: str
    find: Callable[[], str | None]
    packages: str
    otherwise: str


NEEDED = (
    Needed("Chromium", chromium, "chromium", "`.venv/bin/playwright install chromium`"),
    Needed("Firefox", firefox, "firefox-esr", "`apt-get install firefox-esr`, or install any Firefox"),
    Needed("WebKitGTK", webkit, "webkit2gtk-driver xvfb", "`apt-get install webkit2gtk-driver xvfb` (Debian, Ubuntu)"),
)


def missing() -> Iterator[Needed]:
    return (one for one in NEEDED if one.find() is None)


def install(packages: str) -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update"], ["install", "-y", "--no-install-recommends", *packages.split()]):
            subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL, check=False)


def main() -> None:
    if packages := " ".join(one.packages for one in missing()):
        install(packages)
    for one in missing():
        raise SystemExit(f"The browser tests need {one.name}: run {one.otherwise}, and try again.")


if __name__ == "__main__":
    main()
