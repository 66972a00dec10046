"""The site as readers use it: what the copy button yields can be pasted, page by page, into bash and a new Python."""

import http.server
import json
import os
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


NEW_PYTHON = """
import json, sys, traceback
from code import InteractiveConsole
failed = []
class Console(InteractiveConsole):
    def showtraceback(self): failed.append(traceback.format_exc())
    def showsyntaxerror(self, *_, **__): failed.append(traceback.format_exc())
console = Console({"__name__": "__main__"})
answers, sys.stdout = sys.stdout, sys.stderr
for text in sys.stdin:
    failed.clear()
    for line in [*json.loads(text).splitlines(), ""]:
        console.push(line)
    print(json.dumps(failed), file=answers, flush=True)
"""
BASH = "trap 'echo FAILED $? $BASH_COMMAND' ERR\n"


class Reader:
    """Somebody with a fresh folder, a terminal with bash in it, and one with Python."""

    def __init__(self, folder: Path):
        folder.mkdir()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        with (folder / ".said").open("w") as said:
            known = {"cwd": folder, "env": os.environ | {"PATH": path}, "stderr": said}
            self.bash = subprocess.Popen(["bash"], **pipes, **known)
            self.python = subprocess.Popen([sys.executable, "-c", NEW_PYTHON], **pipes, **known)
        self.bash.stdin.write(BASH)

    def paste(self, kind: str, text: str) -> list[str]:
        """Paste a block where it belongs; what failed of it."""
        if kind == "python":
            print(json.dumps(text), file=self.python.stdin)
            return json.loads(self.python.stdout.readline())
        self.bash.stdin.write(f"{text}\necho PASTED\n")
        answers = iter(self.bash.stdout.readline, "PASTED\n")
        failed = [line.strip() for line in answers if line.startswith("FAILED")]
        meant = [
            f"FAILED {exit} {command.strip()}" for command, exit in re.findall(r"^(.*)  # exit (\d+)$", text, re.M)
        ]
        return [line for line in failed if line not in meant] + [line for line in meant if line not in failed]

    def leave(self) -> None:
        for process in (self.bash, self.python):
            process.stdin.close()
            process.stdout.close()
            process.wait()


def address_of(page: Path, site: str) -> str:
    return f"{site}/{page.relative_to(DOCS).with_suffix('.html').as_posix()}"


@pytest.mark.parametrize("page", some(PAGES, every=4), ids=lambda page: page.stem)
def test_the_copy_button_yields_commands_without_prompt_and_output(page, site, browser):
    yielded = [text.split() for text in copied(browser, address_of(page, site))]
    for _, typed, line in typed_blocks(page):
        assert typed.split() in yielded, f"{page.name}, line {line}"


def typed_blocks(page: Path) -> list[tuple[str, str, int]]:
    """What a reader is to type of each block, with its kind and line."""
    return [
        (kind, "\n".join(re.findall(r"^\$ ((?:.*\\\n)*.*)$", code, re.M)) if kind == "console" else code, line)
        for kind, code, line in blocks(page)
    ]


PASTED = PAGES if "CONFIDE_ALL" in os.environ else [DOCS / "tutorial.md", DOCS / "publish-table.md"]


@pytest.mark.parametrize("page", PASTED, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_the_copy_buttons_yield_works_pasted_in_order_into_bash_and_a_new_python(page, site, browser, tmp_path):
    texts = copied(browser, address_of(page, site))
    reader = Reader(tmp_path / "fresh")
    pasted = 0
    for text in texts:
        kinds = [(kind, line) for kind, typed, line in typed_blocks(page) if typed.split() == text.split()]
        for kind, line in kinds[:1]:  # other blocks are files, or show what a server is told
            assert reader.paste(kind, text) == [], f"{page.name}, line {line}"
            pasted += 1
    reader.leave()
    assert pasted == len(blocks(page))
