"""How an owner learns a tree to be published: three methods, with the same settings in experiments and releases."""

from typing import Literal, get_args

from confide.core.errors import UsageError
from confide.core.requirements import Requirement
from confide.mining.trees.learner import DecisionTree
from confide.share.anonymization.diverse_tree import DiverseTree

__all__ = ["VALIDATED", "Method", "learner_of"]

Method = Literal["merging", "ldm", "atp"]

# Of merging, and of pessimistic pruning after it. Unpruned trees fit the noise that promises leave in small leaves; how
# much there is depends on the data and the promise, so each owner's own records decide (docs/reproduction/share.md).
VALIDATED: Literal["validated"] = "validated"


def learner_of(method: Method, requirement: Requirement, *, max_depth: int | None = None) -> DecisionTree:
    """An unfitted learner.

    "merging" (ours) grows a tree whose every leaf keeps the requirement, merges children that fail where that pays, and
    prunes what does not pay; "ldm" gives a split up instead of merging, and does not prune; "atp" learns a plain tree,
    which must be anonymised before anybody else sees it (both as the paper).
    """
    if method not in get_args(Method):
        raise UsageError(
            f"method={method!r}; choose among: {', '.join(get_args(Method))}", parameter="method", value=method
        )
    if method == "atp":
        return DecisionTree(max_depth=max_depth)
    if method == "ldm":
        return DiverseTree(requirement=requirement, max_depth=max_depth)
    return DiverseTree(requirement=requirement, merge=VALIDATED, confidence=VALIDATED, max_depth=max_depth)
