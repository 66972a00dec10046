"""Of whom a published tree speaks, for the owner's ledger: the leaf and the class of each of its records."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.series.membership import Membership, SensitiveColumn, digest_table
from confide.core.tables.frames import to_table
from confide.core.trees.published import PublishedTree
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.walker import Walker

__all__ = ["members_of_tree"]


def members_of_tree(tree: PublishedTree, X: Any, y: Any, frame: Any, *, target: str, person: str | None) -> Membership:
    """The leaf of each record (X, y) of a tree, and its class; `person` names the column that says whose record it is.

    Refused where the counts at the leaves are not those of the records, since then nobody knows what was told of whom.
    """
    table = to_table(frame)
    classes, place = np.unique(np.asarray(y).astype(str), return_inverse=True)
    codes: NDArray[np.int32] = place.reshape(-1).astype(np.int32)
    leaves = _leaves_of(tree, X, len(codes))
    for leaf in np.unique(leaves).tolist():
        counts = tree.nodes[leaf].counts
        own = np.bincount(codes[leaves == leaf], minlength=len(classes))
        there = {name: int(count) for name, count in zip(classes.tolist(), own.tolist(), strict=True) if count}
        if counts is None or there != {c: n for c, n in zip(tree.classes, counts, strict=True) if n}:
            raise InputError("the tree does not count its records exactly, so a ledger cannot say what it tells")
    persons: Any = np.arange(len(codes))
    if person is not None:
        if person not in table.column_names:
            raise InputError(f"no column {person!r}; columns are: {', '.join(table.column_names)}")
        persons = table.column(person).cast("string").combine_chunks()
        if persons.null_count:
            raise InputError("values are missing; every row must say whose it is", column=person)
    return Membership(
        person_column=person,
        persons=persons,
        group=leaves.astype(np.int32),
        sensitive=(SensitiveColumn(target, codes, tuple(classes.tolist())),),
        origin=digest_table(table),
    )


def _leaves_of(tree: PublishedTree, X: Any, records: int) -> NDArray[np.int64]:
    """The leaf at which each record ends."""
    if len(tree.nodes) == 1:
        return np.zeros(records, dtype=np.int64)
    return Walker.of(tree).locate(DecisionTree.from_published(tree).columns(X)).astype(np.int64)
