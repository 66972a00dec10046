"""Records on their way down a tree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["leave_node"]

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def leave_node(
    rows: I64, spare: I64, column: Any, lows: F64, highs: F64, way: I32, parts: I64, categorical: bool
) -> bool:
    """Sort the records at a node by the edge they take; edge e has parts[e] to parts[e + 1]. False if one takes none.

    `way` is the edge of each code of `column`; or, for numbers, that of each piece (lows[p], highs[p]], ascending, and
    last that of missing ones. `spare` is room for as many rows.
    """
    for step in range(2):  # first they are counted, then placed
        for i in range(len(rows)):
            value = column[rows[i]]
            edge = np.int32(-1)
            if categorical:
                edge = way[int(value)]
            elif value != value:
                edge = way[len(lows)]
            else:
                low, high = 0, len(lows)
                while low < high:  # how many pieces begin below the value
                    middle = (low + high) // 2
                    if lows[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                if low > 0 and value <= highs[low - 1]:
                    edge = way[low - 1]
            if edge < 0:
                return False
            if step == 0:
                parts[edge + 1] += 1
            else:
                spare[parts[edge]] = rows[i]
                parts[edge] += 1
        if step == 0:
            for e in range(1, len(parts)):
                parts[e] += parts[e - 1]
    for e in range(len(parts) - 1, 0, -1):
        parts[e] = parts[e - 1]
    parts[0] = 0
    rows[:] = spare
    return True
