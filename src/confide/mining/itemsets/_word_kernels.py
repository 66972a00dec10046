"""A database of at most 64 frequent items: every row is one word from beginning to end.

The task of item i projects: it takes the rows that hold i, and keeps of them the items that are frequent together with
i. The columns of the whole database tell which these are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount
from confide.mining.itemsets._bitmap_kernels import ONE, ZERO, common_count
from confide.mining.itemsets._kinds import ALL, CLOSED, FOUND, MAXIMAL, SEARCH

__all__ = ["word_task"]

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]


@kernel
def word_task(
    task: int,
    order: Longs,
    supports: Longs,
    masks: Words,
    weights: Longs,
    pairs: Words,
    pair_shifts: Words,
    pair_width: int,
    kind: int,
    min_support: int,
    max_length: int,
    shortcuts: bool,
    bit_supports: Longs,
    rows: Words,
    row_weights: Longs,
) -> Any:
    """Prepare the search for the sets in which item `order[task]` comes first.

    `pairs` are the columns of the database. `bit_supports`, `rows` and `row_weights` take the result. Gives (what is
    to do, fixed, optional, candidates, killers, number of rows).
    """
    item = order[task]
    support = supports[item]
    own = ONE << np.uint64(item)
    perfect, candidates, killers = ZERO, ZERO, ZERO
    # A closed set may turn out longer than the limit, so that its perfect extensions must be known in any case.
    others = range(0 if kind != ALL else task + 1, len(order) if max_length > 1 or kind == CLOSED else 0)
    for other in others:
        if other == task:
            continue
        b = order[other]
        bit = ONE << np.uint64(b)
        both = common_count(pairs, item * pair_width, b * pair_width, pair_width, pair_shifts)
        bit_supports[b] = both
        if both < min_support:
            continue
        if shortcuts and both == support:
            if other < task:
                return 0, ZERO, ZERO, ZERO, ZERO, 0
            perfect |= bit
        elif other < task:
            killers |= bit
        else:
            candidates |= bit
    fixed = own if kind == ALL else own | perfect
    optional = perfect if kind == ALL else ZERO
    length = np.int64(popcount(fixed))
    todo = 0
    if kind == ALL or (kind == CLOSED and length <= max_length) or (kind == MAXIMAL and candidates | killers == ZERO):
        todo = FOUND
    n_rows = 0
    if candidates and length < max_length:
        todo |= SEARCH
        wanted = candidates | killers
        for r in range(len(masks)):
            if masks[r] & own and masks[r] & wanted:
                rows[n_rows], row_weights[n_rows] = masks[r] & wanted, weights[r]
                n_rows += 1
    return todo, fixed, optional, candidates, killers, n_rows
