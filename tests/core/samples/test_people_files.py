"""Invented people as files: a schema that can be read, hierarchies used again."""

import pytest

from confide import Schema
from confide.core.errors import UsageError
from confide.core.samples.people_files import write_people
from confide.core.tables.frames import read_table


def test_a_second_invention_uses_the_hierarchies_of_the_first(tmp_path):
    schema = write_people(tmp_path / "one.csv", 50)
    assert schema == tmp_path / "one.schema.toml"
    assert read_table(tmp_path / "one.csv").num_rows == 50
    age = (tmp_path / "age.csv").stat().st_mtime_ns
    write_people(tmp_path / "two.csv", 20, seed=2)
    assert (tmp_path / "age.csv").stat().st_mtime_ns == age
    assert Schema.read(tmp_path / "two.schema.toml").roles == Schema.read(schema).roles


def test_another_file_in_a_hierarchys_place_is_not_overwritten(tmp_path):
    (tmp_path / "age.csv").write_text("30;*\n")
    with pytest.raises(UsageError, match="exists"):
        write_people(tmp_path / "one.csv", 50)
    assert not (tmp_path / "one.csv").exists()
    write_people(tmp_path / "one.csv", 50, replace=True)
