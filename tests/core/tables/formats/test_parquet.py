"""Parquet files that would fill the memory are refused while they are decoded."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.artefacts.kinds import save
from confide.core.errors import InputError
from confide.core.tables.formats import parquet
from confide.core.tables.formats.parquet_pages import Damaged, walked
from confide.core.tables.frames import read_table
from confide.core.transactions.container import Transactions


def bomb(path, *, text):
    """A few kilobytes that decode to far more: one value, repeated."""
    rows = 400_000 if text else 60_000_000  # 40 GB, and 480 MB
    if text:
        codes = pa.array(np.zeros(rows, dtype=np.int32))
        column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 100_000]))
        pq.write_table(pa.table({"a.b": column}), path, compression="zstd")
        return
    with pq.ParquetWriter(path, pa.schema([("a", pa.int64())]), compression="zstd") as writer:
        block = pa.table({"a": np.zeros(20_000_000, dtype=np.int64)})
        for _ in range(rows // len(block)):
            writer.write_table(block)


@pytest.mark.parametrize("text", [True, False], ids=["a long text repeated", "a number repeated"])
def test_a_small_file_that_decodes_to_more_than_the_bound_is_refused(tmp_path, text):
    assert parquet.LARGEST_DECODED == 4 << 30  # a sixteenth of it here: decoding up to it takes ten seconds
    bomb(tmp_path / "t.parquet", text=text)
    assert (tmp_path / "t.parquet").stat().st_size < 4_000_000
    code = (
        "import pathlib, sys\nfrom confide.core.errors import InputError\n"
        "from confide.core.tables.formats.parquet import LARGEST_DECODED, read_parquet\n"
        f"file = pathlib.Path({str(tmp_path / 't.parquet')!r})\n"
        "try:\n    read_parquet(file.read_bytes(), file, largest=LARGEST_DECODED >> 4)\n"
        "except InputError as error:\n    print(error)\n"
        # of this process alone: getrusage would count what the test's own process held when it started this one
        "held = pathlib.Path('/proc/self/status').read_text().partition('VmHWM:')[2]\n"
        "print(held.split()[0], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "would decode to more than" in done.stdout
    # Kilobytes. The bound is 256 MiB here: a number is counted before anything is decoded, a text once it is known.
    assert int(done.stderr.split()[-1]) < (700_000 if text else 600_000)


def test_categories_and_plain_text_read_alike(tmp_path):
    words = ["a", "b", None, "a"]
    for name, column in {"plain": pa.array(words), "coded": pa.array(words).dictionary_encode()}.items():
        pq.write_table(pa.table({"w": column}), tmp_path / f"{name}.parquet")
        assert read_table(tmp_path / f"{name}.parquet")["w"].to_pylist() == words


def test_a_damaged_file_is_one_line(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(InputError, match="not a sound Parquet file"):
        read_table(tmp_path / "t.parquet")


def one_row(path, *, items, text="a"):
    """One row that is a list of one item, again and again: a few hundred bytes."""
    codes = pa.DictionaryArray.from_arrays(pa.array(np.zeros(items, dtype=np.int32)), pa.array([text]))
    column = pa.LargeListArray.from_arrays(pa.array([0, items], pa.int64()), codes)
    pq.write_table(pa.table({"items": column}), path, compression="zstd", store_schema=False, data_page_size=1 << 30)
    return path.read_bytes()


def needed(path, largest):
    """What a reader that may decode so much says of the file, and the memory it took, in bytes."""
    code = (
        "import pathlib, sys\nfrom confide.core.errors import InputError\n"
        "from confide.core.tables.formats.parquet import read_parquet\nimport pyarrow.parquet\n"
        "def resident(field):\n"
        "    lines = pathlib.Path('/proc/self/status').read_text().splitlines()\n"
        "    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))\n"
        "path = pathlib.Path(sys.argv[1])\nbefore = resident('VmRSS')\n"
        "try:\n    read_parquet(path.read_bytes(), path, largest=int(sys.argv[2]))\n"
        "except InputError as error:\n    print(error)\n"
        "print(resident('VmHWM') - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path), str(largest)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, took = done.stdout.splitlines()
    return said, int(took)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak of memory as Linux tells it")
@pytest.mark.parametrize(("items", "text"), [(10_000_000, "a"), (1000, "x" * 1_000_000)], ids=["many", "long"])
def test_one_row_that_is_a_list_of_a_great_many_items_is_refused_before_it_is_decoded(tmp_path, items, text):
    data = one_row(tmp_path / "t.parquet", items=items, text=text)
    assert len(data) < 20_000
    said, took = needed(tmp_path / "t.parquet", 64 << 20)
    assert "would decode to more than 64 MB" in said
    assert took < 64 << 20


def test_pages_are_counted_as_arrow_counts_them(tmp_path):
    draw = np.random.default_rng(1)
    for version in ("1.0", "2.0"):
        for rows in (0, 1, 50_000):
            words = pa.array(draw.integers(0, 99, rows)).cast(pa.string())
            lists = pa.array([["a", None][: i % 3] for i in range(rows)], pa.list_(pa.string()))
            table = pa.table({"n": draw.integers(0, 9, rows), "w": words, "l": lists})
            path = tmp_path / "t.parquet"
            pq.write_table(table, path, data_page_version=version, data_page_size=1000, row_group_size=20_000)
            metadata = pq.read_metadata(path)
            groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
            counted = sum(group.column(c).num_values for group in groups for c in range(3))
            assert walked(path.read_bytes()).values == counted
            assert read_table(path).equals(table.cast(read_table(path).schema))


def test_a_coding_whose_size_cannot_be_seen_is_refused(tmp_path):
    words = pa.table({"w": ["x" * 1000] * 1000})
    pq.write_table(words, tmp_path / "t.parquet", use_dictionary=False, column_encoding={"w": "DELTA_BYTE_ARRAY"})
    with pytest.raises(InputError, match="DELTA_BYTE_ARRAY"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("codec", [-7, 8, 63])
def test_a_codec_that_does_not_exist_is_refused(tmp_path, codec):
    pq.write_table(pa.table({"a": ["x", "y", "x"]}), tmp_path / "t.parquet", compression="snappy")
    whole = (tmp_path / "t.parquet").read_bytes()
    named = b"\x18\x01a\x15\x02"  # in the footer: the path ["a"], then codec 1
    assert whole.count(named) == 1
    zigzag = 2 * codec if codec >= 0 else -2 * codec - 1
    (tmp_path / "t.parquet").write_bytes(whole.replace(named, named[:-1] + bytes([zigzag])))
    with pytest.raises(Damaged):  # Arrow ends the program, asked for its name
        walked((tmp_path / "t.parquet").read_bytes())
    with pytest.raises(InputError, match="not a sound Parquet file"):
        read_table(tmp_path / "t.parquet")


def test_a_footer_that_understates_its_values_is_not_believed(tmp_path):
    data = one_row(tmp_path / "t.parquet", items=1_000_000)
    count = b"\x80\x89\x7a"  # 1,000,000 as the footer and the page header write it
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert count in data[4:footer]
    forged = data[:footer] + data[footer:].replace(count, b"\x82\x80\x00")  # 1, in as many bytes
    assert forged != data
    assert walked(forged).values == 1_000_000


@pytest.mark.parametrize("kind", ["table", "transactions"])
def test_what_no_row_holds_is_not_in_the_file(tmp_path, kind):
    path = tmp_path / "t.parquet"
    if kind == "table":
        save(
            pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([0, 0, None]), pa.array(["tea", "left out"]))}), path
        )
    else:
        save(Transactions(np.array([0, 1, 2]), np.array([1, 1], dtype=np.int32), ("left out", "tea")), path)
    leaf = pq.ParquetFile(path).schema.column(0).path
    batch = next(pq.ParquetFile(path, read_dictionary=[leaf]).iter_batches())
    column = batch.column(0) if kind == "table" else batch.column(0).values
    assert column.dictionary.to_pylist() == ["tea"]
