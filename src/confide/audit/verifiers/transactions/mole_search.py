"""The search for a mole, by a method of the auditor's own: a walk over the itemsets that occur, cohort by cohort.

`_coherence_kernels` says what a walk skips; `_whole_row_kernels` look at whole records, for p without bound.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.requirements import Coherence
from confide.core.runtime.threads import cores, interruptible
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.audit.verifiers.transactions._coherence_kernels import Lists

__all__ = ["Mole", "bound_of", "breaks", "find_mole", "find_mole_with", "share_in_integers"]


class Mole(NamedTuple):
    """An itemset that breaks coherence: its labels, its support, and how many of those records hold the private item
    that is commonest among them. For the owner's eyes: the labels are those of a few real people."""

    items: tuple[str, ...]
    support: int
    private: int


def find_mole(
    tx: Transactions, requirement: Coherence, private: Iterable[str], *, threads: int | None = None
) -> Mole | None:
    """A mole of the transactions, or None when they are coherent. The same one each time, whatever `threads` is; no
    single item of it can be left out.

    Finding that there is none takes a visit to each itemset no bound could settle: on a release made for the same
    requirement seconds, with p without bound and h below 1 possibly very long, since then every closed itemset counts.

    >>> baskets = Transactions.from_lists([["tea", "nuts"], ["tea"], ["tea", "test kit"]])
    >>> find_mole(baskets, Coherence(h=0.5, k=2, p=1), ["test kit"])
    Mole(items=('nuts',), support=1, private=0)
    >>> find_mole(baskets, Coherence(h=0.5, k=2, p=1), ["test kit", "nuts"]) is None
    True
    """
    if isinstance(private, str):
        raise UsageError("private must be a list of item labels, not one text")
    split = _split(tx, frozenset(private), tx.supports())
    empty = split.counted([])
    if breaks(requirement, empty):
        return empty
    if not split.ranked:
        return None
    from confide.audit.verifiers.transactions import _coherence_kernels as kernels
    from confide.audit.verifiers.transactions._whole_row_kernels import rows_of_cohort

    longest = int(np.diff(split.row_ptr).max())
    unbounded = requirement.p >= longest
    p = longest if unbounded else int(requirement.p)
    h = share_in_integers(bound_of(requirement), len(tx))
    n_items, n_private = len(split.ranked), split.n_private

    def whole_rows(scratch: "_Scratch", i: int, first: NDArray[np.int64]) -> int:
        return int(rows_of_cohort(i, *split.lists[:2], requirement.k, scratch.counts, scratch.witness))

    # If every whole record is contained in k records, so is every part of one, whatever p is. If not, that
    # settles an unbounded p, and costs little otherwise: the first rare record ends it.
    rare = _first_found(whole_rows, n_items, n_private, longest, threads)
    if rare is not None and unbounded:
        return split.smallest(rare, requirement)
    if rare is None and requirement.h == 1:
        return None

    def search(scratch: "_Scratch", i: int, first: NDArray[np.int64]) -> int:
        limits = kernels.MoleLimits(h.numerator, h.denominator, requirement.k, p, rare is None, unbounded)
        desk = kernels.Desk(scratch.counts, scratch.pcounts, first, scratch.witness)
        return int(kernels.search_cohort(i, *split.lists, limits, desk))

    found = _first_found(search, n_items, n_private, longest, threads)
    return None if found is None else split.smallest(found, requirement)


