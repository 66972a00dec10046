"""A proposed schema is one that the stage takes: read back, coded, and nobody's extremes in it."""

import pyarrow as pa
import pytest

from confide import Schema
from confide.core.errors import InputError, UsageError
from confide.core.samples.people import people, people_schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.proposal.proposal import propose_schema, read_hierarchies

PEOPLE = people(300, seed=1)


def test_the_roles_of_invented_people_are_found():
    roles = propose_schema(PEOPLE).schema.roles
    wanted = {name: spec["role"] for name, spec in people_schema().items()}
    safe = {name for name in wanted if wanted[name] != roles[name]}
    # what the owner calls insensitive may be thought sensitive; nothing is thought harmless that is not
    assert all(roles[name] in ("sensitive", "quasi-identifier") for name in safe)
    assert {name for name in wanted if wanted[name] == "identifier"} <= {n for n in roles if roles[n] == "identifier"}
    assert roles["diagnosis"] == "sensitive"


def test_what_is_written_reads_back_and_is_what_the_stage_takes(tmp_path):
    proposal = propose_schema(PEOPLE)
    path = proposal.write(tmp_path / "new")
    schema = Schema.read(path)
    assert schema.roles == proposal.schema.roles
    assert len(CodedTable.of(PEOPLE, schema)) == 300
    assert "# sensitive: its name says so" in path.read_text()
    with pytest.raises(UsageError):
        proposal.write(tmp_path / "new")
    proposal.write(tmp_path / "new", replace=True)


def test_names_of_columns_never_lead_out_of_the_folder(tmp_path):
    names = ["../up", "a/b", "a?b", "a*b", "A?B", "..", "x" * 300]
    table = pa.table({name: ["red", "green", "blue"] for name in names})
    proposal = propose_schema(table)
    path = proposal.write(tmp_path / "in")
    assert {file.parent for file in tmp_path.rglob("*.csv")} == {tmp_path / "in"}
    schema = Schema.read(path)
    for name in names:
        assert schema.hierarchy(name, ["red"]).height >= 1


def test_arx_hierarchies_are_found_by_name(tmp_path):
    (tmp_path / "adult_hierarchy_job.csv").write_text("nurse;care;*\nsmith;craft;*\n")
    (tmp_path / "Town.csv").write_text("Ulm;south;*\nBonn;west;*\n")
    (tmp_path / "other.csv").write_text("not a hierarchy\n")
    table = pa.table({"job": ["nurse", "smith"], "town": ["Ulm", "Bonn"], "illness": ["a", "b"]})
    found = read_hierarchies(tmp_path, table.column_names)
    assert set(found) == {"job", "town"}
    proposal = propose_schema(table, hierarchies=found)
    assert proposal.schema.hierarchy("job", ["smith"]).generalise(["smith"], level=1) == ["craft"]
    with pytest.raises(InputError, match="column 'job': the hierarchy lacks"):
        propose_schema(pa.table({"job": ["king"]}), hierarchies=found)
    (tmp_path / "job.csv").write_text("nurse;*\nsmith;*\n")
    with pytest.raises(InputError, match="both for column 'job'"):
        read_hierarchies(tmp_path, table.column_names)
    with pytest.raises(InputError, match="no such folder"):
        read_hierarchies(tmp_path / "gone", [])


def test_rows_tell_numbers_and_no_values():
    table = pa.table({"name": ["Rumpelstiltskin", "Ann"], "age": [97, 12]})
    told = str(propose_schema(table).rows())
    assert "Rumpelstiltskin" not in told
    assert "97" not in told + propose_schema(table).to_toml()


def test_an_empty_table_is_refused():
    with pytest.raises(InputError, match="no rows"):
        propose_schema(pa.table({"a": pa.array([], pa.string())}))


def test_what_stands_for_a_missing_value_is_warned_of_with_column_and_count(tmp_path):
    work = ["?"] * 2 + [" ? "] + ["Private", "State", "n/a"] + [None]
    age, town = ["31", "NA", "44", "59", "NA", "20", ""], ["Ulm", "  ", *["Bonn"] * 5]
    table = pa.table({"work": work, "age": age, "town": town})
    proposal = propose_schema(table)
    assert proposal.columns["work"].facts.stand_ins == {"?": 3, "n/a": 1}
    assert proposal.columns["work"].facts.missing == 1
    told = [text.partition(", which")[0] for text in proposal.notes]
    assert told == [
        "warning: column 'work' holds \"?\" in 3 rows",
        "warning: column 'work' holds \"n/a\" in 1 row",
        "warning: column 'age' holds \"NA\" in 2 rows",
        "warning: column 'town' holds nothing but blanks in 1 row",
    ]
    path = proposal.write(tmp_path / "new")
    assert all(f"# {text}" in path.read_text() for text in proposal.notes)
    assert Schema.read(path).roles == proposal.schema.roles


def test_words_that_may_be_meant_are_not_warned_of():
    table = pa.table({"illness": ["none", "flu", "unknown"], "name": ["Nan", "Ann", "Nat"], "x": ["-", "0", "."]})
    assert propose_schema(table).notes == ()
