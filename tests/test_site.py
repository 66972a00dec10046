"""The site as readers use it: what the copy button yields can be pasted, page by page."""

import http.server
import re
import shutil
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from tests.amounts import some
from tests.conftest import absent
from tests.test_docs import DOCS, EXAMPLES, ROOT, blocks

PAGES = [page for page in EXAMPLES if page.is_relative_to(DOCS)]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site on a loopback address."""
    if shutil.which("zensical", path=Path(sys.executable).parent) is None:
        absent("the site's generator is not installed (python3 run.py docs does that)")
    copy = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, copy / "docs")
    for name in ("src", "tools"):
        (copy / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "zensical.toml", copy)
    subprocess.run([sys.executable, "-m", "zensical", "build"], cwd=copy, check=True, capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=copy / "build" / "site"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def copied(browser, address: str) -> list[str]:
    """What each copy button of a page yields, from top to bottom."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    texts = []
    for button in page.locator(".md-code__button[data-md-type=copy]").all():
        page.evaluate("navigator.clipboard.writeText('')")
        button.click(force=True)
        page.wait_for_function("navigator.clipboard.readText().then(text => text !== '')")
        texts.append(page.evaluate("navigator.clipboard.readText()"))
    context.close()
    return texts


@pytest.mark.parametrize("page", some(PAGES, every=4), ids=lambda page: page.stem)
def test_the_copy_button_yields_commands_without_prompt_and_output(page, site, browser):
    address = f"{site}/{page.relative_to(DOCS).with_suffix('.html').as_posix()}"
    texts = copied(browser, address)
    yielded = [text.split() for text in texts]
    for kind, code, line in blocks(page):
        typed = "\n".join(re.findall(r"^\$ ((?:.*\\\n)*.*)$", code, re.MULTILINE)) if kind == "console" else code
        assert typed.split() in yielded, f"{page.name}, line {line}"
