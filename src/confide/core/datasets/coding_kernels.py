"""Rows of Arrow as rows of codes: arrays in, arrays out.

A batch comes as positions in a list of labels of its own: those of row r are places[offsets[r]:offsets[r + 1]], a null
is -1. `lookup` says the code of each label, -1 where it is not an item; its last entry answers for nulls.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["code_rows", "count_rows", "rows_ascend"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

SHORT = 32  # so few items are sorted by insertion


@kernel
def code_rows(offsets: Ints, places: Ints, lookup: Ints, indptr: Longs, indices: Ints) -> int:
    """Write every row as codes, ascending and each once; give where the last row ends."""
    end = 0
    for r in range(len(offsets) - 1):
        begin = end
        ascending = True
        for p in range(offsets[r], offsets[r + 1]):
            code = lookup[places[p]]
            if code < 0:
                continue
            if end > begin and code <= indices[end - 1]:
                ascending = False
            indices[end] = code
            end += 1
        if not ascending:
            if end - begin <= SHORT:
                for i in range(begin + 1, end):
                    code = indices[i]
                    j = i - 1
                    while j >= begin and indices[j] > code:
                        indices[j + 1] = indices[j]
                        j -= 1
                    indices[j + 1] = code
            else:
                row = np.sort(indices[begin:end])
                for i in range(len(row)):
                    indices[begin + i] = row[i]
            kept = begin + 1
            for i in range(begin + 1, end):
                if indices[i] != indices[i - 1]:
                    indices[kept] = indices[i]
                    kept += 1
            end = kept
        indptr[r + 1] = end
    return end


@kernel
def count_rows(offsets: Ints, places: Ints, lookup: Ints, stamp: int, seen: Longs, counts: Longs) -> Any:
    """Add to counts[code] the rows that hold it; give (entries, the longest row). Repeats count once.

    `seen[code]` is the number of the row that held it last; rows are numbered from `stamp` on.
    """
    entries, longest = 0, 0
    for r in range(len(offsets) - 1):
        held = 0
        row = stamp + r
        for p in range(offsets[r], offsets[r + 1]):
            code = lookup[places[p]]
            if code >= 0 and seen[code] != row:
                seen[code] = row
                counts[code] += 1
                held += 1
        entries += held
        longest = max(longest, held)
    return entries, longest


@kernel
def rows_ascend(offsets: Ints, places: Ints, lookup: Ints) -> bool:
    """Whether every row holds items only, in ascending order, each once."""
    for r in range(len(offsets) - 1):
        before = -1
        for p in range(offsets[r], offsets[r + 1]):
            code = lookup[places[p]]
            if code <= before:
                return False
            before = code
    return True
