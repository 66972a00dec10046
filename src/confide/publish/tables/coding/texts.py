"""The values of a column as text, whatever type they came in, and as numbers where they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.spelling import one_spelling

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MISSING", "Texts"]

MISSING = ""
"""What a missing value is called, at every level but the top."""


@dataclass(frozen=True)
class Texts:
    """A column as text: `codes` into `texts`, -1 for a missing value; `numbers` are the texts' values if numeric."""

    codes: NDArray[np.int32]
    texts: list[str]
    numbers: NDArray[np.float64] | None

    @classmethod
    def of(cls, column: "pa.ChunkedArray", name: str) -> "Texts":
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(column.type, pa.BaseExtensionType):
            column = column.cast(column.type.storage_type)
        if pa.types.is_dictionary(column.type):  # which may hold a value twice
            column = column.cast(column.type.value_type)
        if pa.types.is_string_view(column.type):
            column = column.cast(pa.large_string())
        if pa.types.is_floating(column.type):
            column = one_spelling(column)
        try:
            encoded = pc.dictionary_encode(column).combine_chunks()
            if isinstance(encoded, pa.ChunkedArray):
                encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], column.type).dictionary_encode()
            values = encoded.dictionary
            texts = _texts(values)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise InputError(f"values of type {column.type} cannot be published", column=name) from None
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        if "" in texts:
            codes[codes == texts.index("")] = -1
        numeric = (
            pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type)
        )
        return cls(codes, texts, values.cast(pa.float64(), safe=False).to_numpy() if numeric else _numbers(texts))

    @property
    def wordy(self) -> NDArray[np.bool_]:
        """Which rows hold a text that is no number."""
        return self.holding([text != "" and _numbers([text]) is None for text in self.texts])

    @property
    def used(self) -> NDArray[np.int64]:
        """The texts that occur, by number."""
        return np.flatnonzero(np.bincount(self.codes + 1, minlength=len(self.texts) + 1)[1:])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows lack a value."""
        return self.codes < 0

    def holding(self, which: Sequence[bool] | NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows hold one of the texts that `which` marks."""
        return np.append(np.asarray(which, dtype=np.bool_), False)[self.codes]

    def at(self, rows: NDArray[np.int64]) -> "Texts":
        return self if len(rows) == len(self.codes) else Texts(self.codes[rows], self.texts, self.numbers)

    def joined(self, other: "Texts") -> "Texts":
        """The rows of both, one after the other."""
        place = {text: number for number, text in enumerate(self.texts)}
        new = [number for number, text in enumerate(other.texts) if text not in place]
        place |= {other.texts[number]: len(self.texts) + i for i, number in enumerate(new)}
        moved = np.array([*(place[text] for text in other.texts), -1], dtype=np.int32)
        numbers = None
        if self.numbers is not None and other.numbers is not None:
            numbers = np.append(self.numbers, other.numbers[new])
        texts = [*self.texts, *(other.texts[number] for number in new)]
        return Texts(np.append(self.codes, moved[other.codes]).astype(np.int32), texts, numbers)


def _texts(values: "pa.Array") -> list[str]:
    """Distinct values as text; 3.0 reads "3", as it would in a hierarchy."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(values.type):
        whole = pc.equal(values, pc.floor(values))
        small = pc.less(pc.abs(values), 2.0**53)
        return [
            ("0" if value == 0 else str(int(value))) if is_whole and is_small else repr(value)
            for value, is_whole, is_small in zip(values.to_pylist(), whole.to_pylist(), small.to_pylist(), strict=True)
        ]
    return values.cast(pa.string()).to_pylist()


def _numbers(texts: list[str]) -> NDArray[np.float64] | None:
    """The texts as numbers, if every one but the empty text is one."""
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return None
