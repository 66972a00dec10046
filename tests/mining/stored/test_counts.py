"""Counting in files gives what counting in memory gives: items, pairs, candidates of any length, named sets."""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from confide import StoredTransactions, Transactions
from confide.mining import itemset_supports, subset_supports
from confide.mining.counting import protocol
from confide.mining.counting.memory_counts import MemoryCounts
from confide.mining.stored import occurring, pairs, sets, triples
from confide.mining.stored.counts import StoredCounts


def random_transactions(seed: int) -> Transactions:
    rng = random.Random(seed)
    n, density = rng.choice([5, 12]), rng.choice([0.2, 0.5])
    return Transactions.from_lists([[i for i in range(n) if rng.random() < density] for _ in range(rng.randint(1, 70))])


@pytest.mark.parametrize("blocks", [False, True])
def test_the_engine_for_files_counts_as_the_one_for_memory(blocks, tmp_path, monkeypatch):
    if blocks:
        monkeypatch.setattr(pairs, "MOST_CELLS", 9)
        monkeypatch.setattr(protocol, "MOST_PAIRS", 30)
        monkeypatch.setattr(sets, "MOST_SETS", 4)
        monkeypatch.setattr(triples, "MOST_CELLS", 11)
        monkeypatch.setattr(triples, "PRIVATE_CELLS", 3)
    for seed in range(10):
        tx = random_transactions(seed)
        tx.write(tmp_path / "a.parquet", replace=True)
        ours = StoredCounts(StoredTransactions.open(tmp_path, batch_rows=(1, 7, 1000)[seed % 3]))
        theirs = MemoryCounts(tx)
        assert (ours.records, ours.n_items) == (theirs.records, theirs.n_items)
        assert np.array_equal(ours.singles(), theirs.singles())
        items = np.arange(tx.n_items, dtype=np.int32)
        for (first, table), (again, meant) in zip(ours.pairs(items), theirs.pairs(items), strict=True):
            assert first == again
            upper = np.triu_indices(len(table), first + 1, len(items))
            assert np.array_equal(table[upper], meant[upper])
        rng = np.random.default_rng(seed)
        for length in range(min(4, tx.n_items) + 1):
            wanted = np.array([np.sort(rng.permutation(tx.n_items)[:length]) for _ in range(20)], dtype=np.int32)
            wanted = wanted.reshape(20, length)
            assert np.array_equal(ours.sets(wanted), theirs.sets(wanted))
            for way in ("rows", "columns", "triples") if length == 3 else ("rows", "columns"):
                counted = sets.count_sets(ours.stored, wanted, way=way)
                assert np.array_equal(counted, theirs.sets(wanted))


def test_named_sets_are_counted_in_files(tmp_path):
    tx = random_transactions(3)
    tx.write(tmp_path / "a.parquet")
    stored = StoredTransactions.open(tmp_path, batch_rows=7)
    asked = [["1", "2"], ["2"], [], ["gold"], ["4", "0", "3", "0"], ["2"], ["1", "gold"]]
    assert itemset_supports(stored, asked).tolist() == itemset_supports(tx, asked).tolist()
    assert list(subset_supports(stored, [["0", "1", "2"]])) == list(subset_supports(tx, [["0", "1", "2"]]))


@pytest.mark.parametrize("most", [1 << 12, 1 << 25])  # so few slots that the first items are halved; enough
def test_triples_that_occur_are_all_found(most, tmp_path, monkeypatch):
    monkeypatch.setattr(occurring, "MOST_SLOTS", most)
    monkeypatch.setattr(occurring, "_SMALL", 4)
    rng = random.Random(most)
    tx = Transactions.from_lists([rng.sample(range(60), 5) for _ in range(800)])
    tx.write(tmp_path / "a.parquet")
    stored = StoredTransactions.open(tmp_path, batch_rows=70)
    given = [pair for pair in combinations(range(tx.n_items), 2) if sum(pair) % 7]
    found = list(occurring.count_occurring(stored, np.array(given, dtype=np.int32)))
    assert stored.engine.passes > 2 or most > 1 << 20
    meant = Counter()
    for row in np.split(tx.indices, tx.indptr[1:-1]):
        meant.update(triple for triple in combinations(row.tolist(), 3) if set(combinations(triple, 2)) <= set(given))
    assert [tuple(triple) for block, _ in found for triple in block.tolist()] == sorted(meant)
    assert [count for _, counts in found for count in counts.tolist()] == [meant[triple] for triple in sorted(meant)]
