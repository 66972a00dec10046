"""Estimates from perturbed categorical records: gamma-diagonal and a user's own matrices (sections 4.1.3 and 4.5).

An itemset fixes the values of some fields. As in `item_estimates`, its estimated support is the sum over perturbed
records of a weight whose expectation is 1 for a true record that has these values and 0 for any other:

    gamma-diagonal      (1 - b)/keep if v has the values, -b/keep if not;  keep = (gamma - 1) x, b = (1 - keep)/cells
    one matrix a field  the product over the fields of the itemset of B[value, v's value],  B the inverse of the matrix
    a joint matrix      the sum of the rows of its inverse that have these values, at v

The first is Eq. 4.28, inverted, with n_C/n_Cs in place of the printed n_Cs/n_Cs ("cells" are those of its fields); the
second is Eq. 4.8 over the itemset's fields only, for which the matrix is the Kronecker product of the fields' own; the
third is Eq. 4.8 over all cells. The variance is the sum of squared weights less the estimate.

RAN-GD estimates as DET-GD does: each client's r is unseen, so what is observed has the law of alpha = 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from confide.collect.fields.field_coding import encode_table
from confide.collect.fields.fields import Fields
from confide.core.datasets.intake import as_rows
from confide.core.datasets.loading import is_loaded
from confide.core.datasets.spark.frames import is_spark_frame
from confide.core.datasets.stored_table import StoredColumns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CellEstimator", "MergedRecords", "FieldByField", "Joint", "KeepOrUniform", "keep_or_uniform_estimate"]

Estimated = tuple[NDArray[np.float64], NDArray[np.float64]]
_MOST_DENSE = 1 << 22  # cells that are tallied in an array; more are sorted
_MOST_WEIGHTS = 1 << 22  # weights held at once
_MOST_WAITING = 1 << 20  # rows of files that wait to be merged, beside as many as are known


@dataclass(frozen=True, eq=False)
class MergedRecords:
    """Perturbed records, equal ones merged: rows of codes and how many records each stands for."""

    fields: Fields
    rows: NDArray[np.int32]
    weights: NDArray[np.int64]

    @classmethod
    def of(cls, fields: Fields, codes: NDArray[np.int32]) -> "MergedRecords":
        """Merge equal records."""
        if fields.cells <= _MOST_DENSE:
            tally = np.bincount(fields.join(codes), minlength=fields.cells)
            held = np.flatnonzero(tally)
            return cls(fields, fields.split(held), tally[held].astype(np.int64))
        rows, tally = np.unique(codes, axis=0, return_counts=True)
        return cls(fields, rows.astype(np.int32), tally.astype(np.int64))

    @classmethod
    def perturbed(cls, fields: Fields, records: Any) -> "MergedRecords":
        """Merge equal perturbed records: as `Fields.encode` takes them, or in files."""
        rows = as_rows(records) if isinstance(records, str | PathLike) or is_spark_frame(records) else records
        if is_loaded(rows):
            return cls.of(fields, fields.encode(rows, perturbed=True))
        fields.check_columns(rows.column_names)
        source = StoredColumns(rows, fields.names, fields.names)
        return rows.engine.fold(source, _CountCells(fields), label="counting perturbed records").finished()

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return int(self.weights.sum())

    def over(self, chosen: tuple[int, ...]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The same over these fields only: rows of codes that occur, and their records."""
        part = Fields(tuple(self.fields.fields[i] for i in chosen))
        codes = np.ascontiguousarray(self.rows[:, chosen])
        if part.cells <= _MOST_DENSE:
            tally = np.bincount(part.join(codes), weights=self.weights, minlength=part.cells)
            held = np.flatnonzero(tally)
            return part.split(held), np.rint(tally[held]).astype(np.int64)
        rows, which = np.unique(codes, axis=0, return_inverse=True)
        return rows.astype(np.int32), np.rint(np.bincount(which.ravel(), weights=self.weights)).astype(np.int64)

    def holding(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> NDArray[np.int64]:
        """For each row of values of these fields, the records that have them."""
        rows, tally = self.over(chosen)
        known = {row.tobytes(): int(count) for row, count in zip(rows, tally, strict=True)}
        wanted = np.ascontiguousarray(values, dtype=np.int32)
        return np.array([known.get(row.tobytes(), 0) for row in wanted], dtype=np.int64)


@dataclass
class _Counted:
    """Cells so far: a count for each that is possible, where these are few, else lists that are merged at times."""

    fields: Fields
    tally: NDArray[np.int64] | None = None
    parts: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = field(default_factory=list)
    waiting: int = 0

    def add(self, rows: NDArray[np.int32], weights: NDArray[np.int64]) -> None:
        if self.fields.cells <= _MOST_DENSE:
            if self.tally is None:
                self.tally = np.zeros(self.fields.cells, dtype=np.int64)
            np.add.at(self.tally, self.fields.join(rows), weights)
            return
        self.parts.append((rows, weights))
        self.waiting += len(rows)
        if self.waiting > _MOST_WAITING + 2 * len(self.parts[0][0]):
            self._merge()

    def _merge(self) -> None:
        rows, which = np.unique(np.concatenate([rows for rows, _ in self.parts]), axis=0, return_inverse=True)
        weights = np.concatenate([weights for _, weights in self.parts])
        counts = np.rint(np.bincount(which.ravel(), weights=weights)).astype(np.int64)
        self.parts, self.waiting = [(rows.astype(np.int32), counts)], 0

    def finished(self) -> MergedRecords:
        if self.tally is not None:
            held = np.flatnonzero(self.tally)
            return MergedRecords(self.fields, self.fields.split(held), self.tally[held])
        if not self.parts:
            return MergedRecords.of(self.fields, np.zeros((0, len(self.fields)), dtype=np.int32))
        self._merge()
        return MergedRecords(self.fields, *self.parts[0])


@dataclass(frozen=True)
class _CountCells:
    """The pass that merges equal records of files."""

    fields: Fields

    shared = False

    def begin(self) -> _Counted:
        return _Counted(self.fields)

    def add(self, state: _Counted, batch: "tuple[int, pa.RecordBatch]") -> _Counted:
        before, rows = batch
        found = MergedRecords.of(self.fields, encode_table(self.fields, rows, perturbed=True, before=before))
        state.add(found.rows, found.weights)
        return state

    def merge(self, one: _Counted, other: _Counted) -> _Counted:
        if other.tally is not None or other.parts:
            found = other.finished()
            one.add(found.rows, found.weights)
        return one


class CellEstimator(Protocol):
    """Estimates and variances of itemsets over the same fields: one for each row of values of the `chosen` fields."""

    def __call__(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> Estimated: ...


def keep_or_uniform_estimate(
    seen: NDArray[Any], share: NDArray[np.float64] | float, *, keep: float, records: int
) -> Estimated:
    """Estimate how many true records lie in a region, from how many perturbed ones do.

    `keep` is the chance that a record was kept, else it was drawn uniformly; `share` is the region's share of all
    possible records, so a drawn record falls into it with chance b = (1 - keep) share and a kept one with a = b + keep.
    """
    b = (1 - keep) * share
    estimates: NDArray[np.float64] = (seen - records * b) / keep
    inside, outside = (b + keep) * (1 - b - keep), b * (1 - b)
    variances = (estimates * inside + (records - estimates) * outside) / keep**2
    least: NDArray[np.float64] = np.maximum(variances, records * np.minimum(inside, outside) / keep**2)
    return estimates, least


@dataclass(frozen=True, eq=False)
class KeepOrUniform:
    """Gamma-diagonal: the whole record was kept with the chance `keep`, else drawn uniformly."""

    keep: float
    cells: MergedRecords

    def __call__(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> Estimated:
        seen = self.cells.holding(chosen, values)
        share = 1 / math.prod(self.cells.fields.sizes[i] for i in chosen)
        return keep_or_uniform_estimate(seen, share, keep=self.keep, records=self.cells.records)


class FieldByField:
    """One matrix a field, in the order of the fields."""

    def __init__(self, laws: Sequence[NDArray[np.float64]], cells: MergedRecords):
        self.cells = cells
        self.laws = laws
        self.inverses = [np.linalg.inv(law) for law in self.laws]

    def __call__(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> Estimated:
        rows, tally = self.cells.over(chosen)
        estimates, squares = np.empty(len(values)), np.empty(len(values))
        step = max(1, _MOST_WEIGHTS // max(len(rows), 1))
        for first in range(0, len(values), step):
            part = values[first : first + step]
            weights = np.ones((len(part), len(rows)))
            for k, i in enumerate(chosen):
                weights *= self.inverses[i][part[:, k]][:, rows[:, k]]
            estimates[first : first + step] = weights @ tally
            squares[first : first + step] = weights**2 @ tally
        return estimates, np.maximum(squares - estimates, self.cells.records * self._least(chosen, values))

    def _least(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> NDArray[np.float64]:
        """A bound below the variance that any one record brings."""
        own, other = np.ones(len(values)), np.ones(len(values))
        for k, i in enumerate(chosen):
            moments = self.inverses[i] ** 2 @ self.laws[i]  # [value, u]: E[B[value, v]^2] for a true u
            own *= moments[values[:, k], values[:, k]]
            other *= moments.min(axis=1)[values[:, k]]
        return np.maximum(np.minimum(own - 1, other), 0)


class Joint:
    """One matrix over whole records, the last field fastest."""

    def __init__(self, law: NDArray[np.float64], cells: MergedRecords):
        self.cells = cells
        self.law = law
        self.inverse = np.linalg.inv(self.law)
        self.tally = np.zeros(len(law))
        self.tally[cells.fields.join(cells.rows)] = cells.weights
        self.codes = cells.fields.split(np.arange(len(law)))

    def __call__(self, chosen: tuple[int, ...], values: NDArray[np.int32]) -> Estimated:
        held = np.ones((len(values), len(self.codes)), dtype=np.bool_)
        for k, i in enumerate(chosen):
            held &= values[:, k : k + 1] == self.codes[:, i]
        weights = held.astype(np.float64) @ self.inverse
        estimates = weights @ self.tally
        squares = weights**2
        least = (squares @ self.law - held).min(axis=1)
        return estimates, np.maximum(squares @ self.tally - estimates, self.cells.records * np.maximum(least, 0))
