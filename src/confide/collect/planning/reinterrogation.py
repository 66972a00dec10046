"""Reinterrogation privacy: how much of it is left once the mining result is known too (section 2.2).

Anyone with the perturbed records and the frequent itemsets can ask again: among the records in which {a, b, c} is
*seen*, how many truly hold b? That share is the breach of b by {a, b, c}. A true 1 that is still seen is as safe as the
worst breach among the frequent itemsets seen around it allows; a 1 that was flipped away is as safe as the average of
basic privacy says, and one whose item is not frequent as safe as that item's own.

The true records are needed, so this is a simulation by their owner, before a collection or on a sample.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.planning.privacy_measures import as_transactions, basic_privacy
from confide.collect.schemes.scheme import Scheme
from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions

__all__ = ["ReinterrogationPrivacy", "reinterrogation_privacy"]


@dataclass(frozen=True, kw_only=True)
class ReinterrogationPrivacy(ShownFields):
    """`privacy` is the average over all true 1s; `basic` the basic privacy it is compared with. `as_printed` is what
    comes out when 1s that were flipped away count with the basic privacy at the mean support, as in the paper: more.

    `exposed` is the share of true 1s that are still seen in a frequent column, `exposed_privacy` the average over these
    alone, and `flipped` the share that were there and are not seen. `worst_breach` is the largest breach met, by
    `worst_itemset` for `worst_item`. These are averages, not guarantees.
    """

    privacy: float
    basic: float
    as_printed: float
    exposed: float
    exposed_privacy: float
    flipped: float
    worst_breach: float
    worst_itemset: tuple[str, ...]
    worst_item: str | None
    itemsets: int

    def __float__(self) -> float:
        return self.privacy


def reinterrogation_privacy(
    scheme: Scheme,
    data: Any,
    *,
    min_support: int | float,
    perturbed: Any = None,
    max_length: int | None = None,
    randomness: Randomness | None = None,
) -> ReinterrogationPrivacy:
    """Average privacy of true 1s against a collector who also knows the exact frequent itemsets of `data`.

    `data` are the true records; `perturbed` what `scheme` made of them, in the same order (by default it is drawn
    here). A lower `min_support` lets the attacker know more. Takes two walks over the perturbed records: about a second
    for a million records of 35 seen items.
    """
    true = as_transactions(scheme, data)
    if len(true) == 0 or len(true.indices) == 0:
        raise InputError("there is no 1 in the records, so nothing to hide")
    if perturbed is None:
        perturbed = scheme.perturb(data, randomness=randomness)
    seen = as_transactions(scheme, perturbed)
    if len(seen) != len(true):
        raise UsageError(f"{len(seen):,} perturbed records for {len(true):,} true ones; they must be the same people")
    from confide.mining import frequent_itemsets

    frequent = frequent_itemsets(true, min_support=min_support, max_length=max_length).sorted()
    hidden = basic_privacy(scheme, true)
    rare = np.setdiff1d(np.arange(true.n_items), frequent.items)
    rare_ones = true.supports()[rare]
    rare_hidden = float(hidden.per_item[rare] @ rare_ones)
    times, hits, (total, ones) = _interrogate(true, seen, frequent)
    all_ones = len(true.indices)
    flipped = all_ones - ones - int(rare_ones.sum())

    def average(basic: float) -> float:
        return ((ones - total) + flipped * basic + rare_hidden) / all_ones

    return ReinterrogationPrivacy(
        privacy=average(hidden.privacy),
        basic=hidden.privacy,
        as_printed=average(hidden.at_mean_support),
        exposed=ones / all_ones,
        exposed_privacy=1 - total / ones if ones else 1.0,
        flipped=flipped / all_ones,
        **_worst(frequent, times, hits),
        itemsets=len(frequent),
    )


def breaches(true: Transactions, seen: Transactions, itemsets: Itemsets) -> NDArray[np.float64]:
    """The breach of each item by each itemset (which must be closed downwards, in canonical order), flat as items."""
    times, hits, _ = _interrogate(true, seen, itemsets)
    return _shares(itemsets, times, hits)


def _interrogate(
    true: Transactions, seen: Transactions, itemsets: Itemsets
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[float, int]]:
    from confide.collect.planning._breach_kernels import ItemsetTree, KnownRecords, walk

    offsets, items = itemsets.coded()
    item_of, first_child, root_of = _tree(itemsets)
    seen_items = seen.indices
    if seen.labels != true.labels:
        missing = len(true.labels)
        code = np.array([true.codes.get(label, -1) for label in seen.labels], dtype=np.int32)
        if np.any(code < 0):
            raise UsageError(f"{np.sum(code < 0):,} perturbed items are unknown to the {missing:,} true ones")
        seen_items = code[seen_items]
    times, hits = np.zeros(len(itemsets), dtype=np.int64), np.zeros(len(items), dtype=np.int64)
    depth = int(itemsets.lengths.max(initial=1))
    tree = ItemsetTree(root_of, first_child, item_of, offsets, depth)
    records = KnownRecords(true.indptr, true.indices, seen.indptr, seen_items)
    walk(records, tree, True, times, hits, np.zeros(0))
    breach = _shares(itemsets, times, hits)
    return times, hits, walk(records, tree, False, times, hits, breach)


def _shares(itemsets: Itemsets, times: NDArray[np.int64], hits: NDArray[np.int64]) -> NDArray[np.float64]:
    seen = np.repeat(times, itemsets.lengths)
    return np.divide(hits, seen, out=np.zeros(len(hits)), where=seen > 0)


def _tree(itemsets: Itemsets) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """(last item of each set, first child of each set, the set {item} of each item or -1) of sorted itemsets."""
    offsets, items = itemsets.coded()
    n, width = len(itemsets), len(itemsets.labels)
    item_of = items[offsets[1:] - 1] if n else np.zeros(0, dtype=np.int32)
    root_of = np.full(width, -1, dtype=np.int64)
    parent = np.full(n, -1, dtype=np.int64)
    lengths = itemsets.lengths
    first = np.searchsorted(lengths, np.arange(lengths.max(initial=1) + 2))
    root_of[items[offsets[first[1] : first[2]]]] = np.arange(first[1], first[2])
    keys: dict[int, NDArray[np.int64]] = {}
    for level in range(2, len(first) - 1):
        sets = np.arange(first[level], first[level + 1])
        up = root_of[items[offsets[sets]]]
        for place in range(1, level - 1):  # from the root down to the prefix without the last item
            up = first[place + 1] + np.searchsorted(keys[place + 1], up * width + items[offsets[sets] + place])
        parent[sets] = up
        keys[level] = up * width + item_of[sets]
    first_child = first[2] + np.searchsorted(parent[first[2] :], np.arange(n + 1))
    return item_of, first_child.astype(np.int64), root_of


def _worst(itemsets: Itemsets, times: NDArray[np.int64], hits: NDArray[np.int64]) -> dict[str, Any]:
    share = _shares(itemsets, times, hits)
    if not len(share):
        return {"worst_breach": 0.0, "worst_itemset": (), "worst_item": None}
    at = int(np.argmax(share))
    node = int(np.searchsorted(itemsets.offsets, at, side="right")) - 1
    return {
        "worst_breach": float(share[at]),
        "worst_itemset": itemsets[node][0],
        "worst_item": itemsets.labels[int(itemsets.items[at])],
    }
