"""Frequent itemsets, exactly: all of them, the closed or the maximal ones.

The search is chosen by the data. Records are first cut down to the frequent items. With at most 64 of those a record
is one machine word, equal records are merged, and everything happens on bitmaps (`_worker_kernels`). With more, each
item's own records, which hold few other frequent items, are turned into words when its turn comes (`_list_kernels`);
`confide.mining.databases` says how pairs of items are counted before that. Threads claim items from a queue; what they
find is put together in the order of the items, so the result does not depend on which thread was faster.
"""

from typing import Any

from confide.core.datasets.intake import as_records
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.mining.databases.database import SearchedRecords
from confide.mining.databases.in_memory import MemoryRecords
from confide.mining.databases.task import Kind, Task
from confide.mining.itemsets.running import Threads, by_length, deliver, explore

__all__ = ["Kind", "count_itemsets", "frequent_itemsets"]


def frequent_itemsets(
    tx: Any, *, min_support: int | float, kind: Kind = "all", max_length: int | None = None
) -> Itemsets:
    """Find every itemset that at least `min_support` records hold, with its exact support.

    `tx` is a `Transactions`, a list of lists, a pandas, polars or Arrow frame, a scipy sparse matrix, a file's path
    (see `confide.core.transactions.intake`), or a folder of Parquet files; files that do not fit into memory are
    searched where they are (see `confide.mining.databases`).
    `min_support` is a count (int, 1 or more) or a fraction of the records (float in (0, 1], rounded up); raising it
    gives fewer itemsets, and faster. `kind` selects among the frequent itemsets of at most `max_length` items:

    - "all": every one of them;
    - "closed": those that have no superset, of any length, with the same support. All frequent itemsets and their
      supports follow from the closed ones (if `max_length` is not set);
    - "maximal": those that have no superset among the frequent itemsets of at most `max_length` items.

    `max_length` (1 or more, or None for no limit) also bounds the search: small values are fast however many long
    itemsets there are. The empty itemset is never reported; items that every record holds are.

    The order of the result is a function of the data alone. It takes 8 bytes an itemset and 2 an item (4 if there are
    32,768 labels or more), and little more than that while it is made. Raises `RequirementError` when it would not
    fit into this machine's memory; `count_itemsets` counts such results.

    >>> tx = [["beer", "nuts"], ["beer", "nuts", "milk"], ["milk"], ["beer"]]
    >>> list(frequent_itemsets(tx, min_support=2).sorted())
    [(('beer',), 3), (('milk',), 2), (('nuts',), 2), (('beer', 'nuts'), 2)]
    >>> list(frequent_itemsets(tx, min_support=0.5, kind="maximal").sorted())
    [(('milk',), 2), (('beer', 'nuts'), 2)]

    Eclat on bitmaps (Zaki 1997), with perfect extensions and projection (Borgelt; Uno's LCM).
    """
    tx = as_records(tx)
    task = Task.check(len(tx), min_support, kind, max_length, keep=True)
    records = _searched(tx)
    pool = Threads(records.entries)
    found, _ = explore(records, task, pool)
    offsets, items, supports = deliver(found, pool, n_labels=tx.n_items)
    return Itemsets.from_arrays(offsets, items, supports, labels=tx.labels, n_transactions=len(tx))


def count_itemsets(
    tx: Any, *, min_support: int | float, kind: Kind = "all", max_length: int | None = None
) -> dict[int, int]:
    """Count the itemsets that `frequent_itemsets` would find: {length: number}, ascending, lengths that occur.

    Takes no memory for them, and no time for those that follow by combinatorics (every set of items that always
    go together counts at once), so it answers for results far too large to deliver. Numbers are exact.

    >>> tx = [["beer", "nuts"], ["beer", "nuts", "milk"], ["milk"], ["beer"]]
    >>> count_itemsets(tx, min_support=2)
    {1: 3, 2: 1}
    >>> sum(count_itemsets([range(100)], min_support=1).values()) == 2**100 - 1
    True
    """
    tx = as_records(tx)
    task = Task.check(len(tx), min_support, kind, max_length, keep=False)
    records = _searched(tx)
    _, table = explore(records, task, Threads(records.entries))
    return by_length(table, task.max_length)


def _searched(tx: Transactions | StoredTransactions) -> SearchedRecords:
    """The records as the search takes them."""
    if isinstance(tx, Transactions):
        return MemoryRecords(tx)
    from confide.mining.databases.in_files import StoredRecords

    return StoredRecords(tx)
