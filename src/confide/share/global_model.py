"""One model from several owners' published trees: pseudo-data is made from each, put together, and learned from.

owner 1  tree --> generate --+
owner 2  tree --> generate --+--> one table --> any learner --> the global model
owner 3  tree --> generate --+
                             (labels="voted": each row is labelled by all trees together)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.figures import ShownFields
from confide.core.randomness import Randomness
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.share.agreement import check_agreement
from confide.share.bagging import Bagging
from confide.share.generation.pseudo_data import Absent, generate, published_tree
from confide.share.models.conjunctive_rule import ConjunctiveRule
from confide.share.models.encoded import Encoded
from confide.share.models.naive_bayes import NaiveBayes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["GlobalModel", "Labels", "learn_from", "learn_global", "pool_pseudo_data"]

Labels = Literal["own", "voted"]
CLASS = "class"

_USUAL: dict[Labels, float] = {"own": 1.0, "voted": 5.0}  # times the records; measured: docs/reproduction/share.md
_MODELS = {"tree": DecisionTree, "naive-bayes": NaiveBayes, "conjunctive-rule": ConjunctiveRule}


@dataclass(frozen=True, kw_only=True)
class GlobalModel(ShownFields):
    """A model learned from published trees: `predict`, `predict_proba`, `score`, and how it came about.

    `model` is the fitted learner; `owners` how many trees went in; `rows` how many pseudo-records it learned from
    (0 if the only tree is itself the model).
    """

    model: Any
    owners: int
    rows: int
    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each record."""
        predicted: NDArray[Any] = self.model.predict(X)
        return predicted

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chance of each class, in the order of `classes_`."""
        return np.asarray(self.model.predict_proba(X))

    def score(self, X: Any, y: Any) -> float:
        """The share of records whose class is predicted."""
        return float(np.mean(np.asarray(self.predict(X)).astype(str) == np.asarray(y).astype(str)))

    @property
    def tree_(self) -> PublishedTree:
        """The tree, where the model is one."""
        tree: PublishedTree = self.model.tree_
        return tree


def learn_global(
    trees: Sequence[Any],
    *,
    model: Any = "tree",
    rows: int | float | None = None,
    labels: Labels = "voted",
    absent: Absent = "marginals",
    weights: Sequence[float] | None = None,
    randomness: Randomness | None = None,
) -> GlobalModel:
    """Learn one model from the published trees of several owners.

    Parameters
        trees        published trees (or releases of them) whose owners declared the same classes and attributes.
        model        "tree", "naive-bayes", "conjunctive-rule", or any scikit-learn classifier.
        rows         pseudo-records in all: a whole number; a float, a multiple of the owners' records; or None, five
                     times the records where labels are voted, once where they are their own (more of those only adds
                     noise).
        labels       "own": a row has the class its own path draws, as the paper's PGEN. "voted": its attributes come
                     from its own tree, its class from all trees, by their summed shares; leaves of many records in a
                     small part of the domain count more (ours; `Bagging(votes="evidence")`).
        absent       "uniform": attributes that a path does not ask about take any value, as the paper's PGEN.
                     "marginals": values that are usual for the class, where the trees publish marginals (ours).
        weights      how much each owner counts, in rows and in votes; None: as many as it has records.
        randomness   None: new every time; `Randomness.seeded(n)` repeats.

    One tree and model="tree" need no pseudo-data: the tree is the model. What is learned carries no promise of its
    own; it can tell no more than the published trees do.
    """
    published = [published_tree(tree) for tree in trees]
    check_agreement(published)
    if isinstance(model, str) and model not in _MODELS:
        raise UsageError(f"no model {model!r}; models are: {', '.join(_MODELS)}, or a scikit-learn classifier")
    classes: NDArray[Any] = np.array(published[0].classes)
    if len(published) == 1 and model == "tree":
        return GlobalModel(model=DecisionTree.from_published(published[0]), owners=1, rows=0, classes_=classes)
    table = pool_pseudo_data(published, rows=rows, labels=labels, absent=absent, weights=weights, randomness=randomness)
    fitted = learn_from(table, published[0], model=model)
    return GlobalModel(model=fitted, owners=len(published), rows=table.num_rows, classes_=fitted.classes_)


def learn_from(table: "pa.Table", tree: PublishedTree, *, model: Any = "tree") -> Any:
    """Fit a model to pseudo-data, the class in the column "class"; `tree` is any of those it was made from.

    A tree is learned over the domains that the owners declared: cuts lie where owners may cut, not where chance put
    the numbers of two pseudo-records.
    """
    X, y = table.drop_columns([CLASS]), table.column(CLASS).cast("string").to_numpy(zero_copy_only=False)
    if model == "tree":
        known = tree.declared
        return DecisionTree().fit(
            X, y, attributes=tree.attributes if known else None, classes=tree.classes if known else None
        )
    learner = _MODELS[model]() if isinstance(model, str) else Encoded(model)
    return learner.fit(X, y)


def pool_pseudo_data(
    trees: Sequence[Any],
    *,
    rows: int | float | None = None,
    labels: Labels = "voted",
    absent: Absent = "marginals",
    weights: Sequence[float] | None = None,
    randomness: Randomness | None = None,
) -> "pa.Table":
    """The table that `learn_global` learns from: pseudo-data of all trees, the class in the column "class"."""
    import pyarrow as pa

    if labels not in get_args(Labels):
        raise UsageError(
            f"labels={labels!r}; choose among: {', '.join(get_args(Labels))}", parameter="labels", value=labels
        )
    published = [published_tree(tree) for tree in trees]
    check_agreement(published)
    if any(attribute.name == CLASS for attribute in published[0].attributes):
        raise UsageError(f"an attribute is called {CLASS!r}; give it another name, so that the class can have it")
    records = np.array([sum(node.total for node in tree.nodes if node.is_leaf) for tree in published], dtype=float)
    shares = _shares(records if weights is None else weights, len(published))
    source = Randomness.system() if randomness is None else randomness
    total = _total(_USUAL[labels] if rows is None else rows, records.sum())
    each = np.diff(np.floor(np.concatenate([[0.0], np.cumsum(shares)]) * total + 0.5)).astype(np.int64)
    parts = [
        generate(tree, rows=int(n), class_column=CLASS, absent=absent, randomness=source)
        for tree, n in zip(published, each, strict=True)
        if n > 0
    ]
    table = pa.concat_tables(parts)
    if labels == "own":
        return table
    voted = Bagging(published, votes="evidence", weights=shares.tolist()).predict(table.drop_columns([CLASS]))
    place = {label: code for code, label in enumerate(published[0].classes)}
    codes = pa.array(np.array([place[label] for label in voted.tolist()], dtype=np.int32))
    column = pa.DictionaryArray.from_arrays(codes, pa.array(published[0].classes, pa.string()))
    return table.set_column(table.column_names.index(CLASS), CLASS, column)


def _total(rows: int | float, records: float) -> float:
    if isinstance(rows, bool) or not isinstance(rows, int | float | np.integer) or not 0 < rows < np.inf:
        raise RequirementError(
            f"rows={rows!r} must be above 0: so many rows, or a multiple of the records (5.0; in a command, 5x)",
            parameter="rows",
            value=rows,
        )
    return float(round(rows * records)) if isinstance(rows, float) else float(rows)


def _shares(weights: Any, owners: int) -> NDArray[np.float64]:
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (owners,) or not np.isfinite(given).all() or (given < 0).any() or given.sum() <= 0:
        raise UsageError(f"weights must be {owners} numbers of 0 or more, one a tree, not all 0")
    return np.asarray(given / given.sum())
