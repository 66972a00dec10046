"""What an owner wants saved and how, checked; and the choice of the items to suppress that follows from it.

`suppress` and `explore` share this: a setting is priced by making the very choice that a release would make.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.figures import Figures
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.series.shown_items import EarlierItems
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish.jobs.transactions import BASELINES, Cost, Wishes
from confide.publish.transactions.declaration import Declared, DeclaredItems, Labelled, check_eligible, codes_of
from confide.publish.transactions.loss import item_losses, nugget_figures
from confide.publish.transactions.moles.collection import MinimalMoles
from confide.publish.transactions.suppression.decision import Step, Suppression
from confide.publish.transactions.suppression.item_utility import (
    best_for_items,
    scale_costs,
    search_for_items,
    suppress_for_items,
)
from confide.publish.transactions.suppression.optimal import TIME_LIMIT
from confide.publish.transactions.suppression.whole_records import suppress_by_records

__all__ = [
    "SuppressionChoice",
    "build_wishes",
    "choose_items",
    "describe_wishes",
    "name_algorithm",
    "price_of",
    "find_wished_codes",
]

_COSTS = "support, one"  # what is tried where no cost is given
_GREEDY = ("tree", "border", "zdd", "walk", "zdd+tree", "walk+tree", "exchange", "zdd+exchange", "walk+exchange")
_SMALL = 20_000  # entries, up to which two ways are tried
_NAMES = {
    "tree": "Tree-Cohesion",
    "exchange": "Tree-Cohesion, then exchange",
    "records": "Admission by whole records",
    "border": "Border-Cohesion",
    "zdd": "Border-Cohesion (decision diagrams)",
    "walk": "Border-Cohesion (moles visited)",
    "zdd+tree": "Border-Cohesion (decision diagrams), then Tree-Cohesion for items in no nugget",
    "zdd+exchange": "Border-Cohesion (decision diagrams), then Tree-Cohesion and exchange for items in no nugget",
    "walk+tree": "Border-Cohesion (moles visited), then Tree-Cohesion for items in no nugget",
    "walk+exchange": "Border-Cohesion (moles visited), then Tree-Cohesion and exchange for items in no nugget",
    "optimal": "Branch and bound",
}


def describe_wishes(wishes: Wishes, chosen: Suppression) -> dict[str, Any]:
    """How a release was made, for its passport; weights are the owner's own and left out."""
    shown: dict[str, Any] = {"utility": wishes.utility, "method": chosen.method}
    if wishes.utility == "items" and chosen.method not in BASELINES:
        tried = _COSTS if chosen.method in ("exchange", "optimal") else "support"
        shown["cost"] = tried if wishes.cost is None else wishes.cost if isinstance(wishes.cost, str) else "weights"
    if chosen.method in _GREEDY:
        shown["put_back"] = wishes.put_back
    if chosen.method == "optimal":
        shown["time_limit"] = TIME_LIMIT if wishes.time_limit is None else wishes.time_limit
    if wishes.nugget_support is not None:
        shown |= {"nugget_support": wishes.nugget_support, "nugget_length": wishes.nugget_length}
    if wishes.icdm_deletion:
        shown["icdm_deletion"] = True
    return shown


def price_of(wishes: Wishes) -> Cost:
    """What an item costs: its support, unless a cost is given."""
    return "support" if wishes.cost is None else wishes.cost


def choose_items(
    wishes: Wishes, tx: Labelled, moles: MinimalMoles, supports: NDArray[np.int64], *, keep: NDArray[np.int32]
) -> Suppression:
    """Break these moles: by the greedy rule alone where that is asked for, else by a search that begins with it."""
    if wishes.method == "tree" or not wishes.put_back:
        how: dict[str, Any] = {"cost": price_of(wishes), "keep": keep, "put_back": wishes.put_back}
        return suppress_for_items(tx, moles, supports, **how)
    return search_for_items(tx, moles, supports, cost=wishes.cost, keep=keep)


def name_algorithm(wishes: Wishes, chosen: Suppression) -> str:
    """The algorithm's name in the passport."""
    return f"{_NAMES.get(chosen.method, chosen.method)}, keeping {wishes.utility}"


def build_wishes(wishes: Wishes, earlier: EarlierItems, records: Transactions) -> Wishes:
    """The same wishes, and never to publish what the first of earlier releases does not show."""
    hidden = earlier.hidden(records)
    wanted = sorted(set(wishes.labels("keep")).intersection(hidden))
    if wanted:
        raise UsageError(
            f"item {wanted[0]!r} cannot be kept: the first release that this one is built on does not show it",
            parameter="keep",
            value=wanted[0],
        )
    return replace(wishes, never=tuple(dict.fromkeys([*wishes.labels("never"), *hidden])))


