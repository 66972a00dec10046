"""A Spark DataFrame as a data set: it is written once as Parquet files, and those are read by Spark.

Several passes are made over any data set, and Spark would compute the DataFrame anew for each; so it is written once.
The files are in a temporary folder of this machine, gone with the data set (after a kill, with the next). On a cluster
give `folder`, a place that all machines see; what is there stays.
"""

import tempfile
import weakref
from pathlib import Path
from typing import Any

from confide.core.datasets.spark.spark_engine import SparkEngine
from confide.core.datasets.stored_table import StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError, UsageError
from confide.core.runtime.unfinished import PartFile, make_part

__all__ = ["is_spark_frame", "stored_table", "stored_transactions"]


def is_spark_frame(data: Any) -> bool:
    """Whether this is a Spark DataFrame; pyspark is not imported for that."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql")


def stored_transactions(
    frame: Any, *, folder: Path | None = None, id: str | None = None, item: str | None = None
) -> StoredTransactions:
    """Baskets in a DataFrame: a column of lists, or long (`id`, `item`); long rows are sorted by id."""
    id_column, item_column = id or "id", item or "item"
    if {id_column, item_column} <= set(frame.columns):
        frame = frame.select(id_column, item_column).sort(id_column)
    engine = SparkEngine(frame.sparkSession)
    path, part = _written(frame, folder)
    found = StoredTransactions.open(path, id=id, item=item, engine=engine)
    _drop_later(found, part)
    return found


def stored_table(frame: Any, *, folder: Path | None = None) -> StoredTable:
    """A table in a DataFrame."""
    path, part = _written(frame, folder)
    found = StoredTable.open(path, engine=SparkEngine(frame.sparkSession))
    _drop_later(found, part)
    return found


def _written(frame: Any, folder: Path | None) -> tuple[Path, PartFile | None]:
    master = frame.sparkSession.sparkContext.master
    if folder is None and not master.startswith("local"):
        raise UsageError(
            f"a DataFrame on {master} is written as Parquet first; give folder=, a path that all its machines see",
            parameter="folder",
            value=folder,
        )
    part = make_part(Path(tempfile.gettempdir()), folder=True) if folder is None else None
    path = folder if part is None else part.path / "frame"
    assert path is not None
    try:
        frame.write.parquet(path.resolve().as_uri())
    except Exception as error:
        if part is not None:
            part.drop()
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError(f"the DataFrame cannot be written as Parquet: {lines[0][:300]}") from None
    return path, part


def _drop_later(found: object, part: PartFile | None) -> None:
    if part is not None:
        weakref.finalize(found, part.drop)
