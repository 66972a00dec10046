"""DecisionTree: C4.5-like learning, scikit-learn's manners, and a result that can be published."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.trees.published import Attribute, Path, PublishedTree
from confide.mining.trees.arrays import COUNTS, PARENT, published
from confide.mining.trees.coding import coded, coded_as, ranked
from confide.mining.trees.estimator import TreeLearner, not_fitted
from confide.mining.trees.pruning import prune
from confide.mining.trees.splits import Criterion, criterion_code, grid
from confide.mining.trees.table import (
    TableError,
    TreeColumn,
    as_kind,
    column_names,
    read_columns,
    read_declared,
    read_labels,
)
from confide.mining.trees.walker import Walker

__all__ = ["DecisionTree", "Fitted"]


class DecisionTree(TreeLearner):
    """A decision tree in the manner of C4.5: multiway splits on categories, binary splits on numbers.

    Parameters
        criterion     "gain_ratio" (C4.5), "information_gain" (ID3) or "gini" (CART).
        min_leaf      the fewest records in any leaf; a split that would make a smaller one is not made. Larger gives
                      smaller trees, and keeps columns with rare values from being split on.
        min_branch    at least two branches of a split need this many records (C4.5's rule); the others may be as
                      small as min_leaf allows.
        max_depth     edges from the root; None for no limit.
        confidence    pessimistic pruning by the upper confidence limit: smaller prunes more; None does not prune.
        categorical   names or numbers of numeric columns whose values are mere labels.

    `fit(X, y)` takes pandas, polars, Arrow or numpy; text, boolean and "category" columns are categorical, with a
    missing value as a category of its own. Missing numbers go to the side of a threshold where they gain more (right,
    if equal), or apart from all numbers; infinite ones are refused (see `table`). Ties go to the column that
    comes first, then to the lower threshold, so the same records in any order give the same tree. A threshold lies
    midway between two neighbouring values of the node. Unlike C4.5 there are no fractional records, no subtree
    raising, and no penalty on numeric splits.

    After `fit`: `tree_` (a `PublishedTree`: plain, frozen, JSON both ways), `classes_`, `n_features_in_`,
    `feature_names_in_` when X has names. A value not seen at a node in training gets that node's own majority; in a
    tree with declared domains it goes with the largest child.

    A learned tree tells about the people it was learned from: leaves of one record are possible. It is for the
    owner's eyes, not for publication: `min_leaf` makes leaves larger, but promises nothing.

    >>> X = [["sunny", 30.0], ["sunny", 20.0], ["rain", 21.0], ["rain", 12.0], ["fog", 14.0], ["fog", 19.0]]
    >>> X = np.array(X, dtype=object)
    >>> tree = DecisionTree(min_branch=1, confidence=None).fit(X, ["out", "out", "out", "in", "in", "in"])
    >>> tree.predict(np.array([["sunny", 25.0], ["fog", 10.0]], dtype=object)).tolist()
    ['out', 'in']
    >>> [(dict(path.conditions), path.label, path.hit, path.miss) for path in tree.paths()]
    [({'x1': ((-inf, 19.5),)}, 'in', 3, 0), ({'x1': ((19.5, inf),)}, 'out', 3, 0)]
    """

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _estimator_type = "classifier"

    def __init__(
        self,
        *,
        criterion: Criterion = "gain_ratio",
        min_leaf: int = 1,
        min_branch: int = 2,
        max_depth: int | None = None,
        confidence: float | None = 0.25,
        categorical: Iterable[str | int] = (),
    ):
        self.criterion = criterion
        self.min_leaf = min_leaf
        self.min_branch = min_branch
        self.max_depth = max_depth
        self.confidence = confidence
        self.categorical = categorical

    # -- learning -------------------------------------------------------------------------------------------------

    @answers_ctrl_c
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        attributes: Sequence[Attribute] | None = None,
        classes: Sequence[Any] | None = None,
    ) -> "DecisionTree":
        """Learn a tree; X has a row for each record, y its class.

        `attributes` and `classes` are domains agreed beforehand, so that nothing of them is read off the records:
        the values of each categorical column, the edges of each numeric column's bins, at which alone it is cut. Give
        both: the tree is then `declared`, and covers its domains. Numbers beyond the bounds count as in the outermost
        bin; a category or class outside its domain is refused.
        """
        self.check_parameters()
        if (attributes is None) != (classes is None):
            raise UsageError("declare both attributes and classes, or neither")
        if attributes is None:
            columns, names = read_columns(X, categorical=self.categorical, missing=True)
        else:
            columns, names = read_declared(X, attributes)
        labels = read_labels(y)
        n = len(columns[0].data)
        if n != len(labels):
            raise TableError(f"inconsistent numbers of samples: {n} records but {len(labels)} classes")
        if n == 0:
            raise TableError("0 sample(s) (no records) while a minimum of 1 is required")
        known, codes = coded(labels) if classes is None else coded_as(labels, classes)
        texts = [str(c) for c in known.tolist()]
        self._fitted = self._learn(columns, codes, texts, declared=classes is not None)
        self.classes_ = known
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that no tree can be grown with."""
        criterion_code(self.criterion)
        given: dict[str, Any] = {"min_leaf": self.min_leaf, "min_branch": self.min_branch, "max_depth": self.max_depth}
        for name, value in given.items():
            if value is None and name == "max_depth":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise RequirementError(
                    f"{name}={value!r} must be a whole number of 1 or more", parameter=name, value=value
                )
        confidence: Any = self.confidence
        if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, Real)):
            raise RequirementError(
                f"confidence={confidence!r} must be a number between 0 and 1, or None",
                parameter="confidence",
                value=confidence,
            )
        labelled: Any = self.categorical
        if isinstance(labelled, str) or not isinstance(labelled, Iterable):
            raise RequirementError(
                f"categorical={labelled!r} must be a list of names or numbers of columns",
                parameter="categorical",
                value=labelled,
            )

    def _learn(
        self, columns: Sequence[TreeColumn], y: NDArray[np.int32], classes: Sequence[str], *, declared: bool
    ) -> "Fitted":
        """Grow and prune."""
        grown, distinct = self._grow(columns, y, len(classes))
        stays = np.ones(len(grown), dtype=np.bool_)
        if self.confidence is not None:
            counts = grown[:, COUNTS:]
            totals = counts.sum(axis=1)
            stays = prune(grown[:, PARENT], totals - counts.max(axis=1), totals, confidence=self.confidence)
        described = [column.described() for column in columns]
        return Fitted(
            lambda: published(grown, stays, described, distinct, classes, declared=declared),
            lambda: Walker.of_grown(grown, stays, described, distinct, declared=declared),
        )

    def _grow(
        self, columns: Sequence[TreeColumn], y: NDArray[np.int32], classes: int
    ) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
        from confide.mining.trees import _tree_kernels as kernels
        from confide.mining.trees.impurity_kernels import term_table

        n = len(y)
        codes = np.empty((len(columns), n), dtype=np.int32)
        order_of = np.zeros(len(columns), dtype=np.int32)
        orders: list[NDArray[np.int32]] = [np.arange(n, dtype=np.int32)]
        distinct: list[NDArray[np.float64]] = []
        for j, column in enumerate(columns):
            if column.kind == "categorical":
                codes[j] = column.data
                distinct.append(np.zeros(len(column.values)))
                continue
            codes[j], order, numbers = ranked(column)
            distinct.append(numbers)
            order_of[j] = len(orders)
            orders.append(order)
        scale = 2.0 ** grid(n)
        widths = np.array([len(values) for values in distinct], dtype=np.int32)
        records = kernels.Records(codes, np.array(orders, dtype=np.int32), order_of, widths, y, classes)
        growth = kernels.Growth(
            term_table(n, scale),
            criterion_code(self.criterion),
            scale,
            int(self.min_leaf),
            int(self.min_branch),
            n if self.max_depth is None else int(self.max_depth),
        )
        return kernels.grow(records, growth), distinct

    @property
    def tree_(self) -> PublishedTree:  # type: ignore[override]  # read only here, an attribute in other learners
        """The tree as plain data, made when it is first asked for."""
        if not hasattr(self, "_fitted"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit(X, y) first")
        return self._fitted.tree

    # -- using ----------------------------------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node of `tree_` each record ends at."""
        columns = self.columns(X)
        return self._fitted.walker.locate(columns)

    def columns(self, X: Any) -> list[TreeColumn]:
        """The columns of X that the tree knows, in its order; refuses what does not fit."""
        self._check_fitted()
        kinds = {a.name: a.kind for a in self._fitted.walker.attributes}
        given = column_names(X)
        named = set(kinds) <= set(given)
        if given and not named and hasattr(self, "feature_names_in_") and list(self.feature_names_in_) == list(kinds):
            lacking = ", ".join(repr(name) for name in kinds if name not in given)
            raise TableError(f"no column {lacking}, which the tree was learned with; columns are: {', '.join(given)}")
        labelled = [(name if named else j) for j, (name, kind) in enumerate(kinds.items()) if kind == "categorical"]
        columns, names = read_columns(X, categorical=labelled, missing=True)
        if names is not None and set(kinds) <= set(names):
            by_name = {column.name: column for column in columns}
            columns = [by_name[name] for name in kinds]
        if len(columns) != len(kinds):
            raise TableError(
                f"X has {len(columns)} features, but {type(self).__name__} is expecting {len(kinds)} features as input"
            )
        columns = [as_kind(column, kind) for column, kind in zip(columns, kinds.values(), strict=True)]
        for column, (name, kind) in zip(columns, kinds.items(), strict=True):
            if column.kind != kind:
                raise TableError(f"is {column.kind} here but was {kind} in training", column=name)
        return columns

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        nodes = self.apply(X)
        predicted: NDArray[Any] = self.classes_[self._fitted.walker.labels[nodes]]
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class, in the order of `classes_`, among the training records of the node reached.

        Where the tree gives only hit and miss, the misses are shared out evenly among the other classes.
        """
        nodes = self.apply(X)
        shares: NDArray[np.float64] = self._fitted.walker.shares[nodes]
        return shares

    def score(self, X: Any, y: Any) -> float:
        """The share of records whose class is predicted."""
        return float(np.mean(self.predict(X) == read_labels(y)))

    def paths(self) -> Iterator[Path]:
        """Every way from the root to a leaf; see `PublishedTree.paths`."""
        self._check_fitted()
        return self.tree_.paths()

    # -- leaving and coming back ----------------------------------------------------------------------------------

    def to_json(self, *, indent: int | None = None) -> str:
        """The tree as JSON; see `PublishedTree.to_json`."""
        self._check_fitted()
        return self.tree_.to_json(indent=indent)

    @classmethod
    def from_json(cls, text: str) -> "DecisionTree":
        """A fitted DecisionTree from what `to_json` wrote; class labels come back as text."""
        return cls.from_published(PublishedTree.from_json(text))

    @classmethod
    def from_published(cls, tree: PublishedTree) -> "DecisionTree":
        """A fitted DecisionTree that predicts as this published tree does."""
        given: object = tree
        if not isinstance(given, PublishedTree):
            raise UsageError(f"a PublishedTree is needed here, not {type(given).__name__}; from_json reads its text")
        fitted = cls()
        fitted._fitted = Fitted(lambda: tree)
        fitted.n_features_in_ = len(tree.attributes)
        fitted.classes_ = np.array(tree.classes)
        fitted.feature_names_in_ = np.array([attribute.name for attribute in tree.attributes], dtype=object)
        return fitted

    @classmethod
    def from_sklearn(
        cls, estimator: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[str] | None = None
    ) -> "DecisionTree":
        """A fitted DecisionTree from scikit-learn's DecisionTreeClassifier, with the same nodes and counts.

        Names default to the estimator's own. A tree that counted weights or copies of records is refused (one of a
        random forest, or with `class_weight` or `sample_weight`): its counts are not of people. Rows that were
        repeated before scikit-learn got them cannot be told from others. scikit-learn rounds X to 32-bit floats before
        it compares; records go the same way here.
        """
        from confide.mining.trees.sklearn import published_from_sklearn

        return cls.from_published(published_from_sklearn(estimator, feature_names, class_names))

    # -- scikit-learn's manners -----------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "_fitted"):
            raise not_fitted(f"this {type(self).__name__} is not fitted yet; call fit(X, y) first")


class Fitted:
    """A tree that is made when it is first asked for, and laid out for walking when records are first sent down it.

    `lay_out` does so without the tree; None: from the tree.
    """

    def __init__(self, make: Callable[[], PublishedTree], lay_out: Callable[[], Walker] | None = None):
        self._make: Callable[[], PublishedTree] | None = make
        self._lay_out = lay_out

    @cached_property
    def tree(self) -> PublishedTree:
        assert self._make is not None
        tree, self._make = self._make(), None
        return tree

    @cached_property
    def walker(self) -> Walker:
        walker, self._lay_out = Walker.of(self.tree) if self._lay_out is None else self._lay_out(), None
        return walker

    def __getstate__(self) -> dict[str, Any]:
        return {"tree": self.tree, "_make": None, "_lay_out": None}  # what makes it cannot be pickled
