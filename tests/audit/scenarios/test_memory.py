"""What `verify` takes: at most 256 MB above an empty run, or ten times the file, whatever small files stand for."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.oversize.bombs import BOMBS, EMPTY, Bomb, constant_texts, forge_passport, issue, packed_lines
from tests.oversize.measuring import allowed, cost_of_verify

from confide.audit.verify import verify
from confide.core.passport import Passport

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads the peak of memory as Linux tells it"
)
HONEST = {"constant texts", "many columns", "a long text as codes", "a long text in plain pages", "steps of zero"} | {
    "empty cells, gzip",
    "short rows, zstd",
    "large pages",
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return {name: issue(tmp_path_factory.mktemp(name), bomb) for name, bomb in EMPTY.items()}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_takes_no_more_than_256_megabytes(tmp_path, empty, name):
    bomb = BOMBS[name]
    passport = issue(tmp_path, bomb)
    size = (tmp_path / bomb.name).stat().st_size
    cost = cost_of_verify(passport, empty=empty["parquet" if bomb.name.endswith("parquet") else "csv"])
    assert cost.peak <= allowed(size), cost
    assert cost.ok == (name in HONEST), cost.summary  # equal rows are many, and read; the rest is refused


def test_a_plain_table_of_short_rows_takes_less_than_ten_times_its_size(tmp_path, empty):
    table = Bomb("t.csv", "table", packed_lines("a,b\n", 30 << 20, first="c0,c1\n"))
    cost = cost_of_verify(issue(tmp_path, table), empty=empty["csv"])
    assert cost.ok, cost.summary
    assert cost.peak <= 256 << 20


def test_a_passport_of_empty_things_is_refused_before_it_is_read(tmp_path, empty):
    path = issue(tmp_path, EMPTY["csv"])
    plain = json.loads(path.read_text())
    plain["loss"] = "HERE"
    path.write_text(json.dumps(plain).replace('"HERE"', '{"a": [' + "{}," * 7_000_000 + "0]}"))
    cost = cost_of_verify(path, empty=empty["csv"])
    assert "may take more than 256 MB" in cost.summary
    assert cost.peak <= 256 << 20


def test_more_memory_may_be_given_by_name(tmp_path, monkeypatch):
    path = issue(tmp_path, Bomb("t.parquet", "table", lambda path: constant_texts(path, 1000)))
    assert verify(path).ok
    monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "1K")
    outcome = verify(path)
    assert not outcome.ok
    assert "CONFIDE_VERIFY_MEMORY" in outcome.summary()


# -- the same answer as in memory ------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".csv.zst", ".parquet"])
def test_passes_and_memory_give_the_same_checks(tmp_path, suffix):
    from confide.core.artefacts.kinds import load, save
    from confide.core.stages import STAGES

    draw = np.random.default_rng(5)
    for number in range(12):
        rows = int(draw.integers(1, 60))
        words = np.array(["", "a", 'b"', "c,\nd", "é"])
        table = pa.table(
            {
                "c0": pa.array(words[draw.integers(0, 5, rows)]),
                "c1": pa.array(draw.integers(0, 3, rows), mask=draw.random(rows) < 0.1),
                "c2": pa.array(draw.integers(0, 2, rows) / 2),
            }
        )
        path = tmp_path / f"t{number}{suffix}"
        save(table, path)
        beside = forge_passport(path, "table", columns=3)
        known = Passport.read(beside)
        held = list(STAGES["by hand"].verifier("k-anonymity")(load(path, type="table"), known))
        outcome = verify(beside)
        names = {check.name for check in held}
        assert [str(check) for check in outcome.checks if check.name in names] == [str(check) for check in held]


def write_floats(path, values):
    table = pa.table({"c0": pa.array(["a"] * len(values)), "c1": pa.array(values, pa.float64(), from_pandas=False)})
    pq.write_table(table, path, compression="zstd", write_statistics=False, store_schema=False)
    return forge_passport(path, "table")


QUIET = np.array([0x7FF8000000000000, 0x7FF8000000C0FFEE], dtype=np.uint64).view(np.float64)


@pytest.mark.parametrize(
    "odd", [QUIET[:1], QUIET[1:], np.array([-0.0])], ids=["NaN", "a NaN that carries words", "-0.0"]
)
def test_a_number_has_one_spelling_in_a_release(tmp_path, odd):
    assert verify(write_floats(tmp_path / "good.parquet", np.array([0.0, 1.5, 0.0]))).ok
    bad = write_floats(tmp_path / "bad.parquet", np.concatenate([[0.0, 1.5], odd]))
    outcome = verify(bad)
    assert not outcome.ok
    assert "a number is NaN or -0.0" in outcome.summary()
