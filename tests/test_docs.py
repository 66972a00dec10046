"""Every example in the README and the docs runs, every link leads somewhere, and every command has its place.

Examples are Python blocks and the `$ confide ...` lines of console blocks. A page is run from top to bottom in one
folder of its own, its Python blocks in one namespace. `# exit 1` after a command says that it is meant to end so; a
backslash at the end of a line continues it.
"""

import importlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tools.offline_site import requests

from confide.cli.root import confide as root
from confide.core import requirements
from tests.commands import confide
from tests.test_surface import PACKAGES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
NAMES = {page: page.relative_to(ROOT).as_posix() for page in [*PAGES, ROOT / "CONTRIBUTING.md"]}
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def blocks(page: Path) -> list[tuple[str, str, int]]:
    text = page.read_text()
    return [(m.group(1), m.group(2), text.count("\n", 0, m.start()) + 1) for m in BLOCK.finditer(text)]


EXAMPLES = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", EXAMPLES, ids=NAMES.get)
def test_every_example_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for kind, code, line in blocks(page):
        if kind == "python":
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
            continue
        for command in re.findall(r"^\$ (confide .*)$", re.sub(r"\\\n\s*", "", code), re.MULTILINE):
            run(command, tmp_path, f"{page.name}, line {line}")


def test_the_tutorials_table_is_what_its_command_prints(tmp_path):
    page = (DOCS / "tutorial.md").read_text()
    commands = re.findall(r"^\$ confide (.*)$", re.sub(r"\\\n\s*", "", page), re.MULTILINE)
    sample = next(command for command in commands if command.startswith("sample"))
    explore = next(command for command in commands if "--explore" in command)
    confide(*shlex.split(sample), cwd=tmp_path)
    rows = [json.loads(line) for line in confide(*shlex.split(explore)[:-1], cwd=tmp_path).stdout.splitlines()]
    lines = [
        [row["k"], row["h"], row["p"], f"{row['share_of_occurrences_lost']:.1%}", row["public_items_suppressed"]]
        for row in rows
    ]
    assert len(lines) == 6
    assert "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) in page


LIMITS = re.compile(
    r"^Not covered, as the passport of (?:a )?(\w+) with `([^`]+)` says:\n\n((?:[-*] .*\n|  .*\n)+)", re.MULTILINE
)
LIMITED = [page for page in PAGES if LIMITS.search(page.read_text())]


@pytest.mark.parametrize("page", LIMITED, ids=NAMES.get)
def test_a_list_of_what_is_not_covered_is_the_one_of_passports(page):
    for artefact, requirement, listed in LIMITS.findall(page.read_text()):
        limits = eval(requirement, vars(requirements)).words(artefact, {}).does_not_stop
        items = [" ".join(item.split()) for item in listed.removeprefix("- ").split("\n- ")]
        assert len(items) == len(limits)
        for item, limit in zip(items, limits, strict=True):
            assert item.startswith(limit), f"{page.name} says {item!r}, passports say {limit!r}"


def test_pages_of_stages_that_publish_list_what_is_not_covered():
    assert {page.stem for page in LIMITED} >= {"collect", "publish-table", "publish-transactions", "share"}


def run(command: str, folder: Path, where: str) -> None:
    command, _, comment = command.partition("  # ")
    expected = int(comment.removeprefix("exit ")) if comment.startswith("exit ") else 0
    arguments = shlex.split(command)[1:]
    done = confide(*arguments, cwd=folder)
    assert done.returncode == expected, f"{where}: {command}\n{done.stderr}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "stage",
    [
        "collect",
        "publish-transactions",
        "publish-table",
        "share",
        "join",
        "stream",
        "search",
        "ledger",
        "mining",
        "passports",
    ],
)
def test_a_guide_says_what_it_promises_and_has_an_example(stage):
    page = DOCS / f"{stage}.md"
    assert "**The promise" in page.read_text()
    assert blocks(page)


def anchors(page: Path) -> set[str]:
    """What a heading is called in an address: the same on the site and where repositories are browsed."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", NAMES, ids=NAMES.get)
def test_links_lead_somewhere(page):
    for target, anchor in LINK.findall(FENCED.sub("", page.read_text())):
        file = page.parent / target if target else page
        assert file.exists(), f"{NAMES[page]} links to {target}"
        assert page.parent == ROOT or file.resolve().is_relative_to(DOCS), f"{target} is not on the site"
        if anchor:
            assert anchor in anchors(file), f"{NAMES[page]} links to {target}#{anchor}"


def test_the_chain_of_files_names_files_that_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## The chain of files")[2].partition("\n## ")[0]
    named = re.findall(r"`([a-z_/]+\.py)`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "src" / "confide" / name).exists()] == []


def entries(nav: list[dict[str, object]]) -> Iterator[str]:
    for entry in nav:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                assert isinstance(value, list)
                yield from entries(value)


def test_every_page_has_one_place_in_the_site():
    site = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]
    assert sorted(entries(site["nav"])) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES[1:])


def test_a_page_that_would_ask_another_server_is_found(tmp_path):
    (tmp_path / "own.html").write_text('<script src="assets/a.js"></script> <a href="https://example.org/">read</a>')
    assert requests(tmp_path) == []
    (tmp_path / "font.css").write_text('@font-face { src: url("https://example.org/a.woff2") }')
    (tmp_path / "page.html").write_text(
        '<script defer src="https://example.org/a.js"></script> <link rel="stylesheet" href="//example.org/a.css">'
    )
    assert [line.partition(":")[0] for line in requests(tmp_path)] == ["font.css", "page.html", "page.html"]


def test_every_public_name_is_in_a_page():
    text = "\n".join(page.read_text() for page in PAGES)
    for package in PACKAGES:
        assert f"::: {package}\n" in text, f"{package} is in no page of the reference"
        for name in importlib.import_module(package).__all__:
            assert re.search(rf"\b{name}\b", text), f"{package}.{name} is documented nowhere"


def commands(command: click.Command, path: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        part = command.get_command(context, name)
        assert part is not None
        yield from commands(part, f"{path} {name}")


def test_every_command_is_in_the_list_of_commands():
    listed = re.findall(r"^\| `(confide [a-z ]+)` \|", (DOCS / "commands.md").read_text(), re.MULTILINE)
    assert listed == list(commands(root, "confide"))


def test_every_test_that_the_threats_name_is_there():
    named = re.findall(r"`((?:\w+/)*test_\w+\.py)`", (DOCS / "threats.md").read_text())
    assert len(named) > 100
    assert [path for path in named if not (ROOT / "tests" / path).exists()] == []


def test_every_file_that_the_map_names_is_there():
    """Paths in CONTRIBUTING are within `src/confide`, or from the top."""
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", (ROOT / "CONTRIBUTING.md").read_text())
    named = [path for path in named if "A/" not in path]  # A stands for any folder
    places = (ROOT, ROOT / "src" / "confide")
    assert [path for path in named if not any((place / path).exists() for place in places)] == []
