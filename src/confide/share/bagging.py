"""BAGGING: published trees as a committee (paper 002, section 6.3)."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.share.agreement import check_agreement
from confide.share.generation.pseudo_data import published_tree
from confide.share.generation.templates import leaf_parts

__all__ = ["Bagging", "Votes"]

Votes = Literal["class", "shares", "evidence"]


class Bagging:
    """A committee of published trees: each votes, and the class with most votes wins (ties: the class named first).

    Parameters
        trees     published trees of owners who agreed on classes and attributes.
        votes     "class": each tree has one vote, for the class it predicts (the paper's BAGGING). "shares": each
                  gives every class its share at the leaf, so a tree that is unsure says so (ours). "evidence":
                  likewise, and a leaf speaks louder the more records it has in a smaller part of the domain, by the
                  square root of that density (ours): half way between one vote a tree and PGEN, where every
                  pseudo-record is a vote.
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
            raise UsageError(
                f"votes={votes!r}; choose among: {', '.join(get_args(Votes))}", parameter="votes", value=votes
            )
        self.trees = [published_tree(tree) for tree in trees]
        check_agreement(self.trees)
        self.votes = votes
        self.weights = np.ones(len(self.trees)) if weights is None else np.asarray(weights, dtype=np.float64)
        if self.weights.shape != (len(self.trees),) or not (self.weights >= 0).all() or self.weights.sum() <= 0:
            raise UsageError(f"weights must be {len(self.trees)} numbers of 0 or more, one a tree, not all 0")
        self.classes_: NDArray[Any] = np.array(self.trees[0].classes)
        self._members = [DecisionTree.from_published(tree) for tree in self.trees]
        self._node_votes = [_node_votes(tree, votes) for tree in self.trees]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of the votes that each class got, in the order of `classes_`."""
        total: NDArray[np.float64] | None = None
        for member, said, weight in zip(self._members, self._node_votes, self.weights, strict=True):
            # The evidence of an owner who counts twice is twice as many records.
            given = said[member.apply(X)] * (np.sqrt(weight) if self.votes == "evidence" else weight)
            total = given if total is None else total + given
        assert total is not None
        whole = total.sum(axis=1, keepdims=True)
        return np.divide(total, whole, out=np.full_like(total, 1 / total.shape[1]), where=whole > 0)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        predicted: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return predicted

    def score(self, X: Any, y: Any) -> float:
        """The share of records whose class is predicted."""
        return float(np.mean(self.predict(X) == np.asarray(y).astype(str)))

    def __repr__(self) -> str:
        return f"<Bagging {len(self.trees)} trees, votes={self.votes!r}>"


def _node_votes(tree: PublishedTree, votes: Votes) -> NDArray[np.float64]:
    """What each node of a tree gives to each class."""
    classes = len(tree.classes)
    shares = np.zeros((len(tree.nodes), classes))
    for i, node in enumerate(tree.nodes):
        place = tree.class_places[node.label]
        if votes == "class":
            shares[i, place] = 1.0
        elif node.counts is not None:
            shares[i] = node.counts
        else:  # the misses evenly
            shares[i] = node.miss / max(1, classes - 1)
            shares[i, place] = node.hit
    totals = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, totals, out=np.full_like(shares, 1 / classes), where=totals > 0)
    if votes != "evidence":
        return shares
    part = np.zeros(len(tree.nodes))  # of the domain; an inner node's is what its leaves have together
    part[[path.leaf for path in tree.paths()]] = leaf_parts(tree)
    for i in range(len(tree.nodes) - 1, 0, -1):
        part[tree.parents[i]] += part[i]
    records = totals[:, 0] / max(1.0, float(totals[0, 0]))
    loud = np.sqrt(np.divide(records, part, out=np.zeros_like(part), where=part > 0))
    return np.asarray(shares * loud[:, None])
