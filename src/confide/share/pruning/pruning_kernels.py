"""Anonymity-guided tree pruning (paper 002, Figure 6) on flat arrays: which children of each node become one leaf.

    propagate       what every inner node stands for, from its children up          (section 4.1)
    prune           the nodes from the last to the first, so children before parents (section 4.2)
      _merge        the children of one node: while one fails, the failed child with the largest hit / (hit + miss)
                    takes the sibling that the rules name; the two become one leaf, tested again

Children of different nodes do not meet, so going by node instead of by level changes nothing. Time is linear in the
nodes. Among n children of one node each of at most n - 1 merges asks for a sibling (`_search_kernels`): n log n for
k-anonymity. For diversity a sibling must be right in every class at once, a search in as many dimensions, for which no
n log n is known; what it costs depends on the children. In 315 shapes (4 and 14 classes, shares even, skewed or
dominated by one class, records 1 to 20 or by Zipf's law, seven requirements, three modes) 20,000 children take 0.01 to
0.8 s. From 20,000 to 80,000 the looks grow 4.7 times in the median (n log n: 4.6), above 5.5 times in one shape of
four, up to 14 times; time grows 5.7 times in the median, up to 12 times. Farthest from n log n are l equal to the
number of classes, where only a mirror image mends a child, and recursive diversity with many classes and l above 4.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import add_into, copy_into
from confide.core.runtime.jit import kernel
from confide.share.pruning._merit_kernels import line_of, merits, weigh
from confide.share.pruning._search_kernels import (
    DID,
    DID_RECORDS,
    MANY,
    NOBODY,
    UNKNOWN,
    UP_TO,
    SearchRoom,
    first_that_does,
    slot_of,
)
from confide.share.pruning._sibling_kernels import (
    ABOVE,
    FIRST,
    IN_A_LEAF,
    LARGEST,
    LIKE,
    MADE,
    MERITS,
    Siblings,
    cut_up,
    insert,
    likeness,
    parts_for,
    remove,
)
from confide.share.pruning.leaf_kernels import ESTIMATED, EXACT, SOUND, estimate, fill, less, passes
from confide.share.pruning.leaf_tests import LeafTest

I64 = NDArray[np.int64]
Bits = NDArray[np.bool_]


@kernel
def _conclude(i: int, label: I64, hit: I64, x: I64, e: I64, mode: int) -> None:
    """The class and hit of node i from numbers that add up: counts, or e, the sums of Equation 2 times m - 1."""
    if mode == EXACT:
        label[i] = np.argmax(x[i])
        hit[i] = x[i, label[i]]
    else:
        label[i] = np.argmax(e[i])
        hit[i] = (e[i, label[i]] + max(1, e.shape[1] - 1) - 1) // max(1, e.shape[1] - 1)


@kernel
def propagate(start: I64, child: I64, total: I64, label: I64, hit: I64, x: I64, e: I64, mode: int) -> None:
    """Fill in (class, hit, miss) and the numbers of the classes of every inner node; leaves are given.

    `e` is used under bounds only: they do not say which class is the commonest, so that is estimated, leaf by leaf.
    """
    nodes, m = x.shape
    hits, misses = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for v in range(nodes - 1, -1, -1):
        low, high = start[v], start[v + 1]
        if low == high:
            continue
        below = child[low:high]
        total[v] = 0
        for i in range(low, high):
            total[v] += total[child[i]]
        if mode == ESTIMATED:
            label[v], hit[v] = estimate(total[below], hit[below], label[below], m, hits, misses)
            fill(x[v], total[v], hit[v], label[v], mode)
            continue
        x[v] = 0
        for i in range(low, high):
            add_into(x[v], x[child[i]])
        if mode == SOUND:
            e[v] = 0
            for i in range(low, high):
                add_into(e[v], e[child[i]])
        _conclude(v, label, hit, x, e, mode)


@kernel
def _worse(hit_a: int, n_a: int, a: int, hit_b: int, n_b: int, b: int) -> bool:
    """Whether failed child a is merged before b: by hit ratio, then by number. Nobody's ratio is 0."""
    if n_a == 0 or n_b == 0:
        return n_a > 0 if n_a != n_b else a < b
    if less(hit_b, n_b, hit_a, n_a):
        return True
    return a < b and not less(hit_a, n_a, hit_b, n_b)


