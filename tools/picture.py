"""Take the README's picture again: the top of the demo's report on published baskets.

    python3 run.py demo && .venv/bin/python tools/picture.py

Needs what the tests need (`python3 run.py test` installs it) and Chromium.
"""

import shutil
import sys
from pathlib import Path

__all__ = ["take"]

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "report.png"


def take(page: Path, picture: Path, *, width: int = 1100, height: int = 790) -> None:
    """Photograph the top of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), headless=True)
        view = browser.new_page(viewport={"width": width, "height": height})
        view.goto(page.resolve().as_uri())
        view.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "confide-demo" / "baskets-released.html", PICTURE)
