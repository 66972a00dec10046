"""What every test may use: real datasets, tools that may be absent; and how processes share the tests."""

import gc
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from confide.core.runtime.threads import cores

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.postgres import Postgres

# Commands that run in this process must not decide for it; CI runs a part of the tests with "interpreted".
os.environ.setdefault("CONFIDE_KERNELS", "compiled")

# No deadline: the first call of a kernel compiles it. Derandomised: a failure on one machine is one on all.
settings.register_profile("confide", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("confide")


SRC = Path(__file__).parents[1] / "src" / "confide"
MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: tests of sites, collectors and browsers wait more than they compute."""
    return cores() + 1


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Before processes share the work: compile what all of them need, and let them write to memory, not to a disk.

    Thousands of tests write files that are synced, as a release must be; on a disk that takes minutes of waiting.
    Modules are compiled once, too, for all of them and for the hundreds of commands that tests start: also where the
    environment asks that nothing be written beside the sources, since the kernels compiled are written there anyway.
    """
    os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).parent / "spark"))
    if not getattr(config.option, "numprocesses", None):
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not any(SRC.rglob("*.nbi")):
        subprocess.run([sys.executable, "-m", "confide", "compile"], check=True)
    if config.option.basetemp is None and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        for left in MEMORY.glob("confide-tests-*"):  # by a run that was killed
            if not Path("/proc", left.name.rpartition("-")[2]).exists():
                shutil.rmtree(left, ignore_errors=True)
        folder = MEMORY / f"confide-tests-{os.getpid()}"
        folder.mkdir(mode=0o700)
        config.option.basetemp = str(folder)
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


LONGEST = (
    "scenarios/test_cluster.py",
    "spark/test_engine.py",  # both need Java, which one process then starts for all
    "spark/scenarios/test_tables.py",
    "join/scenarios/test_network.py",
    "join/scenarios/test_faults.py",
    "endings/test_interrupts.py",
    "scenarios/test_commands.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files first whose tests take longest: at the end, the other processes would have nothing left to do."""
    place = {end: number for number, end in enumerate(LONGEST)}

    def rank(item: pytest.Item) -> int:
        return next((place[end] for end in LONGEST if item.path.as_posix().endswith(end)), len(LONGEST))

    items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are found, nor ever again among what was found.

    Fifteen thousand tests are millions of objects that stay to the end. The collector would walk over them again and
    again: that was half of the time it takes to find them, and a part of every test that makes many objects.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


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


@pytest.fixture(scope="module")
def browser(chromium: str) -> "Iterator[Browser]":
    """Chromium, driven by playwright. For a module: while it is open, nothing else can start an event loop here.

    Whatever waits in it waits as long as a busy machine needs: playwright alone gives up after 30 seconds, and what a
    test expects after 5.
    """
    from playwright.sync_api import expect, sync_playwright

    from tests.patience import LONG

    wait = 1000 * LONG  # milliseconds
    expect.set_options(timeout=wait)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium, headless=True, args=["--no-sandbox"], timeout=wait
        )
        opened.on("context", lambda context: context.set_default_timeout(wait))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def fim():  # type: ignore[no-untyped-def]  # a C module without types
    """Borgelt's PyFIM, the rival that agrees with us."""
    if importlib.util.find_spec("fim") is None:
        absent("pyfim is not installed (pip install 'confide[bench]'; needs a C compiler)")
    import fim

    return fim


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[Postgres]":
    """A real PostgreSQL, started for this session in a folder of its own."""
    from tests.postgres import Postgres, programs

    folder = programs()
    if folder is None or importlib.util.find_spec("adbc_driver_postgresql") is None:
        absent("PostgreSQL's server programs or its ADBC driver are not installed")
    assert folder is not None
    with Postgres(folder) as server:
        yield server


@pytest.fixture
def postgres(postgres_server: "Postgres") -> str:
    """The address of a new, empty database of that server (postgresql://user:password@host:port/name)."""
    return postgres_server.new_database()


@pytest.fixture
def with_cores(monkeypatch: pytest.MonkeyPatch) -> "Callable[[int], None]":
    """Makes the process believe that it may use so many cores."""

    def believe(number: int) -> None:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(number)), raising=False)

    return believe