@kernel
def _push(heap: I64, size: int, a: int, hit: int, n: int) -> int:
    """Rows of the heap: child, hit, records, as they were when it was put there."""
    at = size
    while at > 0:
        up = (at - 1) // 2
        if not _worse(hit, n, a, heap[up, 1], heap[up, 2], heap[up, 0]):
            break
        heap[at, 0], heap[at, 1], heap[at, 2] = heap[up, 0], heap[up, 1], heap[up, 2]
        at = up
    heap[at, 0], heap[at, 1], heap[at, 2] = a, hit, n
    return size + 1


@kernel
def _pop(heap: I64, size: int) -> int:
    """Drop the first row."""
    size -= 1
    a, hit, n = heap[size, 0], heap[size, 1], heap[size, 2]
    at = 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and _worse(
            heap[down + 1, 1], heap[down + 1, 2], heap[down + 1, 0], heap[down, 1], heap[down, 2], heap[down, 0]
        ):
            down += 1
        if not _worse(heap[down, 1], heap[down, 2], heap[down, 0], hit, n, a):
            break
        heap[at, 0], heap[at, 1], heap[at, 2] = heap[down, 0], heap[down, 1], heap[down, 2]
        at = down
    heap[at, 0], heap[at, 1], heap[at, 2] = a, hit, n
    return size


@kernel
def merge_children(
    total: I64, label: I64, hit: I64, x: I64, e: I64, fails: Bits, into: I64, test: LeafTest
) -> Any:  # fmt: skip
    """Merge the children of one node until none fails or one is left; gives how many are left, and the looks it took.

    All arrays are of the children, in order, and are changed: into[b] becomes a where b was merged into a, and a
    then stands for both. A look judges one sibling, or one part of the siblings.
    """
    mode, kind, _, ell, _, _ = test
    n, m = x.shape
    records = 0
    for i in range(n):
        records += total[i]
    line = line_of(records, m, test)
    wide = merits(line, m, kind, ell) if n > IN_A_LEAF else 1  # nothing is cut where all are in one leaf
    parts, slots = parts_for(n), 1
    while n >= MANY and 3 * slots < 4 * n:
        slots *= 2
    part, note = np.empty((parts, LARGEST + wide), dtype=np.int64), np.empty((n, MERITS + wide), dtype=np.int64)
    free, todo = np.arange(parts, -1, -1), np.empty((parts, 3), dtype=np.int64)
    free[0] = parts - 2  # all but 0 and 1
    kinds = np.full((slots, 1 + m), UNKNOWN, dtype=np.int64)
    known = np.full((slots, 2, 3), UNKNOWN, dtype=np.int64)
    sum_, spare = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    members, looks = np.empty(n, dtype=np.int64), np.zeros(1, dtype=np.int64)
    siblings = Siblings(part, note, total, free, line, m, todo, members)
    room = SearchRoom(np.empty(parts, dtype=np.int64), sum_, spare, looks)
    hits, misses = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    pair_total, pair_hit, pair_label = (
        np.empty(2, dtype=np.int64),
        np.empty(2, dtype=np.int64),
        np.empty(2, dtype=np.int64),
    )
    heap, size, alive = np.empty((2 * n, 3), dtype=np.int64), 0, n
    common = np.argmax(x.sum(axis=0))
    for i in range(n):
        into[i] = i
        note[i, MADE], note[i, LIKE] = 0, likeness(total[i], x[i])
        weigh(note[i, MERITS:], total[i], x[i], line, ell, common, spare)
        if fails[i]:
            size = _push(heap, size, i, hit[i], total[i])
    for side in range(2):
        held = 0
        for i in range(n):
            if fails[i] == (side == 1):
                members[held] = i
                held += 1
        part[side, ABOVE] = -1
        cut_up(side, members[:held], siblings)
    while alive > 1 and size > 0:
        a = heap[0, 0]
        fresh = into[a] == a and fails[a] and heap[0, 1] == hit[a] and heap[0, 2] == total[a]
        size = _pop(heap, size)
        if not fresh:
            continue
        remove(a, siblings)
        b, slot = -1, slot_of(total[a], x[a], note[a, LIKE], kinds) if n >= MANY else 0
        for side in (1, 0):
            if b >= 0:
                break
            b = first_that_does(side, a, x, known[slot, side], siblings, room, test)
            if n >= MANY:
                known[slot, side, UP_TO] = n - alive
                known[slot, side, DID_RECORDS], known[slot, side, DID] = (NOBODY, 0) if b < 0 else (total[b], b)
        for side in (1, 0):
            if b < 0:
                b = part[side, FIRST]
        remove(b, siblings)
        into[b] = a
        alive -= 1
        pair_total[0], pair_hit[0], pair_label[0] = total[a], hit[a], label[a]
        pair_total[1], pair_hit[1], pair_label[1] = total[b], hit[b], label[b]
        total[a] += total[b]
        if mode == ESTIMATED:
            label[a], hit[a] = estimate(pair_total, pair_hit, pair_label, m, hits, misses)
            fill(x[a], total[a], hit[a], label[a], mode)
        else:
            add_into(x[a], x[b])
            if mode == SOUND:
                add_into(e[a], e[b])
            _conclude(a, label, hit, x, e, mode)
        fails[a] = not passes(total[a], x[a], spare, test)
        note[a, MADE], note[a, LIKE] = n - alive, likeness(total[a], x[a])
        weigh(note[a, MERITS:], total[a], x[a], line, ell, common, spare)
        insert(1 if fails[a] else 0, a, siblings)
        if fails[a]:
            size = _push(heap, size, a, hit[a], total[a])
    return alive, looks[0]


