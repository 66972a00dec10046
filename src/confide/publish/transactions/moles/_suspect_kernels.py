"""Sets that a private item may breach, by what is known of their parts: arrays in, arrays out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["suspects"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def suspects(
    sets: Ints, most: Longs, begin: int, room: int, place: Ints, together: Ints, base: Longs, line: Longs, cells: Ints
) -> Any:  # fmt: skip
    """(set, private item) from set number `begin` on, of which no part is with that item `most` times or fewer.

    `place` is the line of each item code in `together`, which has a column for each private item; base, line and cells,
    unless empty, are the same of pairs (`_triple_kernels`). Ends when `room` are found, behind all of one set; gives
    (sets, private items, the number of the set to go on with).
    """
    n, length = sets.shape
    n_private = together.shape[1]
    which = np.empty(room + n_private, np.int64)
    private = np.empty(room + n_private, np.int64)
    own = np.empty(length, np.int64)
    found = 0
    at = begin
    while at < n and found < room:
        for c in range(length):
            own[c] = place[sets[at, c]]
        for s in range(n_private):
            clear = False
            for c in range(length):
                if together[own[c], s] <= most[at]:
                    clear = True
                    break
            if not clear and len(base) > 0:
                for c in range(length - 1):
                    here = base[s] + line[own[c]]
                    for d in range(c + 1, length):
                        if cells[here + own[d]] <= most[at]:
                            clear = True
                            break
                    if clear:
                        break
            if not clear:
                which[found] = at
                private[found] = s
                found += 1
        at += 1
    return which[:found].copy(), private[:found].copy(), at
