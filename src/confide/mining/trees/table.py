"""Tables for tree learning: any frame or array in, columns of numbers and codes out. The input is not changed.

- Text, boolean, date and dictionary (pandas "category") columns are categorical; a missing value is a category of
  its own, None.
- Numbers are numeric, unless the column is named in `categorical`; then their text is the value. A number that is
  missing is nan; whoever cannot place it says so (`missing=False`), and the column is refused. Infinite numbers are
  refused always.
- Where domains are declared, a value outside its column's domain is refused, and categories have the declared codes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.row_places import name_rows
from confide.core.trees.published import Attribute, Kind, Value

__all__ = ["TreeColumn", "TableError", "as_kind", "column_names", "read_columns", "read_declared", "read_labels"]


class TableError(InputError, ValueError):
    """A table that cannot be learned from. Also a ValueError, as scikit-learn's tools expect."""


@dataclass(frozen=True, kw_only=True)
class TreeColumn:
    """One column: numbers (nan where missing), or codes of `values` (None last); `bins` where they are declared, and
    whether its numbers are `whole`."""

    name: str
    kind: Kind
    data: NDArray[np.float64] | NDArray[np.int32]
    values: tuple[Value, ...] = ()
    bins: tuple[float, ...] = ()
    whole: bool = False

    def attribute(self) -> Attribute:
        """What a tree says of this column."""
        return Attribute(name=self.name, kind=self.kind, values=self.values, bins=self.bins, whole=self.whole)

    def described(self) -> "TreeColumn":
        """The same without the records."""
        return replace(self, data=self.data[:0])


def read_columns(
    table: Any, *, categorical: Iterable[str | int] = (), missing: bool = False
) -> tuple[list[TreeColumn], list[str] | None]:
    """The columns of a frame or two-dimensional array, and the names it gave them (None for an array).

    Columns of an array are named x0, x1, ...; `categorical` lists names or numbers. Unless `missing`, a column in
    which numbers are missing is refused.
    """
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        import pyarrow as pa

        from confide.core.tables.frames import to_table

        try:
            arrow = to_table(table)
        except InputError as error:
            raise TableError(str(error)) from None
        except pa.ArrowException:  # whose message may quote a value
            raise TableError("the table cannot be read as Arrow") from None
        names = [str(name) for name in arrow.column_names]
        if len(set(names)) != len(names):
            raise TableError(f"two columns have the same name {next(n for n in names if names.count(n) > 1)!r}")
        chosen = _chosen(categorical, names)
        columns = [_from_arrow(names[j], arrow.column(j), names[j] in chosen) for j in range(len(names))]
        given: list[str] | None = names
    else:
        array = _as_array(table)
        given = None
        names = [f"x{j}" for j in range(array.shape[1])]
        chosen = _chosen(categorical, names)
        columns = [_from_numpy(names[j], array[:, j], names[j] in chosen) for j in range(len(names))]
    for column in columns if not missing else ():
        if column.kind == "numeric" and np.isnan(column.data).any():
            raise TableError(
                "Input contains NaN or missing values; fill them, or declare the column categorical", column=column.name
            )
    if not columns:
        raise TableError("0 feature(s) (shape=(n, 0)) while a minimum of 1 is required; give at least one column")
    return columns, given


def read_declared(table: Any, attributes: Sequence[Attribute]) -> tuple[list[TreeColumn], list[str] | None]:
    """As `read_columns`, where the domain of each column is declared; an array's columns come in that order."""
    attributes = list(attributes)
    given = column_names(table)
    for attribute in attributes:
        if given and attribute.name not in given:
            known = ", ".join(given)
            raise TableError(f"no column {attribute.name!r}, for which a domain is declared; columns are: {known}")
        if attribute.kind == "numeric" and len(attribute.bins) < 2:
            raise TableError("no bins are declared; give their edges, bounds included", column=attribute.name)
    strange = [name for name in given if name not in {attribute.name for attribute in attributes}]
    if strange:
        raise TableError("has no declared domain; declare it, or leave it out", column=strange[0])
    labelled = [
        attribute.name if given else j for j, attribute in enumerate(attributes) if attribute.kind == "categorical"
    ]
    columns, names = read_columns(table, categorical=labelled, missing=True)
    if len(columns) != len(attributes):
        raise TableError(f"X has {len(columns)} columns, but {len(attributes)} are declared")
    by_name = {column.name: column for column in columns}
    in_order = [by_name[attribute.name] for attribute in attributes] if given else columns
    return [_declared(c, a) for c, a in zip(in_order, attributes, strict=True)], names and [a.name for a in attributes]


def as_kind(column: TreeColumn, kind: Kind) -> TreeColumn:
    """The column, where nothing in it is known taken as being of that kind: numbers that are all missing."""
    if kind == "numeric" and column.kind == "categorical" and set(column.values) <= {None}:
        return TreeColumn(name=column.name, kind=kind, data=np.full(len(column.data), np.nan))
    return column


def _declared(column: TreeColumn, attribute: Attribute) -> TreeColumn:
    column = as_kind(column, attribute.kind)
    if column.kind != attribute.kind:
        raise TableError(f"is {column.kind} here, but declared {attribute.kind}", column=attribute.name)
    if attribute.kind == "numeric":
        return replace(column, name=attribute.name, bins=attribute.bins, whole=attribute.whole)
    place = {value: code for code, value in enumerate(attribute.values)}
    outside = [value for value in column.values if value not in place]
    if outside:
        strange = np.isin(column.data, [code for code, value in enumerate(column.values) if value not in place])
        several = f"{len(outside)} values that are" if len(outside) > 1 else "a value that is"
        what = "no value (null)" if outside == [None] else f"{several} not in the declared domain"
        raise TableError(
            f"holds {what}, {name_rows(strange)}; declare them, or leave these rows out",
            column=attribute.name,
        )
    codes = np.array([place[value] for value in column.values], dtype=np.int32)[column.data]
    return TreeColumn(name=attribute.name, kind="categorical", data=codes, values=attribute.values)


