"""Path adversaries: what a published tree tells someone who knows a person's attributes, and what several trees tell.

Whoever knows the attributes follows them to a leaf, and guesses its commonest class. One tree that keeps its promise
bounds the chance that the guess is right. Several trees about the same people do not, each by itself: the classes that
all leaves of a person have in common may be one, and whoever follows everybody learns more. Only what the leaves say is
used, never a count that nobody published. The numbers are for owners, who have the records; they prove nothing,
verifiers do that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from confide.audit.adversaries.together.cohorts import Cohorts
from confide.audit.adversaries.together.register import ask_register
from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.series.release_history import History
from confide.core.trees.published import PublishedTree

__all__ = ["PathRisk", "SeveralTrees", "follow_paths", "follow_several"]

WORTH_A_WARNING = 0.01  # by how much several trees together may guess better than the best of them


@dataclass(frozen=True, kw_only=True)
class PathRisk(ShownFields):
    """What someone learns who follows people to the leaves of one tree.

    `fewest`: records at the smallest leaf. `best_chance`: the largest chance, over leaves, that the class of the leaf
    is a person's. `mean_chance`: that chance on average over people. `certain`: the share of people at leaves of one
    class.
    """

    leaves: int
    fewest: int
    best_chance: float
    mean_chance: float
    certain: float

    def summary(self) -> str:
        """One line for the owner."""
        return f"guessed right for {self.mean_chance:.1%} of its people, certain for {self.certain:.1%}"


def follow_paths(tree: PublishedTree) -> PathRisk:
    """The risk of one tree, by what its leaves say; call it before and after anonymising.

    >>> from confide.core.trees.published import Node
    >>> follow_paths(PublishedTree(classes=("no", "yes"), attributes=(), nodes=(Node(label="no", hit=3, miss=1),)))
    PathRisk(leaves=1, fewest=4, best_chance=0.75, mean_chance=0.75, certain=0.0)
    """
    leaves = [tree.nodes[i] for i in tree.leaves() if tree.nodes[i].total > 0]
    people = sum(leaf.total for leaf in leaves)
    if not people:
        raise InputError("the tree counts no records")
    return PathRisk(
        leaves=len(leaves),
        fewest=min(leaf.total for leaf in leaves),
        best_chance=max(leaf.hit / leaf.total for leaf in leaves),
        mean_chance=sum(leaf.hit for leaf in leaves) / people,
        certain=sum(leaf.total for leaf in leaves if leaf.miss == 0) / people,
    )


@dataclass(frozen=True, kw_only=True)
class SeveralTrees(ShownFields):
    """What several trees tell together about people whose records are given.

    `alone`: the share of people whose class the best single tree names. `voted`: the share whose class is named by
    adding up what all trees say. `fewest`: the fewest records of a leaf that still fit somebody, whose classes all
    leaves of the person have. `certain`: the share of people whose leaves have one class in common. Where the trees
    count these very people, `register` are the least and the most people of whom the class is certain to whoever
    follows everybody; else None. `warning` is empty where the trees together tell little more than the best of them.
    """

    trees: int
    people: int
    alone: float
    voted: float
    fewest: int
    certain: float
    register: tuple[int, int] | None
    warning: str


def follow_several(trees: Sequence[PublishedTree], records: Any, classes: Sequence[Any]) -> SeveralTrees:
    """Follow people through several trees: one owner's trees of the same records, or several owners' trees.

    `records` is a frame with a column for each attribute, `classes` what each person's class really is. Takes about
    10 microseconds for each person and tree.
    """
    from confide.core.tables.frames import to_table

    if len(trees) < 2:
        raise UsageError("give two trees or more; follow_paths looks at one")
    if any(tree.classes != trees[0].classes for tree in trees):
        raise InputError("the trees do not have the same classes, so what they say does not add up")
    people = to_table(records).to_pylist()
    truth = [str(label) for label in classes]
    if len(truth) != len(people) or not people:
        raise InputError(f"{len(people)} records but {len(truth)} classes; give one for each, and at least one")
    ends = [[tree.locate(person) for person in people] for tree in trees]
    shares = [_shares(tree) for tree in trees]
    votes = np.sum([said[at] for said, at in zip(shares, ends, strict=True)], axis=0)
    names = trees[0].classes
    voted = _right([names[c] for c in votes.argmax(axis=1)], truth)
    alone = max(
        _right([tree.nodes[i].label for i in at], truth) for tree, at in zip(trees, ends, strict=True)
    )  # fmt: skip
    fits = [counts[at] for counts, at in zip(map(_published, trees), ends, strict=True)]
    common = np.logical_and.reduce([rows > 0 for rows in fits])
    certain = float((common.sum(axis=1) == 1).mean())
    left = np.stack([np.where(common, rows, 0).sum(axis=1) for rows in fits])
    register = _ask_register(trees, ends, truth)
    most = certain if register is None else max(certain, register[1] / len(truth))
    return SeveralTrees(
        trees=len(trees),
        people=len(people),
        alone=alone,
        voted=voted,
        fewest=int(left.min()),
        certain=certain,
        register=register,
        warning=_warning(
            len(trees), (alone, voted), (max(float(((rows > 0).sum(axis=1) == 1).mean()) for rows in fits), most)
        ),
    )


def _shares(tree: PublishedTree) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The share of each class at each node; where a node gives hit and miss only, the rest evenly among the others."""
    m = len(tree.classes)
    shares = np.zeros((len(tree.nodes), m))
    for i, node in enumerate(tree.nodes):
        if node.counts is not None:
            shares[i] = node.counts
        else:
            shares[i] = node.miss / max(1, m - 1)
            shares[i, tree.class_places[node.label]] = node.hit
        shares[i] /= max(1, node.total)
    return shares


