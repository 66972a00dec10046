"""Counting in memory: any order of calls, any way of counting, cut into parts or tables, gives counts by hand."""

import itertools
import random

import numpy as np
import pytest

from confide.core.transactions.container import Transactions
from confide.mining.counting import memory_counts, protocol
from confide.mining.counting import record_shares as record_parts
from confide.mining.counting.memory_counts import MemoryCounts
from confide.mining.counting.protocol import ItemsetCounts


def database(seed: int, *, items: int = 12, records: int = 150) -> Transactions:
    rng = random.Random(seed)
    density = rng.choice([0.1, 0.4, 0.8])
    rows = [[item for item in range(items) if rng.random() < density] for _ in range(records)]
    return Transactions.from_lists([*rows, list(range(items))])


def by_hand(tx: Transactions, sets: np.ndarray) -> list[int]:
    rows = [set(tx.indices[a:b].tolist()) for a, b in itertools.pairwise(tx.indptr.tolist())]
    return [sum(row.issuperset(wanted) for row in rows) for wanted in sets.tolist()]


def all_pairs(counts: ItemsetCounts, items: np.ndarray) -> dict[tuple[int, int], int]:
    found = {}
    for first, table in counts.pairs(items):
        for i, line in enumerate(table.tolist()):
            for j in range(first + i + 1, len(items)):
                found[int(items[first + i]), int(items[j])] = line[j]
    return found


@pytest.mark.parametrize("way", ["auto", "rows", "columns"])
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("cells", [1, 40, 1 << 24])
@pytest.mark.parametrize("small", [0, 1 << 20])
def test_pairs_in_any_number_of_tables_and_parts(way, parts, cells, small, monkeypatch, with_cores):
    monkeypatch.setattr(protocol, "MOST_PAIRS", cells)
    monkeypatch.setattr(memory_counts, "SMALL", small)  # a table for each part, or one for all
    monkeypatch.setattr(record_parts, "ALONE", 0 if parts > 1 else 10**9)
    with_cores(parts)
    for seed in range(6):
        tx = database(seed)
        items = np.array([0, 2, 3, 5, 6, 7, 9, 11], dtype=np.int32)
        wanted = np.array(list(itertools.combinations(items.tolist(), 2)))
        found = all_pairs(MemoryCounts(tx, way=way), items)
        assert [found[tuple(pair)] for pair in wanted.tolist()] == by_hand(tx, wanted)
        assert len(found) == len(wanted)


@pytest.mark.parametrize("way", ["auto", "rows", "columns"])
@pytest.mark.parametrize("parts", [1, 2])
def test_sets_in_any_order_of_calls(way, parts, monkeypatch, with_cores):
    monkeypatch.setattr(record_parts, "ALONE", 0 if parts > 1 else 10**9)
    with_cores(parts)
    for seed in range(30):
        rng = random.Random(seed)
        tx = database(seed)
        counts = MemoryCounts(tx, way=way)
        for _ in range(8):
            length = rng.randint(0, 6)
            if rng.random() < 0.3:
                items = np.array(sorted(rng.sample(range(12), 7)), dtype=np.int32)
                assert all_pairs(counts, items)[int(items[2]), int(items[5])] == by_hand(tx, items[[2, 5]][None])[0]
            sets = [sorted(rng.sample(range(12), length)) for _ in range(rng.randint(1, 20))]
            batch = np.array(sets, dtype=np.int32).reshape(len(sets), length)
            assert counts.sets(batch).tolist() == by_hand(tx, batch), seed


def test_a_database_without_records_counts_nothing():
    counts = MemoryCounts(Transactions.from_lists([["a", "b"]]).take(np.zeros(0, dtype=np.int64)))
    assert (counts.records, counts.n_items, counts.singles().tolist()) == (0, 2, [0, 0])
    assert all_pairs(counts, np.arange(2, dtype=np.int32)) == {(0, 1): 0}
    assert counts.sets(np.array([[0, 1]], dtype=np.int32)).tolist() == [0]
