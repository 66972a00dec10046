"""The way in is visible in the folders: packages list their modules, tests stand where their module stands."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from tests_of import find_tests, modules  # noqa: E402 - tools are no package

SRC = ROOT / "src" / "confide"
PACKAGES = sorted(path.parent for path in SRC.rglob("__init__.py") if path.parent != SRC)
TESTS = sorted(path for path in (ROOT / "tests").rglob("test_*.py") if path.parent != ROOT / "tests")
MOST_FILES = 12  # beside kernels; a second dozen is a second idea and gets a folder


def parts(package: Path) -> set[str]:
    files = {path.stem for path in package.glob("*.py") if not path.stem.startswith("__")}
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    return files | folders


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(SRC).as_posix())
def test_a_package_lists_its_modules_once_each(package):
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text()), clean=False) or ""
    listed = re.findall(r"^(\w+) {2,}\S", text, re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert set(listed) == parts(package)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.relative_to(SRC).as_posix())
def test_a_folder_holds_at_most_a_dozen_files(package):
    files = [path.stem for path in package.glob("*.py") if not path.stem.startswith("_")]
    assert len(files) <= MOST_FILES, f"{len(files)} files: a second idea gets a folder"


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.relative_to(ROOT / "tests").as_posix())
def test_a_test_is_found_by_the_name_of_its_module(test):
    """What belongs to no one module stands in `scenarios`."""
    folder = test.parent.relative_to(ROOT / "tests")
    module = SRC / folder / f"{test.stem.removeprefix('test_')}.py"
    assert folder.name == "scenarios" or module.exists(), f"no module {module.relative_to(ROOT)}"


def test_every_module_has_a_test():
    """Its own, one that imports it, or those of its users: `python tools/tests_of.py MODULE` says which."""
    assert [module for module in modules() if not find_tests(module)[1]] == []


def test_most_modules_have_a_test_of_their_own():
    """By name or by import. The bound is what is there now: a new module comes with its test."""
    own = sum(find_tests(module)[0] in ("by name", "by import") for module in modules())
    assert own / len(modules()) >= 0.74
