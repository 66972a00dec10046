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
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.transactions import Transactions
from confide.mining.itemsets import frequent_itemsets
from confide.publish.borders import Border, maximal
from confide.publish.declared import Declared
from confide.publish.moles import find_moles
from confide.publish.zdd import Builder, Diagram, Sets, TooLargeError, build, levels_by_support

__all__ = ["MoleSource", "mole_border", "mole_diagram", "nugget_border", "nugget_diagram"]

_SHORT = 6  # up to this p the search for minimal moles is quick
_FEW_ITEMS, _SPARSE = 64, 0.08  # few items, or a small share of them in a record: maximal itemsets can be mined
_SURE = 300_000_000  # so many itemsets surely fit into a diagram


def nugget_diagram(tx: Transactions, *, min_support: int, max_length: int | None) -> Diagram:
    """Every itemset of at most `max_length` items in at least `min_support` records; the empty one too, which counts
    for no item."""
    found = frequent_itemsets(tx, min_support=min_support, kind="maximal")
    supports = tx.supports()
    return _built(
        lambda made: made.subsets(Sets(found.offsets, found.items), max_length),
        levels_by_support(supports, supports >= min_support),
        refusal="the nuggets are too many to count exactly",
        nearest=lambda: "a larger nugget support",
    )


def nugget_border(tx: Transactions, *, min_support: int, max_length: int | None) -> Border:
    """The same nuggets, without the empty one, as a border: single items above, maximal itemsets below."""
    found = frequent_itemsets(tx, min_support=min_support, kind="maximal")
    lower = _masks(Sets(found.offsets, found.items))
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
        """Whether to count moles as what is not k-frequent: no private item can breach h, the search for minimal moles
        would be long, and the maximal k-frequent itemsets can be mined."""
        if self.requirement.p <= _SHORT or (self.requirement.h < 1 and (self.keep & self.is_private).any()):
            return False
        rows, codes = self.public
        return len(codes) <= _FEW_ITEMS or len(rows.indices) < _SPARSE * len(rows) * len(codes)

    @cached_property
    def minimal(self) -> Sets:
        """The minimal moles, from a search, which refuses a p that would make it endless."""
        here = self.transactions.keep_items(self.keep)
        codes = np.flatnonzero(self.keep).astype(np.int32)
        private = np.flatnonzero(self.is_private[self.keep]).astype(np.int32)
        found = find_moles(Declared(here, private, here.supports()), self.requirement)
        levels = [codes[found.level(size)] for size in found.counts()]
        starts = np.cumsum([0, *(level.shape[1] for level in levels for _ in level)], dtype=np.int64)
        return Sets(starts, np.concatenate([np.zeros(0, dtype=np.int32), *(level.ravel() for level in levels)]))

    @cached_property
    def frequent(self) -> Sets:
        """The maximal k-frequent public itemsets, and the empty one, which is frequent when there is no other."""
        rows, codes = self.public
        found = frequent_itemsets(rows, min_support=self.requirement.k, kind="maximal")
        return Sets(np.append(found.offsets, found.offsets[-1]), codes[found.items])

    def nearest_p(self) -> str:
        """A p with which the moles can surely be counted: there are few enough public itemsets of that size."""
        rows, codes = self.public
        lengths, records = np.unique(rows.lengths, return_counts=True)
        total = best = 0
        for size in range(1, int(rows.lengths.max(initial=1)) + 1):
            held = sum(math.comb(int(n), size) * int(times) for n, times in zip(lengths, records, strict=True))
            total += min(held, math.comb(len(codes), size))
            if total > _SURE:
                break
            best = size
        return f"p={best}" if 0 < best < self.requirement.p else "fewer public items"


def mole_diagram(source: MoleSource) -> Diagram:
    """All moles of at most p items."""
    longest = source.longest

    def frequent_route(made: Builder) -> int:
        occurring = made.subsets(source.rows, longest)  # first: if that is too much, nothing is mined in vain
        return made.minus(occurring, made.subsets(source.frequent, longest))

    def search_route(made: Builder) -> int:
        smallest = made.family(source.minimal)
        return made.supersets(made.subsets(source.rows, longest), smallest)

    return _built(
        frequent_route if source.by_support() else search_route,
        source.codes(),
        refusal=f"p={source.requirement.p:g} makes too many moles to count them exactly",
        nearest=source.nearest_p,
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
    recipe: Callable[[Builder], int], codes: NDArray[np.int32], *, refusal: str, nearest: Callable[[], str]
) -> Diagram:
    try:
        return build(recipe, codes)
    except TooLargeError as error:
        raise CannotMeetError(f"{refusal} (it takes {error})", nearest=nearest()) from None
