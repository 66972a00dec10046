"""A dictionary lists what rows hold, and nothing else; whatever the type, the page version and the packing."""

import io
import random
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some
from tests.oracles import parquet_codes

from confide.core.artefacts.exact import check_structure
from confide.core.artefacts.kinds import save
from confide.core.artefacts.passes import open_table
from confide.core.errors import InputError
from confide.core.runtime.memory import MemoryBudget
from confide.core.tables.formats._page_kernels import end_of_texts, tally_codes
from confide.core.tables.formats.parquet_dictionaries import check_dictionaries

NAME = Path("t.parquet")


def written(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **{"compression": "zstd", "write_statistics": False, "store_schema": False, **options})
    return file.getvalue()


def check(data):
    check_dictionaries(data, pq.read_metadata(io.BytesIO(data)), NAME)


def coded(codes, values):
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values))


@pytest.mark.parametrize("seed", some(range(60), every=5))
def test_what_arrow_writes_lists_only_what_rows_hold(seed):
    draw = random.Random(seed)
    rows, values, absent = (
        draw.choice((0, 1, 7, 9, 1000, 5000)),
        draw.choice((1, 2, 50, 10**5)),
        draw.choice((0, 0.1, 1)),
    )

    def column(value, kind):
        return pa.array([None if draw.random() < absent else value() for _ in range(rows)], kind)

    table = pa.table(
        {
            "text": column(lambda: str(draw.randrange(values)), pa.string()),
            "whole": column(lambda: draw.randrange(values), pa.int64()),
            "small": column(lambda: draw.randrange(100), pa.int8()),
            "number": column(lambda: draw.random() // 0.1, pa.float64()),
            "truth": column(lambda: draw.random() < 0.5, pa.bool_()),
            "money": column(lambda: Decimal(draw.randrange(values)).scaleb(-2), pa.decimal128(12, 2)),
            "list": column(
                lambda: [str(draw.randrange(values)) for _ in range(draw.randrange(4))], pa.list_(pa.string())
            ),
            "record": column(lambda: {"a": 1, "b": "x"}, pa.struct([("a", pa.int32()), ("b", pa.string())])),
        }
    )
    for version in ("1.0", "2.0"):
        data = written(
            table,
            data_page_version=version,
            compression=draw.choice(("zstd", "snappy", "none", "gzip")),
            row_group_size=draw.choice((None, 100, 3000)),
            dictionary_pagesize_limit=draw.choice((1 << 20, 1000)),  # falls back to plain pages
            data_page_size=draw.choice((1 << 20, 500)),
        )
        check(data)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_a_text_that_no_row_holds_is_refused_by_the_name_of_its_column(version, compression):
    smuggled = pa.table({"fine": [1, 2, 1], "zip": coded([0, None, 2], ["x", "Ann has flu", "z"])})
    with pytest.raises(InputError, match="column 'zip': lists a value in its dictionary that no row holds") as refused:
        check(written(smuggled, data_page_version=version, compression=compression))
    assert "Ann" not in str(refused.value)
    items = pa.ListArray.from_arrays([0, 1, 2], coded([0, 2], ["x", "Ann has flu", "z"]))
    with pytest.raises(InputError, match="column 'items': lists a value"):
        check(written(pa.table({"items": items}), data_page_version=version, compression=compression))


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.int32(), pa.string()])
def test_a_number_that_no_row_holds_any_more_is_refused(kind):
    data = bytearray(written(pa.table({"age": pa.array([41, 97, 97]).cast(kind)}), compression="none"))
    chunk = pq.read_metadata(io.BytesIO(data)).row_group(0).column(0)
    check(bytes(data))
    last = chunk.dictionary_page_offset + chunk.total_compressed_size - 1
    assert data[last] == 0b110  # the three codes
    data[last] = 0
    assert len(set(pq.read_table(io.BytesIO(data))["age"].to_pylist())) == 1
    with pytest.raises(InputError, match="column 'age': lists a value in its dictionary that no row holds"):
        check(bytes(data))


def test_what_stands_after_the_last_value_or_code_of_a_page_is_refused():
    data = written(pa.table({"age": [1, 2, 2, 3, 3]}), compression="none")
    chunk = pq.read_metadata(io.BytesIO(data)).row_group(0).column(0)
    fewer = bytearray(data)
    place = data.index(b"\x15\x06", chunk.dictionary_page_offset)  # the dictionary's number of values, 3
    fewer[place + 1] = 4  # zigzag of 2: the third value stands after the end
    with pytest.raises(InputError, match=r"column 'age': (lists more in its dictionary|has a page whose codes)"):
        check(bytes(fewer))


def test_released_files_are_checked(tmp_path):
    path = tmp_path / "t.parquet"
    save(pa.table({"zip": coded([0, 0, 2], ["x", "unused", "z"])}), path)  # our writer lists what is there
    assert open_table(path.read_bytes(), path, budget=MemoryBudget(1 << 28)).rows == 3
    data = written(pa.table({"zip": coded([0, 0, 2], ["x", "unused", "z"])}))
    with pytest.raises(InputError, match="column 'zip'"):
        open_table(data, path, budget=MemoryBudget(1 << 28))
    with pytest.raises(InputError, match="column 'zip'"):
        check_structure(data, path)


@pytest.mark.parametrize("seed", some(range(200), every=4))
def test_codes_are_counted_as_by_hand(seed):
    draw = random.Random(seed)
    width = draw.randrange(0, 21)
    entries = draw.randrange(1, min(1 << width, 1000) + 1)
    codes = [draw.randrange(entries) for _ in range(draw.choice((1, 8, 9, 300)))]
    if draw.random() < 0.5:
        codes = sorted(codes)
    page = np.frombuffer(parquet_codes.encode_codes(draw, codes, width), dtype=np.uint8)
    tally = np.zeros(entries, dtype=np.int64)
    assert tally_codes(page, 0, width, len(codes), tally) == page.size
    assert tally.tolist() == parquet_codes.tally_codes(codes, entries)
    assert tally_codes(page[:-1], 0, width, len(codes), tally) == -1
    if max(codes) == entries - 1 > 0:
        assert tally_codes(page, 0, width, len(codes), np.zeros(entries - 1, dtype=np.int64)) == -1


def test_texts_end_where_their_lengths_say():
    page = np.frombuffer(b"\3\0\0\0abc\0\0\0\0\1\0\0\0d", dtype=np.uint8)
    assert [end_of_texts(page, count) for count in range(5)] == [0, 7, 11, 16, -1]
    assert end_of_texts(page[:-1], 3) == -1


def test_a_footer_that_arrow_cannot_read_is_refused_in_one_line():
    draw, data = random.Random(1), written(pa.table({"items": pa.array([["a", "b"], ["a"]] * 4)}))
    for _ in range(300):
        broken = bytearray(data)
        broken[draw.randrange(len(data) * 3 // 4, len(data) - 8)] = draw.randrange(256)
        try:
            check_structure(bytes(broken), NAME)
        except InputError as error:
            assert "\n" not in str(error)
