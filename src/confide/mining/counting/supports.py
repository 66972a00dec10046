"""Supports of an arbitrary list of itemsets, in one pass over the database.

The candidates are put into a prefix tree, so that what they have in common is counted once. Then one of two
ways, whichever touches less memory on this data (see `_counting_kernels`):

- delivery: each node hands its occurrences down to its children; cost follows the occurrences, so it suits
  baskets;
- bitmaps: each node is an AND and a popcount over 64 records at a time; cost follows records x nodes, so it
  suits records that hold a good part of all items.

Nobody has to guess which: the first thousand records are counted by delivery, and if that takes more reads
than the bitmaps would have taken, bitmaps count everything. Both are exact.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.intake import as_records
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.itemsets.container import Itemsets
from confide.core.runtime.threads import answers_ctrl_c, cores, in_threads
from confide.core.transactions.container import Transactions
from confide.mining.counting.candidates import Candidates, CodedSets, encode, take_sets

__all__ = ["CandidateCounter", "itemset_supports", "subset_supports"]

# Blocks of 256 words keep the bitmaps of some hundred items and one path of the tree inside the second-level
# cache.
BLOCK_WORDS = 256
SAMPLE_RECORDS = 1024
# Records read this many positions each before a second thread pays for itself.
PARALLEL_WORK = 20_000_000
# One read of delivery (a scattered increment) costs about what this many words of AND and popcount do.
WORDS_PER_READ = 10
LONG = 64


@runtime_checkable
class CandidateCounter(Protocol):
    """Counts candidates: a database in, candidates in, counts out.

    This is all that a level-wise miner asks of an engine, and `itemset_supports` is one. Another engine (a
    cluster, a set of sites) may take its place if it keeps three promises:

    - the result holds one int64 count for each candidate, in their order, 0 where an item is unknown;
    - counts add up: for databases A and B, counts over A followed by B are counts over A plus counts over B,
      which is why a database may be counted in parts, anywhere, in any order;
    - the empty candidate counts all records.
    """

    def __call__(self, tx: Transactions, itemsets: Candidates, /) -> NDArray[np.int64]:
        """Count, for each candidate, the records that hold all its items."""
        ...


@answers_ctrl_c
def itemset_supports(tx: Any, itemsets: Candidates) -> NDArray[np.int64]:
    """Count, for each itemset, the records that hold all its items.

    `tx` is a `Transactions`, a list of lists, a frame, a scipy sparse matrix, or a file's path. `itemsets` is a list
    of lists of labels, an `Itemsets` (of this or another database), or a pair of arrays (offsets, codes) with codes
    of `tx`. Repeated items count once, repeated itemsets are answered twice, an
    item the database has never seen gives 0, and the empty itemset gives the number of records. Cost: one
    pass over the records; see the module for the two ways of counting.

    >>> baskets = Transactions.from_lists([["beer", "nuts"], ["milk"], ["beer", "milk", "nuts"]])
    >>> itemset_supports(baskets, [["nuts", "beer"], ["milk"], [], ["gold"]]).tolist()
    [2, 2, 3, 0]
    """
    tx = as_records(tx)
    offsets, codes = encode(itemsets, tx.labels)
    lengths = np.diff(offsets)
    if not tx.in_memory:
        return _stored_supports(tx, offsets, codes)
    counts = np.zeros(len(lengths), dtype=np.int64)
    supports = tx.supports()
    occurs = np.append(supports > 0, False)  # the last entry answers for UNKNOWN, which is -1
    absent = np.concatenate([[0], np.cumsum(~occurs[codes])])
    possible = absent[offsets[1:]] == absent[offsets[:-1]]
    # Keys are as wide as the longest set, so sets of hundreds of items are not counted among the short ones.
    size_class = np.where(lengths <= LONG, 0, np.frexp(lengths)[1])
    for size in np.unique(size_class[possible]):
        chosen = np.flatnonzero(possible & (size_class == size))
        sets = (offsets, codes) if len(chosen) == len(counts) else take_sets(offsets, codes, chosen)
        counts[chosen] = _count(tx, supports, sets)
    return counts


@answers_ctrl_c
def subset_supports(tx: Any, itemsets: Candidates) -> Itemsets:
    """Count every subset of every given itemset, each once: the given sets and the empty set included.

    The result is an `Itemsets` in order of length; `confide.mining.rules.subsets.positions` finds many sets in it
    at once. Items that the database has never seen are left out of the subsets, since nothing can hold them.
    A set of n items has 2**n subsets, so this is for short sets, or for many that overlap.

    >>> baskets = Transactions.from_lists([["beer", "nuts"], ["milk"], ["beer", "milk", "nuts"]])
    >>> list(subset_supports(baskets, [["beer", "milk"]]))
    [((), 3), (('beer',), 2), (('milk',), 2), (('beer', 'milk'), 1)]
    """
    from confide.mining.rules.subsets import all_subsets

    tx = as_records(tx)
    offsets, codes = encode(itemsets, tx.labels)
    known = codes >= 0
    offsets = np.concatenate([[0], np.cumsum(known)])[offsets].astype(np.int64)
    offsets, codes, _ = all_subsets(offsets, codes[known], np.zeros(len(offsets) - 1, dtype=np.int64))
    return Itemsets.from_arrays(
        offsets, codes, itemset_supports(tx, (offsets, codes)), labels=tx.labels, n_transactions=len(tx)
    )


def _stored_supports(
    stored: StoredTransactions, offsets: NDArray[np.int64], codes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """As `itemset_supports`, a pass or more for each length."""
    from confide.mining.stored.sets import count_sets

    lengths = np.diff(offsets)
    counts = np.zeros(len(lengths), dtype=np.int64)
    unknown = np.concatenate([[0], np.cumsum(codes < 0)])
    possible = unknown[offsets[1:]] == unknown[offsets[:-1]]
    for length in np.unique(lengths[possible]).tolist():
        chosen = np.flatnonzero(possible & (lengths == length))
        places = offsets[chosen][:, None] + np.arange(length)
        counts[chosen] = count_sets(stored, codes[places].astype(np.int32).reshape(len(chosen), length))
    return counts


def _count(tx: Transactions, supports: NDArray[np.int64], sets: CodedSets) -> NDArray[np.int64]:
    """Count sets all of whose items occur."""
    from confide.mining.counting import _counting_kernels as kernels

    offsets, codes = sets
    used = np.flatnonzero(np.bincount(codes, minlength=1))
    ranks = len(used)
    rank = np.full(tx.n_items + 1, -1, dtype=np.int32)
    rank[used[np.argsort(supports[used], kind="stable")]] = np.arange(ranks, dtype=np.int32)
    ranked = kernels.rank_items(offsets, codes, rank)
    item, end, depth, node_of = kernels.build_tree(offsets, ranked, _word_order(offsets, ranked, ranks))
    starts, rows = kernels.arrange(tx.indptr, tx.indices, rank, ranks)

    def by_delivery(first: int, last: int) -> NDArray[np.int64]:
        return kernels.count_by_delivery(starts, rows, first, last, ranks, item, end, np.iinfo(np.int64).max)[0]

    tree = kernels.PrefixTree(item, end, depth, int(depth.max()))

    def by_bitmaps(first: int, last: int) -> NDArray[np.int64]:
        words = min(BLOCK_WORDS, (last - first + 63) // 64)
        return kernels.count_by_bitmaps(starts, rows, first, last, ranks, tree, words)

    n, sample = len(tx), min(len(tx), SAMPLE_RECORDS)
    affordable = (len(item) * sample // 64) // WORDS_PER_READ + len(rows) * sample // max(n, 1)
    tally, work = kernels.count_by_delivery(starts, rows, 0, sample, ranks, item, end, affordable)
    if work < 0:
        tally = _in_parts(by_bitmaps, 0, n, len(item) * n // 64 // WORDS_PER_READ)
    elif sample < n:
        tally = tally + _in_parts(by_delivery, sample, n, work * n // sample)
    return tally[node_of]


def _word_order(offsets: NDArray[np.int64], ranked: NDArray[np.int32], ranks: int) -> NDArray[np.int64]:
    """The order of the sets as words over the alphabet of ranks."""
    from confide.mining.counting import _counting_kernels as kernels

    bits = max(ranks.bit_length(), 1)
    longest = int(np.diff(offsets).max()) if len(offsets) > 1 else 0
    keys = kernels.pack_keys(offsets, ranked, bits, max(1, -(-longest // (64 // bits))))
    return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def _in_parts(count: Callable[[int, int], NDArray[np.int64]], first: int, last: int, work: int) -> NDArray[np.int64]:
    """Count a range of records, on every core when the work is worth it: counts of parts add up."""
    threads = cores()
    if work < PARALLEL_WORK or threads == 1:
        return count(first, last)
    cuts = [first + (last - first) * i // threads for i in range(threads + 1)]
    parts = in_threads(lambda part: count(cuts[part], cuts[part + 1]), range(threads))
    total: NDArray[np.int64] = np.sum(parts, axis=0, dtype=np.int64)
    return total
