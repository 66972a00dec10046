"""Kernels that count candidates: arrays in, arrays out.

Candidates are held in a prefix tree whose nodes are numbered in preorder, so that a subtree is a range:

    {}            node   0  1  2  3  4  5        node 0 is the empty set
    ├── a         item   -  a  b  c  c  b        item on the edge into the node
    │   ├── b     end    6  5  4  4  5  6        the subtree of node i is i .. end[i] - 1;
    │   │   └── c depth  0  1  2  3  2  1        its first child is i + 1, the next one end[i + 1]
    │   └── c
    └── b

Items are renumbered by rank, rarest first, which keeps the record lists of inner nodes short.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]


class PrefixTree(NamedTuple):
    """The candidates as the tree drawn above, and the depth of its deepest node."""

    item: I32
    end: I64
    depth: I32
    height: int


@kernel
def pack_keys(offsets: I64, ranks: I32, bits: int, words: int) -> U64:
    """Keys whose order is that of the sets as words: `64 // bits` items in each of `words` integers, first on
    top.
    """
    keys = np.zeros((words, len(offsets) - 1), dtype=np.uint64)
    per_word = 64 // bits
    for i in range(len(offsets) - 1):
        for k in range(offsets[i + 1] - offsets[i]):
            shift = np.uint64(bits * (per_word - 1 - k % per_word))
            keys[k // per_word, i] |= np.uint64(ranks[offsets[i] + k] + 1) << shift
    return keys


@kernel
def rank_items(offsets: I64, codes: I32, rank: I32) -> I32:
    """The sets with ranks for codes, ascending again; by insertion, since sets are short."""
    ranked = np.empty(len(codes), dtype=np.int32)
    for i in range(len(offsets) - 1):
        for j in range(offsets[i], offsets[i + 1]):
            r = rank[codes[j]]
            k = j
            while k > offsets[i] and ranked[k - 1] > r:
                ranked[k] = ranked[k - 1]
                k -= 1
            ranked[k] = r
    return ranked


@kernel
def build_tree(offsets: I64, ranks: I32, order: I64) -> tuple[I32, I64, I32, I64]:
    """Prefix tree of the sets taken in `order` (ascending as words): item, end, depth, and each set's
    node.
    """
    size = len(ranks) + 1
    item = np.empty(size, dtype=np.int32)
    end = np.empty(size, dtype=np.int64)
    depth = np.empty(size, dtype=np.int32)
    node_of = np.empty(len(order), dtype=np.int64)
    longest = 0
    for i in range(len(order)):
        longest = max(longest, offsets[i + 1] - offsets[i])
    path = np.zeros(longest + 1, dtype=np.int64)
    item[0], depth[0] = -1, 0
    nodes, height = 1, 0
    for place in range(len(order)):
        i = order[place]
        length = offsets[i + 1] - offsets[i]
        common = 0
        while common < length and common < height and item[path[common + 1]] == ranks[offsets[i] + common]:
            common += 1
        while height > common:
            end[path[height]] = nodes
            height -= 1
        while height < length:
            item[nodes] = ranks[offsets[i] + height]
            height += 1
            depth[nodes] = height
            path[height] = nodes
            nodes += 1
        node_of[i] = path[length]
    while height >= 0:
        end[path[height]] = nodes
        height -= 1
    return item[:nodes], end[:nodes], depth[:nodes], node_of


@kernel
def arrange(indptr: I64, indices: I32, rank: I32, ranks: int) -> tuple[I64, I32]:
    """Records as ascending ranks of the items that have one, each record closed by the sentinel `ranks`.

    Two transpositions sort every record in time linear in the database.
    """
    n = len(indptr) - 1
    column = np.zeros(ranks + 2, dtype=np.int64)
    starts = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        kept = 1
        for j in range(indptr[i], indptr[i + 1]):
            r = rank[indices[j]]
            if r >= 0:
                column[r + 2] += 1
                kept += 1
        starts[i + 1] = starts[i] + kept
    for r in range(ranks):
        column[r + 2] += column[r + 1]
    records = np.empty(column[ranks + 1], dtype=np.int32)
    for i in range(n):
        for j in range(indptr[i], indptr[i + 1]):
            r = rank[indices[j]]
            if r >= 0:
                records[column[r + 1]] = i
                column[r + 1] += 1
    rows = np.empty(starts[n], dtype=np.int32)
    fill = np.empty(n, dtype=np.int64)
    for i in range(n):
        fill[i] = starts[i]
        rows[starts[i + 1] - 1] = ranks
    for r in range(ranks):
        for j in range(column[r], column[r + 1]):
            i = records[j]
            rows[fill[i]] = r
            fill[i] += 1
    return starts, rows


@kernel
def count_by_delivery(
    starts: I64, rows: I32, first: int, last: int, ranks: int, item: I32, end: I64, budget: int
) -> tuple[I64, int]:
    """Count every node over records first..last-1 by handing occurrences down the tree; also the work done.

    An occurrence of a node is a position in `rows`, just after the node's item: the rest of that record says
    which children occur there too. Work is the number of positions read; when it passes `budget` the work is
    returned as -1 and the counts mean nothing.
    """
    nodes = len(item)
    tally = np.zeros(nodes, dtype=np.int64)
    child_of = np.zeros(ranks + 1, dtype=np.int64)  # 0, the root's own slot, takes what no child wants
    list_at = np.zeros(ranks + 1, dtype=np.int64)  # 0 means none: the root's own list is there
    # Occurrence lists live on one stack: a node's children are stored above its own list, and the child that
    # was pushed last is expanded first, so everything above the list in hand is free.
    occurrences = np.empty(max(1024, 2 * (last - first)), dtype=np.int64)
    for i in range(last - first):
        occurrences[i] = starts[first + i]
    stack_node = np.empty(nodes, dtype=np.int64)
    stack_lo = np.empty(nodes, dtype=np.int64)
    stack_hi = np.empty(nodes, dtype=np.int64)
    stack_node[0], stack_lo[0], stack_hi[0] = 0, 0, last - first
    height, work = 1, 0
    while height > 0:
        height -= 1
        node, lo, hi = stack_node[height], stack_lo[height], stack_hi[height]
        child, highest = node + 1, -1
        while child < end[node]:
            highest = item[child]
            child_of[highest] = child
            child = end[child]
        for o in range(lo, hi):
            position = occurrences[o]
            begin = position
            r = rows[position]
            while r <= highest:
                tally[child_of[r]] += 1
                position += 1
                r = rows[position]
            work += position - begin + 1
        if work > budget:
            return tally, -1
        top = hi
        child = node + 1
        deepest = -1
        while child < end[node]:
            child_of[item[child]] = 0
            if end[child] > child + 1 and tally[child] > 0:
                deepest = item[child]
                list_at[deepest] = top
                stack_node[height], stack_lo[height], stack_hi[height] = child, top, top + tally[child]
                top += tally[child]
                height += 1
            child = end[child]
        if deepest < 0:
            continue
        if top > len(occurrences):
            larger = np.empty(2 * top, dtype=np.int64)
            for o in range(hi):
                larger[o] = occurrences[o]
            occurrences = larger
        for o in range(lo, hi):
            position = occurrences[o]
            r = rows[position]
            while r <= deepest:
                position += 1
                if list_at[r] > 0:
                    occurrences[list_at[r]] = position
                    list_at[r] += 1
                r = rows[position]
        child = node + 1
        while child < end[node]:
            list_at[item[child]] = 0
            child = end[child]
    tally[0] = last - first
    return tally, work


@kernel
def count_by_bitmaps(starts: I64, rows: I32, first: int, last: int, ranks: int, tree: PrefixTree, words: int) -> I64:
    """Count every node over records first..last-1 by intersecting bitmaps, 64 * `words` records at a time."""
    item, end, depth, height = tree
    nodes = len(item)
    tally = np.zeros(nodes, dtype=np.int64)
    bits = np.empty((ranks, words), dtype=np.uint64)
    path = np.empty((height + 1, words), dtype=np.uint64)
    for w in range(words):
        path[0, w] = ~np.uint64(0)
    one = np.uint64(1)
    for block in range(first, last, 64 * words):
        for r in range(ranks):
            for w in range(words):
                bits[r, w] = np.uint64(0)
        for i in range(block, min(block + 64 * words, last)):
            word, bit = (i - block) >> 6, one << np.uint64((i - block) & 63)
            for j in range(starts[i], starts[i + 1] - 1):
                bits[rows[j], word] |= bit
        node = 1
        while node < nodes:
            above, own = path[depth[node] - 1], bits[item[node]]
            found = np.uint64(0)
            if end[node] == node + 1:
                for w in range(words):
                    found += popcount(above[w] & own[w])
                node += 1
                tally[node - 1] += np.int64(found)
                continue
            here = path[depth[node]]
            for w in range(words):
                both = above[w] & own[w]
                here[w] = both
                found += popcount(both)
            tally[node] += np.int64(found)
            node = node + 1 if found > 0 else end[node]
    tally[0] = last - first
    return tally
