"""Which join columns can be compared: a column joins a column of its own type.

Widths of whole numbers and the several Arrow layouts of text are one type each, because equal values are equal whatever
their layout. A whole number and a decimal fraction, a text and a number, a date and a time are not: no conversion is
guessed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_key_type", "check_key_types", "key_type"]


def key_type(kind: "pa.DataType", column: str = "") -> "pa.DataType | None":
    """The one type in which columns of this type are compared; None for a column without any value.

    >>> import pyarrow as pa
    >>> key_type(pa.int16()), key_type(pa.dictionary(pa.int8(), pa.string()))
    (DataType(int64), DataType(large_string))
    """
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_null(kind):
        return None
    if types.is_uint64(kind):
        return pa.uint64()
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.large_string()
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return pa.large_binary()
    if types.is_boolean(kind) or types.is_decimal(kind) or types.is_temporal(kind):
        return pa.date32() if types.is_date(kind) else kind
    raise InputError(f"{column} is of type {kind}, which cannot be compared; join on text, numbers or dates")


def as_key_type(column: "pa.ChunkedArray", kind: "pa.DataType") -> "pa.ChunkedArray":
    """The column as `key_type` compares it: nan is missing, and -0.0 is 0.0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.type != kind:
        column = column.cast(kind)
    if pa.types.is_floating(kind):
        column = pc.add(pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column), pa.scalar(0.0, kind))
    return column


def check_key_types(mine: Sequence[str], theirs: Sequence[str], *, owner: str, neighbour: str) -> None:
    """Refuse join columns of two sites that cannot be compared; "" is the type of a column without any value."""
    if len(mine) != len(theirs):
        raise InputError(f"{owner} joins {neighbour} on {len(mine)} columns, but that site on {len(theirs)}")
    for place, (own, other) in enumerate(zip(mine, theirs, strict=True), start=1):
        if own and other and own != other:
            raise InputError(
                f"join column {place} is {own} at {owner} and {other[:40]} at {neighbour}; "
                "join columns must be of one type, so convert one of them"
            )
