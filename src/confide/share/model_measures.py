"""How good a learned model is: class match, path match, and the classification metric (paper 002, section 7.1)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.trees.published import PublishedTree

__all__ = ["class_match", "classification_metric", "in_common", "path_match", "paths_of"]


def class_match(base: Any, learned: Any, X: Any) -> float:
    """The share of the records of `X` that two models put into the same class; 1 is best.

    `base` and `learned` are anything with `predict` (or a `PublishedTree`). Accuracy asks how often a model is right;
    this asks how often it does what the other one does.
    """
    mine, theirs = (np.asarray(_predictions(model, X)).astype(str) for model in (base, learned))
    if len(mine) == 0:
        raise InputError("there is no record to compare the models on")
    return float(np.mean(mine == theirs))


def path_match(base: Any, learned: Any) -> float:
    """The share of paths that two decision trees have in common: |both| / |either|; 1 is best.

    A path is what it asks of each attribute and the class it predicts; counts do not matter. Two trees that predict
    alike can share few paths, so a low value says little about accuracy.

    >>> from confide.mining import DecisionTree
    >>> tree = DecisionTree().fit(np.array([["a"], ["b"]] * 5, dtype=object), ["x", "y"] * 5)
    >>> path_match(tree, tree)
    1.0
    """
    return in_common(paths_of(base), paths_of(learned))


def classification_metric(
    source: Any, *, target: str | None = None, by: Iterable[str] | None = None, suppressed: int = 0
) -> float:
    """The share of records that differ from the commonest class of their group, or were suppressed; 0 is best.

    Of a tree, the groups are its leaves. Of a frame, they are the rows that agree in all columns of `by` (by default
    all but `target`, the class). `suppressed` is the number of rows that were left out of the frame.

    To compare pseudo-data with an anonymised table as the paper does, leave out of `by` the attributes that the
    published tree never asks about (their values are random), and columns of the table that are neither
    quasi-identifier nor sensitive. Iyengar 2002; paper 002, section 7.3.

    >>> import pyarrow as pa
    >>> rows = pa.table({"age": ["20-29", "20-29", "30-39"], "ill": ["yes", "no", "no"]})
    >>> round(classification_metric(rows, target="ill"), 3)
    0.333
    """
    tree = getattr(source, "tree_", source)
    if isinstance(tree, PublishedTree):
        leaves = [node for node in tree.nodes if node.is_leaf]
        total = sum(node.total for node in leaves)
        if total == 0:
            raise InputError("the tree gives no counts, so nothing can be said of its groups")
        return sum(node.miss for node in leaves) / total
    if target is None:
        raise UsageError("target=None: name the column that holds the class", parameter="target", value=target)
    from confide.core.tables.frames import to_table

    table = to_table(source)
    columns = [name for name in table.column_names if name != target] if by is None else list(by)
    for name in [target, *columns]:
        if name not in table.column_names:
            raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
    if table.num_rows + suppressed == 0:
        raise InputError("there is no row")
    return (table.num_rows - _commonest(table, columns, target) + suppressed) / (table.num_rows + suppressed)


def _commonest(table: Any, columns: Sequence[str], target: str) -> int:
    """How many rows are of the commonest class of their group."""
    cells = table.group_by([*columns, target]).aggregate([([], "count_all")])
    if not columns:
        return int(max(cells.column("count_all").to_pylist(), default=0))
    tops = cells.group_by(list(columns)).aggregate([("count_all", "max")]).column("count_all_max")
    return int(sum(tops.to_pylist()))


def _predictions(model: Any, X: Any) -> Any:
    if isinstance(model, PublishedTree):
        from confide.mining.trees.learner import DecisionTree

        return DecisionTree.from_published(model).predict(X)
    return model.predict(X)


def paths_of(model: Any) -> set[Any]:
    """What the paths of a tree ask and predict, as a set."""
    tree = getattr(model, "tree_", model)
    if not isinstance(tree, PublishedTree):
        raise UsageError(f"paths are those of a decision tree, not of {type(model).__name__}")
    asked: dict[Any, Any] = {}  # conditions recur: a set of each is made once
    found = set()
    for path in tree.paths():
        conditions = []
        for name, values in path.conditions.items():
            key = (name, values)
            if key not in asked:
                asked[key] = (name, frozenset(values))
            conditions.append(asked[key])
        found.add((path.label, frozenset(conditions)))
    return found


def in_common(mine: set[Any], theirs: set[Any]) -> float:
    """The share of paths that are in both."""
    return len(mine & theirs) / len(mine | theirs)
