"""The row of each minimal combination that one row alone has."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def find_rows(items: I32, starts: I64, rows: I32, cells: I32, column_of: I32) -> I32:
    """For each combination (a row of `items`, sorted, rarest item first) the one row that holds it.

    `rows[starts[i]:starts[i + 1]]` are the rows that hold item i, `cells[row, column]` the item of a cell. Combinations
    that follow one another share their first items, so rows that hold these are kept and only narrowed.
    """
    n, size = items.shape
    found = np.empty(n, np.int32)
    longest = np.int64(0)
    for item in range(len(starts) - 1):
        longest = max(longest, starts[item + 1] - starts[item])
    kept = np.empty((max(size, 2), longest), np.int32)
    many = np.zeros(max(size, 2), np.int64)
    for m in range(n):
        same = 0
        while m > 0 and same < size - 1 and items[m, same] == items[m - 1, same]:
            same += 1
        for depth in range(same, size - 1):
            item = items[m, depth]
            if depth == 0:
                many[0] = starts[item + 1] - starts[item]
                kept[0, : many[0]] = rows[starts[item] : starts[item + 1]]
                continue
            column, count = column_of[item], 0
            for place in range(many[depth - 1]):
                row = kept[depth - 1, place]
                if cells[row, column] == item:
                    kept[depth, count] = row
                    count += 1
            many[depth] = count
        last = items[m, size - 1]
        if size == 1:
            found[m] = rows[starts[last]]
            continue
        column = column_of[last]
        for place in range(many[size - 2]):
            row = kept[size - 2, place]
            if cells[row, column] == last:
                found[m] = row
                break
    return found
