"""Path adversaries: what a published tree tells someone who knows a person's attributes, and what several trees tell.

Whoever knows the attributes follows them to a leaf, and guesses its commonest class. One tree that keeps its promise
bounds the chance that the guess is right. Several trees about the same people do not, each by itself: people who
share a leaf in every tree may be few, or all of one class. The numbers are for owners, who have the records; they
prove nothing, verifiers do that.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
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
    adding up what all trees say. `fewest`: the smallest group of these people that no tree tells apart. `certain`: the
    share of people in groups of one class. `warning` is empty where the trees together tell little more than the
    best of them.
    """

    trees: int
    people: int
    alone: float
    voted: float
    fewest: int
    certain: float
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
    together, by_one = _groups(list(zip(*ends, strict=True)), truth), [_groups(at, truth) for at in ends]
    certain = _certain(together)
    return SeveralTrees(
        trees=len(trees),
        people=len(people),
        alone=alone,
        voted=voted,
        fewest=min(sum(group.values()) for group in together),
        certain=certain,
        warning=_warning(len(trees), (alone, voted), (max(map(_certain, by_one)), certain)),
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


def _groups(ways: Sequence[Any], truth: Sequence[str]) -> list[Counter[str]]:
    """The classes of the people on each way."""
    groups: dict[Any, Counter[str]] = defaultdict(Counter)
    for way, label in zip(ways, truth, strict=True):
        groups[way][label] += 1
    return list(groups.values())


def _certain(groups: Sequence[Counter[str]]) -> float:
    people = sum(sum(group.values()) for group in groups)
    return sum(sum(group.values()) for group in groups if len(group) == 1) / people


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
