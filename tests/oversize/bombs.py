"""Small files that stand for great amounts of data: one value repeated, empty things without end, zeros packed well."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from confide.core.passport import Passport
from confide.core.requirements import Coherence, KAnonymity, Requirement

__all__ = ["BOMBS", "EMPTY", "Bomb", "issue"]

MB = 1 << 20


@dataclass(frozen=True)
class Bomb:
    """A file's name, the kind of release it claims to be, and its writer."""

    name: str
    type: str
    write: Callable[[Path], None]
    columns: int = 2


def issue(folder: Path, bomb: Bomb) -> Path:
    """Write the file, and a passport whose size and hash fit."""
    path = folder / bomb.name
    bomb.write(path)
    return forge_passport(path, bomb.type, columns=bomb.columns)


def forge_passport(path: Path, type: str, *, columns: int = 2, context: dict[str, Any] | None = None) -> Path:
    """A passport beside a file that claims some promise of it."""
    roles = {"c0": "quasi-identifier"} | {
        f"c{i}": "sensitive" if i == 1 else "quasi-identifier" for i in range(1, columns)
    }
    requirement: Requirement = KAnonymity(k=2)
    stage, given = "by hand", {"roles": roles}
    if type == "transactions":
        requirement, stage, given = Coherence(h=0.5, k=2, p=2), "publish transactions", {"private": ["s"]}
    passport = Passport.issue(requirement, stage=stage, algorithm="by hand", context=context or given)
    beside = path.with_name(path.name + ".passport.json")
    passport.for_bytes(path.read_bytes(), path.name, type=type).write(beside)
    return beside


# -- Parquet ----------------------------------------------------------------------------------------------------------


def write_columns(path: Path, columns: list[Any], rows: int, *, times: int = 1, **how: Any) -> None:
    """The same columns, `times` times over, without statistics and metadata."""
    table = pa.table({f"c{i}": column for i, column in enumerate(columns)})
    how = {"compression": "zstd", "write_statistics": False, "store_schema": False} | how
    with pq.ParquetWriter(path, table.schema, **how) as writer:
        for _ in range(times):
            writer.write_table(table, row_group_size=rows)


