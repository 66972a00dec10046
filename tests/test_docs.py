"""Every example in the README and the docs runs: Python blocks, and `$ confide ...` lines of console blocks.

A page is run from top to bottom in one folder of its own, its Python blocks in one namespace. `# exit 1` after a
command says that it is meant to end so.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, int]]:
    text = page.read_text()
    return [(m.group(1), m.group(2), text.count("\n", 0, m.start()) + 1) for m in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for kind, code, line in blocks(page):
        if kind == "python":
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
            continue
        for command in re.findall(r"^\$ (confide .*)$", code, re.MULTILINE):
            run(command, tmp_path, f"{page.name}, line {line}")


def run(command: str, folder: Path, where: str) -> None:
    command, _, comment = command.partition("  # ")
    expected = int(comment.removeprefix("exit ")) if comment.startswith("exit ") else 0
    arguments = shlex.split(command)[1:]
    done = subprocess.run([sys.executable, "-m", "confide", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == expected, f"{where}: {command}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_the_docs_have_examples():
    assert sum(len(blocks(page)) for page in PAGES) >= 6


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
