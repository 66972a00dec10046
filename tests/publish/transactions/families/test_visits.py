"""Moles that are visited are those that a list of all itemsets gives, also after items went and came back."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from confide.publish.transactions.families.diagrams import Sets
from confide.publish.transactions.families.visits import WalkCounter, itemsets_held

N_ITEMS, K = 6, 4


def sets_of(rows) -> Sets:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return Sets(starts, np.array([v for row in rows for v in row], dtype=np.int32))


def is_mole(itemset, rows, breaches) -> bool:
    """It occurs, and some part of two items or more is rare or breaches h."""
    parts = [part for size in range(2, len(itemset) + 1) for part in combinations(itemset, size)]
    held = [sum(set(part) <= set(row) for row in rows) for part in parts]
    return held[-1] > 0 and (min(held) < K or any(part in breaches for part in parts))


def moles(rows, p, breaches, gone=()):
    left = [v for v in range(N_ITEMS) if v not in gone]
    return [x for size in range(2, p + 1) for x in combinations(left, size) if is_mole(x, rows, breaches)]


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_visits_count_what_a_list_of_all_itemsets_counts(p, seed):
    rng = random.Random(seed)
    rows = [sorted(rng.sample(range(N_ITEMS), rng.randint(0, 4))) for _ in range(40)]
    breaches = [(0, 1), (2, 3)] if seed % 2 else []
    codes = np.array(rng.sample(range(N_ITEMS), N_ITEMS), dtype=np.int32)
    counter = WalkCounter(sets_of(rows), codes, N_ITEMS, k=K, p=p, breaches=sets_of(breaches))
    for gone in ((), (1,), (1, 4)):
        counter.drop(gone[-1:])
        meant = moles(rows, p, breaches, gone)
        assert counter.counts().total == len(meant)
        assert counter.counts().per_item.tolist() == [sum(v in mole for mole in meant) for v in range(N_ITEMS)]
    needed = {v for v in (1, 4) if moles(rows, p, breaches, {1, 4} - {v}) != moles(rows, p, breaches, (1, 4))}
    assert counter.needed([1, 4], [1, 4]) == needed


def test_a_walk_reads_each_itemset_of_each_record():
    assert itemsets_held(np.array([0, 2, 3]), 2) == sum(math.comb(n, size) for n in (0, 2, 3) for size in (1, 2))
