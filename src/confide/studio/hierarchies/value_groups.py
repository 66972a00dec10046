"""A hierarchy as nested groups, each with the number of rows that it stands for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from confide.core.tables.hierarchy import Hierarchy

__all__ = ["TreeNode", "label_at", "tree_of"]


@dataclass(kw_only=True)
class TreeNode:
    """A group: its level, its label, a key that names it on a page, the values in it and their rows in the table."""

    level: int
    label: str
    key: str
    values: int = 0
    rows: int = 0
    below: "dict[str, TreeNode]" = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        """Whether it stands for more than what is right below it."""
        return len(self.below) > 1 or any(label != self.label for label in self.below)


def tree_of(hierarchy: Hierarchy, counts: Mapping[str, int]) -> TreeNode:
    """The top, and below it every group; `counts` are the rows of each value."""
    numbers = _numbers(hierarchy)
    top = TreeNode(level=hierarchy.height, label=hierarchy.rows[0][-1], key=f"{hierarchy.height}-0")
    for row in hierarchy.rows:
        node = top
        node.values += 1
        node.rows += counts.get(row[0], 0)
        for level in range(hierarchy.height - 1, -1, -1):
            label = row[level]
            if label not in node.below:
                node.below[label] = TreeNode(level=level, label=label, key=f"{level}-{numbers[level][label]}")
            node = node.below[label]
            node.values += 1
            node.rows += counts.get(row[0], 0)
    return top


def label_at(hierarchy: Hierarchy, key: str) -> tuple[int, str] | None:
    """Level and label that a key names; None for what names nothing."""
    level, _, number = key.partition("-")
    if not (level.isdecimal() and number.isdecimal() and len(key) < 20) or int(level) > hierarchy.height:
        return None
    labels = list(_numbers(hierarchy)[int(level)])
    return (int(level), labels[int(number)]) if int(number) < len(labels) else None


def _numbers(hierarchy: Hierarchy) -> list[dict[str, int]]:
    """For each level, its labels numbered in the order of the rows."""
    return [
        {label: number for number, label in enumerate(dict.fromkeys(row[level] for row in hierarchy.rows))}
        for level in range(hierarchy.height + 1)
    ]
