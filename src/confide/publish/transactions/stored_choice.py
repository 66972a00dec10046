"""The choice of the items to suppress in transactions that stay in their files, from counts that passes make of them.

    keeping items       minimal moles, any p; with p=inf and h=1 whole records decide, the different ones at a time
    keeping itemsets    p up to 2, where minimal moles are all moles that must be counted; p=inf and h=1 likewise
    baselines           remove-all

What needs all records at once is refused, and the line says what to do. The answers are those of `choice`, but for
itemsets with p=inf, where whole records decide however few items there are.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.transactions import StoredTransactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.figures import Figures
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.choice import SMALL, choose_items, price_of, wished_codes
from confide.publish.transactions.declaration import Declared, check_eligible
from confide.publish.transactions.loss import counted_losses, nugget_figures
from confide.publish.transactions.moles.stored import DeclaredFiles, find_stored_moles
from confide.publish.transactions.suppression.decision import Step, Suppression
from confide.publish.transactions.suppression.item_utility import best_for_items, scaled_costs
from confide.publish.transactions.suppression.whole_records import suppress_by_records

__all__ = ["StoredChoice"]

_MEMORY = "which needs all records in memory; use a smaller sample, or engine memory"


@dataclass(frozen=True)
class StoredChoice:
    """Transactions in files as declared, and the wishes about them, before any requirement is asked for.

    `declared` is without the items never to be published; codes are those of the files throughout.
    """

    original: DeclaredFiles
    declared: DeclaredFiles
    unwanted: NDArray[np.int32]
    keep: NDArray[np.int32]
    wishes: Wishes

    @classmethod
    def of(cls, original: DeclaredFiles, wishes: Wishes) -> "StoredChoice":
        """Look the labels up; raises `UsageError` for what needs the records in memory."""
        if wishes.method == "k-anonymizer":
            raise UsageError(f"method='k-anonymizer' splits all records into groups, {_MEMORY}, or method 'remove-all'")
        if wishes.method in ("border", "walk"):
            raise UsageError(f"method={wishes.method!r} counts moles in all records, {_MEMORY}, or method 'zdd'")
        wanted, unwanted = wished_codes(original, wishes)
        supports = original.supports.copy()
        supports[unwanted] = 0
        private = np.setdiff1d(original.private, unwanted).astype(np.int32)
        declared = DeclaredFiles(original.transactions, private, supports)
        if len(unwanted) and not (~declared.is_private & (supports > 0)).any():
            raise CannotMeetError("without the items never to be published no public item is left")
        return cls(original, declared, unwanted, wanted, wishes)

    def make(self, requirement: Coherence) -> Suppression:
        """What goes; raises `CannotMeetError` when nothing can be published or a wish forbids it."""
        self._check(requirement)
        check_eligible(self.declared, requirement)
        chosen = self._choose(requirement)
        if not (self._public & chosen.kept(self._stored.n_items)).any():
            raise CannotMeetError(
                f"k={requirement.k}, h={requirement.h:g}, p={requirement.p:g} would leave no public item at all",
                parameter="k",
                value=requirement.k,
            )
        first = [Step(item=int(v), reason="never") for v in self.unwanted]
        return Suppression(
            steps=(*first, *chosen.steps), method=chosen.method, totals=chosen.totals, moles=chosen.moles
        )

    def loss(self, chosen: Suppression) -> Figures:
        """What this choice would lose, exactly; itemsets too, where it is known which are worth keeping."""
        stored, wishes = self._stored, self.wishes
        kept = chosen.kept(stored.n_items)
        found = self.item_losses(kept)
        if wishes.nugget_support is None:
            return found
        from confide.publish.transactions.families.moles_and_nuggets import nugget_diagram

        least = support_count(wishes.nugget_support, len(stored))
        nuggets = nugget_diagram(stored, min_support=least, max_length=wishes.nugget_length)
        total, left = (
            max(0, some.counts(stored.n_items).total - 1) for some in (nuggets, nuggets.without(chosen.items))
        )
        return found | nugget_figures(least, total, left)

    def item_losses(self, kept: NDArray[np.bool_]) -> Figures:
        """What is lost when only the items marked in `kept` stay."""
        stored = self._stored
        return counted_losses(
            self.original,
            kept,
            occurrences=stored.dictionary.entries,
            left=int(self.original.supports[kept].sum()),
            emptied=stored.fold(CountEmptied(kept), label="counting emptied records"),
        )

    @property
    def _stored(self) -> StoredTransactions:
        return self.declared.transactions

    @cached_property
    def _public(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = ~self.declared.is_private & (self.declared.supports > 0)
        return found

    def _whole(self, requirement: Coherence) -> bool:
        """Whether whole records decide."""
        nothing_bounded = requirement.h == 1 or not len(self.declared.private)
        return nothing_bounded and requirement.p >= self._stored.dictionary.longest

    def _check(self, requirement: Coherence) -> None:
        wishes, whole = self.wishes, self._whole(requirement)
        if wishes.method == "records" and not whole:
            raise UsageError("method='records' judges whole records: it needs p=inf, and h=1 or no private item")
        counted = wishes.utility == "itemsets" and wishes.method not in ("records", "remove-all")
        if counted and requirement.p > 2 and not (wishes.method == "auto" and whole):
            raise UsageError(
                f"utility='itemsets' with p={requirement.p:g} counts every mole, {_MEMORY}, or p=2, or utility='items'"
            )

    def _choose(self, requirement: Coherence) -> Suppression:
        wishes = self.wishes
        if wishes.method == "remove-all":
            return self._remove_all(requirement)
        if wishes.utility == "items":
            return self._for_items(requirement)
        if wishes.method == "records" or requirement.p > 2:
            from confide.publish.transactions.suppression.itemset_utility import nugget_counts

            assert wishes.nugget_support is not None
            how: dict[str, Any] = {"min_support": wishes.nugget_support, "max_length": wishes.nugget_length}
            price = nugget_counts(self._stored, **how, left_out=self.unwanted.tolist()).per_item
            return self._by_records(requirement, price=price, deleted=self._in_no_nugget(), improve=False)
        return self._for_itemsets(requirement)

    def _for_items(self, requirement: Coherence) -> Suppression:
        declared, wishes, stored = self.declared, self.wishes, self._stored
        supports = declared.supports
        if wishes.method == "optimal":
            moles = find_stored_moles(declared, requirement)
            how: dict[str, Any] = {"cost": wishes.cost, "keep": self.keep, "time_limit": wishes.time_limit}
            return best_for_items(stored, moles, supports, **how)
        price, _ = scaled_costs(stored, supports, price_of(wishes))
        answers: list[Suppression] = []
        unbounded = requirement.p == math.inf and self._whole(requirement)
        if wishes.method == "records" or (wishes.method == "auto" and unbounded):
            answers.append(self._by_records(requirement, price=price))
        if not answers or (wishes.method == "auto" and int(supports.sum()) <= SMALL):
            try:
                moles = find_stored_moles(declared, requirement)
                answers.append(choose_items(wishes, stored, moles, supports, keep=self.keep))
            except CannotMeetError:
                if not answers:
                    raise
        return min(answers, key=lambda answer: int(price[list(answer.items)].sum()))

    def _for_itemsets(self, requirement: Coherence) -> Suppression:
        from confide.publish.transactions.suppression.itemset_utility import suppress_for_itemsets

        wishes = self.wishes
        assert wishes.nugget_support is not None
        assert wishes.method in ("auto", "zdd", "optimal")
        return suppress_for_itemsets(
            self._stored,
            requirement,
            self.declared.private,
            nugget_support=wishes.nugget_support,
            nugget_length=wishes.nugget_length,
            method=wishes.method,
            icdm_deletion=wishes.icdm_deletion,
            keep_codes=self.keep,
            put_back=wishes.put_back,
            time_limit=wishes.time_limit,
            left_out=self.unwanted.tolist(),
        )

    def _by_records(self, requirement: Coherence, *, price: Any, **how: Any) -> Suppression:
        """By the different records; items in fewer than k records cannot stay, and make none different."""
        from confide.mining.stored.distinct import distinct_records

        declared = self.declared
        found = distinct_records(self._stored, self._public & (declared.supports >= requirement.k))
        return suppress_by_records(
            Declared(found.records, declared.private, declared.supports),
            requirement,
            price=price,
            keep=self.keep,
            weights=found.counts,
            entries=int(declared.supports.sum()),
            **how,
        )

    def _remove_all(self, requirement: Coherence) -> Suppression:
        """As `baselines.remove_all`: every item of every minimal mole."""
        deleted = self._in_no_nugget()
        declared = DeclaredFiles(
            self._stored, self.declared.private, np.where(deleted, 0, self.declared.supports).astype(np.int64)
        )
        moles = find_stored_moles(declared, requirement)
        alone = set(moles.level(1).ravel().tolist())
        gone = {int(v) for size in moles.counts() for v in np.unique(moles.level(size))}
        steps = [Step(item=v, reason="alone" if v in alone else "all") for v in gone]
        steps += [Step(item=int(v), reason="option") for v in np.flatnonzero(deleted)]
        steps.sort(key=lambda step: step.item)
        return Suppression(steps=tuple(steps), method="remove-all", totals={"minimal_moles": len(moles)}, moles=moles)

    def _in_no_nugget(self) -> NDArray[np.bool_]:
        """The public items that the ICDM deletion takes; none without that wish."""
        wishes = self.wishes
        if not wishes.icdm_deletion or wishes.nugget_support is None:
            return np.zeros(self._stored.n_items, dtype=np.bool_)
        return self._public & (self.declared.supports < support_count(wishes.nugget_support, len(self._stored)))


@dataclass(frozen=True, eq=False)
class CountEmptied:
    """The pass that counts records which lose all they held."""

    kept: NDArray[np.bool_]

    shared = False

    def begin(self) -> int:
        """None yet."""
        return 0

    def add(self, state: int, batch: Transactions) -> int:
        """Count those of the batch."""
        held = np.concatenate([[0], np.cumsum(self.kept[batch.indices])])[batch.indptr]
        return state + int(((np.diff(held) == 0) & (batch.lengths > 0)).sum())

    def merge(self, one: int, other: int) -> int:
        """The sum of two."""
        return one + other
