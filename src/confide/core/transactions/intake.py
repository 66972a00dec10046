"""Transactions out of what people have, and results back in the form they gave.

    a Transactions              as it is
    lists of lists              [["tea", "nuts"], ["tea"]]
    a path                      any file that `files.read` takes, or a folder of Parquet files
    pandas, polars, Arrow       long (columns `id` and `item`), one column of lists, or one true/false column per item
                                (and a column `id`, which is left out)
    a Series or Arrow array     a list of items in each row, as `groupby("id")["item"].apply(list)` gives
    scipy sparse, numpy         a record per row, an item per column

A form that is none of these is refused in one line that says what would do.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError
from confide.core.runtime.lazy import call
from confide.core.runtime.memory import free_memory
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Intake", "as_transactions", "is_column", "is_list", "is_table", "take_in"]

_FORMS = (
    "give a Transactions, a list of lists, a file's path, a scipy sparse matrix, a true/false array, or a pandas, "
    "polars or Arrow frame with columns id and item, with one column of lists, or with one true/false column per item"
)


@dataclass(frozen=True)
class Intake:
    """Records as transactions, and `back`: other transactions over these items in the form the caller gave."""

    transactions: Transactions
    back: Callable[[Transactions], Any]


def as_transactions(data: Any, *, id: str = "id", item: str = "item") -> Transactions:
    """The records in `data`, whatever form they have; see this module.

    >>> as_transactions([["tea", "nuts"], ["tea"]])
    <Transactions 2 records, 2 items, 3 entries>
    """
    return take_in(data, id=id, item=item).transactions


def take_in(data: Any, *, id: str = "id", item: str = "item") -> Intake:
    """As `as_transactions`, with the way back to the caller's form."""
    if isinstance(data, Transactions):
        return Intake(data, _itself)
    if isinstance(data, str | PathLike) and Path(data).is_dir():
        return Intake(_whole(call("confide.core.datasets.stored_transactions:StoredTransactions.open", data)), _itself)
    if isinstance(data, str | PathLike):
        return Intake(Transactions.read(Path(data)), _itself)
    if hasattr(data, "to_transactions"):
        return Intake(_whole(data), _itself)
    if hasattr(data, "tocsr"):
        return _from_sparse(data)
    if _is_matrix(data):
        return _from_matrix(data)
    if is_column(data):
        return _from_column(data)
    if is_table(data):
        return _from_frame(data, id=id, item=item)
    if isinstance(data, Iterable) and not isinstance(data, bytes | bytearray | Mapping):
        rows = list(data)
        if any(isinstance(row, str | bytes) or not isinstance(row, Iterable) for row in rows):
            raise InputError(f"records must each be a list of items; {_FORMS}")
        return Intake(Transactions.from_lists(rows), lambda made: [made[i] for i in range(len(made))])
    raise InputError(f"records cannot be read from {type(data).__name__}; {_FORMS}")


def _itself(made: Transactions) -> Transactions:
    return made


def _whole(stored: Any) -> Transactions:
    """Records in files, for a function that needs them all in memory."""
    free = free_memory()
    if free is not None and stored.parts.memory > free:
        raise InputError(
            f"{stored.parts.rows:,} rows take more memory than is free, and this does not work on files",
            source=stored.parts.source,
        )
    found: Transactions = stored.to_transactions()
    return found


def is_table(data: object) -> bool:
    """Whether this is a frame or matrix, to be taken in whole, and not a sequence of records."""
    if hasattr(data, "tocsr") or hasattr(data, "__arrow_c_stream__"):
        return True
    return type(data).__module__.partition(".")[0] in ("pandas", "pyarrow")


def is_column(data: object) -> bool:
    """Whether this is one column of a frame: a Series of pandas or polars, or an Arrow array."""
    kind = type(data)
    return kind.__module__.partition(".")[0] in ("pandas", "polars", "pyarrow") and (
        kind.__name__ == "Series" or kind.__name__.endswith("Array")
    )


