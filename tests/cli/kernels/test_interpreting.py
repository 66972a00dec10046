"""A small job begins at once; one that is long after all begins again, compiled; all is said and written once."""

import os
import subprocess
import sys

import pytest
from tests.patience import LONG

from confide.core.samples import baskets
from confide.core.transactions.container import Transactions

DRIVER = """
import sys
from pathlib import Path
from confide.cli.kernels import groups, interpreting, readiness

readiness._FOLDER = Path({folder!r})
interpreting._groups = lambda job: [groups.READING]
interpreting._MOMENT = {moment}
if {show}:
    import atexit
    atexit.register(lambda: print("jit:", sys.modules["confide.core.runtime.jit"].INTERPRETED, "numba" in sys.modules))
sys.argv[0] = "confide"
from confide.cli import main
main()
"""


@pytest.fixture
def desk(tmp_path):
    baskets(300).write(tmp_path / "small.csv", format="basket")
    return tmp_path


def run(desk, *arguments, moment=1e9, show=True, **variables):
    driver = desk / "driver.py"
    driver.write_text(DRIVER.format(folder=str(desk / "stamps"), moment=moment, show=show))
    environment = {name: value for name, value in os.environ.items() if name != "CONFIDE_KERNELS"} | variables
    command = [sys.executable, str(driver), *arguments]
    return subprocess.run(command, cwd=desk, env=environment, capture_output=True, text=True, timeout=LONG)


def test_a_small_job_is_interpreted_where_nothing_is_compiled(desk):
    done = run(desk, "mine", "itemsets", "small.csv", "--min-support", "20%", "-o", "sets.csv")
    assert done.returncode == 0, done.stderr
    assert "jit: True False" in done.stdout
    assert "compiling" not in done.stderr


def test_a_job_is_compiled_where_its_kernels_are(desk):
    from confide.cli.kernels import groups, readiness

    (desk / "stamps").mkdir()
    (desk / "stamps" / readiness._stamp(groups.READING).name).touch()
    done = run(desk, "mine", "itemsets", "small.csv", "--min-support", "20%", "-o", "sets.csv")
    assert "jit: False True" in done.stdout, done.stderr


@pytest.mark.parametrize("decided", ["interpreted", "compiled"])
def test_what_somebody_decided_stays(desk, decided):
    done = run(desk, "mine", "itemsets", "small.csv", "--min-support", "20%", "-o", "x.csv", CONFIDE_KERNELS=decided)
    assert f"jit: {decided == 'interpreted'} " in done.stdout, done.stderr


def test_both_give_the_same_file(desk):
    for decided in ("interpreted", "compiled"):
        done = run(
            desk,
            "mine",
            "itemsets",
            "small.csv",
            "--min-support",
            "2%",
            "-o",
            f"{decided}.csv",
            CONFIDE_KERNELS=decided,
        )
        assert done.returncode == 0, done.stderr
    assert (desk / "interpreted.csv").read_bytes() == (desk / "compiled.csv").read_bytes()


def test_standard_input_cannot_be_read_twice_so_it_is_compiled_from_the_start(desk):
    done = run(desk, "mine", "itemsets", "-", "--format", "dat", "--min-support", "1")
    assert "jit: False True" in done.stdout, done.stderr


def test_a_long_job_begins_again_with_compiled_kernels_and_says_everything_once(desk):
    """Dense records hold so many itemsets that interpreting takes minutes: it ends only by starting again."""
    rows = [[str(i) for i in range(26) if i != row % 26] for row in range(200)]
    Transactions.from_lists(rows).write(desk / "dense.csv", format="basket")
    done = run(desk, "mine", "itemsets", "dense.csv", "--min-support", "70%", "-o", "sets.parquet", moment=0)
    assert done.returncode == 0, done.stderr
    assert "jit: False True" in done.stdout
    assert done.stderr.count("read dense.csv") == 1
    assert (desk / "sets.parquet").exists()
    assert not list(desk.glob("*.part"))


def test_a_simulation_of_a_join_is_interpreted_since_it_talks_to_nobody(desk):
    for words in (
        ["sample", "chain", "trial", "--tables", "2", "--rows", "300"],
        ["join", "keys", "trial/keys", "--site", "T1", "--site", "T2", "--coordinator", "registry"],
        ["join", "simulate", "trial/join.toml"],
    ):
        done = run(desk, *words)
        assert done.returncode == 0, done.stderr
    assert "jit: True False" in done.stdout
