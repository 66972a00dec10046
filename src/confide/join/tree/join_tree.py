"""JoinTree: the decision tree of a joined table that is never made (thesis, chapter 3: MultiTbl)."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.trees.published import PublishedTree
from confide.join.graph.classes import code_classes
from confide.join.graph.forecast import fault_of, prepare, refuse_unusable
from confide.join.graph.join_graph import JoinGraph
from confide.join.tree.level_growth import GrownNodes
from confide.join.tree.local_engines import open_engines
from confide.mining.trees.arrays import published
from confide.mining.trees.estimator import TreeLearner
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.pruning import expected_errors, prune
from confide.mining.trees.splits import Criterion

__all__ = ["JoinTree"]

I64 = NDArray[np.int64]
PruneOn = Literal["rows", "targets"]


class JoinTree(TreeLearner):
    """A decision tree over several tables that join, grown without joining them.

    It is the tree `mining.DecisionTree` grows on the joined table, whose columns are "table.column" in the order of the
    tables and of their columns, the class left out: the same nodes, splits, thresholds and counts. The work at a node
    is in proportion to the tables' own records, not to the joined ones, of which there may be more than any disk holds.

    Parameters
        criterion     "information_gain" (the thesis), "gain_ratio" (C4.5) or "gini" (CART).
        min_leaf      the fewest joined records in any leaf; a split that would make a smaller one is not made. Larger
                      gives smaller trees, and keeps columns with rare values from being split on.
        min_branch    at least two branches of a split need this many joined records (C4.5's rule); the others may be
                      as small as min_leaf allows.
        max_depth     edges from the root; None for no limit.
        confidence    pessimistic pruning by the upper confidence limit; smaller prunes more; None does not prune.
        categorical   numeric columns whose values are only labels, as "table.column".
        exclude       columns to join by, perhaps, but not to split on: names and numbers of people or places, from
                      which nothing follows for the next one.
        prune_on      "rows": N and E of a node are joined records. One record of the target table stands in many
                      of them, so N is inflated by the fan-out and little is pruned. "targets": N and E are distinct
                      records of the target table.

    After `fit`: `tree_` (a `PublishedTree`), `classes_`, `feature_names_in_` ("table.column"), `joined_rows_` (exact).

    Counts are exact integers. A join of more than 2**62 records is refused before any work.

    >>> import pyarrow as pa
    >>> people = pa.table({"town": ["A", "A", "B", "B"], "ill": ["yes", "yes", "no", "no"]})
    >>> air = pa.table({"town": ["A", "A", "B", "C"], "dust": [70, 55, 20, 90]})
    >>> joins = [("people.town", "air.town")]
    >>> graph = JoinGraph(tables={"people": people, "air": air}, joins=joins, target="people.ill")
    >>> tree = JoinTree(confidence=None).fit(graph)
    >>> tree.joined_rows_
    6
    >>> [(dict(path.conditions), path.label, path.hit) for path in tree.tree_.paths()]
    [({'people.town': ('A',)}, 'yes', 4), ({'people.town': ('B',)}, 'no', 2)]

    Source: thesis, section 3.3.
    """

    tree_: PublishedTree
    classes_: NDArray[Any]
    feature_names_in_: NDArray[Any]
    joined_rows_: int

    def __init__(
        self,
        *,
        criterion: Criterion = "information_gain",
        min_leaf: int = 1,
        min_branch: int = 2,
        max_depth: int | None = None,
        confidence: float | None = 0.25,
        categorical: Iterable[str] = (),
        exclude: Iterable[str] = (),
        prune_on: PruneOn = "rows",
    ):
        self.criterion = criterion
        self.min_leaf = min_leaf
        self.min_branch = min_branch
        self.max_depth = max_depth
        self.confidence = confidence
        self.categorical = categorical
        self.exclude = exclude
        self.prune_on = prune_on

    # -- learning -------------------------------------------------------------------------------------------------

    @answers_ctrl_c
    def fit(self, graph: JoinGraph) -> "JoinTree":
        """Learn the tree of the join `graph` describes."""
        if not isinstance(graph, JoinGraph):
            raise UsageError(
                f"a JoinTree learns from a JoinGraph, which names tables, joins and the class, not from "
                f"{type(graph).__name__}; for one table use mining.DecisionTree"
            )
        categorical, exclude = tuple(self.categorical), tuple(self.exclude)
        self._check_parameters(graph, categorical, exclude)
        prepared = prepare(graph)
        refuse_unusable(prepared)
        classes, codes = code_classes(graph, prepared.target_rows)
        fault = fault_of(prepared, len(classes))
        if fault is not None:
            raise InputError(fault)
        engines = open_engines(graph, prepared, codes, len(classes), categorical=categorical, exclude=exclude)
        growth = GrownNodes(
            graph,
            engines,
            criterion=self.criterion,
            min_leaf=self.min_leaf,
            min_branch=self.min_branch,
            max_depth=self.max_depth,
            count_targets=self.prune_on == "targets",
        )
        growth.grow(prepared.joined_rows)
        nodes = growth.nodes()
        stays = np.ones(len(nodes), dtype=np.bool_)
        if self.confidence is not None:
            errors, totals = growth.errors_and_totals()
            stays = prune(growth.parents(), errors, totals, confidence=self.confidence)
        columns = [column for name in graph.tables for column in engines[name].columns]
        numbers = [np.zeros(0) if column.numbers is None else column.numbers for column in columns]
        labels = [str(label) for label in classes.tolist()]
        self.tree_ = published(nodes, stays, [column.column() for column in columns], numbers, labels)
        self.classes_ = classes
        self.feature_names_in_ = np.array([attribute.name for attribute in self.tree_.attributes], dtype=object)
        self.joined_rows_ = prepared.joined_rows
        self.repeats_records_ = prepared.joined_rows != len(prepared.target_rows)
        return self

    def _check_parameters(self, graph: JoinGraph, categorical: Sequence[str], exclude: Sequence[str]) -> None:
        DecisionTree(criterion=self.criterion, min_leaf=self.min_leaf, max_depth=self.max_depth).check_parameters()
        given: object = self.min_branch
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise RequirementError(
                f"min_branch={given!r} must be a whole number of 1 or more", parameter="min_branch", value=given
            )
        if self.confidence is not None:
            expected_errors(np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64), confidence=self.confidence)
        if self.prune_on not in get_args(PruneOn):
            raise RequirementError(
                f"no prune_on={self.prune_on!r}; prune on rows or targets", parameter="prune_on", value=self.prune_on
            )
        known = [f"{table}.{name}" for table in graph.tables for name in graph.attributes(table)]
        for asked, names in (("take as categorical", categorical), ("exclude", exclude)):
            for name in names:
                if name not in known:
                    raise UsageError(f"no column {name!r} to {asked}; columns are: {', '.join(known)}")
        if set(known) <= set(exclude):
            raise UsageError(
                f"every column is excluded ({', '.join(known)}); leave at least one to split on", parameter="exclude"
            )

    # -- using ----------------------------------------------------------------------------------------------------

    def predict(self, records: Any) -> NDArray[Any]:
        """The class of each joined record of a frame with columns "table.column"; or, given a `JoinGraph`, of each
        record of its target table, by the vote of all joined records it is in.

        A target record that is in no joined record gets the majority of the tree's root. The graph may be of new
        records: name their table as its target (`target="people"`) if they have no class yet.
        """
        if isinstance(records, JoinGraph):
            votes = self.votes(records)
            chosen = np.argmax(votes, axis=1)
            root = self.tree_.classes.index(self.tree_.nodes[0].label)
            predicted: NDArray[Any] = self.classes_[np.where(votes.any(axis=1), chosen, root)]
            return predicted
        self._check_fitted()
        walker = DecisionTree.from_published(self.tree_)
        walker.classes_ = self.classes_
        return walker.predict(records)

    def predict_proba(self, records: Any) -> NDArray[np.float64]:
        """How sure `predict` is: for each record a share for each class of `classes_`.

        Of a frame's joined records, the classes of the training records at the same leaf. Of a graph's target records,
        the mean of these over the joined records each is in; those of the root where it is in none. The largest share
        need not be of the class that `predict` gives a record in several joined records, since there each has one vote.
        """
        self._check_fitted()
        if isinstance(records, JoinGraph):
            return self._mean_shares(records)
        return DecisionTree.from_published(self.tree_).predict_proba(records)

    def score(self, graph: JoinGraph) -> float:
        """The share of the graph's target records whose class is predicted; those in no joined record count, too."""
        predicted = self.predict(graph)
        classes, codes = code_classes(graph, np.arange(len(predicted), dtype=np.int64))
        return float(np.mean(predicted == classes[codes]))

    @answers_ctrl_c
    def _mean_shares(self, graph: JoinGraph) -> NDArray[np.float64]:
        from confide.join.tree.record_walk import leaf_shares

        shares = leaf_shares(self.tree_, graph)
        root = np.array(self.tree_.nodes[0].counts, dtype=np.float64)
        shares[~shares.any(axis=1)] = root / root.sum()
        return shares

    @answers_ctrl_c
    def votes(self, graph: JoinGraph) -> I64:
        """For each record of the graph's target table and each class, the joined records for which the tree says so.

        The class column of `graph` is not looked at. Nothing is joined: the tree is walked by the engines that grow it.
        """
        from confide.join.tree.record_walk import leaf_votes

        self._check_fitted()
        return leaf_votes(self.tree_, graph)

    # -- reading --------------------------------------------------------------------------------------------------

    def headline(self) -> str:
        """One line: how large the tree is, and what it says of the records it was grown from."""
        self._check_fitted()
        right = sum(path.hit for path in self.tree_.paths()) / self.joined_rows_
        return (
            f"{len(self.tree_.nodes):,} nodes over {self.joined_rows_:,} joined records; right about {right:.1%} of "
            "those it was grown from, which says nothing about new ones"
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "tree_"):
            raise UsageError(f"this {type(self).__name__} is not fitted yet; call fit(graph) first")
