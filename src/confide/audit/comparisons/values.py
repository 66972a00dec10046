"""A column as numbers and texts, read by the auditor: missing is the empty text, 3.0 reads 3."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Values", "meaning", "read_values"]

_EXACT = 2.0**53  # up to here a float that is whole is one whole number


@dataclass(frozen=True, eq=False)
class Values:
    """`texts[codes[row]]` is the value of a row; no text is there twice. `numbers` are the texts' values, or nan."""

    codes: NDArray[np.int32]
    texts: list[str]
    numbers: NDArray[np.float64]


def meaning(column: "pa.ChunkedArray | pa.Array") -> "pa.Array":
    """The column without what only concerns its storage; NaN and the empty text are missing, -0.0 is 0.0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_floating(column.type):
        numbers = pc.add(column.cast(pa.float64()), 0.0)
        column = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    elif pa.types.is_large_string(column.type):
        empty = pc.equal(column, "")
        if pc.any(empty).as_py():
            column = pc.if_else(empty, pa.scalar(None, column.type), column)
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(_chunks(column))
    return column


def _chunks(column: "pa.ChunkedArray") -> "list[pa.Array]":
    import pyarrow as pa

    return column.chunks or [pa.array([], column.type)]


def read_values(column: "pa.ChunkedArray | pa.Array", *, name: str) -> Values:
    """The values of a quasi-identifier, original or released."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = meaning(column)
    try:
        encoded = pc.dictionary_encode(plain, null_encoding="encode")
        texts = _texts(encoded.dictionary)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InputError(f"values of type {plain.type} cannot be compared", column=name) from None
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    place: dict[str, int] = {}
    once = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int32)
    if len(place) < len(texts):
        codes = once[codes]
    return Values(codes, list(place), np.array([_number(text) for text in place], dtype=np.float64))


def _texts(values: "pa.Array") -> list[str]:
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        return ["" if v is None else _float_text(v) for v in values.to_pylist()]
    texts: list[Any] = values.cast(pa.large_string()).to_pylist()
    return ["" if text is None else text for text in texts]


def _float_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
