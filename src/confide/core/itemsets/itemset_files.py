"""Itemsets from and to files: `.parquet`, `.jsonl` or `.csv`, with the same three fields in each.

items      the labels (a list; in CSV one cell holding the labels as a CSV row of its own)
support    how many records hold them all
records    how many records were counted, the same in every row
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.files import atomic_write, compression_of, read_bytes
from confide.core.itemsets.container import Itemsets
from confide.core.tables.formats.csv_text import check_length, csv_rows
from confide.core.transactions.labels import as_label

__all__ = ["csv_cell", "format_of", "itemset_lines", "itemsets_from", "read_itemsets", "write_itemsets"]


def format_of(path: Path) -> str:
    """`parquet`, `jsonl` or `csv`, by the name."""
    plain = path.with_suffix("") if compression_of(path) else path
    suffix = plain.suffix.lower()
    if suffix not in (".parquet", ".jsonl", ".csv"):
        raise UsageError(f"{path.name}: itemsets are written as .parquet, .jsonl or .csv (.gz or .zst may follow)")
    return suffix[1:]


def write_itemsets(itemsets: Itemsets, path: str | PathLike[str], *, replace: bool = False) -> None:
    """Write itemsets, atomically, in the format the name says."""
    target = Path(path)
    kind = format_of(target)
    with atomic_write(target, replace=replace) as file:
        if kind == "parquet":
            import pyarrow.parquet as pq

            table = itemsets.to_arrow()
            metadata = {b"confide.records": str(itemsets.n_transactions).encode()}
            pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")
            return
        for line in itemset_lines(itemsets, format=kind):
            file.write(line.encode())


def itemset_lines(itemsets: Itemsets, *, format: str) -> Iterator[str]:
    """The lines of a `jsonl` or `csv` file, one set at a time."""
    extra = list(itemsets.columns)
    n = itemsets.n_transactions
    if format == "csv":
        yield _csv_row(["items", "support", "records", *extra])
    for i, (labels, support) in enumerate(itemsets):
        values = {name: float(itemsets.columns[name][i]) for name in extra}
        if format == "csv":
            yield _csv_row([csv_cell(labels), support, n, *values.values()])
        else:
            record = {"items": labels, "support": support, "records": n, **values}
            yield json.dumps(record, ensure_ascii=False) + "\n"


def csv_cell(labels: Iterable[str]) -> str:
    """Several labels in one CSV cell, as a CSV row of their own.

    >>> csv_cell(["a", "b,c"])
    'a,"b,c"'
    """
    return _csv_row(labels)[:-1]


def _csv_row(cells: Any) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def read_itemsets(path: str | PathLike[str]) -> Itemsets:
    """Read back what `write_itemsets` wrote."""
    return itemsets_from(read_bytes(path), Path(path))


def itemsets_from(data: bytes | bytearray, source: Path) -> Itemsets:
    """The itemsets in the unpacked bytes of a file of this name."""
    kind = format_of(source)
    if kind == "parquet":
        from confide.core.tables.formats.parquet import read_parquet

        table = read_parquet(data, source)
        try:
            n = int((table.schema.metadata or {})[b"confide.records"])
            return Itemsets.from_arrow(table, n_transactions=n)
        except (KeyError, ValueError, TypeError, InputError):
            raise InputError("a Parquet file, but not of itemsets", source=source) from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8; save the file as UTF-8", source=source, line=line) from None
    rows = list(_csv_records(text, source) if kind == "csv" else _json_records(text, source))
    extra = sorted({name for _, row in rows for name in row} - {"items", "support", "records"})
    pairs, columns, counted = [], {name: np.empty(len(rows)) for name in extra}, 0
    for place, (line, row) in enumerate(rows):
        try:
            pairs.append(([as_label(item) for item in row["items"]], _whole(row["support"])))
            counted = _whole(row["records"])
            for name in extra:
                columns[name][place] = float(row[name])
        except (KeyError, TypeError, ValueError, InputError):
            what = "items, support and records must be there, the last two whole numbers"
            raise InputError(what, source=source, line=line) from None
    found = Itemsets.from_pairs(pairs, n_transactions=counted)
    return Itemsets(**{**found.__dict__, "columns": columns})


def _whole(value: Any) -> int:
    """A count that fits 64 bits, from JSON or CSV."""
    number = int(value) if isinstance(value, str) and len(value) < 20 else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 63:
        raise ValueError
    return number


def _json_records(text: str, source: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            check_length(row, source, line)
            try:
                record = json.loads(row)
            except (ValueError, RecursionError):
                record = None
            if not isinstance(record, dict) or not isinstance(record.get("items"), list):
                raise InputError('no JSON object with a list "items"', source=source, line=line)
            yield line, record


def _csv_records(text: str, source: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = csv_rows(text, source)
    _, names = next(rows, (1, []))
    for line, row in rows:
        if not row:
            continue
        if len(row) != len(names):
            raise InputError("not as many cells as the header has", source=source, line=line)
        record = dict(zip(names, row, strict=True))
        cell = record.get("items")
        try:
            items = next(csv.reader([cell], strict=True), []) if cell else []
        except csv.Error as error:
            raise InputError(f"not well-formed CSV ({error})", source=source, line=line) from None
        yield line, {**record, "items": items}
