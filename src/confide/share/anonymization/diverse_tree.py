"""DiverseTree: a decision tree learned so that it may be published (paper 002, section 6.2: LDM)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.originals import OriginalRecords
from confide.core.errors import RequirementError, UsageError
from confide.core.figures import Figure, Figures
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Requirement
from confide.core.tables.schema import SchemaLike, schema_of
from confide.core.trees.covering import cover
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree, Fitted
from confide.mining.trees.splits import Criterion
from confide.mining.trees.table import TreeColumn
from confide.share.anonymization.leaf_growth import TreeGrower
from confide.share.anonymization.tree_release import asked_about, check_splits, release_tree, share_right
from confide.share.anonymization.validation import AMOUNTS, best_of
from confide.share.original_records import records_of
from confide.share.pruning.leaf_tests import LeafTest, refuse_whole

__all__ = ["DiverseTree"]


class DiverseTree(DecisionTree):
    """A decision tree every leaf of which keeps a requirement, by the exact count of each class.

    Parameters
        requirement   `KAnonymity`, `SimpleDiversity` or `RecursiveDiversity`; a split is made only if all its children
                      keep it.
        merge         ours, not the paper's: children of a categorical split that fail are merged with siblings, as
                      `anonymize_tree` does, before the split is given up. Often better, sometimes worse; "validated":
                      whichever is right more often in a cross-validation within the records given.
        confidence    of pessimistic pruning, as `DecisionTree`'s; or "validated": of several, the one that does best in
                      the same cross-validation (ten growths more, twenty with both).

    The others are `DecisionTree`'s; the paper takes the information gain and does not prune. `fit` also takes declared
    domains. The tree covers its domains: a value not seen at a node in training goes with the largest child.

    `fit` raises CannotMeetError, naming the largest k or l that works, if all records in one leaf would fail.
    `release()` gives the tree with its passport; `merge_` and `confidence_` are what was chosen.

    >>> from confide import SimpleDiversity
    >>> X, y = [["a"], ["a"], ["b"], ["b"], ["c"], ["c"]], ["x", "y", "x", "y", "z", "z"]
    >>> X = np.array(X, dtype=object)
    >>> DiverseTree(requirement=SimpleDiversity(l=2)).fit(X, y).tree_.to_text()
    'x (2 of 6 records)'
    >>> print(DiverseTree(requirement=SimpleDiversity(l=2), merge=True).fit(X, y).tree_.to_text())
    x0 = b: x (1 of 2 records)
    x0 in {a, c}: z (2 of 4 records)
    """

    merge_: bool
    confidence_: float | None

    def __init__(
        self,
        *,
        requirement: Requirement,
        merge: bool | Literal["validated"] = False,
        criterion: Criterion = "information_gain",
        min_leaf: int = 1,
        min_branch: int = 1,
        max_depth: int | None = None,
        confidence: float | Literal["validated"] | None = None,
        categorical: Iterable[str | int] = (),
    ):
        super().__init__(
            criterion=criterion,
            min_leaf=min_leaf,
            min_branch=min_branch,
            max_depth=max_depth,
            categorical=categorical,
        )
        self.confidence: float | Literal["validated"] | None = confidence  # type: ignore[assignment]
        self.requirement = requirement
        self.merge = merge

    def check_parameters(self) -> None:
        if self.confidence != "validated":
            super().check_parameters()
        else:
            DecisionTree(
                criterion=self.criterion,
                min_leaf=self.min_leaf,
                min_branch=self.min_branch,
                max_depth=self.max_depth,
                categorical=self.categorical,
            ).check_parameters()
        if not isinstance(self.merge, bool | np.bool_) and self.merge != "validated":
            raise RequirementError(
                f'merge={self.merge!r} must be True, False or "validated"', parameter="merge", value=self.merge
            )
        given: object = self.requirement
        if not isinstance(given, Requirement):
            raise RequirementError(
                f"requirement={given!r} must be a requirement, for example KAnonymity(k=5)",
                parameter="requirement",
                value=given,
            )
        LeafTest.of(given, "exact")

    def _learn(
        self, columns: Sequence[TreeColumn], y: NDArray[np.int32], classes: Sequence[str], *, declared: bool
    ) -> Fitted:
        test = LeafTest.of(self.requirement, "exact")
        whole = np.bincount(y, minlength=len(classes)).astype(np.int64)
        if not test.passes(len(y), whole):
            raise refuse_whole(self.requirement, "exact", len(y), whole, what="all records in one leaf")
        self._records: OriginalRecords | None = records_of(columns, y, classes)
        ways = [bool(self.merge)] if self.merge != "validated" else [True, False]
        if all(column.kind == "numeric" for column in columns):  # nothing to merge
            ways = ways[:1]
        growths = [
            TreeGrower(columns, y, classes, test, self.criterion, merge, self.min_leaf, self.min_branch, self.max_depth)
            for merge in ways
        ]
        growth, confidence = best_of(growths, AMOUNTS if self.confidence == "validated" else (self.confidence,))
        self.merge_, self.confidence_ = growth.merge, confidence
        grown = growth.grow(np.arange(len(y)))

        def made() -> PublishedTree:
            attributes = tuple(column.attribute() for column in columns)
            nodes = tuple(grown.nodes(confidence=confidence))
            tree = PublishedTree(classes=tuple(classes), attributes=attributes, nodes=nodes)
            return replace(cover(tree), declared=declared)

        return Fitted(made)

    def release(
        self, *, schema: SchemaLike | None = None, allow_sensitive: Iterable[str] = (), verify: bool = True
    ) -> Release[PublishedTree]:
        """The tree with its passport, verified; `schema` and `allow_sensitive` as for `anonymize_tree`."""
        self._check_fitted()
        if self._records is None:
            raise UsageError("this tree was loaded without its records; release it where it is fitted, or fit it again")
        schema = None if schema is None else schema_of(schema)
        check_splits(asked_about(self.tree_), schema, allow_sensitive)
        return release_tree(
            self.tree_,
            self.requirement,
            algorithm="LDM, merging" if self.merge_ else "LDM",
            mode="exact",
            before=None,
            parameters={"criterion": self.criterion, "merge": self.merge_},
            original=self._records,
            schema=schema,
            owner=self._owner_part(),
            verify=verify,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_records": None}  # records do not travel with the tree

    def _owner_part(self) -> OwnerPart:
        leaves = [node for node in self.tree_.nodes if node.is_leaf]
        return OwnerPart(
            facts=Figures(
                Figure("leaves", len(leaves), "count", "leaves"),
                Figure("smallest_leaf", min(leaf.total for leaf in leaves), "count", "records in the smallest leaf"),
                Figure("share_right", share_right(self.tree_), "share", "of the records have the class of their leaf"),
                Figure("children_merged", "yes" if self.merge_ else "no", "text", "were children that fail merged?"),
                Figure(
                    "pruning_confidence",
                    "not pruned" if self.confidence_ is None else f"{self.confidence_:g}",
                    "text",
                    "confidence of pruning; smaller prunes more",
                ),
            )
        )