def find_mole_with(
    tx: Transactions,
    requirement: Coherence,
    private: frozenset[str],
    items: frozenset[int],
    supports: NDArray[np.int64],
) -> Mole | None:
    """A mole whose rarest item is one of `items` (codes), or None, when `tx` are all the records that hold one of them.

    `supports` are those of the whole release, by which rarity is told. The mole may have items it does not need. Where
    p reaches the longest of these records and no private item is bounded, whole records decide.
    """
    from confide.audit.verifiers.transactions import _coherence_kernels as kernels
    from confide.audit.verifiers.transactions._whole_row_kernels import rows_of_cohort

    split = _split(tx, private, supports)
    longest = int(np.diff(split.row_ptr).max(initial=0))
    h = share_in_integers(bound_of(requirement), max(1, int(supports.max(initial=1))))
    limits = kernels.MoleLimits(
        h.numerator, h.denominator, requirement.k, int(min(requirement.p, longest)), False, False
    )
    whole = requirement.p >= longest and (requirement.h == 1 or not split.n_private)

    def search(scratch: "_Scratch", i: int, first: NDArray[np.int64]) -> int:
        if split.ranked[i] not in items:
            return 0
        if whole:
            return int(rows_of_cohort(i, *split.lists[:2], requirement.k, scratch.counts, scratch.witness))
        desk = kernels.Desk(scratch.counts, scratch.pcounts, first, scratch.witness)
        return int(kernels.search_cohort(i, *split.lists, limits, desk))

    found = _first_found(search, len(split.ranked), split.n_private, longest, None)
    return None if found is None else split.counted(found)


# -- the definition -------------------------------------------------------------------------------------------------


def bound_of(requirement: Coherence) -> Fraction:
    """h as its digits say it: 0.6 is 3/5, although the nearest binary number is a little less."""
    return Fraction(Decimal(str(float(requirement.h))))


def breaks(requirement: Coherence, found: Mole) -> bool:
    """Definition 6, for an itemset of at most p public items: it occurs, and Sup(X) < k or P(private item | X) > h."""
    if found.support == 0:
        return False
    return found.support < requirement.k or Fraction(found.private, found.support) > bound_of(requirement)


# -- preparing ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Split:
    """Transactions as the kernels want them: public items as ranks (rarest first) both ways, private items beside."""

    tx: Transactions
    ranked: tuple[int, ...]  # rank -> code
    row_ptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    tid_ptr: NDArray[np.int64]
    tids: NDArray[np.int32]
    priv_ptr: NDArray[np.int64]
    privs: NDArray[np.int32]
    n_private: int

    @property
    def lists(self) -> "tuple[Lists, Lists, Lists]":
        """The same for kernels: records by item, public items by record, private items by record."""
        from confide.audit.verifiers.transactions._coherence_kernels import Lists

        rows, private = Lists(self.row_ptr, self.rows), Lists(self.priv_ptr, self.privs)
        return Lists(self.tid_ptr, self.tids), rows, private

    def counted(self, ranks: Collection[int]) -> Mole:
        """The itemset of these ranks with its counts, taken from the lists of records and not from any bitmap."""
        holds = np.zeros(len(self.tx), dtype=np.int64)
        for r in ranks:
            holds[self.tids[self.tid_ptr[r] : self.tid_ptr[r + 1]]] += 1
        matches = holds == len(ranks)
        tally = np.bincount(self.privs[np.repeat(matches, np.diff(self.priv_ptr))], minlength=1)
        codes = sorted(self.ranked[r] for r in ranks)
        return Mole(tuple(self.tx.labels[c] for c in codes), int(matches.sum()), int(tally.max()))

    def smallest(self, ranks: list[int], requirement: Coherence) -> Mole:
        """A mole within this one from which no single item can be left out."""
        mole, tried = self.counted(ranks), 0
        while tried < len(ranks):
            fewer = ranks[1:]
            part = self.counted(fewer)
            if breaks(requirement, part):
                # Breaches are not monotone: an item that was needed a moment ago may not be now.
                ranks, mole, tried = fewer, part, 0
            else:
                ranks, tried = [*fewer, ranks[0]], tried + 1
        return mole


