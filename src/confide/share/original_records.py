"""The owner's records as they were read, for the auditor to count again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.originals import OriginalRecords
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.table import TreeColumn, read_labels

__all__ = ["read_records", "records_of"]


def records_of(
    columns: Sequence[TreeColumn], y: NDArray[np.int32], classes: Sequence[str], *, roundings: int = 1
) -> OriginalRecords:
    """A copy of these columns and classes, which nothing else writes to."""
    kept: dict[str, Any] = {
        c.name: c.data.copy() if c.kind == "numeric" else (c.data.copy(), c.values) for c in columns
    }
    return OriginalRecords(columns=kept, classes=tuple(classes), of=y.copy(), roundings=roundings)


def read_records(tree: PublishedTree, X: Any, y: Any, *, roundings: int = 1) -> OriginalRecords:
    """The records (X, y) of a tree."""
    columns = DecisionTree.from_published(tree).columns(X)
    known, codes = np.unique(read_labels(y).astype(str), return_inverse=True)
    named = [
        TreeColumn(name=a.name, kind=c.kind, data=c.data, values=c.values)
        for a, c in zip(tree.attributes, columns, strict=True)
    ]
    return records_of(named, codes.reshape(-1).astype(np.int32), known.tolist(), roundings=roundings)
