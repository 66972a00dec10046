"""Records as a table with a column for each item: 1 (or true) where a record holds it.

id,milk,bread        the column `id` names the records and is no item; it may be left out
a,1,0
b,0,1
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from confide.core.errors import InputError
from confide.core.tables.formats.csv_text import csv_rows, decoded, header_of, ragged
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BIT_WORDS", "is_one_hot", "read_one_hot_csv", "to_one_hot", "transactions_from_one_hot"]

_YES = {"1": True, "true": True, "yes": True, "t": True, "1.0": True}
_NO = {"0": False, "false": False, "no": False, "f": False, "0.0": False, "": False}
BIT_WORDS = _YES | _NO
"""What a cell of a text file says, in lower case."""


def read_one_hot_csv(plain: bytes, source: Path, delimiter: str, *, id: str | None = None) -> Transactions:
    """The records of a CSV text with a 0/1 column per item; the column `id` (by default "id") is left out."""
    names, _ = header_of(plain, delimiter, source)
    items = [place for place, name in enumerate(names) if name.strip().lower() != (id or "id").lower()]
    if id is not None and len(items) == len(names):
        raise InputError(f"no column {id!r}; columns are: {', '.join(names)}", source=source, line=1)
    records = []
    for line, row in csv_rows(decoded(plain, source), source, delimiter):
        if line == 1 or not row:
            continue
        if len(row) != len(names):
            raise InputError(ragged(len(row), len(names)), source=source, line=line)
        words = [BIT_WORDS.get(row[place].strip().lower()) for place in items]
        if None in words:
            what = "a cell is neither 0 nor 1 (nor true, false, yes, no); if the column names the records, say so: id="
            raise InputError(what, source=source, line=line, column=names[items[words.index(None)]])
        records.append([names[place] for place, held in zip(items, words, strict=True) if held])
    return Transactions.from_lists(records)


def is_one_hot(table: "pa.Table", *, id: str | None = None) -> bool:
    """Whether every column but `id` says, for one item, which records hold it: true or false, or 1 or 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [name for name in table.column_names if name != id]
    if len(names) < 2:
        return False
    for name in names:
        column = table[name]
        if column.null_count:
            return False
        if pa.types.is_boolean(column.type):
            continue
        if not pa.types.is_integer(column.type):
            return False
        ends = pc.min_max(column).as_py()
        if table.num_rows and not (ends["min"] >= 0 and ends["max"] <= 1):
            return False
    return True


def transactions_from_one_hot(table: "pa.Table", *, id: str | None = None) -> Transactions:
    """The records of a table that `is_one_hot`."""
    import pyarrow as pa

    names = [str(name) for name in table.column_names if name != id]
    held = [np.flatnonzero(table[name].cast(pa.bool_()).to_numpy(zero_copy_only=False)) for name in names]
    rows = np.concatenate([*held, np.empty(0, dtype=np.int64)]).astype(np.int64)
    codes = np.repeat(np.arange(len(held), dtype=np.int32), [len(positions) for positions in held])
    order = np.argsort(rows, kind="stable")
    indptr = np.searchsorted(rows[order], np.arange(table.num_rows + 1)).astype(np.int64)
    return Transactions.from_arrays(indptr, codes[order], names)


def to_one_hot(transactions: Transactions, names: Iterable[str]) -> "pa.Table":
    """One true/false column for each item that is left, in the order of `names`; items that were added come last."""
    import pyarrow as pa

    records = np.repeat(np.arange(len(transactions)), transactions.lengths)
    columns = {}
    for name in dict.fromkeys((*names, *transactions.labels)):
        code = transactions.codes.get(name)
        if code is not None:
            held = np.zeros(len(transactions), dtype=np.bool_)
            held[records[transactions.indices == code]] = True
            columns[name] = pa.array(held)
    return pa.table(columns)
