"""The level-wise search over perturbed categorical records (section 4.5).

An item is a value of a field, "name=value"; an itemset has at most one value of each field. Equal records are merged
first, and candidates over the same fields are estimated together from one small table: the records are read once.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.cell_estimates import CellEstimator, MergedRecords
from confide.collect.estimating.item_search import Found, ItemsetLevel, Wanted, check_candidates
from confide.collect.fields.fields import Fields
from confide.core.runtime.progress import task
from confide.mining.counting.candidates import join

__all__ = ["CellEstimates", "mine_fields", "search_levels"]


class CellEstimates(Protocol):
    """What the search needs of a scheme over whole records."""

    @property
    def fields(self) -> Fields:
        """The fields, in order."""
        ...

    def cell_estimator(self, cells: MergedRecords) -> CellEstimator:
        """How supports are estimated from these perturbed records."""
        ...


def mine_fields(scheme: CellEstimates, cells: MergedRecords, wanted: Wanted) -> Found:
    """Search records that were perturbed by a gamma-diagonal scheme or a user's own matrices."""
    return search_levels(scheme.cell_estimator(cells), scheme.fields, wanted)


def search_levels(
    estimator: CellEstimator, fields: Fields, wanted: Wanted, *, covers: Callable[[tuple[int, ...]], bool] | None = None
) -> Found:
    """Search level by level with an estimator of itemsets over fields.

    `covers` says whether these fields can be estimated together (default: always); others are passed over.
    """
    field_of = np.repeat(np.arange(len(fields), dtype=np.int32), fields.sizes)
    limit = len(fields) if wanted.max_length is None else min(wanted.max_length, len(fields))
    levels: Found = []
    candidates = np.arange(len(field_of), dtype=np.int32)[:, None]
    with task("reconstructing itemsets", total=limit) as step:
        while len(candidates):
            if covers is not None:
                candidates = _covered(candidates, field_of, covers)
            estimates, variances = _estimated(estimator, fields, field_of, candidates)
            kept = np.flatnonzero(wanted.passes(estimates, variances))
            levels.append(ItemsetLevel(sets=candidates[kept], estimates=estimates[kept], variances=variances[kept]))
            step(1)
            if candidates.shape[1] == limit:
                break
            check_candidates(levels[-1].sets)
            candidates, _ = join(levels[-1].sets, field_of)
    return levels


def _covered(
    sets: NDArray[np.int32], field_of: NDArray[np.int32], covers: Callable[[tuple[int, ...]], bool]
) -> NDArray[np.int32]:
    """The sets whose fields can be estimated together."""
    over, which = np.unique(field_of[sets], axis=0, return_inverse=True)
    known = np.array([covers(tuple(int(i) for i in chosen)) for chosen in over], dtype=np.bool_)
    return sets[known[which.ravel()]]


def _estimated(
    estimator: CellEstimator, fields: Fields, field_of: NDArray[np.int32], sets: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimates and variances of all sets, those over the same fields together."""
    estimates, variances = np.empty(len(sets)), np.empty(len(sets))
    over, which = np.unique(field_of[sets], axis=0, return_inverse=True)
    values = sets - np.array(fields.starts, dtype=np.int32)[field_of[sets]]
    for number, chosen in enumerate(over):
        here = np.flatnonzero(which.ravel() == number)
        estimates[here], variances[here] = estimator(tuple(int(i) for i in chosen), values[here])
    return estimates, variances
