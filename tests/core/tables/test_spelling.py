"""One spelling for each number, in every format we write."""

import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.tables.frames import read_table, write_table
from confide.core.tables.spelling import one_spelling, spell_table

PAYLOAD = struct.unpack("<d", struct.pack("<Q", 0x7FF8_DEAD_BEEF_0001))[0]
ODD = [0.0, -0.0, float("nan"), PAYLOAD, -float("nan"), None, float("inf"), 1.5]
PLAIN = [0.0, 0.0, None, None, None, None, float("inf"), 1.5]


def bits(column):
    return [None if value is None else struct.pack("<d", value) for value in column.to_pylist()]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16()])
def test_zeros_and_missing_numbers_have_one_spelling(kind):
    column = pa.array(np.array([0 if v is None else v for v in ODD], dtype=kind.to_pandas_dtype()), kind)
    column = pa.array(column.to_numpy(), mask=np.array([v is None for v in ODD]))
    assert bits(one_spelling(column)) == bits(pa.array(PLAIN))


def test_numbers_in_lists_records_and_dictionaries_too():
    lists = pa.array([[0.0, -0.0], None, [PAYLOAD], []])
    assert bits(one_spelling(lists).flatten()) == bits(pa.array([0.0, 0.0, None]))
    assert one_spelling(lists).to_pylist() == [[0.0, 0.0], None, [None], []]
    assert one_spelling(lists[1:]).to_pylist() == [None, [None], []]
    records = pa.array([{"a": -0.0, "b": "x"}, None])
    assert repr(one_spelling(records).to_pylist()) == "[{'a': 0.0, 'b': 'x'}, None]"
    coded = pa.array([0.0, -0.0, 1.0]).dictionary_encode()
    assert bits(one_spelling(coded)) == bits(pa.array([0.0, 0.0, 1.0]))
    assert one_spelling(pa.chunked_array([], pa.float64())).num_chunks == 0


@pytest.mark.parametrize("name", ["t.csv", "t.tsv.gz", "t.parquet", "t.parquet.zst"])
def test_every_file_we_write_has_it(tmp_path, name):
    write_table(pa.table({"x": ODD, "id": list(range(len(ODD)))}), tmp_path / name)
    column = read_table(tmp_path / name)["x"]
    if "parquet" in name:
        assert bits(column) == bits(pa.array(PLAIN))
    else:
        assert column.to_pylist() == ["0", "0", "", "", "", "", "inf", "1.5"]


def test_what_need_not_change_is_not_copied():
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    assert spell_table(table) is table


def test_the_bits_of_a_missing_number_are_not_in_a_parquet_file(tmp_path):
    write_table(pa.table({"x": [PAYLOAD] * 50}), tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet")["x"].null_count == 50