def _from_column(column: Any) -> Intake:
    """Lists in the cells of one column; the answer is such a column, with its name."""
    rows = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    if any(row is None or isinstance(row, str | bytes) or not isinstance(row, Iterable) for row in rows):
        raise InputError(f"each cell of the column must be a list of items; {_FORMS}")
    named = {"name": column.name} if hasattr(column, "name") else {}

    def back(made: Transactions) -> Any:
        lists = [made[i] for i in range(len(made))]
        if named:
            return type(column)(data=lists, **named) if _is_pandas(column) else type(column)(values=lists, **named)
        import pyarrow as pa

        return pa.array(lists, pa.list_(pa.string()))

    return Intake(Transactions.from_lists(rows), back)


def _is_pandas(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"


def _is_matrix(data: Any) -> bool:
    """Whether this is an array of true/false or 0/1; whole numbers and text are rows of items, as in lists of lists."""
    if getattr(data, "ndim", None) != 2 or not hasattr(data, "__array_interface__") or data.dtype.kind not in "biuf":
        return False
    bits = bool(((data == 0) | (data == 1)).all())
    if not bits and data.dtype.kind == "f":
        raise InputError(f"an array of records must hold true and false, or 1 and 0; {_FORMS}")
    return bits


def _from_matrix(matrix: Any) -> Intake:
    """An array of true/false, or 0/1: a record per row, an item per column; the answer is such an array."""
    from scipy.sparse import csr_array

    taken = _from_sparse(csr_array(matrix.astype("int8")))
    return Intake(taken.transactions, lambda made: taken.back(made).toarray().astype(matrix.dtype))


def _from_sparse(matrix: Any) -> Intake:
    width = matrix.shape[1]

    def back(made: Transactions) -> Any:
        import numpy as np
        from scipy.sparse import csr_array

        columns = np.array([int(label) for label in made.labels], dtype=np.int32)
        ones = np.ones(len(made.indices), dtype=np.int8)
        indices = columns[made.indices] if len(columns) else made.indices
        return csr_array((ones, indices, made.indptr), shape=(len(made), width))

    return Intake(Transactions.from_sparse(matrix), back)


def _from_frame(frame: Any, *, id: str, item: str) -> Intake:
    import pyarrow as pa

    from confide.core.tables.frames import like, to_table
    from confide.core.transactions.frames import from_frame, to_arrow
    from confide.core.transactions.one_hot import is_one_hot, to_one_hot, transactions_from_one_hot

    table = to_table(frame)
    lists = [name for name in table.column_names if is_list(table.schema.field(name).type)]
    if {id, item} <= set(table.column_names):
        return Intake(from_frame(table, id=id, item=item), lambda made: like(_long(made, id, item), frame))
    if len(lists) == 1:
        renamed = pa.table({"items": table[lists[0]]})
        plain = pa.schema([(lists[0], pa.large_list(pa.string()))])
        return Intake(
            from_frame(renamed), lambda made: like(to_arrow(made).rename_columns([lists[0]]).cast(plain), frame)
        )
    if is_one_hot(table, id=id):
        names = [name for name in table.column_names if name != id]
        taken = transactions_from_one_hot(table, id=id)
        return Intake(taken, lambda made: like(to_one_hot(made, names), frame))
    columns = ", ".join(table.column_names[:10]) or "none"
    raise InputError(f"a frame with the columns {columns} does not say what its records are; {_FORMS}")


def is_list(kind: "pa.DataType") -> bool:
    """Whether cells of this type are lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _long(made: Transactions, id: str, item: str) -> "pa.Table":
    """Rows of record number and item; of an empty record one row, without an item.

    Records are numbered anew: the caller's ids may be somebody's number.
    """
    import numpy as np
    import pyarrow as pa

    rows = np.maximum(made.lengths, 1)
    held = np.repeat(made.lengths > 0, rows)
    codes = np.zeros(len(held), dtype=np.int32)
    codes[held] = made.indices
    labels = pa.DictionaryArray.from_arrays(pa.array(codes, mask=~held), pa.array(made.labels, pa.string()))
    return pa.table({id: np.repeat(np.arange(1, len(made) + 1), rows), item: labels.cast(pa.string())})
