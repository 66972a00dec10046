"""All moles and all nuggets of a database, as diagrams or as borders, without listing them.

Moles are the public itemsets of at most p items that occur and hold some minimal mole: whatever contains a mole is one,
for support only falls and BPr, a maximum over subsets, only grows (Proposition 1). Two ways lead there:

- when no private item can breach h, a mole is an itemset that occurs and is not k-frequent, so two families of subsets
  (of the records, of the maximal k-frequent itemsets) and their difference do, for any p;
- else the minimal moles are searched, which takes time in proportion to the itemsets free of moles.

What cannot be done is refused with a p that can: the search counts each size before it goes on to the next, and a
diagram has a largest number of nodes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.mining.itemsets.frequent import frequent_itemsets
from confide.publish.transactions.declaration import Declared, check_eligible
from confide.publish.transactions.families.borders import Border, maximal
from confide.publish.transactions.families.diagrams import (
    Builder,
    DecisionDiagram,
    Sets,
    TooLargeError,
    build,
    levels_by_support,
)
from confide.publish.transactions.families.visits import WalkCounter, itemsets_held
from confide.publish.transactions.moles.collection import MinimalMoles, MoleLevel
from confide.publish.transactions.moles.minimal import find_moles
from confide.publish.transactions.moles.stored_moles import DeclaredFiles, find_stored_moles

__all__ = [
    "MoleSource",
    "StoredMoleSource",
    "items_of_minimal_moles",
    "list_minimal_moles",
    "mole_border",
    "mole_diagram",
    "mole_source",
    "mole_walk",
    "nugget_border",
    "nugget_diagram",
]

_SHORT = 6  # up to this p the search for minimal moles is quick
_FEW_ITEMS, _SPARSE = 64, 0.08  # few items, or a small share of them in a record: maximal itemsets can be mined
_SURE = 300_000_000  # so many itemsets of few items surely fit into a diagram
FEWER_ITEMS = "fewer public items help, or the ICDM deletion of items in no frequent itemset worth keeping"
_LISTED = 2_000_000  # minimal moles as sets of Python
_WALK = 2_000_000_000  # so many itemsets in records can be visited


def nugget_diagram(
    tx: Transactions | StoredTransactions, *, min_support: int, max_length: int | None
) -> DecisionDiagram:
    """Every itemset of at most `max_length` items in at least `min_support` records; the empty one too, which counts
    for no item."""
    found = frequent_itemsets(tx, min_support=min_support, kind="maximal")
    supports = tx.supports()
    return _built(
        lambda made: made.subsets(Sets(*found.coded()), max_length),
        levels_by_support(supports, supports >= min_support),
        refusal="the nuggets are too many to count exactly",
        cure=lambda: None,
        advice="use a larger nugget_support",
    )


def nugget_border(tx: Transactions, *, min_support: int, max_length: int | None) -> Border:
    """The same nuggets, without the empty one, as a border: single items above, maximal itemsets below."""
    found = frequent_itemsets(tx, min_support=min_support, kind="maximal")
    lower = _masks(Sets(*found.coded()))
    upper = [1 << int(v) for v in np.flatnonzero(tx.supports() >= min_support)]
    return Border(upper, lower, math.inf if max_length is None else max_length)


@dataclass(frozen=True)
class MoleSource:
    """A database in which no public item is a mole alone, and what must hold of it.

    `keep` marks the items that are still there; everything is in codes of `transactions`.
    """

    transactions: Transactions
    requirement: Coherence
    is_private: NDArray[np.bool_]
    keep: NDArray[np.bool_]

    @property
    def longest(self) -> int | None:
        """p, or None for any number of items."""
        return None if self.requirement.p == math.inf else int(self.requirement.p)

    @cached_property
    def public(self) -> tuple[Transactions, NDArray[np.int32]]:
        """The records with public items only, and the code of each of its items."""
        mask = self.keep & ~self.is_private
        return self.transactions.keep_items(mask), np.flatnonzero(mask).astype(np.int32)

    @cached_property
    def rows(self) -> Sets:
        """The public records, in codes of `transactions`."""
        rows, codes = self.public
        return Sets(rows.indptr, codes[rows.indices])

    def codes(self) -> NDArray[np.int32]:
        """The public items, rarest first."""
        return levels_by_support(self.transactions.supports(), self.keep & ~self.is_private)

    def by_support(self) -> bool:
        """Whether to count moles as what is not k-frequent: all moles are rare, the search for minimal ones would be
        long, and the maximal k-frequent itemsets can be mined."""
        few = len(self.public[1]) <= _FEW_ITEMS
        return self.requirement.p > _SHORT and not self.may_breach() and (few or self.sparse())

    @property
    def code_of(self) -> NDArray[np.int32]:
        """The code, here, of each item that `search` speaks of."""
        return np.flatnonzero(self.keep).astype(np.int32)

    def alone(self) -> NDArray[np.int32]:
        """The public items that are moles by themselves; raises if nothing at all can be published (Theorem 3)."""
        here = self.transactions.keep_items(self.keep)
        private = np.flatnonzero(self.is_private[self.keep]).astype(np.int32)
        declared = Declared(here, private, here.supports())
        check_eligible(declared, self.requirement)
        return self.code_of[find_moles(declared, replace(self.requirement, p=1)).level(1).ravel()]

    @cached_property
    def search(self) -> MinimalMoles:
        """The minimal moles, from a search, which refuses a p that would make it endless; codes of what is kept."""
        here = self.transactions.keep_items(self.keep)
        private = np.flatnonzero(self.is_private[self.keep]).astype(np.int32)
        try:
            return find_moles(Declared(here, private, here.supports()), self.requirement)
        except CannotMeetError as error:
            p = self.nearest_p()  # one that can be counted, too
            raise CannotMeetError(
                error.what,
                parameter="p",
                value=self.requirement.p,
                cures=[] if p is None else [{"p": p}],
                known="small enough to search",
                advice=FEWER_ITEMS,
            ) from None

    def known(self, alone: NDArray[np.int32]) -> MinimalMoles | None:
        """The minimal moles, with the items that are moles `alone`, if they had to be searched; in codes."""
        found = self.__dict__.get("search")  # where a cached property stands once it was asked for
        if found is None:
            return None
        codes = self.code_of
        levels = {
            size: MoleLevel(codes[level.items], level.supports, level.breach) for size, level in found.levels.items()
        }
        if len(alone):
            supports = self.transactions.supports()[alone]
            breach = supports >= self.requirement.k
            levels = {1: MoleLevel(alone[:, None], supports.astype(np.int32), breach), **levels}
        return MinimalMoles(levels, self.transactions.labels, len(self.transactions), self.requirement)

    @property
    def minimal(self) -> Sets:
        """The minimal moles, the smallest first."""
        return self._in_codes([level.items for level in self.search.levels.values()])

    @property
    def breaches(self) -> Sets:
        """The minimal moles that are not rare but breach h."""
        return self._in_codes(
            [level.items[level.breach] for level in self.search.levels.values()] if self.may_breach() else []
        )

    def may_breach(self) -> bool:
        """Whether there can be moles that are not rare."""
        return self.requirement.h < 1 and bool((self.keep & self.is_private).any())

    def sparse(self) -> bool:
        """Whether there are many items, of which a record holds a small share."""
        rows, codes = self.public
        return len(codes) > _FEW_ITEMS and len(rows.indices) < _SPARSE * len(rows) * len(codes)

    def _in_codes(self, levels: list[NDArray[np.int32]]) -> Sets:
        codes = self.code_of
        starts = np.cumsum([0, *(level.shape[1] for level in levels for _ in level)], dtype=np.int64)
        return Sets(starts, codes[np.concatenate([np.zeros(0, dtype=np.int32), *(x.ravel() for x in levels)])])

    @cached_property
    def frequent(self) -> Sets:
        """The maximal k-frequent public itemsets, and the empty one, which is frequent when there is no other."""
        rows, codes = self.public
        found = frequent_itemsets(rows, min_support=self.requirement.k, kind="maximal")
        offsets, items = found.coded()
        return Sets(np.append(offsets, offsets[-1]), codes[items])

    def can_walk(self) -> bool:
        """Whether visiting all itemsets is possible, and better than a diagram."""
        return (
            self.sparse() and self.longest is not None and itemsets_held(self.public[0].lengths, self.longest) <= _WALK
        )

    def nearest_p(self) -> int | None:
        """A smaller p with which the moles can surely be counted, if there is one."""
        rows, codes = self.public
        best = 0
        while best + 1 < self.requirement.p and best < rows.lengths.max(initial=0):
            held = itemsets_held(rows.lengths, best + 1)
            if self.sparse():
                able = held <= _WALK
            else:
                able = sum(math.comb(len(codes), size) for size in range(1, best + 2)) <= _SURE
            if not able:
                break
            best += 1
        return best or None


@dataclass(frozen=True)
class StoredMoleSource(MoleSource):
    """The same of transactions that stay in their files: minimal moles are counted in passes, records are not held.

    So only what follows from minimal moles can be asked for.
    """

    transactions: StoredTransactions  # type: ignore[assignment]

    @property
    def declared(self) -> DeclaredFiles:
        """What is kept, as the search takes it."""
        supports = np.where(self.keep, self.transactions.supports(), 0)
        return DeclaredFiles(self.transactions, np.flatnonzero(self.is_private & self.keep).astype(np.int32), supports)

    @property
    def code_of(self) -> NDArray[np.int32]:
        """Codes are those of the files."""
        return np.arange(len(self.keep), dtype=np.int32)

    def alone(self) -> NDArray[np.int32]:
        """The public items that are moles by themselves."""
        check_eligible(self.declared, self.requirement)
        return find_stored_moles(self.declared, replace(self.requirement, p=1)).level(1).ravel()

    @cached_property
    def search(self) -> MinimalMoles:
        """The minimal moles, by passes over the files."""
        return find_stored_moles(self.declared, self.requirement)

    @property
    def rows(self) -> Sets:
        """Refused: nobody holds them."""
        raise UsageError(
            f"counting all moles of p={self.requirement.p:g} needs the records in memory; use p=2 or less, "
            "utility='items', or engine memory"
        )

    def by_support(self) -> bool:
        """Always False: that needs the records in memory."""
        return False

    def can_walk(self) -> bool:
        """Always False: visiting every mole needs the records in memory."""
        return False


def mole_source(
    tx: Transactions | StoredTransactions,
    requirement: Coherence,
    is_private: NDArray[np.bool_],
    keep: NDArray[np.bool_],
) -> MoleSource:
    """The items marked in `keep`, of records in memory or in files."""
    if tx.in_memory:
        return MoleSource(tx, requirement, is_private, keep)
    return StoredMoleSource(tx, requirement, is_private, keep)


def mole_diagram(source: MoleSource) -> DecisionDiagram:
    """All moles of at most p items."""
    longest = source.longest

    def frequent_route(made: Builder) -> int:
        occurring = made.subsets(source.rows, longest)  # first: if that is too much, nothing is mined in vain
        return made.minus(occurring, made.subsets(source.frequent, longest))

    def search_route(made: Builder) -> int:
        smallest = made.family(source.minimal)
        if longest is not None and longest <= 2:  # no item is a mole alone, so there is no other
            return smallest
        return made.supersets(made.subsets(source.rows, longest), smallest)

    return _built(
        frequent_route if source.by_support() else search_route,
        source.codes(),
        refusal=f"p={source.requirement.p:g} makes too many moles to count them exactly",
        cure=source.nearest_p,
        advice=FEWER_ITEMS,
    )


def items_of_minimal_moles(source: MoleSource) -> tuple[NDArray[np.int32], int]:
    """The items that are in some minimal mole, and how many minimal moles there are."""
    if not source.by_support():
        found = source.minimal
        return np.unique(found.items), len(found.starts) - 1
    counts = _smallest(source).counts(len(source.keep))
    return np.flatnonzero(counts.per_item > 0).astype(np.int32), counts.total


def list_minimal_moles(source: MoleSource) -> Sets:
    """The minimal moles, the smallest first; refused when they are too many to be held one by one."""
    if not source.by_support():
        return source.minimal
    smallest = _smallest(source)
    total = smallest.counts(len(source.keep)).total
    if total > _LISTED:
        raise CannotMeetError(
            f"{total:,} minimal moles are too many to search for the best choice",
            parameter="method",
            value="optimal",
            cures=[{"method": "auto"}],
        )
    listed = sorted(smallest.sets(), key=lambda mole: (len(mole), mole))
    starts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return Sets(starts, np.array([v for mole in listed for v in mole], dtype=np.int32))


def _smallest(source: MoleSource) -> DecisionDiagram:
    """The minimal moles where all moles are rare."""
    return _built(
        lambda made: made.minimal(
            made.minus(made.subsets(source.rows, source.longest), made.subsets(source.frequent, source.longest))
        ),
        source.codes(),
        refusal=f"p={source.requirement.p:g} makes too many moles to find the minimal ones",
        cure=source.nearest_p,
        advice=FEWER_ITEMS,
    )


def mole_walk(source: MoleSource) -> WalkCounter:
    """All moles of at most p items, counted by visiting them; p must be finite."""
    if source.longest is None:
        raise UsageError("method 'walk' visits all itemsets of at most p items, so p must be finite")
    requirement, n_items = source.requirement, len(source.keep)
    return WalkCounter(
        source.rows, source.codes(), n_items, k=requirement.k, p=source.longest, breaches=source.breaches
    )


def mole_border(source: MoleSource) -> Border:
    """The same moles as a border: minimal moles above, the largest records below."""
    p = source.requirement.p
    if source.by_support():
        smallest = build(
            lambda made: made.minimal(made.minus(made.subsets(source.rows), made.subsets(source.frequent))),
            source.codes(),
        )
        upper = [mask for mole in smallest.sets() if (mask := sum(1 << v for v in mole)).bit_count() <= p]
    else:
        upper = _masks(source.minimal)
    return Border(sorted(upper), maximal(_masks(source.rows)), p)


def _masks(sets: Sets) -> list[int]:
    """Each set as a bit mask, equal ones once."""
    listed = np.split(sets.items, sets.starts[1:-1]) if len(sets.starts) > 1 else []
    return sorted({sum(1 << int(v) for v in itemset) for itemset in listed})


def _built(
    recipe: Callable[[Builder], int],
    codes: NDArray[np.int32],
    *,
    refusal: str,
    cure: Callable[[], int | None],
    advice: str,
) -> DecisionDiagram:
    try:
        return build(recipe, codes)
    except TooLargeError as error:
        p = cure()
        raise CannotMeetError(
            f"{refusal} (it takes {error})",
            parameter="p",
            cures=[] if p is None else [{"p": p}],
            known="small enough to search",
            advice=advice,
        ) from None
