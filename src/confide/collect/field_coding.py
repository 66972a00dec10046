"""Arrays and frames of categorical records as codes; `fields` says what the codes mean."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    from confide.collect.fields import Fields

__all__ = ["check_codes", "encode_table"]


def check_codes(fields: "Fields", codes: NDArray[Any]) -> NDArray[np.int32]:
    """An array of codes, or of cells, once it is known to lie within the fields."""
    if not np.issubdtype(codes.dtype, np.integer):
        raise InputError(f"an array of codes must hold whole numbers, not {codes.dtype}")
    if codes.ndim == 1:
        return fields.split(codes)
    if codes.ndim != 2 or codes.shape[1] != len(fields):
        raise InputError(
            f"an array of codes must have {len(fields)} columns, in the order: {', '.join(fields.names)}; "
            f"its shape is {codes.shape}"
        )
    for name, size, low, high in zip(fields.names, fields.sizes, *_extremes(codes), strict=True):
        if low < 0 or high >= size:
            raise InputError(
                f"a code of field {name!r} lies outside 0..{size - 1}; fields come in the order: "
                f"{', '.join(fields.names)}"
            )
    return codes.astype(np.int32, copy=False)


def encode_table(fields: "Fields", frame: Any) -> NDArray[np.int32]:
    """The codes of a frame, whose columns are found by name and must be the fields, no more and no fewer."""
    from confide.core import tables

    table = tables.to_table(frame)
    fields.check_names(
        [name for name in fields.names if name not in table.column_names],
        [name for name in table.column_names if name not in fields.names],
    )
    found = np.empty((table.num_rows, len(fields)), dtype=np.int32)
    for i, field in enumerate(fields.fields):
        found[:, i] = _encode_column(fields, table.column(field.name), i)
    return found


def _encode_column(fields: "Fields", column: Any, position: int) -> NDArray[np.int32]:
    """Each different value is looked up once; numbers that go into bins are not even listed."""
    import pyarrow as pa

    field = fields.fields[position]
    if column.null_count:
        raise InputError("a value is missing; fill it in, or declare a value for it", column=field.name)
    numeric = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if numeric and field.edges is not None:
        numbers = column.to_numpy().astype(np.float64)
        if np.isnan(numbers).any():
            raise InputError("a value is missing; fill it in, or declare a value for it", column=field.name)
        return np.searchsorted(np.array(field.edges, dtype=np.float64), numbers, side="left").astype(np.int32)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode()
    known = np.array([field.code(value) for value in coded.dictionary.to_pylist()], dtype=np.int32)
    if np.any(known < 0):
        first = int(np.flatnonzero(known[coded.indices.to_numpy()] < 0)[0])
        raise fields.unknown(position, first + 1)
    return known[coded.indices.to_numpy()] if len(known) else np.empty(0, dtype=np.int32)


def _extremes(codes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and the largest of each column. Sixty-four rows are taken for one: numpy is slow on narrow ones."""
    n, m = codes.shape
    if n == 0:
        return np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    even = n - n % 64
    wide = np.ascontiguousarray(codes[:even]).reshape(-1, 64 * m)
    low, high = ([f(part, axis=0) for part in (wide, codes[even:]) if len(part)] for f in (np.min, np.max))
    return (
        np.concatenate([part.reshape(-1, m) for part in low]).min(axis=0),
        np.concatenate([part.reshape(-1, m) for part in high]).max(axis=0),
    )
