import itertools
import random

import numpy as np
import pytest

from confide.audit.adversaries.windows.itemset_lattice import exact_cells, interval_cells, lattices
from confide.core.itemsets.container import Itemsets


@pytest.mark.parametrize("seed", range(10))
def test_every_subset_is_found_where_it_stands(seed):
    chance = random.Random(seed)
    sets = {frozenset(chance.sample("abcdefg", chance.randint(1, 5))) for _ in range(40)}
    known = Itemsets.from_pairs([(sorted(s), i + 1) for i, s in enumerate(sets)], n_transactions=99)
    where = {frozenset(items): i for i, (items, _) in enumerate(known)}
    where[frozenset()] = len(known)
    seen = 0
    for part in lattices(known, known, max_length=4):
        for codes, at in zip(part.codes.tolist(), part.at.tolist(), strict=True):
            for mask, place in enumerate(at):
                subset = frozenset(known.labels[c] for bit, c in enumerate(codes) if mask >> bit & 1)
                assert place == where.get(subset, -1)
            seen += 1
    assert seen == sum(len(s) <= 4 for s in sets)


@pytest.mark.parametrize("seed", range(10))
def test_cells_count_records_with_exactly_a_subset(seed):
    chance = np.random.default_rng(seed)
    bits = 3
    cells = chance.integers(0, 9, (4, 1 << bits)).astype(float)
    masks = np.arange(1 << bits)
    supports = np.array([[row[(masks & m) == m].sum() for m in masks] for row in cells])
    assert exact_cells(supports).tolist() == cells.tolist()


def test_intervals_of_cells_are_those_of_trying_every_support():
    low, high = np.array([[5.0, 2, 3, 1]]), np.array([[6.0, 4, 3, 2]])
    tried = [
        exact_cells(np.array([chosen], dtype=float))[0]
        for chosen in itertools.product(*(range(int(a), int(b) + 1) for a, b in zip(low[0], high[0], strict=True)))
    ]
    least, most = interval_cells(low, high)
    assert least[0].tolist() == np.min(tried, axis=0).tolist()
    assert most[0].tolist() == np.max(tried, axis=0).tolist()


def test_an_unknown_support_spreads_to_the_cells_that_need_it():
    cells = exact_cells(np.array([[8.0, np.nan, 5.0, 3.0]]))
    assert np.isnan(cells[0]).tolist() == [True, True, False, False]
