"""How owners publish, and what somebody learns from all they published.

an owner's records --> a tree (plain, ATP, LDM, merging) --+
an owner's records --> a tree                            --+--> PGEN, BASEGEN, BAGGING or ours --> a model
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from confide.core.errors import UsageError
from confide.core.randomness import Randomness
from confide.core.requirements import Requirement
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.share.anonymization.anonymize import anonymize_tree
from confide.share.anonymization.diverse_tree import DiverseTree
from confide.share.bagging import Bagging
from confide.share.domains import Domains
from confide.share.generation.baseline import generate_baseline
from confide.share.global_model import CLASS, learn_from, learn_global
from confide.share.learners import VALIDATED, learner_of
from confide.share.marginals import with_marginals

__all__ = ["METHODS", "PROTECTING", "Method", "TableMethod", "described", "local_tree", "methods_named", "model_of"]

Local = Literal["plain", "unprotected", "atp", "ldm", "ldm-pruned", "merging"]
Together = Literal["pgen", "basegen", "bagging", "ours"]

TableMethod = Callable[[Any, Any, Requirement], Any]
"""An algorithm that publishes a table: the attributes, the classes and the requirement in; rows of the same attributes
out, with the class in the column "class". A generalised cell stands for one of the values it covers, drawn at random,
so that any learner can use it beside records as they are. The table's metadata may say how many records are `wrong`
(not of the commonest class of their group, or left out) among its `records`: the classification metric."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """`local`: how an owner makes its tree; `together`: what is learned from all of them."""

    name: str
    local: Local
    together: Together


METHODS = (
    Method(name="PGEN", local="plain", together="pgen"),
    Method(name="BASEGEN", local="plain", together="basegen"),
    Method(name="BAGGING", local="plain", together="bagging"),
    Method(name="ours", local="plain", together="ours"),
)
"""Of trees that promise nothing (section 7.2)."""

PROTECTING = (
    Method(name="ATP-PGEN", local="atp", together="pgen"),
    Method(name="LDM-PGEN", local="ldm", together="pgen"),
    Method(name="LDM-PGEN, pruned", local="ldm-pruned", together="pgen"),
    Method(name="ATP-BAGGING", local="atp", together="bagging"),
    Method(name="ours", local="merging", together="ours"),
)
"""Of trees that keep a requirement (section 7.3). The paper's LDM does not prune and ours does: with LDM pruned alike,
one sees what is due to pruning, and what to merging."""


def methods_named(names: Sequence[str] | None, requirement: Requirement | None) -> list[Method]:
    """The methods of these names that fit the requirement, or its absence; None: all of them."""
    known = {method.name for method in (*METHODS, *PROTECTING)}
    for name in names or ():
        if name not in known:
            raise UsageError(f"no method {name!r}; methods are: {', '.join(sorted(known))}")
    fitting = METHODS if requirement is None else PROTECTING
    return [method for method in fitting if names is None or method.name in names]


def local_tree(local: Local, X: Any, y: Any, domains: Domains, requirement: Requirement | None) -> PublishedTree:
    """An owner's tree. Raises CannotMeetError where the owner's records cannot keep the requirement.

    "unprotected" is the tree that "atp" prunes, so that several requirements can start from the same one.
    """

    def fitted(learner: DecisionTree) -> PublishedTree:
        return learner.fit(X, y, attributes=domains.usable, classes=domains.classes).tree_

    if local == "plain":  # the paper does not prune here
        return fitted(DecisionTree(confidence=None))
    if local == "unprotected":
        return fitted(DecisionTree())
    assert requirement is not None
    if local == "atp":
        return anonymize_tree(fitted(learner_of("atp", requirement)), requirement, verify=False).data
    if local == "ldm-pruned":
        return fitted(DiverseTree(requirement=requirement, confidence=VALIDATED))
    return fitted(learner_of(local, requirement))


def described(tree: PublishedTree, X: Any, y: Any, requirement: Requirement | None) -> PublishedTree:
    """The tree with marginals of the same records, which keep the requirement too."""

    def protect(stump: PublishedTree) -> PublishedTree:
        assert requirement is not None
        return anonymize_tree(stump, requirement, verify=False).data

    return with_marginals(tree, X, y, protect=None if requirement is None else protect)


def model_of(
    method: Method, trees: Sequence[PublishedTree], *, model: str, rows: float | None, randomness: Randomness
) -> Any:
    """What is learned from the trees: something that predicts."""
    if method.together == "bagging":
        return Bagging(trees)
    if method.together == "ours":
        return learn_global(trees, model=model, rows=rows, randomness=randomness)
    if method.together == "pgen" or (len(trees) == 1 and model == "tree"):
        return learn_global(trees, model=model, rows=rows, labels="own", absent="uniform", randomness=randomness)
    import pyarrow as pa

    times = 1.0 if rows is None else rows
    made = [
        generate_baseline(tree, rows=max(1, round(times * _records(tree))), class_column=CLASS, randomness=randomness)
        for tree in trees
    ]
    return learn_from(pa.concat_tables(made), trees[0], model=model)


def _records(tree: PublishedTree) -> int:
    return sum(node.total for node in tree.nodes if node.is_leaf)
