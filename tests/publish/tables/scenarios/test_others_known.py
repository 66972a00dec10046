"""An attacker who knows the other sensitive columns tells spellings of one value apart, so a release has one each."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide import DistinctDiversity, OthersKnown, StoredTable, verify
from confide.core.errors import CannotMeetError
from confide.publish import Incognito, Mondrian, OneDimensional, TopDownSpecialization

SCHEMA = {
    "town": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
    "other": {"role": "sensitive"},
}
SPELLINGS = [("", None, "x"), (0.0, -0.0, 1.0), (float("nan"), None, 1.0)]
REQUIREMENT = OthersKnown(of=DistinctDiversity(l=2))


def table(one, same, different, rows=8):
    """Two values of `ill` beside each value of `other`, but one each beside `one` and `same`."""
    other = [one, different, one, different, same, different, same, different]
    return pa.table({"town": ["A"] * rows, "ill": ["flu"] * 4 + ["gout"] * 4, "other": other})


@pytest.mark.parametrize("spellings", SPELLINGS, ids=str)
@pytest.mark.parametrize("method", [Mondrian, OneDimensional, Incognito, TopDownSpecialization])
def test_two_spellings_of_a_value_are_one_in_the_release(tmp_path, spellings, method):
    release = method(requirement=REQUIREMENT).publish(table(*spellings), SCHEMA)
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert verify(tmp_path / f"{name}.passport.json").ok


@pytest.mark.parametrize("spellings", SPELLINGS, ids=str)
def test_files_that_stay_on_disk_are_released_in_one_spelling_too(tmp_path, spellings):
    (tmp_path / "in").mkdir()
    pq.write_table(table(*spellings), tmp_path / "in" / "part.parquet")
    release = Incognito(requirement=REQUIREMENT).publish(
        StoredTable.open(tmp_path / "in"), SCHEMA, into=tmp_path / "out"
    )
    release.write(tmp_path / "out")
    assert len(set(StoredTable.open(tmp_path / "out").to_table()["other"].to_pylist())) == 2


def test_random_tables_with_odd_values_pass_their_auditor():
    released = 0
    for seed in range(120):
        draw = np.random.default_rng(seed)
        pools = [["", None, "x", "y"], [0.0, -0.0, float("nan"), None], ["a", "b"]]
        kinds = [pa.string(), pa.float64(), pa.string()]
        columns = {
            f"s{i}": pa.array([pools[i][j] for j in draw.integers(0, len(pools[i]), 40)], kinds[i]) for i in range(3)
        }
        frame = pa.table({"town": draw.choice(["A", "B", "C"], 40), **columns})
        schema = {"town": SCHEMA["town"], **dict.fromkeys(columns, SCHEMA["ill"])}
        try:
            OneDimensional(requirement=REQUIREMENT, suppress=0.3).publish(frame, schema)
            released += 1
        except CannotMeetError:
            pass
    assert released >= 20
