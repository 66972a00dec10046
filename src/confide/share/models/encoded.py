"""Any scikit-learn classifier on a table with categories: they become columns of 0 and 1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.mining.trees.table import TreeColumn, read_columns, read_labels

__all__ = ["Encoded"]


class Encoded:
    """Wraps a classifier that wants numbers only. A value never seen in training has 0 in all of its columns.

    A number that is missing becomes the mean of the training records. The classifier handed in is cloned, not changed.
    """

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    def __init__(self, classifier: Any) -> None:
        if not (hasattr(classifier, "fit") and hasattr(classifier, "predict")):
            raise UsageError(f"a model needs fit and predict; {type(classifier).__name__} has not both")
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> "Encoded":
        """Learn; X has a row for each record, y its class."""
        from sklearn.base import clone

        columns, _ = read_columns(X)
        self._columns = columns
        self._means = {
            c.name: float(np.nanmean(c.data)) if np.isfinite(c.data).any() else 0.0
            for c in columns
            if c.kind == "numeric"
        }
        self.classifier_ = clone(self.classifier).fit(self._encode(columns), read_labels(y))
        self.classes_ = self.classifier_.classes_
        return self

    def _encode(self, given: list[TreeColumn]) -> NDArray[np.float64]:
        by_name = {column.name: column for column in given}
        parts = []
        for learned in self._columns:
            if learned.name not in by_name:
                raise UsageError(f"no column {learned.name!r}, which was there in training")
            column = by_name[learned.name]
            if learned.kind == "numeric":
                data = column.data.astype(np.float64)
                parts.append(np.where(np.isfinite(data), data, self._means[learned.name])[:, None])
                continue
            place = {value: code for code, value in enumerate(learned.values)}
            codes = np.array([place.get(value, len(place)) for value in column.values] or [len(place)])
            # the identity matrix, with a row of zeros for what was never seen
            parts.append(np.eye(len(place) + 1, len(place))[codes[column.data]])
        return np.concatenate(parts, axis=1)

    def _read(self, X: Any) -> NDArray[np.float64]:
        from confide.mining.trees.table import column_names

        names = column_names(X)
        labelled = [c.name for c in self._columns if c.kind == "categorical" and c.name in names]
        return self._encode(read_columns(X, categorical=labelled)[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        return np.asarray(self.classifier_.predict(self._read(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chance of each class, where the classifier gives one."""
        return np.asarray(self.classifier_.predict_proba(self._read(X)))