@kernel
def prune(
    start: I64, child: I64, total: I64, label: I64, hit: I64, x: I64, e: I64, test: LeafTest
) -> Any:  # fmt: skip
    """Anonymise a tree; gives (into, leaf, fails).

    The children of node v are child[start[v]:start[v + 1]]; the other arrays have a row a node and are changed. A
    node with into[i] != i was merged into that sibling. Where leaf[v] holds, v is a leaf now, and its row says what
    it stands for. Only a root that is a leaf may fail in the end: then nothing can be published.
    """
    mode, (nodes, m) = test.mode, x.shape
    into, leaf = np.arange(nodes), np.zeros(nodes, dtype=np.bool_)
    fails, spare = np.zeros(nodes, dtype=np.bool_), np.empty(m, dtype=np.int64)
    for v in range(nodes - 1, -1, -1):
        low, high = start[v], start[v + 1]
        if low == high:
            leaf[v] = True
            fails[v] = not passes(total[v], x[v], spare, test)
            continue
        failing = 0
        for i in range(low, high):
            failing += fails[child[i]]
        if failing == 0:
            continue
        below = child[low:high]
        t, y, h, f, to = total[below], label[below], hit[below], fails[below], np.empty_like(below)
        w, d = x[below], (e[below] if mode == SOUND else e)
        left, _ = merge_children(t, y, h, w, d, f, to, test)
        for i in range(high - low):
            u = below[i]
            into[u] = below[to[i]]
            if to[i] != i:
                leaf[u], leaf[into[u]] = True, True
            total[u], label[u], hit[u], fails[u] = t[i], y[i], h[i], f[i]
            copy_into(x[u], w[i])
            if mode == SOUND:
                copy_into(e[u], d[i])
        if left == 1:
            only = below[0]
            while into[only] != only:
                only = into[only]
            leaf[v] = True
            total[v], label[v], hit[v], fails[v] = total[only], label[only], hit[only], fails[only]
            copy_into(x[v], x[only])
            if mode == SOUND:
                copy_into(e[v], e[only])
    return into, leaf, fails


@kernel
def lay_out(start: I64, child: I64, root: I64, leaf: Bits) -> Any:
    """What stays of a pruned tree, from the root down: (order, number, start, child, plain).

    `root[u]` is the sibling that stands for u in the end. `order` lists the nodes that stay, `number` is the place of
    each among them (-1 if gone); `start` and `child` are of the new tree; plain[v] says that no child of v was merged.
    """
    nodes = len(leaf)
    order, number = np.empty(nodes, dtype=np.int64), np.full(nodes, -1, dtype=np.int64)
    stack, plain = np.empty(nodes, dtype=np.int64), np.ones(nodes, dtype=np.bool_)
    kept, depth = 0, 1
    stack[0] = 0
    while depth > 0:
        depth -= 1
        v = stack[depth]
        order[kept], number[v] = v, kept
        kept += 1
        if leaf[v]:
            continue
        for i in range(start[v + 1] - 1, start[v] - 1, -1):
            if root[child[i]] == child[i]:
                stack[depth] = child[i]
                depth += 1
            else:
                plain[v] = False
    below, begin = np.empty(max(0, kept - 1), dtype=np.int64), np.zeros(kept + 1, dtype=np.int64)
    made = 0
    for k in range(kept):
        v = order[k]
        if not leaf[v]:
            for i in range(start[v], start[v + 1]):
                if root[child[i]] == child[i]:
                    below[made] = number[child[i]]
                    made += 1
        begin[k + 1] = made
    return order[:kept].copy(), number, begin, below, plain
