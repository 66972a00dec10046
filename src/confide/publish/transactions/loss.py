"""What a release gave up: occurrences, items, nuggets; in numbers, in a sentence, and by how common the items were."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.figures import Chart, Figure, Figures
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish.transactions.declaration import DeclaredItems

__all__ = [
    "above_least",
    "by_support",
    "for_everybody",
    "headline",
    "item_losses",
    "key_figures",
    "mostly_rare",
    "nugget_figures",
    "nugget_losses",
]


def item_losses(before: DeclaredItems, kept: NDArray[np.bool_]) -> Figures:
    """Loss of items: (N - N') / N over all occurrences (thesis, section 4.5.1), items gone, and records emptied."""
    occurrences, left = before.transactions.entries, int(before.supports[kept].sum())
    emptied = before.transactions.fold(_CountEmptied(kept), label="counting emptied records")
    public = ~before.is_private & (before.supports > 0)
    gone = int((public & ~kept).sum())
    return Figures(
        Figure(
            "share_of_occurrences_lost", _share(occurrences - left, occurrences), "share", "of all entries are lost"
        ),
        Figure("occurrences", occurrences, "count", "entries before (an item in a record is one entry)"),
        Figure("occurrences_lost", occurrences - left, "count", "entries lost"),
        Figure(
            "share_of_public_items_suppressed", _share(gone, int(public.sum())), "share", "of public items are hidden"
        ),
        Figure("public_items", int(public.sum()), "count", "public items before"),
        Figure("public_items_suppressed", gone, "count", "public items hidden"),
        Figure("records_emptied", emptied, "count", "records left without any item"),
    )


@dataclass(frozen=True, eq=False)
class _CountEmptied:
    """The pass that counts records which lose all they held."""

    kept: NDArray[np.bool_]

    shared = False

    def begin(self) -> int:
        return 0

    def add(self, state: int, batch: Transactions) -> int:
        held = np.concatenate([[0], np.cumsum(self.kept[batch.indices])])[batch.indptr]
        return state + int(((np.diff(held) == 0) & (batch.lengths > 0)).sum())

    def merge(self, one: int, other: int) -> int:
        return one + other


def nugget_losses(
    before: Transactions | StoredTransactions,
    after: Transactions | StoredTransactions,
    nugget_support: int | float,
    length: int | None,
    counted: Mapping[str, int],
) -> Figures:
    """Loss of nuggets: (R - R') / R over the itemsets, public and private, that at least k' records hold.

    `counted` are totals a suppressing algorithm may have counted already.
    """
    from confide.mining import count_itemsets

    least = support_count(nugget_support, len(before))
    if "nuggets" in counted and "nuggets_kept" in counted:
        total, kept = counted["nuggets"], counted["nuggets_kept"]
    else:
        total = sum(count_itemsets(before, min_support=least, max_length=length).values())
        kept = sum(count_itemsets(after, min_support=least, max_length=length).values())
    return nugget_figures(least, total, kept)


def nugget_figures(least: int, total: int, kept: int) -> Figures:
    """Loss of nuggets, from what was counted: those in `least` records, before and after."""
    worth = "frequent itemsets worth keeping"
    return Figures(
        Figure("nugget_support", least, "count", "records an itemset needs to be worth keeping"),
        Figure("share_of_nuggets_lost", _share(total - kept, total), "share", f"of {worth} are lost"),
        Figure("nuggets", total, "count", f"{worth}, before"),
        Figure("nuggets_lost", total - kept, "count", f"{worth}, lost"),
    )


def above_least(totals: Mapping[str, int], *, k: int = 1) -> Figures:
    """By how much, at most, another choice would lose less: nothing unless the method found a bound.

    For everybody a difference below `k` counts as k - 1.
    """
    if "above_least" not in totals:
        return Figures()
    gap, whole = totals["above_least"], totals["priced"]
    told = max(gap, k - 1) if gap else 0
    what = "might be lost needlessly, at most (0%: proved the best choice)"
    return Figures(Figure("share_above_least", _share(min(told, whole), whole), "share", what))


_COUNTED = (  # what there was, how much of it is lost, and the share that is
    ("occurrences", "occurrences_lost", "share_of_occurrences_lost"),
    ("public_items", "public_items_suppressed", "share_of_public_items_suppressed"),
    ("nuggets", "nuggets_lost", "share_of_nuggets_lost"),
)


def for_everybody(exact: Figures, k: int) -> Figures:
    """The figures as they may be published: a count of 1 to k - 1 reads "fewer than k", for it may be about one person.

    Whoever holds the release can count what is left, so what there was is then given as a range, and a share as the
    largest it can be. The exact figures are the owner's.
    """
    shown = {name: Figure(name, value, exact.unit(name), exact.heading(name)) for name, value in exact.items()}
    few = f"fewer than {k}"
    for whole, lost, share in _COUNTED:
        if lost in exact and 0 < exact[lost] < k:
            left = exact[whole] - exact[lost]
            shown[lost] = Figure(lost, few, "text", exact.heading(lost))
            shown[whole] = Figure(whole, f"{left + 1:,} to {left + k - 1:,}", "text", exact.heading(whole))
            shown[share] = Figure(share, (k - 1) / (left + k - 1), "share", f"{exact.heading(share)}, at most")
    if 0 < exact["records_emptied"] < k:
        shown["records_emptied"] = Figure("records_emptied", few, "text", exact.heading("records_emptied"))
    return Figures(*shown.values())


def key_figures(loss: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the three figures that matter most."""
    third = "share_of_nuggets_lost" if "share_of_nuggets_lost" in loss else "records_emptied"
    return ("share_of_occurrences_lost", "share_of_public_items_suppressed", third)


def headline(loss: Mapping[str, Any], *, rare: bool = False, k: int = 1) -> str:
    """The loss in one sentence, for somebody who reads no further.

    `loss` are the exact figures of `item_losses`, with those of `nugget_losses` if there are any; `rare` is the answer
    of `mostly_rare`. What remains is rounded down: a release never looks better than it is. Counts below `k` are not
    shown.

    >>> counted = {"public_items": 161, "public_items_suppressed": 103, "occurrences": 1200, "occurrences_lost": 203}
    >>> headline(counted, rare=True)
    '103 of 161 public items are hidden, mostly rare ones; 83% of all entries remain.'
    >>> headline(counted | {"public_items_suppressed": 1, "occurrences_lost": 1}, k=5)
    'Fewer than 5 public items are hidden; 99% of all entries remain.'
    """
    public, hidden = loss["public_items"], loss["public_items_suppressed"]
    lost = loss["occurrences_lost"]
    if hidden == 0 and lost == 0:
        items = "No item is hidden"
    elif 0 < hidden < k:
        items = f"Fewer than {k} public items are hidden"
    else:
        items = f"{hidden:,} of {public:,} public items {'is' if hidden == 1 else 'are'} hidden"
        items += ", mostly rare ones" if rare and hidden > 1 else ""
    parts = [items, f"{_remaining(loss['occurrences'], lost, k)} of all entries remain"]
    if loss.get("nuggets"):
        parts.append(
            f"{_remaining(loss['nuggets'], loss['nuggets_lost'], k)} of the frequent itemsets worth keeping remain"
        )
    return "; ".join(parts) + "."


def _remaining(whole: int, lost: int, k: int) -> str:
    """What is left in whole percent, rounded down; "100%" only of what lost nothing, "0%" only of what lost all."""
    if 0 < lost < k:  # as if it were the most it can be
        whole, lost = whole - lost + k - 1, k - 1
    percent = 100 * (whole - lost) // whole if whole else 100
    return "less than 1%" if percent == 0 and lost < whole else f"{percent}%"


def mostly_rare(before: DeclaredItems, kept: NDArray[np.bool_]) -> bool:
    """Whether more than half of the suppressed public items were rarer than the median public item."""
    public = ~before.is_private & (before.supports > 0)
    gone = before.supports[public & ~kept]
    if not len(gone):
        return False
    return bool(2 * (gone < np.median(before.supports[public])).sum() > len(gone))


def by_support(before: DeclaredItems, kept: NDArray[np.bool_], k: int) -> Chart:
    """Share of the public items, and of their occurrences, that were suppressed, by how common the items were."""
    supports = before.supports
    public = ~before.is_private & (supports > 0)
    n = len(before.transactions)
    edges = [1, k]
    while edges[-1] < n:
        edges.append(min(edges[-1] * 4, n + 1) if edges[-1] * 4 <= n else n + 1)
    names, items, occurrences = [], [], []
    for low, high in pairwise(edges):
        inside = public & (supports >= low) & (supports < high)
        if inside.any():
            names.append(f"{low:,} to {high - 1:,}" if high - 1 > low else f"{low:,}")
            gone = inside & ~kept
            items.append(_put_in_words(int(gone.sum()), int(inside.sum()), k))
            occurrences.append(_put_in_words(int(supports[gone].sum()), int(supports[inside].sum()), k))
    return Chart(
        title="Hidden, by how common the item was",
        x=tuple(names),
        series={"of the items": tuple(items), "of their entries": tuple(occurrences)},
        x_label="records that hold the item",
        y_label="share hidden",
        y_unit="share",
        note=f"An item in fewer than {k} records can never be published.",
    )


def _put_in_words(part: int, whole: int, k: int) -> float:
    """A share for everybody: fewer than k of them, but not all, count as k - 1."""
    return _share(min(k - 1, whole) if 0 < part < k and part < whole else part, whole)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
