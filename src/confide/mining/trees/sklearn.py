"""Trees learned by scikit-learn, as published trees. Reads the fitted object; does not import scikit-learn.

What scikit-learn calls a count is a sum of weights: of `class_weight`, of `sample_weight`, of the copies that the
bootstrap of a forest draws. Beside it every node has the number of its records, each counted once. A tree is taken
only where the two are the same at every node; otherwise whoever asks must count the records again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree

__all__ = ["published_from_sklearn"]


_WEIGHTED = (
    "the tree was fitted with weights or copies of records (class_weight, sample_weight, a forest's bootstrap), so "
    "its class counts do not count people; anonymize_tree(tree, ..., data=(X, y)), with one record per person, counts "
    "them again"
)


def published_from_sklearn(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    *,
    uncounted: bool = False,
) -> PublishedTree:
    """The same nodes, thresholds and class counts; see `DecisionTree.from_sklearn`.

    With `uncounted` weights do not matter: nodes have their class and number of records but no class counts, for
    callers that count the records again.
    """
    inner = getattr(estimator, "tree_", None)
    if inner is None or not hasattr(estimator, "classes_") or getattr(estimator, "n_outputs_", 1) != 1:
        raise UsageError(
            f"give a fitted scikit-learn DecisionTreeClassifier with one target, not {type(estimator).__name__}"
        )
    own_names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)])
    names = [str(name) for name in (own_names if feature_names is None else feature_names)]
    classes = [str(c) for c in (estimator.classes_ if class_names is None else class_names)]
    if len(names) != estimator.n_features_in_ or len(classes) != len(estimator.classes_):
        raise UsageError(
            f"the tree has {estimator.n_features_in_} features and {len(estimator.classes_)} classes; "
            f"{len(names)} and {len(classes)} names were given"
        )
    counts = None if uncounted else _class_counts(estimator)
    goes_left = getattr(inner, "missing_go_to_left", np.zeros(inner.node_count, dtype=np.uint8))
    drawn = getattr(estimator, "splitter", "best") != "best"
    nodes = []
    for i, (total, place) in enumerate(zip(inner.n_node_samples, inner.value[:, 0, :].argmax(axis=1), strict=True)):
        own = None if counts is None else tuple(counts[i].tolist())
        hit = int(total) if own is None else max(own)
        left, right = int(inner.children_left[i]), int(inner.children_right[i])
        cut = _same_cut(float(inner.threshold[i]), drawn=drawn)
        nodes.append(
            Node(
                label=classes[place] if own is None else classes[own.index(hit)],
                hit=hit,
                miss=int(total) - hit,
                counts=own,
                attribute=None if left < 0 else names[inner.feature[i]],
                edges=() if left < 0 else _edges(left, right, cut, bool(goes_left[i])),
            )
        )
    attributes = tuple(Attribute(name=name, kind="numeric") for name in names)
    return PublishedTree(classes=tuple(classes), attributes=attributes, nodes=tuple(nodes))


def _class_counts(estimator: Any) -> NDArray[np.int64]:
    """The records of each class at each node; UsageError where weights or copies were counted instead.

    What sums of weights cannot show is refused by its name: `class_weight="balanced"` adds up to the number of records
    at the root. Weights that add up at every node, and are whole in every class, cannot be told from none.
    """
    inner, weights = estimator.tree_, getattr(estimator, "class_weight", None)
    values = inner.value[:, 0, :]
    exact = values / values.sum(axis=1, keepdims=True) * inner.n_node_samples[:, None]
    counts = np.rint(exact).astype(np.int64)
    plain = weights is None or (isinstance(weights, dict) and all(weight == 1 for weight in weights.values()))
    whole = np.abs(exact - counts).max() <= 1e-6 and np.array_equal(counts.sum(axis=1), inner.n_node_samples)
    inside = inner.children_left >= 0
    children = counts[inner.children_left[inside]] + counts[inner.children_right[inside]]
    adds_up = np.array_equal(counts[inside], children)
    if not (plain and whole and adds_up and np.array_equal(inner.weighted_n_node_samples, inner.n_node_samples)):
        raise UsageError(_WEIGHTED)
    return counts


def _same_cut(threshold: float, *, drawn: bool) -> float:
    """The number that parts 64-bit numbers as scikit-learn's threshold does, which rounds them to 32 bits first.

    A threshold half way between two values of records is such a number, unless they are neighbours among 32-bit numbers
    and a record lies half way itself; one that was `drawn` at random may lie anywhere. With another cut a record near
    it would be counted at one leaf and read at the other.
    """
    if not np.isfinite(threshold):
        return threshold
    below = np.float32(threshold)
    below = below if float(below) <= threshold else np.nextafter(below, np.float32(-np.inf))
    middle = (float(below) + float(np.nextafter(below, np.float32(np.inf)))) / 2
    if not (drawn or threshold == middle) or not np.isfinite(middle):
        return threshold
    rounds_down = not int(below.view(np.int32)) & 1  # halves go to the even neighbour
    return middle if rounds_down else float(np.nextafter(middle, -np.inf))


def _edges(left: int, right: int, cut: float, missing_left: bool) -> tuple[Edge, Edge]:
    """The two ways of a threshold; an infinite one has all numbers on the left."""
    above = ((cut, np.inf),) if np.isfinite(cut) else ()
    low = Edge(to=left, intervals=((-np.inf, cut),), missing=missing_left)
    return low, Edge(to=right, intervals=above, missing=not missing_left)
