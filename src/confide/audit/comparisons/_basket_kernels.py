"""Two sets of baskets, record by record."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["count_wrong_records"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def count_wrong_records(
    indptr: I64, indices: I32, places: I64, read_indptr: I64, read_indices: I32, code_of: I32, mark: I64
) -> tuple[int, int]:
    """How many records hold an item they did not, or one twice; and how many lost an item that is published.

    `code_of` is the released code of each item that was read, -1 for one that went; several may share a code. `mark`
    has a place for each released code, all -1.
    """
    came = 0
    went = 0
    for i in range(len(places)):
        row = places[i]
        expected = 0
        for j in range(read_indptr[row], read_indptr[row + 1]):
            code = code_of[read_indices[j]]
            if code >= 0 and mark[code] != i:
                mark[code] = i
                expected += 1
        strange = False
        for j in range(indptr[i], indptr[i + 1]):
            code = indices[j]
            if mark[code] == i:
                mark[code] = -1
                expected -= 1
            else:
                strange = True
        if strange:
            came += 1
        if expected > 0:
            went += 1
    return came, went
