"""Counts of given candidates in stored transactions: one pass for some millions of them.

Three ways, whichever takes fewer steps on these records: each record looks its subsets up in a tree of the candidates
(`_set_kernels`), for short records and many candidates; or columns of bits are intersected, 64 records at a time, for
full records and few candidates; or all triples are counted, wanted or not (`triples`), where candidates are triples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining.counting.record_shares import filled_columns
from confide.mining.stored.triples import count_triples, triple_passes

__all__ = ["MOST_PASSES", "candidate_blocks", "count_sets"]

MOST_SETS = 1 << 24  # candidates of one pass
_SET_WORDS = 1024
_LOOKUP = 40.0  # words intersected in the time of one look into the tree
_TALLY = 4.0  # and in the time of counting one triple
MOST_PASSES = 8  # of triples

Way = Literal["rows", "columns", "triples"]


def count_sets(stored: StoredTransactions, sets: NDArray[np.int32], *, way: Way | None = None) -> NDArray[np.int64]:
    """The records that hold each candidate: rows of ascending codes, all of one length, in any order."""
    if sets.shape[1] == 0:
        return np.full(len(sets), len(stored), dtype=np.int64)
    if sets.shape[1] == 1:
        return stored.supports()[sets[:, 0]]
    way = way or _way(stored, sets)
    if way == "triples":
        return _by_triples(stored, sets)
    from confide.mining.stored._set_kernels import in_order

    if in_order(sets):
        return _counted(stored, sets, way)
    order = np.lexsort(sets.T[::-1])
    sets = sets[order]
    new = np.ones(len(sets), dtype=np.bool_)
    new[1:] = np.any(sets[1:] != sets[:-1], axis=1)
    counts = _counted(stored, sets[new], way)
    answer = np.empty(len(sets), dtype=np.int64)
    answer[order] = counts[np.cumsum(new) - 1]
    return answer


def _counted(stored: StoredTransactions, sets: NDArray[np.int32], way: Way) -> NDArray[np.int64]:
    """The counts of candidates that are in lexicographic order, each once."""
    counts = np.zeros(len(sets), dtype=np.int64)
    # Blocks of candidates end a little above the bound (`candidate_blocks`): that little gets no pass of its own.
    step = -(-len(sets) // max(1, len(sets) // MOST_SETS))
    for start in range(0, len(sets), step):
        some = np.ascontiguousarray(sets[start : start + step])
        label = f"counting {len(some):,} sets of {some.shape[1]} items"
        job = CountSets(stored.n_items, some, way)
        counts[start : start + step] = stored.fold(job, label=label).counts
    return counts


def candidate_blocks(sets: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    """Candidates one item longer than `sets` (lexicographic), all of whose parts are among them, some at a time."""
    from confide.mining.stored._set_kernels import join_block

    first = 0
    while first < len(sets):
        made, first = join_block(sets, first, MOST_SETS)
        if len(made):
            yield made


def _way(stored: StoredTransactions, sets: NDArray[np.int32]) -> Way:
    known, (candidates, length) = stored.dictionary, sets.shape
    held = max(length, round(known.entries / max(1, known.records)))
    looks = sum(comb(held, d) for d in range(1, length + 1))
    steps: dict[Way, float] = {"rows": _LOOKUP * looks, "columns": candidates / 64 * length}
    if length == 3 and triple_passes(len(np.unique(sets))) <= MOST_PASSES:
        steps["triples"] = _TALLY * comb(held, 3)
    return min(steps, key=lambda way: steps[way])


def _by_triples(stored: StoredTransactions, sets: NDArray[np.int32]) -> NDArray[np.int64]:
    """The counts of triples, all of which are counted; passes are made for those that begin the candidates."""
    items = np.unique(sets)
    rank = np.full(stored.n_items, -1, dtype=np.int32)
    rank[items] = np.arange(len(items), dtype=np.int32)
    low, middle, high = (rank[sets[:, column]] for column in range(3))
    counts = np.zeros(len(sets), dtype=np.int64)
    for found in count_triples(stored, items, first=int(low.min(initial=0)), last=int(low.max(initial=-1)) + 1):
        here = (low >= found.first) & (low < found.last)
        counts[here] = found.of(low[here], middle[here], high[here])
    return counts


@dataclass
class _Counted:
    counts: NDArray[np.int32]
    rank: NDArray[np.int32]
    n: int
    tree: "tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]] | None"
    sets: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CountSets:
    """The pass that counts candidates, in lexicographic order, each once."""

    n_items: int
    sets: NDArray[np.int32]
    way: Way

    shared = False

    def begin(self) -> _Counted:
        """Zeros, and the candidates laid out."""
        from confide.mining.stored._set_kernels import tree_of

        used = np.unique(self.sets)
        rank = np.full(self.n_items, -1, dtype=np.int32)
        rank[used] = np.arange(len(used), dtype=np.int32)
        ranked = rank[self.sets]
        counts = np.zeros(len(self.sets), dtype=np.int32)
        tree = tree_of(ranked) if self.way == "rows" else None
        return _Counted(counts, rank, len(used), tree, ranked)

    def add(self, state: _Counted, batch: Transactions) -> _Counted:
        """Count them in these records."""
        from confide.mining.counting.level_kernels import count_sets as by_columns
        from confide.mining.counting.level_kernels import trim_rows
        from confide.mining.stored._set_kernels import add_sets

        if state.tree is not None:
            starts, rows = trim_rows(batch.indptr, batch.indices, state.rank, self.sets.shape[1])
            add_sets(starts, rows, *state.tree, state.counts)
        elif len(batch):
            columns = filled_columns(batch.indptr, batch.indices, state.rank, 0, len(batch), state.n)
            state.counts += by_columns(columns, state.sets, _SET_WORDS).astype(np.int32)
        return state

    def merge(self, one: _Counted, other: _Counted) -> _Counted:
        """The sum of two."""
        one.counts += other.counts
        return one
