"""The form of a database follows from cheap facts of it."""

import numpy as np
import pytest

from confide.core.transactions.container import Transactions
from confide.mining.counting.memory_counts import MemoryCounts
from confide.mining.databases import in_memory
from confide.mining.databases.task import ALL, CLOSED


def random_rows(items: int, records: int, density: float) -> Transactions:
    held = np.random.default_rng(5).random((records, items)) < density
    return Transactions.from_lists([np.flatnonzero(row).tolist() for row in held])


def form(tx: Transactions, min_support: int, *, kind: int = ALL) -> str:
    supports = tx.supports()
    frequent = np.flatnonzero(supports >= min_support).astype(np.int32)
    made = in_memory.as_lists(MemoryCounts(tx), supports, frequent, kind=kind, min_support=min_support, capacity=64)
    return "columns" if made.width else "pairs" if len(made.near_starts) else "beside"


@pytest.mark.parametrize("kind", [ALL, CLOSED])
@pytest.mark.parametrize(
    ("items", "records", "density", "expected"),
    [
        (100, 2000, 0.5, "columns"),  # full records: an AND of two columns sees 64 of them
        (200, 8000, 0.03, "pairs"),  # baskets: six items of two hundred
        (1500, 500, 0.004, "beside"),  # a table of two million cells for a few thousand pairs
    ],
)
def test_dense_data_take_columns_baskets_a_table_of_pairs(items, records, density, expected, kind):
    assert form(random_rows(items, records, density), 1, kind=kind) == expected


def test_only_what_a_longer_set_can_need_is_laid_out():
    """a, b, c go together; d and e are frequent, and so is their pair, but no third item is frequent with both."""
    rows = [["a", "b", "c"]] * 3 + [["d", "e"]] * 3 + [["a", "b"], ["b", "c", "d"], ["e"]]
    tx = Transactions.from_lists(rows)
    supports = tx.supports()
    made = in_memory._by_pairs(
        MemoryCounts(tx, way="rows"), np.arange(5, dtype=np.int32)[np.argsort(supports, kind="stable")],
        np.argsort(np.argsort(supports, kind="stable")).astype(np.int32), np.sort(supports),
        kind=ALL, min_support=3, capacity=64,
    )  # fmt: skip
    assert len(made.near_items) == 4  # ab, ac, bc, de
    # One of a, b, c comes first in their set, and only its rows became words: one for each of the three records.
    assert int((made.dealt_ends - made.dealt_starts).sum()) == 3
