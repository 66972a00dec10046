"""A released table in parts beside the one in files."""

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide import KAnonymity, StoredTable
from confide.core.errors import VerificationError
from confide.publish import Incognito, TopDownSpecialization
from confide.publish.tables.stored import rewriting

SCHEMA = {
    "age": {"role": "quasi-identifier", "range": [0, 99], "step": 10},
    "town": {"role": "quasi-identifier", "hierarchy": {"build": "masks"}},
    "illness": {"role": "sensitive"},
    "note": {"role": "insensitive"},
    "weight": {"role": "insensitive"},
}


@pytest.fixture
def stored(tmp_path):
    draw = np.random.default_rng(3)
    rows = 300
    table = pa.table(
        {
            "age": draw.integers(20, 60, rows),
            "town": pa.array(draw.choice(["a1", "a2", "b1", "b22"], rows), mask=draw.random(rows) < 0.05),
            "illness": draw.choice(["flu", "cold"], rows),
            "note": [f"note {i}" if i % 7 else "" for i in range(rows)],
            "weight": draw.choice([0.0, -0.0, np.nan, 1.5], rows),
        }
    )
    pq.write_table(table, tmp_path / "read.parquet", row_group_size=70)
    return StoredTable.open(tmp_path / "read.parquet", batch_rows=32)


@pytest.mark.parametrize("missing", ["drop", "category"])
@pytest.mark.parametrize("method", [Incognito, TopDownSpecialization])
def test_no_false_alarm(stored, tmp_path, method, missing):
    made = method(requirement=KAnonymity(k=8), suppress=0.3, missing=missing)
    release = made.publish(stored, SCHEMA, into=tmp_path / "out")
    assert release.comparison.ok
    assert len(release.comparison.checks) == 4


@pytest.mark.parametrize("name", ["note", "illness", "age", "weight"])
def test_two_cells_exchanged_in_a_part_are_seen(stored, tmp_path, name):
    right = rewriting.Rewritten.__call__

    def exchanged(self, rows):
        made = right(self, rows)
        cells = made.column(name).to_pylist()
        other = next(i for i, cell in enumerate(cells) if cell not in (cells[0], None, ""))
        cells[0], cells[other] = cells[other], cells[0]
        return made.set_column(made.column_names.index(name), name, pa.array(cells, made.column(name).type))

    made = Incognito(requirement=KAnonymity(k=8), suppress=0.3, missing="category")
    with patch.object(rewriting.Rewritten, "__call__", exchanged), pytest.raises(VerificationError) as refused:
        made.publish(stored, SCHEMA, into=tmp_path / "out")
    # Exchanged ages may break the groups too: then the verifier of the promise is the first to object.
    assert name == "age" or "is not what was read" in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["read.parquet"]


def test_a_value_that_becomes_anothers_label_is_seen(stored, tmp_path):
    right = rewriting._Column.of.__func__

    def exchanged(cls, recoding, number):
        column = right(cls, recoding, number)
        used = np.flatnonzero(column.place >= 0)
        different = [at for at in used if column.place[at] != column.place[used[0]]]
        if different:
            column.place[[used[0], different[0]]] = column.place[[different[0], used[0]]]
        return column

    made = Incognito(requirement=KAnonymity(k=8), suppress=0.3, missing="category")
    with patch.object(rewriting._Column, "of", classmethod(exchanged)), pytest.raises(VerificationError):
        made.publish(stored, SCHEMA, into=tmp_path / "out")
