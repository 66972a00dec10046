"""Trees learned by scikit-learn, as published trees. Reads the fitted object; does not import scikit-learn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from confide.core.errors import UsageError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree

__all__ = ["published_from_sklearn"]


def published_from_sklearn(
    estimator: Any, feature_names: Sequence[str] | None, class_names: Sequence[str] | None
) -> PublishedTree:
    """The same nodes, thresholds and class counts; see `DecisionTree.from_sklearn`."""
    inner = getattr(estimator, "tree_", None)
    if inner is None or not hasattr(estimator, "classes_") or getattr(estimator, "n_outputs_", 1) != 1:
        raise UsageError("give a fitted scikit-learn DecisionTreeClassifier with one target")
    own_names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)])
    names = [str(name) for name in (own_names if feature_names is None else feature_names)]
    classes = [str(c) for c in (estimator.classes_ if class_names is None else class_names)]
    if len(names) != estimator.n_features_in_ or len(classes) != len(estimator.classes_):
        raise UsageError(
            f"the tree has {estimator.n_features_in_} features and {len(estimator.classes_)} classes; "
            f"{len(names)} and {len(classes)} names were given"
        )
    values = inner.value[:, 0, :]
    shares = values / values.sum(axis=1, keepdims=True)
    exact = shares * inner.weighted_n_node_samples[:, None]
    counts = np.rint(exact).astype(np.int64)
    if np.abs(exact - counts).max() > 1e-6 * max(1.0, float(exact.max())):
        raise UsageError("the tree was fitted with weights; its class counts are not whole numbers")
    goes_left = getattr(inner, "missing_go_to_left", np.zeros(len(counts), dtype=np.uint8))
    nodes = []
    for i, own in enumerate(counts.tolist()):
        hit = max(own)
        left, right = int(inner.children_left[i]), int(inner.children_right[i])
        cut = float(inner.threshold[i])
        nodes.append(
            Node(
                label=classes[own.index(hit)],
                hit=hit,
                miss=sum(own) - hit,
                counts=tuple(own),
                attribute=None if left < 0 else names[inner.feature[i]],
                edges=() if left < 0 else _edges(left, right, cut, bool(goes_left[i])),
            )
        )
    attributes = tuple(Attribute(name=name, kind="numeric") for name in names)
    return PublishedTree(classes=tuple(classes), attributes=attributes, nodes=tuple(nodes))


def _edges(left: int, right: int, cut: float, missing_left: bool) -> tuple[Edge, Edge]:
    """The two ways of a threshold; an infinite one has all numbers on the left."""
    above = ((cut, np.inf),) if np.isfinite(cut) else ()
    low = Edge(to=left, intervals=((-np.inf, cut),), missing=missing_left)
    return low, Edge(to=right, intervals=above, missing=not missing_left)
