"""Photograph the demo's report for the README; needs chromium (make browser)."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "build" / "demo" / "diamonds.html"
PICTURE = ROOT / "docs" / "images" / "report.png"


def main() -> None:
    """Open the report and save what the reader sees first."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("No chromium is installed: make browser installs it.")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 1080}, color_scheme="light")
        page.goto(PAGE.as_uri())
        page.wait_for_selector(".chart[data-drawn]")
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
