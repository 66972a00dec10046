"""One walk over each perturbed record: which frequent itemsets it holds, found through their prefix tree.

Node i of the tree is itemset i in canonical order (by length, then by codes), so the children of a node are
neighbours: first_child[i] .. first_child[i + 1]. The items of node i stand at offsets[i] .. of the flat arrays.

A record costs about as much as the itemsets it holds, and their children; records that hold none cost their length.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["ItemsetTree", "KnownRecords", "walk"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


class KnownRecords(NamedTuple):
    """Each true record and, in the same place, what was seen of it: items by code."""

    true_ptr: I64
    true_items: I32
    seen_ptr: I64
    seen_items: I32


class ItemsetTree(NamedTuple):
    """The itemsets as a tree; `root_of[item]` is the node of the item alone, or -1; `depth` is the longest length."""

    root_of: I64
    first_child: I64
    item_of: I32
    offsets: I64
    depth: int


@kernel
def walk(
    records: KnownRecords, tree: ItemsetTree, tallying: bool, times: I64, hits: I64, breach: F64
) -> tuple[float, int]:
    """With `tallying`, count into `times` the perturbed records that hold each itemset, and into `hits` those of them
    whose true record has the item at each place. Without, return (sum of the worst breaches, how many) over the true
    1s that are still seen and belong to frequent items."""
    true_ptr, true_items, seen_ptr, seen_items = records
    root_of, first_child, item_of, offsets, depth = tree
    n_items = len(root_of)
    held = np.full(n_items, -1, np.int64)  # record in which an item was last truly held, and last seen
    seen = np.full(n_items, -1, np.int64)
    worst = np.zeros(n_items)
    path = np.empty(depth, np.int64)
    following = np.empty(depth + 1, np.int64)
    last = np.empty(depth + 1, np.int64)
    total = 0.0
    ones = 0
    for t in range(len(true_ptr) - 1):
        for i in range(true_ptr[t], true_ptr[t + 1]):
            held[true_items[i]] = t
        for i in range(seen_ptr[t], seen_ptr[t + 1]):
            seen[seen_items[i]] = t
            worst[seen_items[i]] = 0.0
        for i in range(seen_ptr[t], seen_ptr[t + 1]):
            root = root_of[seen_items[i]]
            if root < 0:
                continue
            following[0] = root
            last[0] = root + 1
            level = 0
            while level >= 0:
                node = following[level]
                if node == last[level]:
                    level -= 1
                    continue
                following[level] = node + 1
                if seen[item_of[node]] != t:
                    continue
                path[level] = item_of[node]
                at = offsets[node]
                if tallying:
                    times[node] += 1
                    for j in range(level + 1):
                        hits[at + j] += held[path[j]] == t
                else:
                    for j in range(level + 1):
                        if breach[at + j] > worst[path[j]]:
                            worst[path[j]] = breach[at + j]
                if first_child[node] < first_child[node + 1]:
                    level += 1
                    following[level] = first_child[node]
                    last[level] = first_child[node + 1]
        if not tallying:
            for i in range(seen_ptr[t], seen_ptr[t + 1]):
                item = seen_items[i]
                if held[item] == t and root_of[item] >= 0:
                    total += worst[item]
                    ones += 1
    return total, ones