def coded(rows: int, text: str = "a") -> Any:
    """A text, so many times, as codes of one entry."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int32)), pa.array([text]))


def constant_texts(path: Path, rows: int = 10_000_000) -> None:
    write_columns(path, [coded(rows // 10), coded(rows // 10, "b")], rows // 10, times=10)


def many_columns(path: Path) -> None:
    write_columns(path, [coded(100_000)] * 1000, 100_000)


def long_text(path: Path) -> None:
    write_columns(path, [coded(4_000, "x" * 900_000), coded(4_000)], 4_000)


def long_plain_text(path: Path) -> None:
    text = pa.array(["x" * 1000] * 200_000)
    write_columns(path, [text, text], 200_000, times=10, use_dictionary=False)


def zeros(path: Path) -> None:
    column = pa.array(np.zeros(5_000_000, dtype=np.int64))
    write_columns(path, [column, column], 5_000_000, times=8, use_dictionary=False)


def steps(path: Path) -> None:
    column = pa.array(np.zeros(5_000_000, dtype=np.int64))
    how = {"c0": "DELTA_BINARY_PACKED", "c1": "DELTA_BINARY_PACKED"}
    write_columns(path, [column, column], 5_000_000, times=8, use_dictionary=False, column_encoding=how)


def big_pages(path: Path) -> None:
    column = pa.array(np.zeros(40_000_000, dtype=np.int64))
    write_columns(path, [column, column], 40_000_000, use_dictionary=False, data_page_size=1 << 30)


def big_dictionary(path: Path) -> None:
    column = coded(10, "x" * 60_000_000)
    write_columns(path, [column] * 10, 10, dictionary_pagesize_limit=1 << 30)


def nested_lists(path: Path) -> None:
    size = 20_000_000
    column = pa.LargeListArray.from_arrays(pa.array([0, size], pa.int64()), coded(size))
    write_columns(path, [pa.array(["a"]), column], 1, data_page_size=1 << 30)


def many_items(path: Path) -> None:
    rows, width = 200_000, 50
    items = pa.DictionaryArray.from_arrays(
        pa.array(np.tile(np.arange(width, dtype=np.int32), rows)), pa.array([str(i) for i in range(width)])
    )
    lists = pa.LargeListArray.from_arrays(pa.array(np.arange(rows + 1) * width, pa.int64()), items)
    table = pa.table({"items": lists})
    with pq.ParquetWriter(path, table.schema, compression="zstd", write_statistics=False, store_schema=False) as file:
        for _ in range(5):
            file.write_table(table)


def empty_records(path: Path) -> None:
    rows = 20_000_000
    lists = pa.LargeListArray.from_arrays(pa.array(np.zeros(rows + 1, np.int64)), pa.array([], pa.string()))
    with pq.ParquetWriter(
        path, pa.schema([("items", lists.type)]), compression="zstd", write_statistics=False, store_schema=False
    ) as file:
        for _ in range(2):
            file.write_table(pa.table({"items": lists}))


# -- text -------------------------------------------------------------------------------------------------------------


def packed_lines(line: str, size: int, *, first: str = "", last: str = "") -> Callable[[Path], None]:
    """A writer of one line, again and again up to so many bytes, packed as the name says."""

    def write(path: Path) -> None:
        text = (first + line * (size // len(line)) + last).encode()
        if path.suffix == ".gz":
            packed = gzip.compress(text, 9, mtime=0)
            path.write_bytes(packed[:8] + b"\x02\xff" + packed[10:])
        elif path.suffix == ".zst":
            path.write_bytes(pa.Codec("zstd", 9).compress(text, asbytes=True))
        else:
            path.write_bytes(text)

    return write


def packed_baskets(numbered: Callable[[int], str], size: int, *, first: str = "") -> Callable[[Path], None]:
    """As `packed_lines`, with lines that are numbered from 1."""

    def write(path: Path) -> None:
        lines, number, total = [first], 0, 0
        while total < size:
            number += 1
            lines.append(numbered(number))
            total += len(lines[-1])
        packed_lines("".join(lines), total, first="")(path)

    return write


def brackets(inside: str, size: int, *, first: str = '{\n  "a": [', last: str = "0]\n}\n") -> Callable[[Path], None]:
    return packed_lines(inside, size, first=first, last=last)


BOMBS = {
    "constant texts": Bomb("t.parquet", "table", constant_texts),
    "many columns": Bomb("t.parquet", "table", many_columns, columns=1000),
    "a long text as codes": Bomb("t.parquet", "table", long_text),
    "a long text in plain pages": Bomb("t.parquet", "table", long_plain_text),
    "zeros in plain pages": Bomb("t.parquet", "table", zeros),
    "steps of zero": Bomb("t.parquet", "table", steps),
    "pages of hundreds of megabytes": Bomb("t.parquet", "table", big_pages),
    "dictionaries of 60 megabytes": Bomb("t.parquet", "table", big_dictionary, columns=10),
    "a list of millions": Bomb("t.parquet", "table", nested_lists),
    "short rows, gzip": Bomb("t.csv.gz", "table", packed_lines("a,b\n", 60 * MB, first="c0,c1\n")),
    "short rows, zstd": Bomb("t.csv.zst", "table", packed_lines("a,b\n", 60 * MB, first="c0,c1\n")),
    "empty cells": Bomb("t.csv.gz", "table", packed_lines(",\n", 60 * MB, first="c0,c1\n")),
    "short rows": Bomb("t.csv", "table", packed_lines("a,b\n", 40 * MB, first="c0,c1\n")),
    "quoted rows": Bomb("t.csv.gz", "table", packed_lines('"a\n",b\n', 60 * MB, first="c0,c1\n")),
    "records of many items": Bomb("t.parquet", "transactions", many_items),
    "empty records in Parquet": Bomb("t.parquet", "transactions", empty_records),
    "a record that is a list of millions": Bomb("t.parquet", "transactions", nested_lists),
    "short records, gzip": Bomb("t.dat.gz", "transactions", packed_lines("1\n", 60 * MB)),
    "empty records": Bomb("t.dat.gz", "transactions", packed_lines("\n", 60 * MB)),
    "short records": Bomb("t.dat", "transactions", packed_lines("1 2\n", 40 * MB)),
    "short baskets": Bomb("t.csv.gz", "transactions", packed_lines("1\n", 60 * MB)),
    "quoted baskets": Bomb("t.csv.gz", "transactions", packed_lines('"1,"\n', 60 * MB)),
    "long rows": Bomb("t.csv.gz", "transactions", packed_baskets("{},1\n".format, 30 * MB, first="id,item\n")),
    "JSON lines": Bomb("t.jsonl.zst", "transactions", packed_lines('["1"]\n', 60 * MB)),
    "itemsets in JSON": Bomb(
        "t.jsonl.gz", "itemsets", packed_lines('{"items": [], "support": 1, "records": 1}\n', 60 * MB)
    ),
    "itemsets in CSV": Bomb("t.csv.gz", "itemsets", packed_lines("a,1,1\n", 60 * MB, first="items,support,records\n")),
    "a tree of empty things": Bomb("t.json.gz", "tree", brackets("{},", 60 * MB)),
    "rules of empty things": Bomb("t.json.gz", "rules", brackets("{},", 60 * MB)),
    "JSON of empty things": Bomb("t.json.gz", "json", brackets("{},", 60 * MB)),
    "JSON of empty lists": Bomb("t.json", "json", brackets("[],", 30 * MB)),
    "JSON of numbers": Bomb("t.json.gz", "json", brackets("1.5,", 60 * MB)),
    "a run of empty lines": Bomb("t.jsonl.gz", "stream", packed_lines("\n", 60 * MB)),
    "a run of empty things": Bomb("t.jsonl.gz", "stream", packed_lines("{}\n", 60 * MB)),
}
EMPTY = {
    "table": Bomb("empty.csv", "table", packed_lines("a,b\n", 12, first="c0,c1\n")),
    "parquet table": Bomb("empty.parquet", "table", lambda path: constant_texts(path, 100)),
    "transactions": Bomb("empty.dat", "transactions", packed_lines("1 2\n", 20)),
}
