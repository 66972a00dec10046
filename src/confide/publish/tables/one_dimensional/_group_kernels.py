"""Groups of different sensitive values along a line, joined until they keep the rules, and the nodes that hold them."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


@kernel
def diverse_groups(order: I64, value: I32, n_values: int, l: int) -> tuple[I64, I64]:  # noqa: E741 - the paper's letter
    """Rows in groups of `l` or a little more, all of different values; the last may hold values several times.

    `order` are the rows along the line. Every value has a bucket of its rows in that order. A group takes the first
    rows of the buckets that are next on the line, one of each; but a bucket that would be more than 1/l of what is left
    goes first, so that the rest always stays eligible. Where no such group exists, all that is left is one group.
    Returns the rows in the order of their groups, and where each group begins (and the last ends).
    """
    n = len(order)
    size = np.zeros(n_values, np.int64)
    for i in range(n):
        size[value[order[i]]] += 1
    begin = np.zeros(n_values + 1, np.int64)
    for v in range(n_values):
        begin[v + 1] = begin[v] + size[v]
    head = begin[:-1].copy()
    place_of = np.empty(n, np.int64)  # by bucket: the places of its rows on the line
    for i in range(n):
        v = value[order[i]]
        place_of[head[v]] = i
        head[v] += 1
    head = begin[:-1].copy()
    rows = np.empty(n, np.int64)
    starts = np.empty(n // l + 2, np.int64)
    starts[0] = 0
    groups, used = 0, 0
    taken = np.empty(n_values, np.bool_)
    while used < n:
        left = n - used
        nonempty = 0
        for v in range(n_values):
            nonempty += size[v] > 0
        width = l
        chosen = False
        while width <= nonempty and not chosen:
            urgent = 0
            for v in range(n_values):
                taken[v] = size[v] > 0 and size[v] * l > left - width
                urgent += taken[v]
            if urgent <= width:
                chosen = True
                for v in range(n_values):
                    if taken[v] and (size[v] - 1) * l > left - width:
                        chosen = False
            if not chosen:
                width += 1
        if not chosen:
            for v in range(n_values):
                while size[v] > 0:
                    rows[used] = order[place_of[head[v]]]
                    used += 1
                    head[v] += 1
                    size[v] -= 1
        else:
            count = 0
            for v in range(n_values):
                count += taken[v]
            while count < width:
                best, where = n, -1
                for v in range(n_values):
                    if size[v] > 0 and not taken[v] and place_of[head[v]] < best:
                        best, where = place_of[head[v]], v
                taken[where] = True
                count += 1
            for v in range(n_values):
                if taken[v]:
                    rows[used] = order[place_of[head[v]]]
                    used += 1
                    head[v] += 1
                    size[v] -= 1
        groups += 1
        starts[groups] = used
    return rows, starts[: groups + 1].copy()


@kernel
def join_until_ok(rules: Rules, values: I32, width: int, rows: I64, starts: I64) -> I64:
    """Join neighbouring groups until each keeps the rules; returns where those begin (and the last ends).

    What is left at the end joins the group before it, and that the one before, until they keep the rules together.
    `values[row, c]` are places in a histogram of this width.
    """
    hist = np.zeros(width, np.int64)
    found = np.empty(len(starts), np.int64)
    found[0] = starts[0]
    count = 0
    size = np.int64(0)
    for g in range(len(starts) - 1):
        for place in range(starts[g], starts[g + 1]):
            size += 1
            for c in range(values.shape[1]):
                hist[values[rows[place], c]] += 1
        if group_ok(rules, size, hist):
            count += 1
            found[count] = starts[g + 1]
            hist[:] = 0
            size = np.int64(0)
    while size > 0 and not group_ok(rules, size, hist):
        if count == 0:
            break
        for place in range(found[count - 1], found[count]):
            size += 1
            for c in range(values.shape[1]):
                hist[values[rows[place], c]] += 1
        count -= 1
    if size > 0:
        count += 1
        found[count] = starts[-1]
    return found[: count + 1].copy()


@kernel
def smallest_nodes(
    leaves: I32, rows: I64, starts: I64, nodes: I32, level_at: I64, lowest: I64, highest: I64
) -> tuple[I32, I32]:
    """For each group and column, the lowest level at which all its rows are one node, and that node."""
    groups, m = len(starts) - 1, leaves.shape[1]
    level_of, node_of = np.empty((groups, m), np.int32), np.empty((groups, m), np.int32)
    for g in range(groups):
        for j in range(m):
            level = lowest[j]
            place = starts[g] + 1
            node = nodes[level_at[j, level] + leaves[rows[starts[g]], j]]
            while place < starts[g + 1]:
                if nodes[level_at[j, level] + leaves[rows[place], j]] == node:
                    place += 1
                elif level == highest[j]:
                    level = -1  # never: rows are of one node at the highest level
                    break
                else:
                    # rows that agreed below agree above: go on from here
                    level += 1
                    node = nodes[level_at[j, level] + leaves[rows[starts[g]], j]]
            level_of[g, j], node_of[g, j] = level, node
    return level_of, node_of
