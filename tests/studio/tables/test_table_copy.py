import json

import pyarrow as pa
import pytest
from tests.patience import wait_until

from confide.core.errors import InputError
from confide.core.samples import people
from confide.core.tables.frames import write_table
from confide.studio.project.project_folder import Project
from confide.studio.tables.copies import Copies
from confide.studio.tables.table_copy import copy_table


def look_at(folder, name):
    """The look at a table, as a page has it once it is there."""
    copies, found = Copies(Project(folder)), []
    wait_until(lambda: found.append(copies.look(name)) or found[-1] is not None)
    return found[-1]


def test_facts_are_those_of_counting_by_hand(tmp_path):
    table = people(400, seed=3)
    write_table(table, tmp_path / "people.csv")
    look = look_at(tmp_path, "people.csv")
    assert (look.rows, [column.name for column in look.columns]) == (400, table.column_names)
    for column in look.columns:
        values = [str(value) for value in table.column(column.name).to_pylist()]
        assert column.different == len(set(values))
        assert column.unique == sum(values.count(value) == 1 for value in set(values))
        assert sum(rows for _, rows in column.bars) <= 400
        if column.kind == "text":
            assert [rows for _, rows in column.bars] == sorted(map(values.count, set(values)), reverse=True)[:6]
    ages = next(column for column in look.columns if column.name == "age")
    assert len(ages.bars) == 12
    assert sum(rows for _, rows in ages.bars) == 400


def test_rows_are_the_same_from_anywhere(tmp_path):
    write_table(pa.table({"a": [str(n) for n in range(40_000)], "b": ["x"] * 40_000}), tmp_path / "t.csv")
    look = look_at(tmp_path, "t.csv")
    for start in (0, 1, 16_383, 16_384, 32_700, 39_990, 39_999):
        wanted = [[str(n)] for n in range(start, min(start + 50, 40_000))]
        assert look.slice(start, 50, ["a"]) == wanted


def test_a_copy_is_for_the_owner_and_made_anew_when_the_table_changes(tmp_path):
    (tmp_path / "t.csv").write_text("age,name\n31,Ann\n")
    look = look_at(tmp_path, "t.csv")
    assert look.slice(0, 5, ["name"]) == [["Ann"]]
    for path in (tmp_path / ".confide").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    (tmp_path / "t.csv").write_text("age,name\n31,Bea\n44,Cy\n")
    assert look_at(tmp_path, "t.csv").slice(0, 5, ["name"]) == [["Bea"], ["Cy"]]


@pytest.mark.parametrize(
    ("text", "line"),
    [(b"a,b\n1\n", "t.csv, line 2"), (b"a,a\n1,2\n", "a"), (b"", "t.csv"), (b"\xff\xfe\x00", "t.csv")],
)
def test_a_table_that_cannot_be_read_is_one_line(tmp_path, text, line):
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(InputError, match=line) as told:
        look_at(tmp_path, "t.csv")
    assert "\n" not in str(told.value)
    assert str(tmp_path) not in str(told.value)


def test_five_thousand_columns_are_looked_at(tmp_path):
    names = [f"c{n}" for n in range(5000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    copy_table(tmp_path / "t.csv", tmp_path)
    assert len(json.loads((tmp_path / "facts.json").read_text())["columns"]) == 5000
