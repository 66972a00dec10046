"""Class counts as shares of all records (paper 002, footnote 3): the tree no longer says how many records there are.

Shares are whole parts of a million, say, so the file stays exact. Rounding can make a leaf fail that passed, so it is
done before the last pruning; and can never make the promise untrue, since that was kept by counts before.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.trees.published import PublishedTree
from confide.share.pruning.rebuilding import recounted

__all__ = ["in_shares"]


def in_shares(tree: PublishedTree, shares_of: int) -> PublishedTree:
    """The same tree with shares for counts; `shares_of` together, the largest remainders rounded up."""
    given: object = shares_of
    if isinstance(given, bool) or not isinstance(given, int) or not 100 <= given <= 10**12:
        raise UsageError(
            f"shares_of={given!r} must be a whole number from 100 to 10**12", parameter="shares_of", value=given
        )
    leaves = tree.leaves()
    counts = np.array([tree.nodes[i].counts or () for i in leaves], dtype=np.int64)
    x = np.zeros((len(tree.nodes), len(tree.classes)), dtype=np.int64)
    x[leaves] = _rounded(counts, shares_of)
    return PublishedTree(
        classes=tree.classes,
        attributes=tree.attributes,
        nodes=recounted(tree, x, keep_labels=True),
        declared=tree.declared,
        shares_of=shares_of,
    )


def _rounded(counts: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    total = int(counts.sum())
    exact = [[int(n) * parts for n in row] for row in counts.tolist()]  # beyond 64 bits, perhaps
    down = np.array([[n // total for n in row] for row in exact], dtype=np.int64)
    rest = np.array([[n % total for n in row] for row in exact], dtype=object)
    order = sorted(range(down.size), key=lambda i: (-rest.flat[i], i))
    for i in order[: parts - int(down.sum())]:
        down.flat[i] += 1
    return down
