"""Naive Bayes over mixed columns (Domingos and Pazzani; one of the global models of paper 002, section 7.1)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.mining.trees.table import TreeColumn, read_columns, read_labels

__all__ = ["NaiveBayes"]

_LEAST_SPREAD = 1e-9  # of the widest column's variance: a number that never varies must not divide by zero


class NaiveBayes:
    """Predicts the class that makes a record's values, taken one by one, most likely.

    Categories are counted, one added to each count (Laplace), so an unseen value rules nothing out. Numbers are normal
    within a class; one record that varies as all classes together do is added to each, so a dozen records of a rare
    class that happen to agree claim no certainty. A missing value, or one never seen in training, says nothing.

    >>> X = np.array([["sun"], ["sun"], ["rain"]], dtype=object)
    >>> NaiveBayes().fit(X, ["out", "out", "in"]).predict(X).tolist()
    ['out', 'out', 'in']
    """

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any) -> "NaiveBayes":
        """Count; X has a row for each record, y its class."""
        columns, _ = read_columns(X)
        self.classes_, codes = np.unique(read_labels(y), return_inverse=True)
        k, n = len(self.classes_), np.bincount(codes, minlength=len(self.classes_))
        if len(codes) != len(columns[0].data):
            raise UsageError(f"{len(columns[0].data)} records but {len(codes)} classes")
        self._prior = np.log((n + 1) / (n.sum() + k))
        self._columns = {c.name: self._likelihoods(c, codes, k, n) for c in columns}
        return self

    def _likelihoods(self, column: TreeColumn, y: NDArray[np.int64], k: int, n: NDArray[np.int64]) -> dict[str, Any]:
        if column.kind == "numeric":
            known = np.isfinite(column.data)
            data, of = column.data[known], y[known]
            size = np.maximum(np.bincount(of, minlength=k), 1)
            mean = np.bincount(of, weights=data, minlength=k) / size
            whole = float(np.var(data)) if len(data) else 0.0
            spread = (np.bincount(of, weights=(data - mean[of]) ** 2, minlength=k) + whole) / (size + 1)
            floor = _LEAST_SPREAD * max(whole, 1.0)
            return {"mean": mean, "variance": np.maximum(spread, floor)}
        values = len(column.values)
        counts = np.bincount(y * values + column.data, minlength=k * values).reshape(k, values)
        logs = np.log((counts + 1) / (n[:, None] + values))
        return {"place": {value: place for place, value in enumerate(column.values)}, "logs": logs}

    def _scores(self, X: Any) -> NDArray[np.float64]:
        labelled = [name for name, column in self._columns.items() if "logs" in column]
        columns, _ = read_columns(X, categorical=[name for name in labelled if name in _names(X)])
        scores = np.repeat(self._prior[None, :], len(columns[0].data), axis=0)
        for column in columns:
            if column.name not in self._columns:
                raise UsageError(f"column {column.name!r} was not there in training")
            learned = self._columns[column.name]
            if "logs" in learned:
                # a last column of zeros: what was never seen says nothing
                logs = np.column_stack([learned["logs"], np.zeros(len(self._prior))])
                places = np.array([learned["place"].get(value, -1) for value in column.values] or [-1])
                scores += logs.T[places[column.data]]
                continue
            mean, variance = learned["mean"], learned["variance"]
            known = np.isfinite(column.data)
            distance = (column.data[known, None] - mean) ** 2 / variance
            scores[known] -= (distance + np.log(2 * np.pi * variance)) / 2
        return scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chance of each class, in the order of `classes_`."""
        scores = self._scores(X)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record; ties go to the class that comes first."""
        predicted: NDArray[Any] = self.classes_[np.argmax(self._scores(X), axis=1)]
        return predicted


def _names(X: Any) -> list[str]:
    from confide.mining.trees.table import column_names

    return column_names(X)
