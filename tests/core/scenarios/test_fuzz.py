"""Fuzzed files: 10,000 to each reader. Never anything but one of our errors, never a hang, never 2 GB.

Inputs are valid files with bytes changed, cut, doubled, or spliced with what readers trip over. Seeds are fixed.
"""

import gzip
import random
import resource
import sys
import time

import pyarrow as pa
import pytest
from tests.scratch import write_anew

from confide import Hierarchy, Passport, Schema, Transactions
from confide.core.errors import ConfideError
from confide.core.figures import Figure, Figures
from confide.core.itemsets.container import Itemsets
from confide.core.itemsets.files import read_itemsets, write_itemsets
from confide.core.requirements import KAnonymity
from confide.core.tables.frames import read_table, write_table

N = 10_000
TRIPS = [
    b"\0",
    b"\n",
    b"\r\n",
    b'"',
    b",",
    b";",
    b" ",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"9" * 400,
    b"-1",
    b"1e999",
    b"NaN",
]
TRIPS += [b"[[[[", b"{}", b"null", b"id,item\n", b"\xe2\x80\xa8", b"'", b"=", b"[columns.", b"99999999999999999999"]


READERS = {
    "t.dat": Transactions.read,
    "t.csv": Transactions.read,
    "long.csv": Transactions.read,
    "t.jsonl": Transactions.read,
    "t.parquet": Transactions.read,
    "t.dat.gz": Transactions.read,
    "t.dat.zst": Transactions.read,
    "i.csv": read_itemsets,
    "i.jsonl": read_itemsets,
    "i.parquet": read_itemsets,
    "table.csv": read_table,
    "table.parquet": read_table,
    "h.csv": Hierarchy.read,
    "s.toml": Schema.read,
    "p.json": Passport.read,
}


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """A valid file of every kind."""
    folder = tmp_path_factory.mktemp("valid")
    tx = Transactions.from_lists([["1", "22", "333"], [], ["4", "1"], ["65536", "7"]])
    for name in ("t.dat", "t.csv", "t.jsonl", "t.parquet", "t.dat.zst"):
        tx.write(folder / name)
    (folder / "t.dat.gz").write_bytes(gzip.compress(b"1 2\n3 4 5\n"))
    tx.write(folder / "long.csv", format="long")
    itemsets = Itemsets.from_pairs([(["a", "b"], 3), (["c"], 2)], n_transactions=9)
    for name in ("i.csv", "i.jsonl", "i.parquet"):
        write_itemsets(itemsets, folder / name)
    table = pa.table({"age": ["20", "21"], "place, or not": ["x", 'y"']})
    write_table(table, folder / "table.csv")
    write_table(table, folder / "table.parquet")
    Hierarchy.from_rows([("1", "a", "*"), ("2", "a", "*")]).write(folder / "h.csv")
    Schema.from_dict({"age": {"role": "sensitive", "hierarchy": {"build": "masks", "steps": 2}}}).write(
        folder / "s.toml"
    )
    Passport.issue(KAnonymity(k=3), stage="s", algorithm="a", loss=Figures(Figure("x", 0.5, "share"))).write(
        folder / "p.json"
    )
    return folder


def mutate(rng: random.Random, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[place:place] = rng.choice(TRIPS)
        elif kind == 2:
            del data[place : place + rng.randrange(1, 9)]
        elif kind == 3:
            del data[place:]
        elif kind == 4:
            data[place:place] = data[: rng.randrange(1, 40)]
        else:
            data[place:place] = rng.randbytes(rng.randrange(1, 9))
    return bytes(data)


@pytest.mark.parametrize("name", READERS)
def test_a_fuzzed_file_is_read_or_refused_in_one_line(valid, tmp_path, name):
    rng = random.Random(name)
    content = (valid / name).read_bytes()
    path = tmp_path / name
    read = refused = 0
    slowest = 0.0
    for _ in range(N):
        write_anew(path, mutate(rng, content))
        began = time.perf_counter()
        try:
            READERS[name](path)
            read += 1
        except ConfideError as error:
            refused += 1
            assert "\n" not in str(error)
            assert error.exit_code == 2
        slowest = max(slowest, time.perf_counter() - began)
    assert refused, "the fuzzer never made a bad file"
    assert slowest < 20, "a hang"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    assert peak < 2 << 30
