"""A table as a frame of the caller's library, with the column types the caller had, where the values still fit them.

A column of categories lists only those that a row holds: one that was recoded or left out must not leave as the name
of a category.
"""

from typing import Any

import pyarrow as pa

__all__ = ["to_pandas", "to_polars"]


def to_pandas(table: pa.Table, frame: Any) -> Any:
    """The table as pandas, typed as in `frame`.

    Whole numbers of which some are missing stay whole (Int64): as floats, large ones would become equal.
    """
    import pandas

    given = {str(name): kind for name, kind in frame.dtypes.items()}
    made = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = _pandas_type(column, given.get(name))
        if kind is not None:
            made[name] = pandas.array(column.to_pylist(), dtype=kind)  # pylist: numpy would make floats of integers
    return made


def _pandas_type(column: pa.ChunkedArray, given: Any) -> Any:
    """The type that the caller's column had, fit for these values; None where pandas' own choice will do."""
    import pandas

    if isinstance(given, pandas.CategoricalDtype):
        held = set(column.unique().drop_null().to_pylist())
        kept = [category for category in given.categories.tolist() if category in held]
        if len(kept) == len(held):
            return pandas.CategoricalDtype(kept, ordered=given.ordered)
        return pandas.CategoricalDtype(sorted(held, key=str))
    nullable = pandas.api.types.is_extension_array_dtype(given)
    if pa.types.is_integer(column.type) and (column.null_count or nullable):
        name = str(column.type)
        return f"UInt{name[4:]}" if name.startswith("u") else f"Int{name[3:]}"
    if pa.types.is_boolean(column.type) and isinstance(given, pandas.BooleanDtype):
        return "boolean"
    if pa.types.is_float64(column.type) and isinstance(given, pandas.Float64Dtype):
        return "Float64"
    return None


def to_polars(table: pa.Table, frame: Any) -> Any:
    """The table as polars, typed as in `frame`."""
    import polars

    given = dict(frame.schema)
    made = polars.from_arrow(table)
    if not isinstance(made, polars.DataFrame):
        return made
    for name, kind in given.items():
        if name not in made.columns or made.schema[name] != polars.String:
            continue
        if isinstance(kind, polars.Enum):
            held = set(made[name].unique().drop_nulls())
            kept = [category for category in kind.categories if category in held]
            new = kept if len(kept) == len(held) else sorted(held)
            made = made.with_columns(made[name].cast(polars.Enum(new)))
        elif kind == polars.Categorical:
            made = made.with_columns(made[name].cast(polars.Categorical))
    return made
