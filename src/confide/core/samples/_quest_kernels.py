"""Kernels of the Quest generator: fills transactions with corrupted patterns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.core.samples import _draws

__all__ = ["PATIENCE", "Patterns", "fill"]


class Patterns(NamedTuple):
    """Pattern j is items[starts[j]:starts[j + 1]], chosen with weight bounds[j] - bounds[j - 1]; its items are dropped
    as corruption[j] has it."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    bounds: NDArray[np.float64]
    corruption: NDArray[np.float64]


# numba turns a mix of signed and unsigned 64-bit integers into floats, so every constant is unsigned.
_GOLDEN = np.uint64(_draws.GOLDEN)
_MIX_1 = np.uint64(_draws.MIX_1)
_MIX_2 = np.uint64(_draws.MIX_2)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_TO_UNIT = _draws.TO_UNIT

# With few patterns a long transaction may never fill up: after this many in a row that bring nothing new, it
# stays as it is. With the usual parameters a third of the patterns bring nothing, so this never happens.
PATIENCE = 64


@kernel
def fill(
    sizes: NDArray[np.int64],
    patterns: Patterns,
    holder: NDArray[np.int64],
    hand: NDArray[np.int32],
    moved: NDArray[np.int64],
    state: NDArray[np.uint64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
) -> None:
    """Write transactions of about `sizes` items to `indptr` and `indices`, ascending within each.

    The corrupted pattern on its way in lies in `hand`; one moved on to the next transaction is its first `moved[0]`
    items (none if 0), so a call goes on where the last one stopped. `holder` notes, from -1, the last transaction that
    took each item. `indices` must have room for every size plus the longest pattern.
    """
    end = 0
    for t in range(len(sizes)):
        start = end
        misses = 0
        while end - start < sizes[t] and misses < PATIENCE:
            n = moved[0]
            moved[0] = 0
            if n == 0:
                n = _take_pattern(patterns, hand, state)
            fresh = 0
            for i in range(n):
                fresh += holder[hand[i]] != t
            # An empty transaction takes whatever comes, or a long pattern could be moved on for ever.
            if start < end and end - start + fresh > sizes[t] and _uniform(state) < 0.5:
                moved[0] = n
                break
            for i in range(n):
                item = hand[i]
                if holder[item] != t:
                    holder[item] = t
                    at = end
                    while at > start and indices[at - 1] > item:
                        indices[at] = indices[at - 1]
                        at -= 1
                    indices[at] = item
                    end += 1
            misses = 0 if fresh > 0 else misses + 1
        indptr[t + 1] = end


@kernel
def _take_pattern(patterns: Patterns, hand: NDArray[np.int32], state: NDArray[np.uint64]) -> int:
    """Draw a pattern by weight, drop items as its corruption level has it, and say how many stay."""
    starts, items, bounds, corruption = patterns
    mark = _uniform(state) * bounds[-1]
    j, above = 0, len(bounds) - 1
    while j < above:
        middle = (j + above) // 2
        if bounds[middle] <= mark:
            j = middle + 1
        else:
            above = middle
    n = starts[j + 1] - starts[j]
    for i in range(n):
        hand[i] = items[starts[j] + i]
    while n > 0 and _uniform(state) < corruption[j]:
        n -= 1
        hand[int(_uniform(state) * (n + 1))] = hand[n]
    return n  # type: ignore[no-any-return]


@kernel
def _uniform(state: NDArray[np.uint64]) -> float:
    """The next number of the stream, as `Draws.uniform`."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return float((z ^ (z >> _31)) >> _11) * _TO_UNIT