def find_wished_codes(original: DeclaredItems, wishes: Wishes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The codes of items to keep, and never to publish; labels that never occur, or contradict each other, raise."""
    tx = original.transactions
    unwanted = codes_of(tx, wishes.labels("never"), role="never-publish")
    wanted = codes_of(tx, wishes.labels("keep"), role="keep")
    both = np.intersect1d(wanted, unwanted)
    if len(both):
        raise UsageError(f"item {tx.labels[both[0]]!r} is marked both to be kept and never to be published")
    private = np.intersect1d(wanted, original.private)
    if len(private):
        raise UsageError(f"item {tx.labels[private[0]]!r} is private and stays anyway; keep is for public items")
    return wanted, unwanted


@dataclass(frozen=True)
class SuppressionChoice:
    """Records as declared, in memory or in files, and the wishes about them, before any requirement is asked for.

    `declared` is without the items never to be published; `code_of` gives the original code of each item left. The
    answers are the same wherever the records are, but for itemsets with p=inf, where whole records of files decide
    however few items there are. What needs all records in memory is refused (`DeclaredItems.refuse`).
    """

    original: DeclaredItems
    declared: DeclaredItems
    code_of: NDArray[np.int32]
    unwanted: NDArray[np.int32]
    keep: NDArray[np.int32]
    wishes: Wishes

    @classmethod
    def of(cls, original: DeclaredItems, wishes: Wishes) -> "SuppressionChoice":
        """Look the labels up; raises `UsageError` for one that never occurs, or wishes that contradict each other."""
        wanted, unwanted = find_wished_codes(original, wishes)
        declared, code_of = original.without(unwanted)
        if len(unwanted) and not (~declared.is_private & (declared.supports > 0)).any():
            raise CannotMeetError("without the items never to be published no public item is left", parameter="never")
        keep = np.flatnonzero(np.isin(code_of, wanted)).astype(np.int32)
        return cls(original, declared, code_of, unwanted, keep, wishes)

    def make(self, requirement: Coherence) -> Suppression:
        """What goes, in original codes (its minimal moles, where known, are in the codes of `declared`).

        Raises `CannotMeetError` when nothing can be published or a wish forbids it.
        """
        self.declared.refuse(self.wishes, requirement)
        check_eligible(self.declared, requirement)
        chosen = self._choose(requirement)
        if not (self._public & chosen.mask_kept(self.declared.transactions.n_items)).any():
            raise CannotMeetError(
                f"k={requirement.k}, h={requirement.h:g}, p={requirement.p:g} would leave no public item at all",
                parameter="k",
                value=requirement.k,
            )
        if not len(self.unwanted):
            return chosen
        first = [Step(item=int(v), reason="never") for v in self.unwanted]
        rest = [Step(item=int(self.code_of[s.item]), reason=s.reason, gain=s.gain, cost=s.cost) for s in chosen.steps]
        return Suppression(steps=(*first, *rest), method=chosen.method, totals=chosen.totals, moles=chosen.moles)

    def loss(self, chosen: Suppression) -> Figures:
        """What this choice would lose, exactly; itemsets too, where it is known which are worth keeping."""
        wishes, kept = self.wishes, chosen.mask_kept(self.original.transactions.n_items)
        found = item_losses(self.original, kept)
        if wishes.nugget_support is None:
            return found
        least = support_count(wishes.nugget_support, len(self.original.transactions))
        # totals of the method are of the data without unwanted items
        if "nuggets_kept" in chosen.totals and not len(self.unwanted):
            return found | nugget_figures(least, chosen.totals["nuggets"], chosen.totals["nuggets_kept"])
        return found | nugget_figures(least, *self.original.count_nuggets(kept, least, wishes.nugget_length))

    @cached_property
    def _public(self) -> NDArray[np.bool_]:
        """The public items that occur."""
        found: NDArray[np.bool_] = ~self.declared.is_private & (self.declared.supports > 0)
        return found

    def _choose(self, requirement: Coherence) -> Suppression:
        declared, wishes = self.declared, self.wishes
        method = wishes.method
        if method in BASELINES:
            from confide.publish.transactions.suppression.baselines import k_anonymizer, remove_all

            if method == "k-anonymizer":
                assert isinstance(declared, Declared)  # `refuse` has refused others
                return k_anonymizer(declared, requirement)
            return remove_all(declared, requirement, deleted=self._in_no_nugget())
        whole = declared.knows_whole_records(requirement)
        if method == "records" and not whole:
            raise UsageError(
                "method='records' judges whole records: it needs p=inf, and h=1 or no private item",
                parameter="method",
                value="records",
            )
        if wishes.utility == "items":
            return self._for_items(requirement, whole=whole)
        return self._for_itemsets(requirement, whole=whole)

    def _for_items(self, requirement: Coherence, *, whole: bool) -> Suppression:
        """By moles; where whole records decide, by those, and by moles too on small data: whatever loses less."""
        declared, wishes = self.declared, self.wishes
        tx, supports = declared.transactions, declared.supports
        price, _ = scale_costs(tx, supports, price_of(wishes))
        if wishes.method == "optimal":
            moles = declared.find_moles(requirement)
            how: dict[str, Any] = {"cost": wishes.cost, "keep": self.keep, "time_limit": wishes.time_limit}
            return best_for_items(tx, moles, supports, **how)
        answers: list[Suppression] = []
        with task("choosing items to suppress", total=1) as step:
            if wishes.method == "records" or (wishes.method == "auto" and whole and requirement.p == math.inf):
                answers.append(suppress_by_records(declared, requirement, price=price, keep=self.keep))
            if not answers or (wishes.method == "auto" and int(supports.sum()) <= _SMALL):
                try:
                    moles = declared.find_moles(requirement)
                    answers.append(choose_items(wishes, tx, moles, supports, keep=self.keep))
                except CannotMeetError:
                    if not answers:
                        raise
            step(1)
        return min(answers, key=lambda answer: int(price[list(answer.items)].sum()))

    def _for_itemsets(self, requirement: Coherence, *, whole: bool) -> Suppression:
        from confide.publish.transactions.suppression.itemset_utility import nugget_counts

        declared, wishes, method = self.declared, self.wishes, self.wishes.method
        assert wishes.nugget_support is not None  # `Wishes` checks it
        left = ~declared.is_private & (declared.supports >= requirement.k) & ~self._in_no_nugget()
        if method == "auto" and whole and declared.prefers_records(requirement, left):
            method = "records"
        if method != "records":
            try:
                if method == "auto" and not declared.can_count_moles(requirement, left):
                    return self._nuggets_then_items(requirement)
                return self._by_nuggets(requirement, icdm_deletion=wishes.icdm_deletion)
            except CannotMeetError:
                if not (whole and method == "auto"):
                    raise
        counts = nugget_counts(
            declared.transactions,
            min_support=wishes.nugget_support,
            max_length=wishes.nugget_length,
            left_out=self._list_left_out(),
        )
        return suppress_by_records(
            declared, requirement, price=counts.per_item, keep=self.keep, deleted=self._in_no_nugget(), improve=False
        )

    def _by_nuggets(self, requirement: Coherence, *, icdm_deletion: bool) -> Suppression:
        from confide.publish.transactions.suppression.itemset_utility import suppress_for_itemsets

        wishes, method = self.wishes, self.wishes.method
        assert wishes.nugget_support is not None
        assert method in ("auto", "border", "zdd", "walk", "optimal")
        return suppress_for_itemsets(
            self.declared.transactions,
            requirement,
            self.declared.private,
            nugget_support=wishes.nugget_support,
            nugget_length=wishes.nugget_length,
            method=method,
            icdm_deletion=icdm_deletion,
            keep_codes=self.keep,
            put_back=wishes.put_back,
            time_limit=wishes.time_limit,
            left_out=self._list_left_out(),
        )

    def _nuggets_then_items(self, requirement: Coherence) -> Suppression:
        """Where all moles of many items would be too many to count: first as if the items in no nugget were deleted,
        which loses the same nuggets; then as many of those items as item utility saves."""
        declared, wishes = self.declared, self.wishes
        if wishes.icdm_deletion:
            return self._by_nuggets(requirement, icdm_deletion=True)
        moles = declared.find_moles(requirement)  # first: if that is too much, nothing is mined in vain
        chosen = self._by_nuggets(requirement, icdm_deletion=True)
        deleted = np.array([step.item for step in chosen.steps if step.reason == "option"], dtype=np.int32)
        gone = np.array([step.item for step in chosen.steps if step.reason != "option"], dtype=np.int32)
        stays = np.setdiff1d(np.flatnonzero(~declared.is_private), deleted).astype(np.int32)
        rest = choose_items(
            wishes, declared.transactions, moles.without(gone), declared.supports, keep=np.setdiff1d(stays, gone)
        )
        steps = [step for step in chosen.steps if step.reason != "option"] + list(rest.steps)
        return Suppression(
            steps=tuple(steps),
            method=f"{chosen.method}+{rest.method}",
            totals={**chosen.totals, "minimal_moles": len(moles)},
            moles=moles,
        )

    def _in_no_nugget(self) -> NDArray[np.bool_]:
        """The public items that the ICDM deletion takes; none without that wish."""
        declared, wishes = self.declared, self.wishes
        if not wishes.icdm_deletion or wishes.nugget_support is None:
            return np.zeros(declared.transactions.n_items, dtype=np.bool_)
        return self._public & (declared.supports < support_count(wishes.nugget_support, len(declared.transactions)))

    def _list_left_out(self) -> list[int]:
        """The items that records still hold, and that are never to be published."""
        declared = self.declared
        return np.flatnonzero((declared.supports == 0) & (declared.transactions.supports() > 0)).tolist()
