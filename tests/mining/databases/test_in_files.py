"""Itemsets of records in files are those of records in memory, on every way through the code and in any batches."""

import random

import pytest

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.transactions.container import Transactions
from confide.mining import association_rules, count_itemsets, frequent_itemsets
from confide.mining.databases import in_files, item_words, row_lists, task
from confide.mining.stored import pairs

#: Settings that lead small databases through each part of the code.
WAYS = {
    "words": {},
    "too many different words": {"item_words.MOST_SLOTS": 1 << 11, "item_words._SMALL": 2},
    "masks": {"task._WORD": 6},
    "masks, half by half": {"task._WORD": 12, "item_words.MOST_SLOTS": 1 << 8, "item_words._SMALL": 2},
    "masks and lists": {"task._WORD": 3, "row_lists.MOST_ENTRIES": 60, "pairs.PRIVATE_CELLS": 0},
    "lists only": {"task._WORD": 0, "row_lists.MOST_ENTRIES": 60},
    "lists, since items are many": {"task._WORD": 6, "in_files.MOST_NUMBERED": 2},
    "pairs in several passes": {"task._WORD": 3, "pairs.MOST_CELLS": 20},
}
MODULES = {"task": task, "item_words": item_words, "row_lists": row_lists, "pairs": pairs, "in_files": in_files}


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
