"""What a receiver can learn: classifiers trained on a release and tested on rows that were held out.

A decision tree, naive Bayes and logistic regression, each trained on the original rows and on released ones (values
drawn from what their labels cover). An experiment for the owner: it reads the input.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.tables.schema import SchemaLike, schema_of
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.loss.spread import drawn_leaves
from confide.publish.tables.publisher import TablePublisher

__all__ = ["LEARNERS", "classifier_accuracy"]

Codes = NDArray[np.int64]


def classifier_accuracy(
    publisher: TablePublisher,
    frame: Any,
    schema: SchemaLike,
    *,
    held_out: float = 1 / 3,
    seed: int = 0,
) -> dict[str, dict[str, float]]:
    """The accuracy on held-out original rows: {classifier: {"original": ..., "released": ...}}.

    The class is the column of that role or, without one, the first sensitive column; the quasi-identifiers predict it.
    "majority" always says the commonest class. Training takes some seconds for tens of thousands of rows.
    """
    whole = CodedTable.of(frame, schema_of(schema), missing=publisher.missing)
    target = whole.classes if whole.classes is not None else next(iter(whole.sensitive), None)
    if target is None:
        raise UsageError("there is nothing to learn: give a column the role class or sensitive")
    order = np.random.default_rng(seed).permutation(len(whole))
    test, train = np.split(order, [max(1, int(len(order) * held_out))])
    part = CodedTable.of(whole.table.take(whole.rows[train]), whole.schema, missing=publisher.missing)
    recoding = publisher.recode_with_numbers(part)
    widths = [column.leaves for column in whole.quasi]
    original = np.stack([column.codes[train] for column in whole.quasi], axis=1).astype(np.int64)
    released = np.stack(
        [_same_leaves(whole, part, number)[leaves] for number, leaves in enumerate(drawn_leaves(recoding, seed=seed))],
        axis=1,
    )
    asked = np.stack([column.codes[test] for column in whole.quasi], axis=1).astype(np.int64)
    classes, truth = target.codes[train], target.codes[test]
    found = {}
    for name, learn in LEARNERS.items():
        found[name] = {
            "original": float((learn(original, classes, widths)(asked) == truth).mean()),
            "released": float((learn(released, classes[recoding.rows], widths)(asked) == truth).mean()),
        }
    commonest = float((np.bincount(classes).argmax() == truth).mean())
    return {"majority": {"original": commonest, "released": commonest}, **found}


def _same_leaves(whole: CodedTable, part: CodedTable, number: int) -> Codes:
    """For each leaf of a part of the table, the leaf of the whole that is called the same."""
    here, there = part.quasi[number], whole.quasi[number]
    place = {there.labels[0][node]: leaf for leaf, node in enumerate(there.maps[0])}
    return np.array([place[here.labels[0][node]] for node in here.maps[0]], dtype=np.int64)


Predict = Callable[[Codes], NDArray[np.integer]]


def _tree(codes: Codes, classes: NDArray[np.int32], widths: list[int]) -> Predict:
    from confide.mining import DecisionTree

    tree = DecisionTree(categorical=[j for j, width in enumerate(widths) if width <= 64])
    tree.fit(codes.astype(np.float64), classes)
    return lambda asked: np.asarray(tree.predict(asked.astype(np.float64)))


def _naive_bayes(codes: Codes, classes: NDArray[np.int32], widths: list[int]) -> Predict:
    """Counts of each value in each class, one added to all."""
    k = int(classes.max()) + 1
    prior = np.log(np.bincount(classes, minlength=k) + 1.0)
    tables = []
    for j, width in enumerate(widths):
        counts = np.bincount(codes[:, j] * k + classes, minlength=width * k).reshape(width, k) + 1.0
        tables.append(np.log(counts / counts.sum(axis=0)))
    return lambda asked: (prior + sum(table[asked[:, j]] for j, table in enumerate(tables))).argmax(axis=1)


def _logistic(codes: Codes, classes: NDArray[np.int32], widths: list[int]) -> Predict:
    """Multinomial logistic regression on indicators of the values, with a small ridge."""
    from scipy.optimize import minimize

    k, n = int(classes.max()) + 1, len(codes)
    places = codes + np.concatenate([[0], np.cumsum(widths)[:-1]])
    size = sum(widths)
    wanted = np.zeros((n, k))
    wanted[np.arange(n), classes] = 1.0

    def scores(weights: NDArray[np.float64], at: Codes) -> NDArray[np.float64]:
        found = np.broadcast_to(weights[-1], (len(at), k)).copy()
        for j in range(at.shape[1]):
            found += weights[at[:, j]]
        return found

    def objective(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(size + 1, k)
        found = scores(weights, places)
        found -= found.max(axis=1, keepdims=True)
        chances = np.exp(found)
        total = chances.sum(axis=1, keepdims=True)
        value = float((np.log(total[:, 0]) - found[np.arange(n), classes]).mean() + 0.5e-4 * (flat**2).sum())
        off = (chances / total - wanted) / n
        slope = np.zeros((size + 1, k))
        for c in range(k):
            for j in range(places.shape[1]):
                slope[:size, c] += np.bincount(places[:, j], weights=off[:, c], minlength=size)
        slope[-1] = off.sum(axis=0)
        return value, (slope + 1e-4 * weights).reshape(-1)

    best = minimize(objective, np.zeros((size + 1) * k), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    weights = best.x.reshape(size + 1, k)
    starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    return lambda asked: scores(weights, asked + starts).argmax(axis=1)


LEARNERS = {"decision tree": _tree, "naive Bayes": _naive_bayes, "logistic regression": _logistic}
