"""Siblings that did not mend a failed child: children just like it need not ask them again.

Where a node has thousands of children, many are equal. A table remembers, for each kind of failed child, which sibling
did last time, or that none did; those before it, in the order of the rules, do not. A log lists what merges put among
the siblings since. What was there before can only have gone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.anonymization._leaf_kernels import passes

I64 = NDArray[np.int64]

MANY = 32  # children below which nothing is remembered
LATER = 256  # siblings that came later, above which a new search is cheaper
UNKNOWN = -1
NOBODY = 1 << 62  # more records than any sibling has


@kernel
def slot_of(a: int, total: I64, x: I64, kind_of: I64) -> Any:
    """The place of children like a in the table: theirs, or a free one that is now; rows are records, then classes."""
    size, m = kind_of.shape[0], x.shape[1]
    place = np.uint64(total[a])
    for c in range(m):
        place = (place ^ np.uint64(x[a, c])) * np.uint64(0x9E3779B97F4A7C15)
        place ^= place >> np.uint64(29)
    at = np.int64(place & np.uint64(size - 1))
    while kind_of[at, 0] != UNKNOWN:
        same = kind_of[at, 0] == total[a]
        for c in range(m):
            same = same and kind_of[at, 1 + c] == x[a, c]
        if same:
            return at
        at = (at + 1) & (size - 1)
    kind_of[at, 0] = total[a]
    for c in range(m):
        kind_of[at, 1 + c] = x[a, c]
    return at


@kernel
def among_later(
    log: I64, begin: int, end: int, a: int, side: int, into: I64, fails: NDArray[np.bool_], total: I64, x: I64,
    sum_: I64, spare: I64, mode: int, kind: int, k: int, ell: int, p: int, q: int,
) -> Any:  # fmt: skip
    """The sibling that rule 3 prefers among those logged since, on this side (1: failing), that do; -1 if none does.

    Rows of the log: child, its records then; if they have changed, or it has gone, it is listed again or nowhere.
    """
    best = -1
    for i in range(begin, end):
        b = log[i, 0]
        if b == a or into[b] != b or total[b] != log[i, 1] or fails[b] != (side == 1):
            continue
        if best >= 0 and (total[b] > total[best] or (total[b] == total[best] and b >= best)):
            continue
        for c in range(x.shape[1]):
            sum_[c] = x[a, c] + x[b, c]
        if passes(total[a] + total[b], sum_, spare, mode, kind, k, ell, p, q):
            best = b
    return best
