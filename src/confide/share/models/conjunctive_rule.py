"""One conjunctive rule: if all of its tests hold, this class, otherwise that one (paper 002, section 7.1).

Grown on two thirds of the records: test after test, the one that leaves least uncertainty about the class on both sides
of the rule. Then tests are taken off the end while that loses no accuracy on the other third.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.mining.trees.table import TreeColumn, read_columns, read_labels

__all__ = ["ConjunctiveRule"]

_CUTS = 64  # places at which a number is cut in two, at most
_NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class Condition:
    """`column` is `value` (a category), or at most / above `cut` (a number)."""

    column: str
    value: Any = None
    cut: float | None = None
    above: bool = False

    def holds(self, column: TreeColumn) -> NDArray[np.bool_]:
        """For each record, whether it passes; a missing number passes no test."""
        if self.cut is None:
            place = {value: code for code, value in enumerate(column.values)}
            return np.asarray(column.data == place.get(self.value, -1))
        return np.asarray(column.data > self.cut if self.above else column.data <= self.cut)

    def __str__(self) -> str:
        if self.cut is None:
            return f"{self.column} = {self.value}"
        return f"{self.column} {'>' if self.above else '<='} {self.cut:g}"


class ConjunctiveRule:
    """The simplest of models: readable at a glance, and seldom accurate with many classes.

    `max_tests` bounds the length of the rule. After `fit`: `tests_`, `classes_`, `then_` and `otherwise_`, the two
    classes it can predict.

    >>> X = np.array([["sun", "wet"], ["sun", "dry"], ["rain", "wet"]] * 10, dtype=object)
    >>> rule = ConjunctiveRule().fit(X, ["out", "out", "in"] * 10)
    >>> print(rule)
    if x0 = rain then in, else out
    """

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    def __init__(self, *, max_tests: int = 8) -> None:
        self.max_tests = max_tests

    def fit(self, X: Any, y: Any) -> "ConjunctiveRule":
        """Find the rule; X has a row for each record, y its class."""
        columns, _ = read_columns(X)
        self.classes_, codes = np.unique(read_labels(y), return_inverse=True)
        if len(codes) != len(columns[0].data):
            raise UsageError(f"{len(columns[0].data)} records but {len(codes)} classes")
        k = len(self.classes_)
        held_out = _third(len(codes))
        tests = self._grown(columns, codes, k, ~held_out)
        while tests and _right(tests[:-1], columns, codes, k, held_out) >= _right(tests, columns, codes, k, held_out):
            if not held_out.any():
                break
            tests = tests[:-1]
        self.tests_ = tuple(tests)
        covered = _covered(self.tests_, columns)
        tops = _tops(covered, codes, k)
        self.then_, self.otherwise_ = self.classes_[tops[1]], self.classes_[tops[0]]
        self._shares = _shares(covered, codes, k)
        return self

    def _grown(
        self, columns: list[TreeColumn], y: NDArray[np.int64], k: int, rows: NDArray[np.bool_]
    ) -> list[Condition]:
        tests: list[Condition] = []
        inside = rows.copy()
        best = _uncertainty(np.bincount(y[rows], minlength=k)[None, :])[0]
        whole = np.bincount(y[rows], minlength=k)
        while len(tests) < self.max_tests:
            found: tuple[float, Condition] | None = None
            for column in columns:
                candidates, counts = _candidates(column, y, k, inside)
                if not candidates:
                    continue
                costs = _uncertainty(counts) + _uncertainty(whole - counts)
                at = int(np.argmin(costs))
                if found is None or costs[at] < found[0] - _NEGLIGIBLE:
                    found = (float(costs[at]), candidates[at])
            if found is None or found[0] >= best - _NEGLIGIBLE:
                break
            best, test = found
            tests.append(test)
            inside &= test.holds(next(column for column in columns if column.name == test.column))
        return tests

    def _sides(self, X: Any) -> NDArray[np.int64]:
        columns, _ = read_columns(X)
        lacking = [test.column for test in self.tests_ if test.column not in {column.name for column in columns}]
        if lacking:
            raise UsageError(f"no column {lacking[0]!r}, which the rule asks about")
        return _covered(self.tests_, columns).astype(np.int64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        predicted: NDArray[Any] = np.array([self.otherwise_, self.then_])[self._sides(X)]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class among the training records on the same side of the rule."""
        return np.asarray(self._shares[self._sides(X)])

    def __str__(self) -> str:
        tests = " and ".join(map(str, self.tests_)) or "always"
        return f"if {tests} then {self.then_}, else {self.otherwise_}"


def _third(n: int) -> NDArray[np.bool_]:
    """A third of the records, spread without a pattern and always the same; none of very few."""
    if n < 6:
        return np.zeros(n, dtype=np.bool_)
    return np.asarray(np.random.default_rng(0).permutation(n) % 3 == 2)


def _candidates(
    column: TreeColumn, y: NDArray[np.int64], k: int, inside: NDArray[np.bool_]
) -> tuple[list[Condition], NDArray[np.int64]]:
    """Every test of a column, and the class counts of the records inside the rule that would pass it."""
    data, of = column.data[inside], y[inside]
    if column.kind == "categorical":
        counts = np.bincount(data * k + of, minlength=len(column.values) * k).reshape(-1, k)
        return [Condition(column.name, value=value) for value in column.values], counts
    known = np.isfinite(data)
    data, of = data[known], of[known]
    if len(data) == 0:
        return [], np.zeros((0, k), dtype=np.int64)
    cuts = np.unique(np.quantile(data, np.linspace(0, 1, _CUTS + 1)[1:-1], method="lower"))
    piece = np.searchsorted(cuts, data, side="left")
    below = np.cumsum(np.bincount(piece * k + of, minlength=(len(cuts) + 1) * k).reshape(-1, k), axis=0)[:-1]
    lower = [Condition(column.name, cut=float(cut)) for cut in cuts]
    upper = [Condition(column.name, cut=float(cut), above=True) for cut in cuts]
    return lower + upper, np.concatenate([below, np.bincount(of, minlength=k) - below])


def _uncertainty(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Entropy times size, row by row."""
    totals = counts.sum(axis=1)
    logs = np.where(counts > 0, counts * np.log2(np.maximum(counts, 1)), 0.0).sum(axis=1)
    return np.asarray(np.where(totals > 0, totals * np.log2(np.maximum(totals, 1)), 0.0) - logs)


def _covered(tests: Any, columns: list[TreeColumn]) -> NDArray[np.bool_]:
    by_name = {column.name: column for column in columns}
    covered = np.ones(len(columns[0].data), dtype=np.bool_)
    for test in tests:
        covered &= test.holds(by_name[test.column])
    return covered


def _shares(covered: NDArray[np.bool_], y: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """The share of each class outside and inside the rule; all records stand in for an empty side."""
    sides = np.stack([np.bincount(y[covered == side], minlength=k) for side in (False, True)]).astype(np.float64)
    sides[sides.sum(axis=1) == 0] = np.bincount(y, minlength=k)
    return np.asarray(sides / sides.sum(axis=1, keepdims=True))


def _tops(covered: NDArray[np.bool_], y: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    return np.argmax(_shares(covered, y, k), axis=1)


def _right(tests: Any, columns: list[TreeColumn], y: NDArray[np.int64], k: int, held_out: NDArray[np.bool_]) -> int:
    """How many held-out records the rule puts right, its two classes taken from the others."""
    covered = _covered(tests, columns)
    tops = _tops(covered[~held_out], y[~held_out], k)
    return int(np.sum(tops[covered[held_out].astype(np.int64)] == y[held_out]))