def column_names(table: Any) -> list[str]:
    """The names a frame gives its columns; none for an array."""
    if not (hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__")):
        return []
    named = getattr(table, "column_names", None)  # Arrow's word; `columns` are its data
    return [str(name) for name in (table.columns if named is None else named)]


def read_labels(y: Any) -> NDArray[Any]:
    """The classes of the records, as a one-dimensional array."""
    if y is None:
        raise TableError("requires y to be passed, but the target y is None")
    if hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        import pyarrow as pa

        y = np.array(pa.chunked_array(y).to_pylist())
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        import warnings

        message = "A column-vector y was passed when a 1d array was expected; use y.ravel()"
        warnings.warn(message, _conversion_warning(), stacklevel=4)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise TableError(f"y must be one-dimensional, one class a record, not of shape {labels.shape}")
    if labels.dtype.kind in "fc":
        if not np.isfinite(labels).all():
            raise TableError("Input y contains NaN or infinity; every record needs a class")
        if labels.dtype.kind == "c" or np.any(labels != np.floor(labels)):
            raise TableError(f"Unknown label type: continuous ({labels.dtype}); a decision tree predicts classes")
    if labels.dtype.kind == "O" and any(x is None or x != x for x in labels.tolist()):
        raise TableError("Input y contains NaN or None; every record needs a class")
    return labels


def _conversion_warning() -> type[Warning]:
    import sys

    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, "DataConversionWarning", UserWarning)


def _chosen(categorical: Iterable[str | int], names: list[str]) -> set[str]:
    chosen = set()
    for entry in categorical:
        name = names[entry] if isinstance(entry, int) and 0 <= entry < len(names) else entry
        if name not in names:
            raise TableError(f"no column {entry!r}; columns are: {', '.join(names)}")
        chosen.add(str(name))
    return chosen


def _from_arrow(name: str, column: Any, categorical: bool) -> TreeColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        categorical, kind = True, column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if number and not categorical:
        try:
            return _numeric(name, column.cast(pa.float64()).to_numpy())
        except pa.ArrowException:
            raise TableError(
                "whole numbers beyond 2**53 cannot be distinguished as numbers; declare the column categorical",
                column=name,
            ) from None
    try:
        text = column.cast(pa.large_string()).combine_chunks()
    except pa.ArrowException:
        raise TableError(f"cannot learn from a column of type {column.type}", column=name) from None
    if isinstance(text, pa.ChunkedArray):
        text = pa.concat_arrays(text.chunks) if text.num_chunks else pa.array([], pa.large_string())
    coded = pc.dictionary_encode(text)
    labels = coded.dictionary.to_pylist()
    codes = np.asarray(coded.indices.fill_null(len(labels)), dtype=np.int64)
    return _categorical(name, codes, [*labels, None])


def _from_numpy(name: str, values: NDArray[Any], categorical: bool) -> TreeColumn:
    if values.dtype.kind in "iuf" and not categorical:
        return _numeric(name, values.astype(np.float64))
    if values.dtype.kind in "iufb":
        import pyarrow as pa

        return _from_arrow(name, pa.chunked_array([pa.array(values, from_pandas=True)]), True)
    if values.dtype.kind == "O" and not categorical:
        listed = values.tolist()
        known = [v for v in listed if v is not None]
        if all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in known) and (
            known or not listed
        ):
            return _numeric(name, np.array(listed, dtype=np.float64))
        if not all(v is None or isinstance(v, str | bool | int | float | np.generic) for v in listed):
            raise TypeError(f"column {name!r}: argument must be a string or a real number in every cell")
    seen: dict[Value, int] = {}
    codes = np.array([seen.setdefault(_as_text(v), len(seen)) for v in values.tolist()], dtype=np.int64)
    return _categorical(name, codes, list(seen))


def _as_text(value: Any) -> Value:
    """The label of one cell, the same as Arrow would give a whole column."""
    if value is None or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _numeric(name: str, values: NDArray[np.float64]) -> TreeColumn:
    if np.isinf(values).any():
        raise TableError(
            "Input contains infinity; leave such records out, or declare the column categorical", column=name
        )
    return TreeColumn(name=name, kind="numeric", data=values)


def _categorical(name: str, codes: NDArray[np.int64], labels: list[Value]) -> TreeColumn:
    """Codes in label order, None last, labels that do not occur dropped."""
    from confide.core.transactions.labels import label_order

    used = np.bincount(codes, minlength=len(labels)) > 0
    present = [i for i in range(len(labels)) if used[i]]
    present.sort(key=lambda i: (0, label_order(text)) if (text := labels[i]) is not None else (1, (0, 0, "")))
    rank = np.zeros(len(labels), dtype=np.int32)
    rank[present] = np.arange(len(present), dtype=np.int32)
    return TreeColumn(name=name, kind="categorical", data=rank[codes], values=tuple(labels[i] for i in present))


def _as_array(table: Any) -> NDArray[Any]:
    if hasattr(table, "tocsr"):
        raise TypeError("Sparse data was passed, but dense data is required; use X.toarray()")
    array = np.asarray(table)
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported")
    if array.ndim != 2:
        raise TableError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if it has one column or array.reshape(1, -1) if it has one record"
        )
    if array.shape[1] == 0:
        raise TableError(
            f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required; give at least one column"
        )
    return array
