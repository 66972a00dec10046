"""Kernel for sides of hidden splits: which join values a split summary shows on one side, in one pass over a level."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.join.tree.entries import Entries, SplitSummary

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


class JoinValues(NamedTuple):
    """What is known of join values: that of each record, the records behind each, what a record stood for at the root.

    `behind` is 0 where it is not known.
    """

    keys: I32
    behind: I64
    at_root: I64


class Marks(NamedTuple):
    """Join values to look at; those found on one side; those that may still be shown there."""

    wanted: Flags
    found: Flags
    left: Flags


@kernel
def mark_one_sided(
    values: JoinValues, level: Entries, first: I64, after: I64, summary: SplitSummary, marks: Marks
) -> None:
    """Mark as `found` the wanted join values that a split shows on one side, as `left` those that may still be shown.

    The open children of the i-th node of the level are `first[i]:after[i]` of the summary (first -1: it is not split).
    A join value can be shown where it is undivided: where as many of its records are at the node as are behind it, or,
    where that is not known, one of them still stands for all it stood for at the root.
    """
    keys, behind, wanted = values.keys, values.behind, marks.wanted
    child_start, child_keys, child_counts = summary.start, summary.keys, summary.counts
    shared = len(wanted)
    here, weight, largest = np.zeros(shared, np.int64), np.zeros(shared, np.int64), np.zeros(shared, np.int64)
    whole, seen = np.zeros(shared, np.bool_), np.empty(shared, np.int32)
    for i in range(len(level.start)):
        n = 0
        for e in range(level.start[i], level.stop[i]):
            key = keys[level.rows[e]]
            if not wanted[key]:
                continue
            stands_for = level.counts[e].sum()
            if here[key] == 0:
                seen[n] = key
                n += 1
            here[key] += 1
            weight[key] += stands_for
            whole[key] |= stands_for == values.at_root[level.rows[e]]
        if first[i] >= 0:
            for e in range(child_start[first[i]], child_start[after[i]]):
                largest[child_keys[e]] = max(largest[child_keys[e]], child_counts[e].sum())
        for t in range(n):
            key = seen[t]
            undivided = here[key] == behind[key] if behind[key] > 0 else whole[key]
            if undivided:
                marks.left[key] = True
                if first[i] >= 0 and (largest[key] == weight[key] or largest[key] == 0):
                    marks.found[key] = True
            here[key] = weight[key] = 0
            whole[key] = False
        if first[i] >= 0:
            for e in range(child_start[first[i]], child_start[after[i]]):
                largest[child_keys[e]] = 0
