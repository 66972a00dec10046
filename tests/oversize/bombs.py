"""Small files that stand for great amounts of data: one value repeated, empty things without end, zeros packed well."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from confide.core.datasets.manifest import MANIFEST, Manifest, PartEntry, digest
from confide.core.passport import Passport
from confide.core.requirements import Coherence, KAnonymity, LimitedExchange, OutputPrivacy, Requirement
from confide.core.transactions.basket_files import format_of

__all__ = ["BOMBS", "EMPTY", "Bomb", "forge_passport", "issue", "issue_parts"]

MB = 1 << 20


@dataclass(frozen=True)
class Bomb:
    """A file's name, the kind of release it claims to be, and its writer."""

    name: str
    type: str
    write: Callable[[Path], None]
    columns: int = 2


OTHERS: dict[str, tuple[str, Requirement]] = {
    "rules": ("share", KAnonymity(k=2)),
    "json": ("join", LimitedExchange(min_records=2)),
    "stream": ("stream", OutputPrivacy(epsilon=0.05, delta=0.4, min_support=25, vulnerable=5)),
}
"""Who releases files of a kind: a passport of another stage would be refused before the file is read."""


def issue(folder: Path, bomb: Bomb) -> Path:
    """Write the file, and a passport whose size and hash fit."""
    path = folder / bomb.name
    bomb.write(path)
    return forge_passport(path, bomb.type, columns=bomb.columns)


def forge_passport(
    path: Path, type: str, *, columns: int = 2, context: dict[str, Any] | None = None, format: str | None = None
) -> Path:
    """A passport beside a file that claims some promise of it; the format of records follows from the file's name."""
    roles = {"c0": "quasi-identifier"} | {
        f"c{i}": "sensitive" if i == 1 else "quasi-identifier" for i in range(1, columns)
    }
    requirement: Requirement = KAnonymity(k=2)
    stage, given = "by hand", {"roles": roles}
    if type in OTHERS:
        (stage, requirement), given = OTHERS[type], {}
    if type == "transactions":
        format = format or ("long" if "rows" in path.name else format_of(path, None))
        requirement, stage, given = Coherence(h=0.5, k=2, p=2), "publish transactions", {"private": ["s"]}
    passport = Passport.issue(requirement, stage=stage, algorithm="by hand", context=context or given)
    beside = path.with_name(path.name + ".passport.json")
    passport.for_bytes(path.read_bytes(), path.name, type=type, format=format).write(beside)
    return beside


