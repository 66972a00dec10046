"""One spelling for each number: what is equal in memory must be equal in every file that we write.

0.0 and -0.0 are equal, and so are a missing number and NaN, of which there are 2**52. Text and bytes tell them apart:
CSV writes "0" and "-0", "" and "nan", and the bits of a NaN could carry a message.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["one_spelling", "spell_table"]


def spell_table(table: "pa.Table") -> "pa.Table":
    """The table with one spelling for each number, in every column."""
    for place, field in enumerate(table.schema):
        if _holds_floats(field.type):
            column = one_spelling(table.column(place))
            table = table.set_column(place, field.with_type(column.type).with_nullable(True), column)
    return table


def one_spelling(column: Any) -> Any:
    """A column or array with 0.0 for both zeros and null for NaN, in lists and records as well.

    >>> import pyarrow as pa
    >>> one_spelling(pa.array([0.0, -0.0, float("nan"), 1.5])).to_pylist()
    [0.0, 0.0, None, 1.5]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not _holds_floats(kind):
        return column
    if isinstance(column, pa.ChunkedArray):
        if not column.num_chunks:
            return column
        return pa.chunked_array([one_spelling(chunk) for chunk in column.chunks])
    if pa.types.is_dictionary(kind):
        return one_spelling(column.cast(kind.value_type))
    if pa.types.is_floating(kind):
        whole = column.cast(pa.float32()) if pa.types.is_float16(kind) else column
        numbers = pc.add(whole, pa.scalar(0.0, whole.type))  # -0.0 becomes 0.0
        odd = pc.is_nan(numbers)
        return pc.if_else(odd, pa.scalar(None, numbers.type), numbers) if pc.any(odd).as_py() else numbers
    missing = pc.is_null(column) if column.null_count else None
    if pa.types.is_struct(kind):
        parts = [one_spelling(column.field(place)) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(parts, names=[part.name for part in kind], mask=missing)
    build = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    lengths = pc.fill_null(pc.list_value_length(column), 0).cast(pa.int64())
    ends = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths)])
    offsets = ends.cast(pa.int64() if pa.types.is_large_list(kind) else pa.int32())
    return build.from_arrays(offsets, one_spelling(column.flatten()), mask=missing)


def _holds_floats(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _holds_floats(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _holds_floats(kind.value_type)
    if pa.types.is_struct(kind):
        return any(_holds_floats(part.type) for part in kind)
    return bool(pa.types.is_floating(kind))
