"""Columns as a table engine reads them: int32 codes, of which a number's are ranks.

A column is coded over the records that take part in the join, so that a category seen only in dangling records is no
category, as it would be none in the joined table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.trees.published import Kind, Value
from confide.mining.trees.table import TreeColumn

__all__ = ["CodedColumn", "code_column", "rank"]


@dataclass(frozen=True, kw_only=True)
class CodedColumn:
    """One column: `codes` into `values` (categories, None last) or into `numbers` (ascending).

    `gaps` says that numbers are missing; these have the code after the last number's.
    """

    name: str
    kind: Kind
    codes: NDArray[np.int32]
    values: tuple[Value, ...] = ()
    numbers: NDArray[np.float64] | None = None
    gaps: bool = False

    @property
    def width(self) -> int:
        """How many codes there are."""
        return len(self.values) if self.numbers is None else len(self.numbers) + self.gaps

    def column(self) -> TreeColumn:
        """The name, kind and categories, as a tree writes them down."""
        return TreeColumn(name=self.name, kind=self.kind, data=self.codes, values=self.values)


def code_column(column: TreeColumn) -> CodedColumn:
    """Code a column as read: categories keep their codes, numbers are ranked."""
    if column.kind == "categorical":
        codes = column.data.astype(np.int32, copy=False)
        return CodedColumn(name=column.name, kind=column.kind, codes=codes, values=column.values)
    data = np.asarray(column.data, dtype=np.float64)
    missing = np.isnan(data)
    if not missing.any():
        numbers, codes = rank(data)
        return CodedColumn(name=column.name, kind=column.kind, codes=codes, numbers=numbers)
    numbers, known = rank(data[~missing])
    codes = np.full(len(data), len(numbers), dtype=np.int32)
    codes[~missing] = known
    return CodedColumn(name=column.name, kind=column.kind, codes=codes, numbers=numbers, gaps=True)


def take(columns: Sequence[CodedColumn], rows: NDArray[np.int64]) -> list[CodedColumn]:
    """The columns of some records, coded anew: values that do not occur among them lose their codes."""
    taken = []
    for column in columns:
        codes = column.codes[rows]
        used = np.zeros(column.width, dtype=np.bool_)
        used[codes] = True
        renumber = np.cumsum(used, dtype=np.int32) - np.int32(1)
        gaps = column.gaps and bool(used[-1])
        kept = np.flatnonzero(used[: column.width - column.gaps])
        taken.append(
            CodedColumn(
                name=column.name,
                kind=column.kind,
                codes=renumber[codes],
                values=tuple(column.values[v] for v in kept.tolist()) if column.numbers is None else (),
                numbers=None if column.numbers is None else column.numbers[kept],
                gaps=gaps,
            )
        )
    return taken


def rank(numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The distinct numbers, ascending, and the place of each number among them.

    >>> rank(np.array([3.0, 1.0, 3.0, 2.5]))
    (array([1. , 2.5, 3. ]), array([2, 0, 2, 1], dtype=int32))
    """
    if len(numbers) == 0:
        return numbers, np.empty(0, dtype=np.int32)
    low, high = float(numbers.min()), float(numbers.max())
    if high - low < max(2 * len(numbers), 1 << 16) and abs(low) < 2**52 and abs(high) < 2**52:
        offset = (numbers - low).astype(np.int32)
        if np.array_equal(offset + low, numbers):
            # Whole steps from the lowest: a table of them costs less than sorting.
            seen = np.zeros(int(high - low) + 1, dtype=np.bool_)
            seen[offset] = True
            place: NDArray[np.int32] = np.cumsum(seen, dtype=np.int32) - np.int32(1)
            distinct: NDArray[np.float64] = np.flatnonzero(seen).astype(np.float64) + low
            return distinct, place[offset]
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = pc.dictionary_encode(pa.array(numbers + 0.0))  # + 0.0 turns -0.0 into 0.0
    distinct = np.asarray(coded.dictionary, dtype=np.float64)
    order = np.argsort(distinct)
    place = np.empty(len(distinct), dtype=np.int32)
    place[order] = np.arange(len(distinct), dtype=np.int32)
    return distinct[order], place[coded.indices.to_numpy()]
