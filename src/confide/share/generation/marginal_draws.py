"""Values for attributes that a path does not ask about, drawn from the published marginals (ours, not the paper's).

A marginal is a tree of one question about attribute A. A row of class c gets an answer with the share that class c has
there, and a value of that answer, each with the same chance. What a path does ask stays as the path says, but for
values that the marginal leaves out, because nobody has them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.randomness import Randomness
from confide.core.trees.nodes import joined
from confide.core.trees.published import PublishedTree
from confide.share.generation.templates import Choices, Condition, choices_of

__all__ = ["Marginal", "marginals_of", "values_held"]


@dataclass(frozen=True)
class Marginal:
    """One attribute's answers: `choices` of each answer, and for each class the answers' shares, summed up."""

    choices: Choices
    bounds: NDArray[np.float64]
    answers: int

    def answer(self, label: NDArray[np.int32], randomness: Randomness) -> NDArray[np.int32]:
        """The number of an answer for each row, given its class."""
        from confide.share.generation import _generation_kernels as kernels

        out = np.empty(len(label), dtype=np.int32)
        classes = len(self.bounds) // self.answers
        first = np.arange(classes, dtype=np.int64) * self.answers
        size = np.full(classes, self.answers, dtype=np.int64)
        kernels.pick_weighted(randomness.words(1)[0], 0, label, first, size, self.bounds, out)
        return out


def marginals_of(tree: PublishedTree) -> dict[str, Marginal]:
    """The marginals of a tree, by attribute."""
    return {str(stump.nodes[0].attribute): _marginal(stump) for stump in tree.marginals}


def values_held(tree: PublishedTree) -> dict[str, Condition]:
    """Of each attribute with a marginal, the values or intervals that the marginal says somebody has."""
    held: dict[str, Condition] = {}
    for stump in tree.marginals:
        root = stump.nodes[0]
        intervals = joined(*(edge.intervals for edge in root.edges))
        held[str(root.attribute)] = intervals or tuple(value for edge in root.edges for value in edge.values)
    return held


def _marginal(stump: PublishedTree) -> Marginal:
    name = stump.nodes[0].attribute
    choices = next(choices for choices in choices_of(stump) if choices.attribute.name == name)
    counts = np.array([path.node.counts for path in stump.paths()], dtype=np.float64).T
    empty = counts.sum(axis=1) == 0  # a class nobody has: as all classes together
    counts[empty] = counts.sum(axis=0)
    bounds = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    return Marginal(choices, bounds.ravel(), counts.shape[1])
