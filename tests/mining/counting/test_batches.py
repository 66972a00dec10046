"""Records in batches, and counting functions, answer what records in memory answer."""

import itertools

import numpy as np
import pytest

from confide.collect import Emask
from confide.collect.estimating.item_search import Wanted, mine_items
from confide.core.errors import UsageError
from confide.core.samples.invented_baskets import baskets
from confide.core.transactions.container import Transactions
from confide.mining import itemset_supports
from confide.mining.counting import protocol
from confide.mining.counting.batches import BatchCounts, CounterCounts
from confide.mining.counting.memory_counts import MemoryCounts
from confide.mining.counting.protocol import ItemsetCounts

SHOP = baskets(1500)


class Reopened:
    """Batches that are cut anew whenever they are read, as from a file; counts how often."""

    def __init__(self, tx: Transactions, size: int) -> None:
        self.tx, self.size, self.passes = tx, size, 0

    def __iter__(self):
        self.passes += 1
        for first in range(0, len(self.tx), self.size):
            yield self.tx.take(np.arange(first, min(first + self.size, len(self.tx))))


def some_sets(length: int) -> np.ndarray:
    frequent = np.argsort(SHOP.supports())[-9:]
    return np.array(list(itertools.combinations(sorted(frequent.tolist()), length)), dtype=np.int32)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_any_size_count_as_one_database_does(size, monkeypatch):
    tx = SHOP if size > 1 else SHOP.take(np.arange(150))
    monkeypatch.setattr(protocol, "MOST_PAIRS", 100)  # several tables
    source = Reopened(tx, size)
    batches, whole = BatchCounts(source), MemoryCounts(tx)
    assert isinstance(batches, ItemsetCounts)
    assert (batches.records, batches.n_items) == (whole.records, whole.n_items)
    assert np.array_equal(batches.singles(), whole.singles())
    items = np.sort(np.argsort(tx.supports())[-25:]).astype(np.int32)
    passes = source.passes
    for (first, table), (other, truth) in zip(batches.pairs(items), whole.pairs(items), strict=True):
        assert first == other
        above = np.triu(np.ones_like(truth, dtype=bool), first + 1)
        assert np.array_equal(table[above], truth[above])
    assert source.passes - passes == len(protocol.pair_blocks(len(items)))
    for length in (1, 2, 3, 4):
        passes = source.passes
        assert np.array_equal(batches.sets(some_sets(length)), whole.sets(some_sets(length)))
        assert source.passes == passes + 1


def test_a_counting_function_is_asked_for_a_table_of_pairs_in_one_call():
    calls = []

    def counter(tx, sets):
        calls.append(len(sets[0]) - 1)
        return itemset_supports(tx, sets)

    counts, whole = CounterCounts(SHOP, counter), MemoryCounts(SHOP)
    assert isinstance(counts, ItemsetCounts)
    assert np.array_equal(counts.singles(), whole.singles())
    items = np.sort(np.argsort(SHOP.supports())[-20:]).astype(np.int32)
    ((_, table),), ((_, truth),) = list(counts.pairs(items)), list(whole.pairs(items))
    assert np.array_equal(np.triu(table, 1), np.triu(truth, 1))
    assert np.array_equal(counts.sets(some_sets(3)), whole.sets(some_sets(3)))
    assert calls == [SHOP.n_items, 190, 84]


def test_a_search_by_a_counting_function_finds_what_the_search_in_memory_finds():
    scheme = Emask(p=0.6, q=0.95)
    options = {"wanted": Wanted(threshold=200)}
    for own, other in zip(
        mine_items(scheme, SHOP, **options), mine_items(scheme, SHOP, counter=itemset_supports, **options), strict=True
    ):
        assert np.array_equal(own.sets, other.sets)
        assert np.array_equal(own.estimates, other.estimates)


def test_an_iterator_that_can_be_read_only_once_is_refused():
    with pytest.raises(UsageError, match="starts again at the first batch"):
        BatchCounts(iter([SHOP]))


def test_batches_whose_codes_mean_other_items_are_refused():
    counts = BatchCounts([Transactions.from_lists([["a", "b"]]), Transactions.from_lists([["b", "c"]])])
    with pytest.raises(UsageError, match="batch 2 has other labels than batch 1"):
        counts.singles()


def test_no_batches_hold_no_records():
    counts = BatchCounts([])
    assert (counts.records, counts.n_items, counts.singles().tolist()) == (0, 0, [])
