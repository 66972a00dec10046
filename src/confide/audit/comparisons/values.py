"""A column as numbers and texts, read by the auditor: missing is the empty text, 3.0 reads 3."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Values", "meaning", "microseconds_since", "read_values"]

_FEW = 512  # different texts that are numbered faster than by Arrow
_EXACT = 2.0**53  # up to here a float that is whole is one whole number


@dataclass(frozen=True, eq=False)
class Values:
    """A column as numbers: `different[codes[row]]` is the value of a row. Two of them may mean the same."""

    codes: NDArray[np.int32]
    different: "pa.Array"

    def __len__(self) -> int:
        return len(self.different)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Which of the values are missing."""
        found: NDArray[np.bool_] = self.different.is_null().to_numpy(zero_copy_only=False)
        return found

    @cached_property
    def texts(self) -> list[str]:
        """The values as text."""
        import pyarrow as pa

        if pa.types.is_floating(self.different.type):
            return ["" if v is None else _float_text(v) for v in self.different.to_pylist()]
        texts: list[Any] = self.different.cast(pa.large_string()).to_pylist()
        return ["" if text is None else text for text in texts]

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values as numbers, nan where they are none."""
        import pyarrow as pa

        kind = self.different.type
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            numbers: NDArray[np.float64] = self.different.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            return numbers
        return np.array([_number(text) for text in self.texts], dtype=np.float64)


def meaning(column: "pa.ChunkedArray | pa.Array") -> "pa.Array":
    """The column without what only concerns its storage; NaN and the empty text are missing, -0.0 is 0.0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _stored(column)
    if pa.types.is_string(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_floating(column.type):
        numbers = pc.add(column.cast(pa.float64()), 0.0)
        column = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    elif pa.types.is_large_string(column.type):
        empty = pc.equal(column, "")
        if pc.any(empty).as_py():
            column = pc.if_else(empty, pa.scalar(None, column.type), column)
    return _whole(column)


def _stored(column: Any) -> Any:
    """The column without extension types, run lengths, dictionaries and views."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _whole(column: Any) -> "pa.Array":
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def read_values(column: "pa.ChunkedArray | pa.Array", *, name: str) -> Values:
    """The values of a quasi-identifier, original or released: different ones are read once each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _stored(column)
    try:
        whole = _whole(column)
        if (numbered := _number_texts(whole)) is not None:
            return numbered
        encoded = pc.dictionary_encode(whole, null_encoding="encode")
        different = meaning(encoded.dictionary)
        if not pa.types.is_large_string(different.type):
            different[:1].cast(pa.large_string())  # what cannot be read as text is refused now
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InputError(f"values of type {column.type} cannot be compared", column=name) from None
    return Values(encoded.indices.to_numpy(zero_copy_only=False), different)


def _number_texts(column: "pa.Array") -> Values | None:
    """The values of a column of texts, none of them null and few of them different; None for any other column."""
    import pyarrow as pa

    from confide.audit.comparisons._pair_kernels import number_texts

    small = pa.types.is_string(column.type)
    if not (small or pa.types.is_large_string(column.type)) or column.null_count or not len(column):
        return None
    _, offsets, data = column.buffers()
    if data is None or not data.size:
        return None
    ends = np.frombuffer(offsets, dtype=np.int32 if small else np.int64)[column.offset :][: len(column) + 1]
    codes = np.empty(len(column), dtype=np.int32)
    first = np.empty(_FEW, dtype=np.int64)
    slots = np.full(8 * _FEW, -1, dtype=np.int32)
    read = np.frombuffer(data, dtype=np.uint8)
    words: NDArray[np.uint64] = np.ndarray((max(0, len(read) - 7),), "<u8", read.data, strides=(1,))
    count = number_texts(ends, read, words, codes, slots, first)
    return None if count < 0 else Values(codes, meaning(column.take(pa.array(first[:count]))))


def microseconds_since(column: "pa.ChunkedArray | pa.Array") -> NDArray[np.float64]:
    """Dates, with or without a time, as whole microseconds since 1970; nan where one is missing, or no date."""
    import pyarrow as pa

    whole = meaning(column)
    kind = whole.type
    if pa.types.is_date32(kind):
        whole = whole.cast(pa.timestamp("us"))
    if not pa.types.is_timestamp(whole.type):
        texts = whole.cast(pa.large_string()).to_pylist()
        return np.array([_microseconds(text) for text in texts], dtype=np.float64)
    numbers = whole.cast(pa.timestamp("us", whole.type.tz), safe=False).cast(pa.int64()).cast(pa.float64(), safe=False)
    found: NDArray[np.float64] = numbers.to_numpy(zero_copy_only=False)
    return found


def _microseconds(text: str | None) -> float:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return np.nan
    return float((found.replace(tzinfo=None) - datetime(1970, 1, 1)) // timedelta(microseconds=1))


def _float_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
