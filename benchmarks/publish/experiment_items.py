"""Private items for experiments, on data that has none (thesis, section 4.5.1).

Each record gets one private item: a copy of the commonest of its items that stand in fewer than half of all records,
or "s:*" if it has none. A copy goes along with the item it copies, so that public items give it away:

    record      bread  milk  nappies          supports: bread 60 %, milk 30 %, nappies 5 %
    becomes     bread  milk  nappies  s:milk

The thesis then selects a share delta of the items at random as public; the others are neither public nor private, so
nobody knows them, and they need no protection. They are left out here, and counted (`left_out`), since the
thesis measures loss against all occurrences.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions

__all__ = ["WithPrivateItems", "copy_private_items", "draw_private_items"]

_PREFIX = "s:"
_NO_ITEM = "*"


@dataclass(frozen=True)
class WithPrivateItems:
    """Transactions with private items; `left_out` counts the occurrences of items that were not selected."""

    transactions: Transactions
    private: tuple[str, ...]
    left_out: int


def copy_private_items(
    tx: Transactions, *, public_share: float = 1.0, randomness: Randomness | None = None
) -> WithPrivateItems:
    """Give every record a private item, and keep a random share of the other items as public ones.

    `public_share` (delta, in (0, 1]; a larger one makes more moles) needs `randomness` below 1, seeded for
    experiments. Ties between equally common items go to the smaller code. Thesis, section 4.5.1.

    >>> made = copy_private_items(Transactions.from_lists([["a", "b"], ["a", "c"], ["a"], ["a", "b"], ["d"]]))
    >>> list(made.transactions)
    [['a', 'b', 's:b'], ['a', 'c', 's:c'], ['a', 's:*'], ['a', 'b', 's:b'], ['d', 's:d']]
    """
    n, n_items = len(tx), tx.n_items
    if any(label.startswith(_PREFIX) for label in tx.labels):
        raise RequirementError(f"some labels start with {_PREFIX!r} already; this is for data without private items")
    supports = tx.supports()
    copied = _commonest_below_half(tx, supports)
    kept = _selected(n_items, public_share, randomness)

    entry_kept = kept[tx.indices]
    rows = np.repeat(np.arange(n, dtype=np.int64), tx.lengths)[entry_kept]
    codes = np.concatenate([tx.indices[entry_kept], np.where(copied < 0, 2 * n_items, n_items + copied)])
    order = np.argsort(np.concatenate([rows, np.arange(n, dtype=np.int64)]), kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n) + 1)]).astype(np.int64)
    labels = [*tx.labels, *(_PREFIX + label for label in tx.labels), _PREFIX + _NO_ITEM]
    made = Transactions.from_arrays(indptr, codes[order].astype(np.int32), labels).without_unused()
    private = tuple(label for label in made.labels if label.startswith(_PREFIX))
    return WithPrivateItems(made, private, int((~entry_kept).sum()))


def draw_private_items(tx: Transactions, *, public_share: float, randomness: Randomness) -> tuple[str, ...]:
    """Labels of the private items when a random share of all items is public and every other one private."""
    kept = _selected(tx.n_items, public_share, randomness)
    return tuple(label for label, public in zip(tx.labels, kept, strict=True) if not public)


def _commonest_below_half(tx: Transactions, supports: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each record, the item of largest support among those below half of the records; -1 for none."""
    n = len(tx)
    eligible = 2 * supports < n
    # One key per entry: larger support first, then the smaller code.
    key = np.where(eligible[tx.indices], supports[tx.indices] * tx.n_items + (tx.n_items - 1 - tx.indices), -1)
    best = np.full(n, -1, dtype=np.int64)
    filled = np.flatnonzero(tx.lengths > 0)
    if len(filled):
        best[filled] = np.maximum.reduceat(key, tx.indptr[filled])
    return np.where(best < 0, -1, tx.n_items - 1 - best % max(tx.n_items, 1))


def _selected(n_items: int, share: float, randomness: Randomness | None) -> NDArray[np.bool_]:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise RequirementError(f"public_share={share} is not a share; use a number in (0, 1]")
    if share == 1:
        return np.ones(n_items, dtype=np.bool_)
    if randomness is None:
        raise RequirementError("public_share below 1 selects items at random; pass randomness=Randomness.seeded(n)")
    kept = np.zeros(n_items, dtype=np.bool_)
    kept[randomness.permutation(n_items)[: round(share * n_items)]] = True
    return kept
