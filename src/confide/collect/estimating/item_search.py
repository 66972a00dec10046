"""The level-wise search over perturbed transactions: Apriori whose supports are estimates (sections 3.3.3 and 3.3.4).

Each pass counts candidates in the perturbed records as plain mining would, only the records that hold all items, and
reconstructs at its end. A set goes on if its *estimated* support reaches the threshold; candidates are sets all of
whose parts went on.

The layers of a candidate X of n items (see `item_estimates`) come from those of its n parts of n - 1 items: a subset of
j items lies in n - j of the parts, so

    layer j of X  =  sum over the parts of their layer j,  divided by n - j

exactly, and no table of all earlier counts is needed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.item_estimates import LayerEstimator
from confide.collect.fields.fields import Fields
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError, RequirementError
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.mining.counting.batches import counts_by
from confide.mining.counting.candidates import join
from confide.mining.counting.memory_counts import Way
from confide.mining.counting.protocol import ItemsetCounts
from confide.mining.counting.supports import CandidateCounter

__all__ = ["Found", "ItemEstimates", "ItemsetLevel", "Wanted", "check_candidates", "levels_of", "mine_items"]

MOST_CANDIDATES = 30_000_000


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is searched for: estimates of at least `threshold` records, or within `near` standard errors of it."""

    threshold: int
    near: float = 0.0
    max_length: int | None = None

    def passes(self, estimates: NDArray[np.float64], variances: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which sets go on."""
        if self.near == 0:
            return estimates >= self.threshold
        return estimates + self.near * np.sqrt(variances) >= self.threshold


@dataclass(frozen=True, kw_only=True)
class ItemsetLevel:
    """The sets of one length that went on: rows of codes in lexicographic order."""

    sets: NDArray[np.int32]
    estimates: NDArray[np.float64]
    variances: NDArray[np.float64]


Found = list[ItemsetLevel]


def levels_of(
    sets: Sequence[tuple[int, ...]], estimates: NDArray[np.float64], variances: NDArray[np.float64]
) -> list[ItemsetLevel]:
    """Sets of any lengths, with their estimates, as levels in the order of `Itemsets`; a level for every length."""
    lengths = np.array([len(one) for one in sets])
    levels = []
    for length in range(1, int(lengths.max(initial=0)) + 1):
        here = np.flatnonzero(lengths == length).tolist()
        rows = np.array([sets[i] for i in here], dtype=np.int32).reshape(-1, length)
        order = np.lexsort(rows.T[::-1])
        levels.append(
            ItemsetLevel(sets=rows[order], estimates=estimates[here][order], variances=variances[here][order])
        )
    return levels


class ItemEstimates(Protocol):
    """What the search needs of a scheme over items."""

    @property
    def universe(self) -> tuple[str, ...] | None:
        """The items a perturbed record may hold; None if any."""
        ...

    @property
    def fields(self) -> Fields | None:
        """The fields whose values the items are, of which a true record has one each."""
        ...

    def layer_estimator(self, n: int, *, record_length: int | None = None) -> LayerEstimator:
        """How supports of sets of n items are estimated."""
        ...

    def longest_estimable(self, *, max_length: int | None, record_length: int | None) -> int | None:
        """The longest itemset that can be reconstructed and was asked for; None for no limit."""
        ...


def mine_items(
    scheme: ItemEstimates,
    perturbed: Transactions | StoredTransactions,
    wanted: Wanted,
    *,
    record_length: int | None = None,
    counter: CandidateCounter | None = None,
    way: Way = "auto",
) -> Found:
    """Search transactions that were perturbed by Mask, Emask or Cut-and-Paste.

    `way` says how pairs are counted; the result does not depend on it.
    """
    limit = scheme.longest_estimable(max_length=wanted.max_length, record_length=record_length)
    group = groups(scheme, perturbed.labels)
    counts = counts_by(counter, perturbed, way=way)
    levels: Found = []
    with task("reconstructing itemsets") as step:
        estimator = scheme.layer_estimator(1, record_length=record_length)
        kept, level, layers = _singles(counts, wanted, estimator)
        levels.append(level)
        step(1)
        if len(kept) < 2 or limit == 1:
            return levels
        estimator = scheme.layer_estimator(2, record_length=record_length)
        level, layers = _pairs(counts, kept, wanted, estimator, layers, group[kept])
        codes = kept.astype(np.int32)
        n = 3
        while len(level.sets):
            levels.append(_named(level, kept))
            step(1)
            if limit is not None and n > limit:
                break
            estimator = scheme.layer_estimator(n, record_length=record_length)
            level, layers = _longer(
                level.sets, layers, group[kept], wanted, estimator, lambda sets: counts.sets(codes[sets])
            )
            n += 1
    return levels


def groups(scheme: ItemEstimates, labels: tuple[str, ...]) -> NDArray[np.int32]:
    """For each label the number of its field, of which a true record has one value; -1 where there are no fields.

    Refuses labels that are not of the scheme's universe: they were not perturbed by it.
    """
    universe = scheme.universe
    if universe is None:
        return np.full(len(labels), -1, dtype=np.int32)
    strangers = set(labels).difference(universe)
    if strangers:
        raise InputError(
            f"item {sorted(strangers)[0]!r} is not in the scheme's universe; were these records perturbed by it?"
        )
    if scheme.fields is None:
        return np.full(len(labels), -1, dtype=np.int32)
    sizes = scheme.fields.sizes
    field_of = dict(zip(universe, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), strict=True))
    return np.array([field_of[label] for label in labels], dtype=np.int32)


def check_candidates(sets: NDArray[np.int32]) -> None:
    """Refuse to join sets (rows in lexicographic order) that would make more candidates than fit."""
    apart = np.any(sets[1:, :-1] != sets[:-1, :-1], axis=1)
    alike = np.diff(np.concatenate([[0], np.flatnonzero(apart) + 1, [len(sets)]]))  # sets with the same prefix
    joins = int((alike * (alike - 1) // 2).sum())
    if joins > MOST_CANDIDATES:
        raise RequirementError(
            f"{joins:,} candidates of {sets.shape[1] + 1} items are more than can be searched; noise seems frequent at "
            "this threshold, so raise min_support (compare it with the standard errors of max_length=2)",
            parameter="max_length",
        )


def _named(level: ItemsetLevel, kept: NDArray[np.int64]) -> ItemsetLevel:
    """The sets by code instead of by rank."""
    sets = kept.astype(np.int32)[level.sets]
    return ItemsetLevel(sets=sets, estimates=level.estimates, variances=level.variances)


def _singles(
    counts: ItemsetCounts, wanted: Wanted, estimator: LayerEstimator
) -> tuple[NDArray[np.int64], ItemsetLevel, NDArray[np.int64]]:
    seen = counts.singles()
    layers = np.column_stack([np.full_like(seen, counts.records), seen])
    estimates, variances = estimator(layers)
    kept = np.flatnonzero(wanted.passes(estimates, variances))
    level = ItemsetLevel(sets=kept.astype(np.int32)[:, None], estimates=estimates[kept], variances=variances[kept])
    return kept, level, layers[kept]


def _pairs(
    counts: ItemsetCounts,
    kept: NDArray[np.int64],
    wanted: Wanted,
    estimator: LayerEstimator,
    singles: NDArray[np.int64],
    group: NDArray[np.int32],
) -> tuple[ItemsetLevel, NDArray[np.int64]]:
    """All pairs at once: a table for each block of first items, in which few pairs are frequent."""
    seen = singles[:, 1]
    sets, layers = [], []
    for first, table in counts.pairs(kept.astype(np.int32)):
        sums = seen[first : first + len(table), None] + seen
        estimates = _dense(estimator.estimate, counts.records, sums, table)
        if wanted.near:
            variances = _dense(estimator.square, counts.records, sums, table) - estimates
            least = counts.records * estimator.least_variance
            passed = wanted.passes(estimates, np.maximum(variances, least, out=variances))
        else:
            passed = estimates >= wanted.threshold
        i, j = np.nonzero(passed)
        i += first
        able = (j > i) & ((group[i] < 0) | (group[i] != group[j]))
        i, j = i[able], j[able]
        both = table[i - first, j].astype(np.int64)
        sets.append(np.column_stack([i, j]).astype(np.int32))
        layers.append(np.column_stack([np.full_like(both, counts.records), seen[i] + seen[j], both]))
    known = np.concatenate(layers)
    estimates, variances = estimator(known)
    return ItemsetLevel(sets=np.concatenate(sets), estimates=estimates, variances=variances), known


def _dense(
    coefficients: NDArray[np.float64], records: int, sums: NDArray[np.int64], table: NDArray[np.int32]
) -> NDArray[np.float64]:
    """c0 * records + c1 * sums + c2 * table, with one array more than the result."""
    c0, c1, c2 = coefficients
    found: NDArray[np.float64] = sums * c1
    found += c0 * records
    found += table * c2
    return found


def _longer(
    sets: NDArray[np.int32],
    layers: NDArray[np.int64],
    group: NDArray[np.int32],
    wanted: Wanted,
    estimator: LayerEstimator,
    count: Callable[[NDArray[np.int32]], NDArray[np.int64]],
) -> tuple[ItemsetLevel, NDArray[np.int64]]:
    """The next level: join, count, reconstruct."""
    check_candidates(sets)
    candidates, parts = join(sets, group)
    n = candidates.shape[1]
    known = np.zeros((len(candidates), n + 1), dtype=np.int64)
    for i in range(n):
        known[:, :n] += layers[parts[:, i]]
    known[:, :n] //= n - np.arange(n)  # no remainder: each subset was added once for each part that holds it
    if len(candidates):
        known[:, n] = count(candidates)
    estimates, variances = estimator(known)
    kept = np.flatnonzero(wanted.passes(estimates, variances))
    return ItemsetLevel(sets=candidates[kept], estimates=estimates[kept], variances=variances[kept]), known[kept]
