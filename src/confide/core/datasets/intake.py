"""Records as whoever calls has them, in memory or in files, for functions that can work with either.

A folder of Parquet files, and a Parquet file, are opened by the engine that a `Reading` names, or that `choice` takes;
a Spark DataFrame by Spark. What is in memory already stays there.
"""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.core.datasets.choice import choose_engine, default_reading, engine_named
from confide.core.datasets.parts import Parts
from confide.core.datasets.spark.frames import is_spark_frame, stored_table, stored_transactions
from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.tables.reading import Reading
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_records", "as_rows", "in_files"]


def as_records(
    data: Any, *, id: str | None = None, item: str | None = None, reading: Reading | None = None
) -> Transactions | StoredTransactions:
    """Transactions in memory, or in their files where `reading` asks for that or they would not fit.

    >>> as_records([["tea", "nuts"], ["tea"]])
    <Transactions 2 records, 2 items, 3 entries>
    """
    if isinstance(data, Transactions | StoredTransactions):
        return data
    if is_spark_frame(data):
        return stored_transactions(data, id=id, item=item)
    if not in_files(data):
        return as_transactions(data)
    stored = StoredTransactions.open(data, id=id, item=item)
    how = reading or default_reading()
    engine = choose_engine(stored.parts, how)
    if engine == "memory":
        if stored.parts.source.is_dir():
            return stored.to_transactions()
        return Transactions.read(data, format="parquet", id=id, item=item)
    return StoredTransactions.open(data, id=id, item=item, engine=engine_named(engine, spark_master=how.spark_master))


def as_rows(data: Any, *, reading: Reading | None = None) -> "pa.Table | StoredTable | Any":
    """A table in memory (a frame stays as it is), or in its files where `reading` asks for that or it
    would not fit."""
    from confide.core.tables.frames import read_table

    if is_spark_frame(data):
        return stored_table(data)
    if not isinstance(data, str | PathLike):
        return data
    how = reading or default_reading()
    if not in_files(data):
        return read_table(data, **how.options)
    parts = Parts.find(Path(data))
    engine = choose_engine(parts, how)
    if engine == "memory":
        return StoredTable.open(data).to_table() if parts.source.is_dir() else read_table(data)
    return StoredTable.open(data, engine=engine_named(engine, spark_master=how.spark_master))


def in_files(data: Any) -> bool:
    """Whether this is the path of a Parquet file, or of a folder."""
    if not isinstance(data, str | PathLike):
        return False
    path = Path(data)
    return path.is_dir() or path.suffix.lower() == ".parquet"
