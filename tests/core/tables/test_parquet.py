"""Parquet files that would fill the memory are refused while they are decoded."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from confide.core.errors import InputError
from confide.core.tables import parquet
from confide.core.tables.frames import read_table


def bomb(path, *, text):
    """A few kilobytes that decode to far more: one value, repeated."""
    rows = 400_000 if text else 60_000_000  # 40 GB, and 480 MB
    if text:
        codes = pa.array(np.zeros(rows, dtype=np.int32))
        column = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 100_000]))
        pq.write_table(pa.table({"a": column}), path, compression="zstd")
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
        "import pathlib, resource, sys\nfrom confide.core.errors import InputError\n"
        "from confide.core.tables.parquet import LARGEST_DECODED, read_parquet\n"
        f"file = pathlib.Path({str(tmp_path / 't.parquet')!r})\n"
        "try:\n    read_parquet(file.read_bytes(), file, largest=LARGEST_DECODED >> 4)\n"
        "except InputError as error:\n    print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "would decode to more than" in done.stdout
    assert int(done.stderr.split()[-1]) < 700_000  # kilobytes: the bound is 256 MiB


def test_categories_and_plain_text_read_alike(tmp_path):
    words = ["a", "b", None, "a"]
    for name, column in {"plain": pa.array(words), "coded": pa.array(words).dictionary_encode()}.items():
        pq.write_table(pa.table({"w": column}), tmp_path / f"{name}.parquet")
        assert read_table(tmp_path / f"{name}.parquet")["w"].to_pylist() == words


def test_a_damaged_file_is_one_line(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(InputError, match="not a sound Parquet file"):
        read_table(tmp_path / "t.parquet")
