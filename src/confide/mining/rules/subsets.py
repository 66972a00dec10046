"""Sets inside sets: all subsets of given itemsets, closed itemsets expanded, and positions of many sets at
once.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.mining.counting.candidates import Candidates, encode

__all__ = ["all_subsets", "check_itemsets", "expand_closed", "positions"]

# 2**40 subsets fill no machine; one set of that length is surely a mistake.
LONGEST = 40


def check_itemsets(given: object) -> None:
    """Refuse what is not an `Itemsets`, and say where to get one."""
    if not isinstance(given, Itemsets):
        raise UsageError(
            f"itemsets are needed here, not {type(given).__name__}; give what frequent_itemsets returned, or "
            "Itemsets.from_pairs"
        )


def positions(itemsets: Itemsets, wanted: Candidates) -> NDArray[np.int64]:
    """Find each wanted set's position in `itemsets`, or -1 where it is not among them.

    `wanted` is given as to `itemset_supports`; a pair of arrays holds codes of `itemsets.labels`. Takes about
    0.2 microseconds a set, where `Itemsets.support_of` reads every set for each question.

    >>> found = Itemsets.from_pairs([(("a",), 3), (("a", "b"), 2)], n_transactions=4)
    >>> positions(found, [["b", "a"], ["b"]]).tolist()
    [1, -1]
    """
    from confide.mining.rules import _subset_kernels as kernels

    offsets, codes = encode(wanted, itemsets.labels)
    sets = itemsets.coded()
    return kernels.look_up(kernels.build_table(*sets), *sets, offsets, codes)


def all_subsets(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Make every distinct subset of the given sets, by ascending length, each with the largest value above
    it.

    Works downwards, one length at a time, so that a subset many sets share is made once for each of its
    supersets one item longer, not once for each given set. The empty set comes first whenever there is any
    set at all.
    """
    from confide.mining.rules import _subset_kernels as kernels

    lengths = np.diff(offsets)
    longest = int(lengths.max()) if len(lengths) else -1
    if longest > LONGEST:
        raise UsageError(f"an itemset of {longest} items has 2**{longest} subsets; give sets of at most {LONGEST}")
    items, best = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    levels: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []
    for n in range(longest, -1, -1):
        given = np.flatnonzero(lengths == n)
        chosen = np.ascontiguousarray(codes[offsets[given][:, None] + np.arange(n)].ravel(), dtype=np.int32)
        items, best = kernels.shorter_by_one(n + 1, items, best, chosen, values[given])
        levels.append((items, best))
    levels.reverse()
    sizes = np.repeat(np.arange(len(levels)), [len(best) for _, best in levels])
    return (
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([items for items, _ in levels] or [items]),
        np.concatenate([best for _, best in levels] or [best]),
    )


def expand_closed(closed: Itemsets) -> Itemsets:
    """Turn all closed frequent itemsets into all frequent itemsets, with exact supports.

    The support of a set is the largest support among the closed sets that hold it. Exact when `closed` holds
    every closed set down to its threshold; maximal sets do not suffice, since they do not carry their
    subsets' supports.

    >>> closed = Itemsets.from_pairs([(("a",), 3), (("a", "b"), 2)], n_transactions=4)
    >>> list(expand_closed(closed))
    [(('a',), 3), (('b',), 2), (('a', 'b'), 2)]
    """
    check_itemsets(closed)
    offsets, codes, supports = all_subsets(*closed.coded(), closed.supports.astype(np.int64, copy=False))
    empty_given = bool(np.any(closed.lengths == 0))
    start = 0 if empty_given or len(supports) == 0 else 1
    return Itemsets.from_arrays(
        offsets[start:], codes, supports[start:], labels=closed.labels, n_transactions=closed.n_transactions
    )
