"""What each published group is called, and what it stands for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.publish.transactions.generalisation.descents import Generalisation

__all__ = ["Names", "name_groups"]


class Names:
    """Names that no item has, and no other group; with no blank where no item has one."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._taken = set(labels)
        self._glue = " " if any(" " in label for label in labels) else "_"

    def of_items(self, items: Sequence[str]) -> str:
        """What a group without a name is called: by its first two items."""
        more = len(items) - 2
        parts = [*items[:2]] + ([f"{more}{self._glue}other{'s' * (more > 1)}"] if more > 0 else [])
        return f"{self._glue}or{self._glue}".join(parts)

    def unique(self, name: str) -> str:
        """The name, with a number behind it if it is taken."""
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}{self._glue}({number})", number + 1
        self._taken.add(free)
        return free


def name_groups(found: Generalisation, labels: Sequence[str]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The published label of each leaf ("" where it is gone), and for each broader name the items it stands for.

    A node without a name is called by its two commonest items: "milk or curd or 3 others". Where no item has a blank,
    neither has a name, as `.dat` files want it. A name that is taken gets a number.
    """
    tree = found.tree
    calls = Names(labels)
    called: list[str] = [labels[code] for code in tree.code]
    stands_for: dict[str, tuple[str, ...]] = {}
    for v in np.unique(found.owner[~found.exact]).tolist():
        leaves = np.flatnonzero(found.owner == v)
        if found.gone[leaves[0]]:
            name = ""
        else:
            items = _commonest_first(found, leaves)
            name = calls.unique(tree.names[v] or calls.of_items([labels[code] for code in tree.code[items]]))
            stands_for[name] = tuple(sorted(labels[code] for code in tree.code[items]))
        for leaf in leaves.tolist():
            called[leaf] = name
    return called, stands_for


def _commonest_first(found: Generalisation, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    return leaves[np.argsort(-found.supports[found.tree.code[leaves]], kind="stable")]
