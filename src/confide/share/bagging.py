"""BAGGING: published trees as a committee (paper 002, section 6.3)."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.mining.trees.learner import DecisionTree
from confide.share.agreement import check_agreement
from confide.share.generation.pseudo_data import published_tree

__all__ = ["Bagging", "Votes"]

Votes = Literal["class", "shares"]


class Bagging:
    """A committee of published trees: each votes, and the class with most votes wins (ties: the class named first).

    Parameters
        trees     published trees of owners who agreed on classes and attributes.
        votes     "class": each tree has one vote, for the class it predicts (the paper's BAGGING). "shares": each
                  gives every class its share at the leaf, so a tree that is unsure says so (ours).
        weights   one number a tree; None: all alike. `by_size=True` in `learn_global` weighs by records.

    The trees are the only thing it needs: no rows are made.

    >>> from confide.core.trees.published import Node, PublishedTree
    >>> trees = [PublishedTree(classes=("a", "b"), attributes=(), nodes=(Node(label=l, hit=2, miss=1),)) for l in "abb"]
    >>> Bagging(trees).classes_.tolist()
    ['a', 'b']
    """

    _estimator_type = "classifier"

    def __init__(self, trees: Sequence[Any], *, votes: Votes = "class", weights: Sequence[float] | None = None) -> None:
        if votes not in get_args(Votes):
            raise UsageError(f"votes={votes!r}; choose among: {', '.join(get_args(Votes))}")
        self.trees = [published_tree(tree) for tree in trees]
        check_agreement(self.trees)
        self.votes = votes
        self.weights = np.ones(len(self.trees)) if weights is None else np.asarray(weights, dtype=np.float64)
        if self.weights.shape != (len(self.trees),) or not (self.weights >= 0).all() or self.weights.sum() <= 0:
            raise UsageError(f"weights must be {len(self.trees)} numbers of 0 or more, one a tree, not all 0")
        self.classes_: NDArray[Any] = np.array(self.trees[0].classes)
        self._members = [DecisionTree.from_published(tree) for tree in self.trees]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the votes that each class got, in the order of `classes_`."""
        places = {label: place for place, label in enumerate(self.classes_.tolist())}
        total: NDArray[np.float64] | None = None
        for member, weight in zip(self._members, self.weights, strict=True):
            given = member.predict_proba(X) if self.votes == "shares" else None
            if given is None:
                chosen = np.array([places[str(label)] for label in member.predict(X)])
                given = np.eye(len(places))[chosen]
            total = weight * given if total is None else total + weight * given
        assert total is not None
        return np.asarray(total / self.weights.sum())

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        predicted: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return predicted

    def score(self, X: Any, y: Any) -> float:
        """The share of records whose class is predicted."""
        return float(np.mean(self.predict(X) == np.asarray(y).astype(str)))

    def __repr__(self) -> str:
        return f"<Bagging {len(self.trees)} trees, votes={self.votes!r}>"
