"""Which tests look at a module: `python tools/tests_of.py core/tables/row_places`.

In this order: the test of its name; tests that import it, or a name of it from its package; the same of modules that
import it, and of those that import these. Screens of the studio, which nothing imports by name, are opened by the tests
in `tests/studio/scenarios`. The rule that `tests/test_layout.py` holds: every module has a test within these steps.
Nothing of ours is imported: everything is read from the source text.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["find_tests", "modules"]

ROOT = Path(__file__).resolve().parents[1]
_STEPS = 2
SRC, TESTS = ROOT / "src" / "confide", ROOT / "tests"
SCREENS = TESTS / "studio" / "scenarios"


def modules() -> list[str]:
    """Every module but packages and kernels, as a path within the package without its suffix."""
    paths = (path.relative_to(SRC).with_suffix("") for path in sorted(SRC.rglob("*.py")))
    return [path.as_posix() for path in paths if not path.name.startswith("__") and "kernels" not in path.name]


def find_tests(module: str) -> tuple[str, list[str]]:
    """How a module is tested ("by name", "by import", "through its users", or ""), and by which files."""
    path = Path(module)
    own = TESTS / path.parent / f"test_{path.name.lstrip('_')}.py"
    if own.exists():
        return "by name", [own.relative_to(ROOT).as_posix()]
    if found := _tests_importing(module):
        return "by import", found
    if module.startswith("studio/"):
        return "by scenarios", sorted(path.relative_to(ROOT).as_posix() for path in SCREENS.glob("test_*.py"))
    users = {module}
    for _ in range(_STEPS):
        users = {further for user in users for further in _users().get(user, ())}
        if through := sorted({test for user in users for test in _nearest(user)}):
            return "through its users", through
    return "", []


def _nearest(module: str) -> list[str]:
    path = Path(module)
    own = TESTS / path.parent / f"test_{path.name.lstrip('_')}.py"
    return [own.relative_to(ROOT).as_posix()] if own.exists() else _tests_importing(module)


def _tests_importing(module: str) -> list[str]:
    return sorted(test for test, imported in _imports_of_tests().items() if module in imported)


@cache
def _imports_of_tests() -> dict[str, frozenset[str]]:
    return {path.relative_to(ROOT).as_posix(): frozenset(_imported(path)) for path in TESTS.rglob("*.py")}


@cache
def _users() -> dict[str, set[str]]:
    """The modules that import each module."""
    users: dict[str, set[str]] = {}
    for path in SRC.rglob("*.py"):
        if path.name != "__init__.py":
            user = path.relative_to(SRC).with_suffix("").as_posix()
            for module in _imported(path):
                users.setdefault(module, set()).add(user)
    return users


def _imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, names dotted paths to, or takes names of from their packages."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("confide"):
            for alias in node.names:
                yield from _home(node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from _home(alias.name, "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("confide."):
            yield from _home(node.value.partition(":")[0], "")


def _home(module: str, name: str) -> Iterator[str]:
    place = module.replace(".", "/").removeprefix("confide").lstrip("/")
    if (SRC / f"{place}.py").exists():
        yield place
    elif (SRC / place / f"{name}.py").exists():
        yield f"{place}/{name}".lstrip("/")
    elif (SRC / place / "__init__.py").exists():
        home = _exported(place).get(name)
        if home is not None and home != module:
            yield from _home(home, name)


@cache
def _exported(package: str) -> dict[str, str]:
    """The module of each name that a package hands on, imported at once or when first used."""
    homes = {}
    for node in ast.walk(ast.parse((SRC / package / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("confide"):
            for alias in node.names:
                names = _public(node.module) if alias.name == "*" else [alias.name]
                homes |= dict.fromkeys(names, node.module)
    return homes


def _public(module: str) -> list[str]:
    """The names in the `__all__` of a module."""
    path = SRC / module.replace(".", "/").removeprefix("confide/")
    for node in ast.parse(path.with_suffix(".py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


if __name__ == "__main__":
    asked = [word.removeprefix("src/confide/").removesuffix(".py") for word in sys.argv[1:]] or modules()
    for each in asked:
        how, files = find_tests(each)
        print(f"{each}: {how or 'by no test'}{''.join(f'{chr(10)}    {file}' for file in files)}")
