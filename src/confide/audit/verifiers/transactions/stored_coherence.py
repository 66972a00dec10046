"""Coherence of a release that does not fit into memory, a file or in parts, by passes of the auditor's own.

What fits is read and checked as any release (`coherence.find_mole`). Of what does not fit:

- single items, and each with each private item, are settled by counting; so are pairs, if no private item is near its
  bound or h is 1;
- all else is settled cohort by cohort: whatever contains an item is contained in the records that hold it, so as many
  items as memory has room for get their records read, and these are checked for moles with those items. A mole is
  looked for below its rarest item, so rarer ones are left out of the records.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.transactions.mole_search import Mole, breaks, find_mole, find_mole_with
from confide.core.artefacts.released_baskets import ReleasedRecords
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.requirements import Coherence
from confide.core.runtime.memory import MemoryBudget
from confide.core.runtime.threads import cores
from confide.core.transactions.container import Transactions

__all__ = ["find_stored_mole"]

MOST_ENTRIES = 1 << 25  # of records that are in memory at a time
MOST_PAIRED = 1 << 13  # items whose pairs are counted in one table
BYTES = 72  # that an entry takes at most, and the record it may be all of


Stored = StoredTransactions | ReleasedRecords


def find_stored_mole(stored: Stored, requirement: Coherence, private: Iterable[str]) -> Mole | None:
    """A mole of the transactions, or None when they are coherent."""
    hidden = frozenset(private)
    known = stored.dictionary
    budget = _budget(stored)
    if isinstance(stored, StoredTransactions) and known.entries + known.records <= _room(budget):
        return find_mole(stored.to_transactions(), requirement, hidden)
    secret = np.array([label in hidden for label in stored.labels], dtype=np.bool_)
    mole = _mole(stored, requirement, (), len(stored), int(known.supports[secret].max(initial=0)))
    if mole is not None:
        return mole
    public = np.flatnonzero(~secret & (known.supports > 0))
    few = public[known.supports[public] < requirement.k]
    if len(few):
        return Mole((stored.labels[few[0]],), int(known.supports[few[0]]), 0)
    most = min(requirement.p, known.longest)
    tables = 4 * stored.n_items**2 * (1 if isinstance(stored, ReleasedRecords) else cores(most=16))
    if most >= 1 and stored.n_items <= MOST_PAIRED and tables <= budget.total // 2:
        table = stored.fold(TallyPairs(stored.n_items), label="counting pairs, for the auditor")
        found = _settled_by_pairs(stored, requirement, table, secret, public)
        if found is not None:
            return found
        if most == 1 or (most == 2 and (requirement.h == 1 or not secret.any())):
            return None
    return _by_cohorts(stored, requirement, hidden, public, budget)


def _budget(stored: Stored) -> MemoryBudget:
    if isinstance(stored, ReleasedRecords):
        return stored.budget
    return MemoryBudget.for_file(sum(part.size for part in stored.parts.files))


def _room(budget: MemoryBudget) -> int:
    """Entries of the records that may be in memory at a time."""
    return min(MOST_ENTRIES, budget.total // BYTES)


def _mole(stored: Stored, requirement: Coherence, codes: tuple[int, ...], support: int, private: int) -> Mole | None:
    found = Mole(tuple(stored.labels[code] for code in codes), support, private)
    return found if breaks(requirement, found) else None


def _settled_by_pairs(
    stored: Stored,
    requirement: Coherence,
    table: NDArray[np.uint32],
    secret: NDArray[np.bool_],
    public: NDArray[np.int64],
) -> Mole | None:
    """A mole of one item that a private item breaches, or of two that are too rare."""
    supports = stored.supports()
    for item in public.tolist() if secret.any() else ():
        held = int(np.maximum(table[item], table[:, item])[secret].max())
        mole = _mole(stored, requirement, (item,), int(supports[item]), held)
        if mole is not None:
            return mole
    if requirement.p < 2:
        return None
    for item in public.tolist():
        line = table[item, item + 1 :].astype(np.int64)
        rare = (line > 0) & (line < requirement.k) & ~secret[item + 1 :]
        if rare.any():
            other = item + 1 + int(np.flatnonzero(rare)[0])
            return Mole((stored.labels[item], stored.labels[other]), int(table[item, other]), 0)
    return None


def _by_cohorts(
    stored: Stored, requirement: Coherence, private: frozenset[str], public: NDArray[np.int64], budget: MemoryBudget
) -> Mole | None:
    supports = stored.supports()
    rank = np.full(stored.n_items, len(public), dtype=np.int64)  # a private item goes with all
    rank[public[np.argsort(supports[public], kind="stable")]] = np.arange(len(public))
    sizes = stored.fold(WeighCohorts(rank, len(public)), label="weighing items")
    if isinstance(stored, ReleasedRecords):  # in a single file; parts are for those who have the memory
        budget.require(BYTES * int(sizes.max(initial=0)), "checking the records of one item")
    items = np.argsort(rank, kind="stable")
    for begin, end in _blocks(sizes, budget):
        gather = GatherCohorts((rank >= begin) & (rank < end), rank >= begin)
        parts = stored.fold(gather, label=f"checking {end - begin:,} items")
        lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(ends) for ends, _ in parts)])
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        held = Transactions(
            indptr, np.concatenate([np.zeros(0, np.int32), *(rows for _, rows in parts)]), stored.labels
        )
        del parts
        mole = find_mole_with(held, requirement, private, frozenset(items[begin:end].tolist()), supports)
        if mole is not None:
            return mole
    return None


def _blocks(sizes: NDArray[np.int64], budget: MemoryBudget) -> Iterator[tuple[int, int]]:
    """Ranks from and to, in blocks whose records fit; an item alone where even its own do not."""
    begin, used, room = 0, 0, _room(budget)
    for at, size in enumerate(sizes.tolist()):
        if at > begin and used + size > room:
            yield begin, at
            begin, used = at, 0
        used += size
    if begin < len(sizes):
        yield begin, len(sizes)


@dataclass(frozen=True, eq=False)
class WeighCohorts:
    """The pass that counts, for each rank, the entries of its records that are not rarer, and those records."""

    rank: NDArray[np.int64]
    n_ranks: int

    shared = False

    def begin(self) -> NDArray[np.int64]:
        """Nothing yet."""
        return np.zeros(self.n_ranks, dtype=np.int64)

    def add(self, state: NDArray[np.int64], batch: Transactions) -> NDArray[np.int64]:
        """Add those of these records."""
        rows = np.repeat(np.arange(len(batch), dtype=np.int64), batch.lengths)
        keys = np.sort(rows << 32 | self.rank[batch.indices])
        after = np.repeat(batch.indptr[1:], batch.lengths) - np.arange(len(keys)) + 1
        rank = keys & 0xFFFFFFFF
        state += np.bincount(rank, weights=after, minlength=self.n_ranks + 1)[: self.n_ranks].astype(np.int64)
        return state

    def merge(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum of two."""
        return one + other


