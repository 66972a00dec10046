"""Types of CSV columns: numbers where every cell is one, codes never."""

import pyarrow as pa
import pytest

from confide.core.tables.formats.csv_types import reads_as, with_types
from confide.core.tables.sources import load_table


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["39", "0", "-7"], "integer"),
        ([" 39", "12 "], "integer"),
        (["1.5", "2", None], "number"),
        ([".5", "1e-05"], "number"),
        (["01234", "99999"], "text"),
        (["-07"], "text"),
        (["1", "?"], "text"),
        (["nan"], "text"),
        (["inf", "1"], "text"),
        (["0x10"], "text"),
        (["1,5"], "text"),
        (["1e400"], "text"),
        (["1234567890123456"], "text"),
        (["-", "1"], "text"),
        (["e5"], "text"),
        ([None, None], "text"),
        ([], "text"),
    ],
)
def test_a_column_reads_as(cells, kind):
    assert reads_as(pa.chunked_array([pa.array(cells, pa.string())])) == kind


def test_what_reads_as_a_number_can_be_cast_to_a_finite_one():
    table = pa.table({"n": [" 9", "0.25", "3e2", ".5", ""]})
    assert with_types(table, {}, inferred={"n"}).column("n").to_pylist() == [9.0, 0.25, 300.0, 0.5, None]


def test_files_are_typed_only_where_asked_and_tab_separated_ones_alike(tmp_path):
    for name, mark in (("t.csv", ","), ("t.tsv", "\t")):
        (tmp_path / name).write_text(f"zip{mark}age\n1{mark}30\n2{mark}\n")
        assert load_table(file=tmp_path / name).to_pydict() == {"zip": ["1", "2"], "age": ["30", None]}
        typed = {"zip": ["1", "2"], "age": [30, None]}
        assert load_table(file=tmp_path / name, text=["zip"]).to_pydict() == typed
        assert load_table(file=tmp_path / name, types={"age": "integer"}).to_pydict() == typed
        as_text = load_table(file=tmp_path / name, types={"age": "text"}, text=[])
        assert as_text.to_pydict() == {"zip": [1, 2], "age": ["30", None]}
