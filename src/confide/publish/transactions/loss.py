"""What a release gave up: occurrences, items, nuggets; in numbers, and by how common the items were."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.figures.charts import Chart
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish.transactions.declaration import Declared

__all__ = ["by_support", "item_losses", "nugget_losses"]


def item_losses(before: Declared, kept: NDArray[np.bool_], after: Transactions) -> dict[str, Any]:
    """Loss of items: (N - N') / N over all occurrences (thesis, section 4.5.1), items gone, and records emptied."""
    tx, supports = before.transactions, before.supports
    occurrences, left = len(tx.indices), len(after.indices)
    public = ~before.is_private & (supports > 0)
    gone = int((public & ~kept).sum())
    return {
        "share_of_occurrences_lost": _share(occurrences - left, occurrences),
        "occurrences": occurrences,
        "occurrences_lost": occurrences - left,
        "share_of_public_items_suppressed": _share(gone, int(public.sum())),
        "public_items": int(public.sum()),
        "public_items_suppressed": gone,
        "records_emptied": int(((tx.lengths > 0) & (after.lengths == 0)).sum()),
    }


def nugget_losses(
    before: Transactions,
    after: Transactions,
    nugget_support: int | float,
    length: int | None,
    counted: Mapping[str, int],
) -> dict[str, Any]:
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
    return {
        "nugget_support": least,
        "share_of_nuggets_lost": _share(total - kept, total),
        "nuggets": total,
        "nuggets_lost": total - kept,
    }


def by_support(before: Declared, kept: NDArray[np.bool_], k: int) -> Chart:
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
            items.append(_share(int((inside & ~kept).sum()), int(inside.sum())))
            occurrences.append(_share(int(supports[inside & ~kept].sum()), int(supports[inside].sum())))
    return Chart(
        title="Suppressed, by how common the item was",
        x=tuple(names),
        series={"share of items": tuple(items), "share of occurrences": tuple(occurrences)},
        x_label="records that hold the item",
        y_label="share suppressed",
        note=f"Items in fewer than k = {k} records can never be published.",
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