@dataclass(frozen=True)
class TallyPairs:
    """The pass that counts all pairs; states of several threads add up."""

    n_items: int

    shared = False

    def begin(self) -> NDArray[np.uint32]:
        """A table of zeros."""
        return np.zeros((self.n_items, self.n_items), dtype=np.uint32)

    def add(self, state: NDArray[np.uint32], batch: Transactions) -> NDArray[np.uint32]:
        """Count the pairs of these records."""
        from confide.audit.verifiers.transactions._pair_kernels import tally_pairs

        tally_pairs(batch.indptr, batch.indices, state)
        return state

    def merge(self, one: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The sum of two."""
        one += other
        return one


Cohorts = list[tuple[NDArray[np.int64], NDArray[np.int32]]]


@dataclass(frozen=True, eq=False)
class GatherCohorts:
    """The pass that reads the records of some items, as far as they hold kept ones."""

    wanted: NDArray[np.bool_]
    kept: NDArray[np.bool_]

    shared = False

    def begin(self) -> Cohorts:
        """Nothing yet."""
        return []

    def add(self, state: Cohorts, batch: Transactions) -> Cohorts:
        """Keep the records that hold a wanted item."""
        from confide.audit.verifiers.transactions._pair_kernels import gather_cohorts

        ends, rows = gather_cohorts(batch.indptr, batch.indices, self.wanted)
        mask = self.kept[rows]
        state.append((np.concatenate([[0], np.cumsum(mask)])[ends], rows[mask]))
        return state

    def merge(self, one: Cohorts, other: Cohorts) -> Cohorts:
        """The records of both."""
        return one + other
