"""Arrays and frames of categorical records as codes; `fields` says what the codes mean."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    from confide.collect.fields.field import Field
    from confide.collect.fields.fields import Fields

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


def encode_table(fields: "Fields", frame: Any, *, perturbed: bool = False, before: int = 0) -> NDArray[np.int32]:
    """The codes of a frame, whose columns are found by name and must be the fields, no more and no fewer.

    `perturbed` as for `Fields.encode`; so many records came `before` these. What is refused is the first record that
    does not fit, whatever the field.
    """
    from confide.core.tables import frames as tables

    table = tables.to_table(frame)
    fields.check_columns(table.column_names)
    found = np.empty((table.num_rows, len(fields)), dtype=np.int32)
    for i, field in enumerate(fields.fields):
        found[:, i] = _encode_column(field, table.column(field.name), perturbed)
    wrong = found < 0
    if wrong.any():
        first = int(np.argmax(wrong.any(axis=1)))
        position = int(np.argmax(wrong[first]))
        value = table.column(fields.names[position])[first].as_py()
        times = int(wrong[:, position].sum())
        last = before + table.num_rows
        also = f"; {times:,} of records {before + 1:,} to {last:,} hold such a value there" if times > 1 else ""
        raise fields.unknown(position, before + first + 1, value, perturbed=perturbed, also=also)
    return found


def _encode_column(field: "Field", column: Any, perturbed: bool) -> NDArray[np.int32]:
    """Each different value is looked up once; numbers that go into bins are not even listed. -1 where none fits."""
    import pyarrow as pa

    numeric = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if numeric and field.edges is not None and not perturbed:
        numbers = column.to_numpy().astype(np.float64)  # what is missing becomes nan
        codes = np.searchsorted(np.array(field.edges, dtype=np.float64), numbers, side="left")
        return np.where(np.isfinite(numbers), codes, -1).astype(np.int32)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode()
    code = field.sent_code if perturbed else field.code
    known = np.array([-1, *(code(value) for value in coded.dictionary.to_pylist())], dtype=np.int32)
    return known[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False) + 1]


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
