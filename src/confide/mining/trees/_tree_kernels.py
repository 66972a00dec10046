"""Kernels that grow a decision tree: arrays in, arrays out.

Scores are those of `impurity_kernels`.

    grow              the nodes, breadth first; for each one
      a loop over columns: what each gains
        numeric       one walk along the records in the column's order moves them, and masses, from right to left;
                      missing numbers come last in that order, so they stay on the right; a second walk has them left
        categorical   class counts of each value, one pass over the records
      choose_column   which column is taken
      _add_children   the nodes below it
      _partition      their records, in every order
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.trees.arrays import (
    COLUMN,
    COUNTS,
    CUT_HIGH,
    CUT_LOW,
    DEPTH,
    HIGH,
    LEFT,
    LOW,
    MISSING,
    PARENT,
    RIGHT,
    VALUE,
)
from confide.mining.trees.impurity_kernels import GINI, choose_column, gini_mass, quantised

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


class Records(NamedTuple):
    """`codes[j]` are the codes of column j, `widths[j]` how many there are; `y[i]` is the class of record i.

    A numeric column's codes are ranks, missing numbers having the code widths[j], and `order[order_of[j]]` lists the
    records by them; a categorical column has order_of 0, and order[0] lists the records in any order.
    """

    codes: I32
    order: I32
    order_of: I32
    widths: I32
    y: I32
    classes: int


class Growth(NamedTuple):
    """How to grow: `terms[n]` is n log n as a whole number, `scale` what Gini is multiplied by. No leaf has fewer than
    `min_leaf` records, and at least two branches of a split have `min_branch`."""

    terms: I64
    criterion: int
    scale: float
    min_leaf: int
    min_branch: int
    max_depth: int


class _Room(NamedTuple):
    """Scratch: `branch_of[record]` is the new node that it goes to, `sizes` is zero between uses."""

    branch_of: I32
    spare: I32
    sizes: I64
    seen: I32


@kernel
def _add_children(nodes: I64, made: int, at: int, chosen: int, records: Records, room: _Room) -> Any:
    """Append a node for each branch of node `at`, split by column `chosen`, that records take; give (nodes, grown when
    full, their number). Leaves in `room.branch_of` which of the new nodes each record goes to.
    """
    column, codes, numeric = records.codes[chosen], records.widths[chosen], records.order_of[chosen] > 0
    rows, y, branch_of, sizes, seen = records.order[0], records.y, room.branch_of, room.sizes, room.seen
    low, high = nodes[at, LOW], nodes[at, HIGH]
    for i in range(low, high):
        v = column[rows[i]]
        if numeric:
            right = nodes[at, MISSING] != LEFT if v == codes else v > nodes[at, CUT_LOW]
            v = np.int32(1) if right else np.int32(0)
        branch_of[rows[i]] = v
        sizes[v] += 1
    first, begin = made, low
    for v in range(2 if numeric else codes):
        if sizes[v] == 0:
            continue
        if made == len(nodes):
            larger = np.zeros((2 * made, nodes.shape[1]), dtype=np.int64)
            for k in range(made):
                for c in range(nodes.shape[1]):
                    larger[k, c] = nodes[k, c]
            nodes = larger
        nodes[made, PARENT], nodes[made, VALUE], nodes[made, COLUMN] = at, v, -1
        nodes[made, LOW], nodes[made, HIGH], nodes[made, DEPTH] = begin, begin + sizes[v], nodes[at, DEPTH] + 1
        seen[v] = made - first
        begin += sizes[v]
        sizes[v] = 0
        made += 1
    for i in range(low, high):
        branch_of[rows[i]] = seen[branch_of[rows[i]]]
        nodes[first + branch_of[rows[i]], COUNTS + y[rows[i]]] += 1
    return nodes, made


@kernel
def _partition(order: I32, low: int, high: int, nodes: I64, first: int, made: int, room: _Room) -> None:
    """Sort low..high of every order by the new nodes first..made-1, stably."""
    branch_of, spare, fill = room.branch_of, room.spare, room.sizes
    for lists in range(len(order)):
        listed = order[lists]
        for k in range(first, made):
            fill[k - first] = nodes[k, LOW]
        for i in range(low, high):
            k = branch_of[listed[i]]
            spare[fill[k]] = listed[i]
            fill[k] += 1
        for i in range(low, high):
            listed[i] = spare[i]
    for k in range(made - first):
        fill[k] = 0


@kernel
def grow(records: Records, growth: Growth) -> I64:
    """Grow a tree; one row of the result a node, columns as named above, children after their parent.

    The records of a node are one stretch LOW..HIGH of every order, because splitting a node partitions its stretch
    stably. COLUMN is -1 in a leaf. The codes at a numeric cut are CUT_LOW (the last to go left) and CUT_HIGH (the first
    to go right; widths[j] where all numbers go left and only missing ones right); MISSING is LEFT where missing numbers
    gain more there, else RIGHT, 0 where there are none; VALUE is the code, or 0 for left and 1 for right, that leads
    from the parent to the node.
    """
    codes, order, order_of, widths, y, classes = records
    terms, criterion, scale, min_leaf, min_branch, max_depth = growth
    columns, n = codes.shape
    least = max(min_leaf, min_branch)  # both sides of a cut are leaves, and its only two branches
    widest = 2
    for j in range(columns):
        if order_of[j] == 0:
            widest = max(widest, widths[j])
    rows = order[0]
    avc, sizes = np.zeros((widest, classes), dtype=np.int64), np.zeros(widest, dtype=np.int64)
    seen, left = np.empty(widest, dtype=np.int32), np.zeros(classes, dtype=np.int64)
    room = _Room(np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32), sizes, seen)
    gains, infos = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    cuts = np.zeros((columns, 3), dtype=np.int64)
    nodes = np.zeros((64, COUNTS + classes), dtype=np.int64)
    nodes[0, PARENT], nodes[0, COLUMN], nodes[0, HIGH] = -1, -1, n
    for i in range(n):
        nodes[0, COUNTS + y[i]] += 1
    made = 1
    at = -1
    while at + 1 < made:
        at += 1
        low, high = nodes[at, LOW], nodes[at, HIGH]
        total = high - low
        whole_terms, whole_squares = 0, 0.0
        for c in range(classes):
            count = nodes[at, COUNTS + c]
            whole_terms += terms[count]
            whole_squares += float(count) * float(count)
        whole = gini_mass(total, whole_squares, scale) if criterion == GINI else terms[total] - whole_terms
        if whole == 0 or total < 2 * least or nodes[at, DEPTH] >= max_depth:
            continue
        # What each column gains. In here, since a call for each column and node would cost a tenth of the time.
        for j in range(columns):
            gains[j], infos[j], cuts[j, 2] = 0, 0, 0
            column = codes[j]
            if order_of[j] > 0:
                ranked = order[order_of[j]]
                if column[ranked[low]] == column[ranked[high - 1]]:
                    continue
                end = high
                while column[ranked[end - 1]] == widths[j]:
                    end -= 1
                absent, best = high - end, 0
                for side in range(1 if absent == 0 else 2):
                    for c in range(classes):
                        left[c] = 0
                    left_terms, right_terms = 0, whole_terms
                    left_squares, right_squares = 0.0, whole_squares
                    if side == 1:
                        for i in range(end, high):
                            left[y[ranked[i]]] += 1
                        for c in range(classes):
                            on_left, all_of = left[c], nodes[at, COUNTS + c]
                            left_terms += terms[on_left]
                            right_terms += terms[all_of - on_left] - terms[all_of]
                            left_squares += float(on_left) * float(on_left)
                            right_squares += float(on_left) * float(on_left) - 2.0 * float(on_left) * float(all_of)
                    for i in range(low, min(end, high - 1) if side == 0 else end - 1):
                        c = y[ranked[i]]
                        on_left = left[c]
                        on_right = nodes[at, COUNTS + c] - on_left
                        left[c] = on_left + 1
                        if criterion == GINI:
                            left_squares += 2.0 * on_left + 1.0
                            right_squares -= 2.0 * on_right - 1.0
                        else:
                            left_terms += terms[on_left + 1] - terms[on_left]
                            right_terms += terms[on_right - 1] - terms[on_right]
                        here, following = column[ranked[i]], column[ranked[i + 1]]
                        size = i + 1 - low + side * absent
                        if here == following or size < least or total - size < least:
                            continue
                        if criterion == GINI:
                            parts = gini_mass(size, left_squares, scale)
                            parts += gini_mass(total - size, right_squares, scale)
                        else:
                            parts = terms[size] - left_terms + terms[total - size] - right_terms
                        if quantised(whole - parts) > best:
                            best = quantised(whole - parts)
                            gains[j] = whole - parts
                            infos[j] = terms[total] - terms[size] - terms[total - size]
                            cuts[j, 0], cuts[j, 1] = here, following
                            cuts[j, 2] = 0 if absent == 0 else RIGHT if side == 0 else LEFT
            else:
                values = 0
                for i in range(low, high):
                    v = column[rows[i]]
                    if sizes[v] == 0:
                        seen[values] = v
                        values += 1
                    sizes[v] += 1
                    avc[v, y[rows[i]]] += 1
                parts, large, small, info = 0, 0, 0, terms[total]
                for k in range(values):
                    v = seen[k]
                    part_terms, part_squares = 0, 0.0
                    for c in range(classes):
                        count = avc[v, c]
                        part_terms += terms[count]
                        part_squares += float(count) * float(count)
                        avc[v, c] = 0
                    if criterion == GINI:
                        parts += gini_mass(sizes[v], part_squares, scale)
                    else:
                        parts += terms[sizes[v]] - part_terms
                    info -= terms[sizes[v]]
                    large += sizes[v] >= min_branch
                    small += sizes[v] < min_leaf
                    sizes[v] = 0
                if large >= 2 and small == 0:
                    gains[j], infos[j] = whole - parts, info
        chosen = choose_column(gains, infos, criterion)
        if chosen < 0:
            continue
        nodes[at, COLUMN], nodes[at, CUT_LOW], nodes[at, CUT_HIGH] = chosen, cuts[chosen, 0], cuts[chosen, 1]
        nodes[at, MISSING] = cuts[chosen, 2]
        first = made
        nodes, made = _add_children(nodes, made, at, chosen, records, room)
        _partition(order, low, high, nodes, first, made, room)
    return nodes[:made]


@kernel
def prune(parents: I64, as_leaf: F64, margin: float) -> Any:
    """Which nodes stay; as_leaf[i] are the errors expected of node i as a leaf. Children come after their parent.

    The margin outweighs the order of summation.
    """
    n = len(as_leaf)
    below, inner = np.zeros(n, dtype=np.float64), np.zeros(n, dtype=np.bool_)
    stays = np.ones(n, dtype=np.bool_)
    for i in range(n - 1, -1, -1):
        inner[i] = inner[i] and as_leaf[i] > below[i] + margin
        if i > 0:
            below[parents[i]] += below[i] if inner[i] else as_leaf[i]
            inner[parents[i]] = True
    for i in range(1, n):
        stays[i] = stays[parents[i]] and inner[parents[i]]
    return stays
