"""BASEGEN: rows drawn uniformly from the declared domains, labelled by the tree (paper 002, section 7.2)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.trees.published import PublishedTree
from confide.mining.trees.table import TreeColumn
from confide.mining.trees.walker import Walker
from confide.share.generation.pseudo_data import as_table, draw, published_tree
from confide.share.generation.templates import choices_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_columns", "generate_baseline"]


def generate_baseline(
    tree: Any, *, rows: int | None = None, class_column: str = "class", randomness: Randomness | None = None
) -> "pa.Table":
    """Make random rows and let a published tree name their classes: what PGEN is measured against.

    Values are uniform over the declared domains, so these rows look nothing like the owner's records; classes that
    the tree never predicts never occur. `rows` defaults to the number of records of the tree.
    """
    published = published_tree(tree)
    records = sum(node.total for node in published.nodes if node.is_leaf)
    wanted = records if rows is None else rows
    if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
        raise RequirementError(f"rows={rows!r} must be a whole number of 1 or more", parameter="rows", value=rows)
    if class_column in {attribute.name for attribute in published.attributes}:
        raise UsageError(
            f"class_column={class_column!r} is an attribute of the tree; give the class another name",
            parameter="class_column",
            value=class_column,
        )
    source = Randomness.system() if randomness is None else randomness
    everywhere = np.zeros(wanted, dtype=np.int32)
    choices = [_whole_domain(choice) for choice in choices_of(published)]
    columns = [draw(choice, everywhere, randomness=source) for choice in choices]
    reached = Walker.of(published).locate(as_columns(published, columns))
    label = np.array([published.class_places[node.label] for node in published.nodes], dtype=np.int32)[reached]
    return as_table(published, columns, label, class_column=class_column)


def as_columns(tree: PublishedTree, drawn: list[Any]) -> list[TreeColumn]:
    """Drawn codes and numbers as columns that a tree can be walked with."""
    return [
        TreeColumn(name=attribute.name, kind=attribute.kind, data=data, values=attribute.values)
        for attribute, data in zip(tree.attributes, drawn, strict=True)
    ]


def _whole_domain(choices: Any) -> Any:
    """The same attribute as if no path asked about it."""
    from dataclasses import replace

    return replace(choices, list_of=np.zeros(1, dtype=np.int32))
