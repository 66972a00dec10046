"""The public surface is what `__all__` says, importing is cheap, and every command is documented."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import confide
from confide.core.requirements import Requirement
from confide.core.stages import STAGES

ROOT = Path(__file__).parents[1]
PACKAGES = sorted({"confide", "confide.audit", "confide.report", *(s.package for s in STAGES.values() if s.package)})
HEAVY = ["numba", "numpy", "pandas", "polars", "pyarrow", "scipy", "matplotlib", "jinja2", "rich", "pydantic"]
WEB = ["starlette", "uvicorn", "aiohttp", "fastapi", "http.server", "ssl", "socket"]


def modules() -> list[str]:
    return [info.name for info in pkgutil.walk_packages(confide.__path__, "confide.") if "__main__" not in info.name]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_had_and_is_documented(package):
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name).__doc__, f"{package}.{name} has no docstring"
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is_for(name):
    assert importlib.import_module(name).__doc__, f"{name} has no docstring"


def test_design_names_are_there():
    containers = {"Transactions", "Schema", "Hierarchy", "Release", "Passport", "Randomness", "verify"}
    requirements = {kind.__name__ for kind in Requirement.kinds().values()}
    assert len(requirements) == 20
    assert containers | requirements <= set(confide.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy_and_no_web_library(package):
    code = f"import sys, {package}; print(*sorted(set({HEAVY + WEB!r}) & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found == []


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        _ = confide.nothing


def test_the_version_is_said_once():
    pinned = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert pinned is not None
    assert pinned.group(1) == confide.__version__