def _split(tx: Transactions, private: frozenset[str], supports: NDArray[np.int64]) -> _Split:
    """Items are ranked by these supports, which may be those of more records."""
    from confide.core.transactions.row_kernels import transpose

    is_private = np.array([label in private for label in tx.labels], dtype=np.bool_)
    by_rarity = np.argsort(supports, kind="stable")
    held = tx.supports() > 0
    ranked = by_rarity[held[by_rarity] & ~is_private[by_rarity]]
    rank = np.full(tx.n_items, -1, dtype=np.int32)
    rank[ranked] = np.arange(len(ranked), dtype=np.int32)
    hidden = is_private[tx.indices]
    row_ptr, rows = _select_entries(tx, ~hidden, rank)
    tid_ptr, tids = transpose(row_ptr, rows, len(ranked))
    row_ptr, rows = transpose(tid_ptr, tids, len(tx))
    priv_ptr, privs = _select_entries(tx, hidden, (np.cumsum(is_private) - 1).astype(np.int32))
    return _Split(
        tx=tx,
        ranked=tuple(ranked.tolist()),
        row_ptr=row_ptr,
        rows=rows,
        tid_ptr=tid_ptr,
        tids=tids,
        priv_ptr=priv_ptr,
        privs=privs,
        n_private=int(is_private.sum()),
    )


def _select_entries(
    tx: Transactions, mask: NDArray[np.bool_], rename: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    before = np.zeros(len(mask) + 1, dtype=np.int32 if len(mask) < 2**31 else np.int64)
    np.cumsum(mask, out=before[1:])
    return before[tx.indptr].astype(np.int64), rename[tx.indices[mask]]


def share_in_integers(h: Fraction, n: int) -> Fraction:
    """The largest fraction of at most h whose denominator is at most n; it decides as h does over n records.

    A share c/s with s <= n is itself such a fraction, so c/s > h exactly when c/s is above the largest one that is not.
    With both its parts at most n, comparing c/s with it takes products below n * n: 64 bits hold them, however many
    digits h was written with.

    >>> share_in_integers(Fraction("0.6180339887498949"), 100)
    Fraction(55, 89)
    """
    near = h.limit_denominator(n)
    if near <= h:
        return near
    # The nearest fraction a/b lies above h, so the one sought is its left neighbour c/d among all fractions with
    # denominators up to n: of the solutions of a d - b c = 1 the one of the largest d.
    a, b = near.numerator, near.denominator
    d = n - (n - pow(a, -1, b)) % b
    return Fraction((a * d - 1) // b, d)


# -- searching with several threads ---------------------------------------------------------------------------------


class _Scratch:
    """What one thread needs to itself."""

    def __init__(self, n_items: int, n_private: int, longest: int):
        self.counts = np.zeros(n_items, dtype=np.int64)
        self.pcounts = np.zeros(n_private, dtype=np.int64)
        self.witness = np.zeros(longest + 2, dtype=np.int64)


def _first_found(
    search: Callable[[_Scratch, int, NDArray[np.int64]], int],
    n_items: int,
    n_private: int,
    longest: int,
    threads: int | None,
) -> list[int] | None:
    """The ranks of a mole from the lowest cohort that has one: what a single thread would find first.

    `first[0]`, shared with the kernels, is the lowest cohort with a mole so far; work above it stops, work below
    goes on. Setting it to -1 stops all of them, which is how an interrupt gets through.
    """
    first = np.array([n_items], dtype=np.int64)
    moles: dict[int, list[int]] = {}
    cohorts = count()

    def work(_: int) -> None:
        scratch = _Scratch(n_items, n_private, longest)
        for i in cohorts:  # drawing from a shared count is atomic in CPython
            if i >= first[0]:
                return
            if search(scratch, i, first) == 1:
                moles[i] = [int(r) for r in scratch.witness[1 : 1 + scratch.witness[0]]]
                first[0] = min(int(first[0]), i)

    def stop() -> None:
        first[0] = -1

    interruptible(work, threads=cores(most=8) if threads is None else threads, stop=stop)
    return moles[min(moles)] if moles else None
