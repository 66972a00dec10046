"""Itemsets of records in files are those of records in memory, on every way through the code and in any batches."""

import random

import pytest

from confide.core.datasets.transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining import association_rules, count_itemsets, frequent_itemsets
from confide.mining.itemsets import running
from confide.mining.stored import lists, masks, pairs, records

#: Settings that lead small databases through each part of the code.
WAYS = {
    "words": {},
    "too many different words": {"masks.MOST_SLOTS": 1 << 11, "masks._SMALL": 2},
    "masks": {"running._WORD": 6},
    "masks, half by half": {"running._WORD": 12, "masks.MOST_SLOTS": 1 << 8, "masks._SMALL": 2},
    "masks and lists": {"running._WORD": 3, "lists.MOST_ENTRIES": 60, "pairs.PRIVATE_CELLS": 0},
    "lists only": {"running._WORD": 0, "lists.MOST_ENTRIES": 60},
    "lists, since items are many": {"running._WORD": 6, "records.MOST_NUMBERED": 2},
    "pairs in several passes": {"running._WORD": 3, "pairs.MOST_CELLS": 20},
}
MODULES = {"running": running, "masks": masks, "lists": lists, "pairs": pairs, "records": records}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["all", "closed", "maximal"])
def test_itemsets_of_files_are_those_of_memory(way, kind, tmp_path, monkeypatch):
    for name, value in WAYS[way].items():
        module, _, constant = name.partition(".")
        monkeypatch.setattr(MODULES[module], constant, value)
    for seed in range(7):
        rng = random.Random(seed)
        n, density = rng.choice([6, 14, 20]), rng.choice([0.1, 0.3, 0.6, 0.9])
        tx = Transactions.from_lists(
            [[f"i{i}" for i in range(n) if rng.random() < density] for _ in range(rng.randint(1, 60))]
        )
        tx.write(tmp_path / "a.parquet", replace=True)
        least = rng.randint(2, max(2, len(tx) // 3)) if density < 0.5 else max(2, len(tx) // 2)
        length = rng.choice([None, None, 2, 3])
        meant = frequent_itemsets(tx, min_support=least, kind=kind, max_length=length)
        stored = StoredTransactions.open(tmp_path, batch_rows=(1, 7, 1000)[seed % 3])
        found = frequent_itemsets(stored, min_support=least, kind=kind, max_length=length)
        assert list(found.sorted()) == list(meant.sorted())
        assert found.n_transactions == len(tx)
        counted = count_itemsets(stored, min_support=least, kind=kind, max_length=length)
        assert counted == count_itemsets(tx, min_support=least, kind=kind, max_length=length)


def test_rules_follow(tmp_path):
    tx = Transactions.from_lists([["a", "b"], ["a", "b", "c"], ["b"]] * 3)
    tx.write(tmp_path / "a.parquet")
    found = association_rules(frequent_itemsets(StoredTransactions.open(tmp_path), min_support=2), min_confidence=0.6)
    meant = association_rules(frequent_itemsets(tx, min_support=2), min_confidence=0.6)
    assert {(rule.antecedent, rule.consequent, rule.support) for rule in found} == {
        (rule.antecedent, rule.consequent, rule.support) for rule in meant
    }
