"""Coherence of a release in parts that does not fit into memory, by passes of the auditor's own.

What fits is read and checked as any release (`coherence.find_mole`). Of what does not fit:

- single items, and each with each private item, are settled by counting; so are pairs, if no private item is near its
  bound or h is 1;
- all else is settled cohort by cohort: whatever contains an item is contained in the records that hold it, so as many
  items as memory has room for get their records read, and these are checked for moles with those items.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.coherence import Mole, breaks, find_mole, find_mole_with
from confide.core.datasets.transactions import StoredTransactions
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions

__all__ = ["find_stored_mole"]

MOST_ENTRIES = 1 << 25  # of records that are in memory at a time, some forty bytes each
MOST_PAIRED = 1 << 13  # items whose pairs are counted in one table: 256 MB


def find_stored_mole(stored: StoredTransactions, requirement: Coherence, private: Iterable[str]) -> Mole | None:
    """A mole of the transactions, or None when they are coherent."""
    hidden = frozenset(private)
    known = stored.dictionary
    if known.entries <= MOST_ENTRIES:
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
    if most >= 1 and stored.n_items <= MOST_PAIRED:
        table = stored.fold(TallyPairs(stored.n_items), label="counting pairs, for the auditor")
        found = _settled_by_pairs(stored, requirement, table, secret, public)
        if found is not None:
            return found
        if most == 1 or (most == 2 and (requirement.h == 1 or not secret.any())):
            return None
    return _by_cohorts(stored, requirement, hidden, public)


def _mole(
    stored: StoredTransactions, requirement: Coherence, codes: tuple[int, ...], support: int, private: int
) -> Mole | None:
    found = Mole(tuple(stored.labels[code] for code in codes), support, private)
    return found if breaks(requirement, found) else None


def _settled_by_pairs(
    stored: StoredTransactions,
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
    stored: StoredTransactions, requirement: Coherence, private: frozenset[str], public: NDArray[np.int64]
) -> Mole | None:
    for block in _blocks(stored, public):
        wanted = np.zeros(stored.n_items, dtype=np.bool_)
        wanted[block] = True
        parts = stored.fold(GatherCohorts(wanted), label=f"checking {len(block):,} items")
        lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(ends) for ends, _ in parts)])
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        held = Transactions(
            indptr, np.concatenate([np.zeros(0, np.int32), *(rows for _, rows in parts)]), stored.labels
        )
        del parts
        mole = find_mole_with(held, requirement, private, frozenset(block.tolist()), stored.supports())
        if mole is not None:
            return mole
    return None


def _blocks(stored: StoredTransactions, public: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The items, the rarest first, in blocks whose records fit."""
    known = stored.dictionary
    mean = known.entries / max(1, known.records) + 1
    block: list[int] = []
    room = float(MOST_ENTRIES)
    for code in public[np.argsort(known.supports[public], kind="stable")].tolist():
        needed = known.supports[code] * mean
        if block and needed > room:
            yield np.array(block)
            block, room = [], float(MOST_ENTRIES)
        block.append(code)
        room -= needed
    if block:
        yield np.array(block)


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
        from confide.audit.verifiers._pair_kernels import tally_pairs

        tally_pairs(batch.indptr, batch.indices, state)
        return state

    def merge(self, one: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The sum of two."""
        one += other
        return one


Cohorts = list[tuple[NDArray[np.int64], NDArray[np.int32]]]


@dataclass(frozen=True, eq=False)
class GatherCohorts:
    """The pass that reads the records of some items."""

    wanted: NDArray[np.bool_]

    shared = False

    def begin(self) -> Cohorts:
        """Nothing yet."""
        return []

    def add(self, state: Cohorts, batch: Transactions) -> Cohorts:
        """Keep the records that hold a wanted item."""
        from confide.audit.verifiers._pair_kernels import gather_cohorts

        state.append(gather_cohorts(batch.indptr, batch.indices, self.wanted))
        return state

    def merge(self, one: Cohorts, other: Cohorts) -> Cohorts:
        """The records of both."""
        return one + other
