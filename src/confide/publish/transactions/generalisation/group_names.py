"""What each published group is called, and what it stands for."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.publish.transactions.generalisation.descents import Generalisation

__all__ = ["name_groups"]


def name_groups(found: Generalisation, labels: Sequence[str]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """The published label of each leaf ("" where it is gone), and for each broader name the items it stands for.

    A node without a name is called by its two commonest items: "milk or curd or 3 others". Where no item has a blank,
    neither has a name, as `.dat` files want it. A name that is taken gets a number.
    """
    tree = found.tree
    taken = set(labels)
    glue = " " if any(" " in label for label in labels) else "_"
    called: list[str] = [labels[code] for code in tree.code]
    stands_for: dict[str, tuple[str, ...]] = {}
    for v in np.unique(found.owner[~found.exact]).tolist():
        leaves = np.flatnonzero(found.owner == v)
        if found.gone[leaves[0]]:
            name = ""
        else:
            items = _commonest_first(found, leaves)
            name = tree.names[v] or _call([labels[code] for code in tree.code[items]], glue)
            number = 2
            while name in taken:
                name, number = f"{name.removesuffix(f'{glue}({number - 1})')}{glue}({number})", number + 1
            taken.add(name)
            stands_for[name] = tuple(sorted(labels[code] for code in tree.code[items]))
        for leaf in leaves.tolist():
            called[leaf] = name
    return called, stands_for


def _commonest_first(found: Generalisation, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    return leaves[np.argsort(-found.supports[found.tree.code[leaves]], kind="stable")]


def _call(items: list[str], glue: str) -> str:
    more = len(items) - 2
    parts = items[:2] + ([f"{more:,}{glue}other{'s' * (more > 1)}".replace(",", "")] if more > 0 else [])
    return f"{glue}or{glue}".join(parts)