def _right(said: Sequence[str], truth: Sequence[str]) -> float:
    return sum(a == b for a, b in zip(said, truth, strict=True)) / len(truth)


def _published(tree: PublishedTree) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The most records of each class that each node may have, by what it says: its counts, or its hit and miss."""
    most = np.zeros((len(tree.nodes), len(tree.classes)), dtype=np.int64)
    for i, node in enumerate(tree.nodes):
        if node.counts is not None:
            most[i] = node.counts
        else:
            most[i] = node.miss
            most[i, tree.class_places[node.label]] = node.hit
    return most


def _ask_register(
    trees: Sequence[PublishedTree], ends: Sequence[Sequence[int]], truth: Sequence[str]
) -> tuple[int, int] | None:
    """Of how many people the class is certain to whoever follows everybody; None if the trees count other people."""
    names = trees[0].classes
    if not set(truth) <= set(names):
        return None
    values = np.array([names.index(label) for label in truth], dtype=np.int32)
    groups = np.array(ends, dtype=np.int32)
    for tree, at in zip(trees, groups, strict=True):
        counts = np.zeros((len(tree.nodes), len(names)), dtype=np.int64)
        np.add.at(counts, (at, values), 1)
        told = np.array([node.counts if node.counts is not None else [-1] * len(names) for node in tree.nodes])
        if any((counts[leaf] != told[leaf]).any() for leaf in tree.leaves()):
            return None
    columns = (np.arange(len(names), dtype=np.int32),)
    view = ask_register(Cohorts.of_history(History(groups=groups, values=values, columns=columns)))
    return view.certain_at_least, view.certain_at_most


def _warning(trees: int, right: tuple[float, float], certain: tuple[float, float]) -> str:
    """Each pair: by the best tree alone, by all together."""
    said = [
        f"{what} {together:.0%} of the people, the best of them alone {alone:.0%}"
        for what, (alone, together) in (("name the class of", right), ("leave no doubt about the class of", certain))
        if together > alone + WORTH_A_WARNING
    ]
    if not said:
        return ""
    return f"{trees} trees together {'; and '.join(said)}: each keeps its promise, but none speaks for all of them"
