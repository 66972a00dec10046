"""Values that are one in memory and several in a file: every method, every format, one answer of the auditor."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from confide import AlphaK, DistinctDiversity, KAnonymity, TCloseness, verify
from confide.core.errors import UsageError, VerificationError
from confide.core.release import Release, passport_path
from confide.publish.tables.methods import METHODS, publisher_named

ODD = [0.0, -0.0, float("nan"), -float("nan"), None, float("inf"), 1.5]
SCHEMA = {
    "age": {"role": "quasi-identifier", "range": [0, 47]},
    "dose": {"role": "sensitive"},
    "note": {"role": "insensitive"},
}


def table(seed, rows=120):
    draw = np.random.default_rng(seed)
    odd = np.array(ODD, dtype=object)
    return pa.table(
        {
            "age": draw.integers(0, 12, rows),
            "dose": pa.array(list(draw.choice(odd, rows)), pa.float64()),
            "note": pa.array(list(draw.choice(odd, rows)), pa.float64()),
        }
    )


@pytest.mark.parametrize("method", [name for name in METHODS if name != "blank"])  # which takes k alone
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.csv.zst", "out.parquet"])
def test_a_release_with_odd_numbers_keeps_its_promise_in_its_file(tmp_path, method, name):
    for seed, asked in enumerate([TCloseness(t=0.15), DistinctDiversity(l=3), AlphaK(alpha=0.5, k=3)]):
        publisher = publisher_named(method, requirement=asked & KAnonymity(k=2))
        release = publisher.publish(table(seed), SCHEMA)
        release.write(tmp_path / name, replace=True)
        assert verify(passport_path(tmp_path / name)).ok
        for column in ("dose", "note"):
            numbers = release.data[column].drop_null().to_numpy()
            assert not np.isnan(numbers).any()
            assert not np.signbit(numbers[numbers == 0]).any()


def test_what_holds_in_memory_and_not_in_the_file_is_not_written(tmp_path):
    days = [datetime.date(2026, 11, 1 + day) for day in (0, 1, 0, 1)]
    frame = pa.table({"age": ["30-39"] * 4, "since": days})
    release = Release.issue(
        frame,
        TCloseness(t=0.5, ordered=True),
        stage="by hand",
        algorithm="none",
        context={"roles": {"age": "quasi-identifier", "since": "sensitive"}},
    )
    release.write(tmp_path / "out.parquet")
    assert verify(passport_path(tmp_path / "out.parquet")).ok
    with pytest.raises(VerificationError, match=r"out\.csv does not keep its promise once it is read back"):
        release.write(tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.parquet.passport.json"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["1", "01", "1.0", "2"], "spells a number in several ways"),
        ([1.0, float("inf"), 2.0, 3.0], "have no order"),
        ([" 1", "2", "3", "4"], "have no order"),
    ],
)
def test_values_without_one_order_are_refused_before_the_work(values, why):
    frame = pa.table({"age": list(range(40)), "dose": values * 10, "note": [1.0] * 40})
    with pytest.raises(UsageError, match=why):
        publisher_named("mondrian", requirement=TCloseness(t=0.3, ordered=True)).publish(frame, SCHEMA)


def test_whole_numbers_too_large_for_a_float_keep_their_order(tmp_path):
    values = [2**60 + i for i in range(5)] * 8
    frame = pa.table({"age": list(range(40)), "dose": values, "note": [1.0] * 40})
    release = publisher_named("mondrian", requirement=TCloseness(t=0.3, ordered=True)).publish(frame, SCHEMA)
    release.write(tmp_path / "out.csv")
    assert verify(passport_path(tmp_path / "out.csv")).ok


def test_a_declared_order_is_read_as_the_file_shows_the_values(tmp_path):
    from confide import Hierarchy

    schema = SCHEMA | {"dose": {"role": "sensitive", "hierarchy": Hierarchy.from_rows([("true", "*"), ("false", "*")])}}
    frame = pa.table({"age": list(range(40)), "dose": [True, False] * 20, "note": [1.0] * 40})
    release = publisher_named("mondrian", requirement=TCloseness(t=0.3, ordered=True)).publish(frame, schema)
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert verify(passport_path(tmp_path / name)).ok
