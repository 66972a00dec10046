"""Classes and numbers as the codes that the growing kernel reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.mining.trees.table import TableError, TreeColumn

__all__ = ["coded", "coded_as", "ranked"]


def coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes that occur, in order, and the number of each record's."""
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise TableError("classes must all be of one type, text or whole numbers") from None
    if labels.dtype.kind == "O" and len({str(c) for c in classes.tolist()}) != len(classes):
        raise TableError("two classes read the same as text")
    return classes, codes.astype(np.int32)


def coded_as(labels: NDArray[Any], classes: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The declared classes, and the number of each record's, compared as text."""
    known = np.array(list(classes))
    place = {str(c): code for code, c in enumerate(known.tolist())}
    if len(place) != len(known) or not place:
        raise UsageError("classes= must be a list of one class or more, each once", parameter="classes")
    found, codes = np.unique(labels.astype(str), return_inverse=True)
    if any(label not in place for label in found.tolist()):
        raise TableError(f"a record is of a class that is not among those declared, {len(place)} classes")
    return known, np.array([place[label] for label in found.tolist()], dtype=np.int32)[codes]


def ranked(column: TreeColumn) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Codes of a numeric column (ranks, or bins; missing last), the records in their order, and what the codes mean."""
    n = len(column.data)
    if column.bins:
        bins = np.asarray(column.bins, dtype=np.float64)
        codes = np.searchsorted(bins[1:-1], column.data, side="left").astype(np.int32)
        codes[np.isnan(column.data)] = len(bins) - 1
        return codes, np.argsort(codes, kind="stable").astype(np.int32), bins[1:]
    order = np.argsort(column.data, kind="stable").astype(np.int32)  # missing numbers, nan, come last
    ascending = column.data[order]
    present = n - int(np.isnan(column.data).sum())
    new = np.concatenate([[True], ascending[1:] != ascending[:-1]])[:n]
    new[present:] = False
    codes = np.empty(n, dtype=np.int32)
    codes[order] = np.cumsum(new, dtype=np.int32) - 1
    numbers: NDArray[np.float64] = ascending[new]
    codes[order[present:]] = len(numbers)
    return codes, order, numbers
