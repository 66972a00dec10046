"""What every test may use: where the shared datasets are, and tools that may be absent."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the first call of a kernel compiles it. Derandomised: a failure on one machine is one on all.
settings.register_profile("confide", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("confide")


def absent(reason: str) -> None:
    """Skip for want of a tool, except in CI, where every tool must be there."""
    if os.environ.get("CONFIDE_CI"):
        pytest.fail(f"CI must run this test, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real datasets, which the project does not contain: CONFIDE_DATA, or `shared/data` beside it."""
    folder = Path(os.environ.get("CONFIDE_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("the shared datasets are not here (set CONFIDE_DATA)")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium that playwright can drive."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None or importlib.util.find_spec("playwright") is None:
        absent("Chromium or playwright is not installed")
    assert found is not None
    return found


@pytest.fixture(scope="session")
def fim():  # type: ignore[no-untyped-def]  # a C module without types
    """Borgelt's PyFIM, the rival that agrees with us."""
    if importlib.util.find_spec("fim") is None:
        absent("pyfim is not installed (pip install 'confide[bench]'; needs a C compiler)")
    import fim

    return fim