def issue_parts(folder: Path, bomb: Bomb, *, parts: int = 1) -> Path:
    """The same file as each part of a folder, with a manifest and a passport that fit."""
    target = folder / "parts"
    target.mkdir()
    entries = []
    for number in range(parts):
        path = target / f"part-{number:05d}.parquet"
        bomb.write(path)
        data = path.read_bytes()
        entries.append(PartEntry(path.name, digest(data), len(data), pq.read_metadata(path).num_rows))
    listed = Manifest("table" if bomb.type == "table" else "transactions", tuple(entries)).to_json()
    (target / MANIFEST).write_text(listed)
    beside = forge_passport(target / MANIFEST, bomb.type, columns=bomb.columns, format="parts")
    passport = Passport.read(beside)
    beside.unlink()
    beside = folder / "parts.passport.json"
    passport.for_bytes(listed.encode(), target.name, type=bomb.type, format="parts").write(beside)
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
    """Two columns of one text each."""
    write_columns(path, [coded(rows // 10), coded(rows // 10, "b")], rows // 10, times=10)


def many_columns(path: Path) -> None:
    """500 columns of 100,000 rows."""
    write_columns(path, [coded(100_000)] * 500, 100_000)


def long_text(path: Path) -> None:
    """A text of a megabyte in each row, listed once."""
    write_columns(path, [coded(2_000, "x" * 900_000), coded(2_000)], 2_000)


def long_plain_text(path: Path) -> None:
    """Texts of a thousand letters, written out and packed."""
    text = pa.array(["x" * 1000] * 100_000)
    write_columns(path, [text, text], 100_000, times=5, use_dictionary=False)


def counted(path: Path) -> None:
    """A million different numbers in each of many row groups, each one more than the last."""
    column = pa.array(np.arange(5_000_000))
    how = {"c0": "DELTA_BINARY_PACKED", "c1": "DELTA_BINARY_PACKED"}
    write_columns(path, [column, column], 5_000_000, times=2, use_dictionary=False, column_encoding=how)


def steps(path: Path) -> None:
    """Numbers that are written as the difference to the one before."""
    column = pa.array(np.zeros(5_000_000, dtype=np.int64))
    how = {"c0": "DELTA_BINARY_PACKED", "c1": "DELTA_BINARY_PACKED"}
    write_columns(path, [column, column], 5_000_000, times=4, use_dictionary=False, column_encoding=how)


def large_pages(path: Path) -> None:
    """20 columns of pages of 16 megabytes of zeros."""
    column = pa.array(np.zeros(2 * MB, dtype=np.int64))
    write_columns(path, [column] * 20, len(column), use_dictionary=False, data_page_size=1 << 30)


def large_dictionaries(path: Path) -> None:
    """Ten columns, each with a text of 20 megabytes."""
    write_columns(path, [coded(10, "x" * (20 * MB))] * 10, 10, dictionary_pagesize_limit=1 << 30)


def long_list(path: Path) -> None:
    """One row that is a list of one item, millions of times."""
    size = 20_000_000
    column = pa.LargeListArray.from_arrays(pa.array([0, size], pa.int64()), coded(size))
    write_columns(path, [pa.array(["a"]), column], 1, data_page_size=1 << 30)


def many_items(path: Path) -> None:
    """Half a million records of the same 50 items."""
    rows, width = 100_000, 50
    codes = pa.array(np.tile(np.arange(width, dtype=np.int32), rows))
    items = pa.DictionaryArray.from_arrays(codes, pa.array([str(i) for i in range(width)]))
    lists = pa.LargeListArray.from_arrays(pa.array(np.arange(rows + 1) * width, pa.int64()), items)
    table = pa.table({"items": lists})
    with pq.ParquetWriter(path, table.schema, compression="zstd", write_statistics=False, store_schema=False) as file:
        for _ in range(5):
            file.write_table(table)


def long_record(path: Path) -> None:
    """One record of one item, millions of times."""
    size = 25_000_000
    write_records(path, pa.array([0, size], pa.int64()), np.zeros(size, dtype=np.int32))


def one_item_each(path: Path) -> None:
    """Ten million records of the same item."""
    write_records(path, pa.array(np.arange(1_000_001)), np.zeros(1_000_000, dtype=np.int32), times=10)


def many_pairs(path: Path) -> None:
    """Two million records of five of a hundred items, each many times."""
    rows = np.sort(np.random.default_rng(1).random((20_000, 100)).argsort(axis=1)[:, :5], axis=1)
    codes = np.tile(rows.astype(np.int32).ravel(), 50)
    write_records(path, pa.array(np.arange(0, len(codes) + 1, 5)), codes, times=2)


def write_records(path: Path, ends: Any, codes: Any, *, times: int = 1) -> None:
    """Records of these codes, `times` times over."""
    items = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array([str(i) for i in range(codes.max() + 1)]))
    table = pa.table({"items": pa.LargeListArray.from_arrays(ends, items)})
    with pq.ParquetWriter(path, table.schema, compression="zstd", write_statistics=False, store_schema=False) as file:
        for _ in range(times):
            file.write_table(table)


# -- text -------------------------------------------------------------------------------------------------------------


def packed_lines(line: str, size: int, *, first: str = "", last: str = "") -> Callable[[Path], None]:
    """A writer of one line, again and again up to so many bytes, packed as the name says."""

    def write(path: Path) -> None:
        text = (first + line * (size // max(1, len(line))) + last).encode()
        if path.suffix == ".gz":
            packed = gzip.compress(text, 6, mtime=0)
            path.write_bytes(packed[:8] + b"\x02\xff" + packed[10:])
        elif path.suffix == ".zst":
            path.write_bytes(pa.Codec("zstd", 9).compress(text, asbytes=True))
        else:
            path.write_bytes(text)

    return write


def long_rows(path: Path) -> None:
    """A million records of one item as rows of an id and an item."""
    packed_lines("", 1, first="id,item\n" + "".join(f"{i},1\n" for i in range(1, 1_000_001)))(path)


def brackets(inside: str, size: int) -> Callable[[Path], None]:
    """A writer of a JSON list of one thing, again and again."""
    return packed_lines(inside, size, first='{\n  "a": [', last="0]\n}\n")


BOMBS = {
    "constant texts": Bomb("t.parquet", "table", constant_texts),
    "many columns": Bomb("t.parquet", "table", many_columns, columns=500),
    "a long text as codes": Bomb("t.parquet", "table", long_text),
    "a long text in plain pages": Bomb("t.parquet", "table", long_plain_text),
    "steps of zero": Bomb("t.parquet", "table", steps),
    "steps of one": Bomb("t.parquet", "table", counted),
    "large pages": Bomb("t.parquet", "table", large_pages, columns=20),
    "large dictionaries": Bomb("t.parquet", "table", large_dictionaries, columns=10),
    "a list of millions": Bomb("t.parquet", "table", long_list),
    "empty cells, gzip": Bomb("t.csv.gz", "table", packed_lines(",\n", 30 * MB, first="c0,c1\n")),
    "short rows, zstd": Bomb("t.csv.zst", "table", packed_lines("a,b\n", 30 * MB, first="c0,c1\n")),
    "a cell without end": Bomb("t.csv.gz", "table", packed_lines("x", 60 * MB, first="c0,c1\n")),
    "records of many items": Bomb("t.parquet", "transactions", many_items),
    "a record that is a list of millions": Bomb("t.parquet", "transactions", long_record),
    "records of one item": Bomb("t.parquet", "transactions", one_item_each),
    "rows of one item": Bomb("rows.csv.gz", "transactions", long_rows),
    "short records": Bomb("t.dat.gz", "transactions", packed_lines("1\n", 8 * MB)),
    "quoted baskets": Bomb("t.csv.gz", "transactions", packed_lines('"1,"\n', 8 * MB)),
    "JSON lines": Bomb("t.jsonl.gz", "transactions", packed_lines('["1"]\n', 6 * MB)),
    "a tree of empty things": Bomb("t.json.gz", "tree", brackets("{},", 30 * MB)),
    "rules of empty things": Bomb("t.json.gz", "rules", brackets("{},", 30 * MB)),
    "JSON of empty lists": Bomb("t.json", "json", brackets("[],", 20 * MB)),
    "a run of empty lines": Bomb("t.jsonl.gz", "stream", packed_lines("\n", 60 * MB)),
}
EMPTY = {
    "csv": Bomb("empty.csv", "table", packed_lines("a,b\n", 12, first="c0,c1\n")),
    "parquet": Bomb("empty.parquet", "table", lambda path: constant_texts(path, 100)),
    "records": Bomb("empty.dat", "transactions", packed_lines("1\n", 12)),
}
