"""Reinterrogation privacy against section 2.2 word by word."""

import numpy as np
import pytest
from tests.oracles import collect_privacy as oracles
from tests.strategies import random_database

from confide import Randomness, Transactions
from confide.collect.planning.privacy_measures import basic_privacy
from confide.collect.planning.reinterrogation import reinterrogation_privacy
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.mask import Emask
from confide.core.errors import InputError, UsageError
from confide.mining import frequent_itemsets


@pytest.mark.parametrize("seed", range(40))
def test_it_matches_the_paper_word_by_word(seed):
    rows = [["0"], *random_database(seed)]
    true = Transactions.from_lists(rows)
    scheme = Emask(p=0.6, q=0.8)
    seen = scheme.perturb(true, randomness=Randomness.seeded(seed))
    found = reinterrogation_privacy(scheme, true, min_support=2, perturbed=seen)
    frequent = [frozenset(items) for items, _ in frequent_itemsets(true, min_support=2)]
    basic = basic_privacy(scheme, true)
    basic_of = dict(zip(true.labels, basic.per_item, strict=True))
    rows = [set(r) for r in true], [set(r) for r in seen]
    slow = oracles.reinterrogation_privacy(*rows, frequent, basic.privacy, basic_of)
    assert found.privacy == pytest.approx(slow)
    printed = oracles.reinterrogation_privacy(*rows, frequent, basic.at_mean_support, basic_of)
    assert found.as_printed == pytest.approx(printed)
    assert found.itemsets == len(frequent)


def test_a_perturber_that_changes_nothing_leaves_nothing_hidden():
    true = Transactions.from_lists([["a", "b"], ["a"], ["b"], ["c"]] * 5)
    found = reinterrogation_privacy(Emask(p=0.5, q=0.9), true, min_support=1, perturbed=true)
    assert found.privacy == 0
    assert (found.exposed, found.worst_breach) == (1, 1)


def test_knowing_more_itemsets_never_helps_privacy():
    rng = np.random.default_rng(1)
    true = Transactions.from_lists([[str(i) for i in np.flatnonzero(row)] for row in rng.random((2000, 12)) < 0.2])
    scheme = Emask(p=0.6, q=0.9)
    seen = scheme.perturb(true, randomness=Randomness.seeded(1))
    few, many = (reinterrogation_privacy(scheme, true, min_support=s, perturbed=seen).privacy for s in (0.19, 0.02))
    assert many < few


def test_categorical_records_are_asked_by_their_values():
    codes = np.random.default_rng(2).integers(0, 3, (3000, 2)).astype(np.int32)
    found = reinterrogation_privacy(
        GammaDiagonal(domains=[3, 3], gamma=19), codes, min_support=0.05, randomness=Randomness.seeded(1)
    )
    assert 0.2 < found.privacy < found.basic


def test_other_people_are_refused():
    true = Transactions.from_lists([["a"], ["b"]])
    with pytest.raises(UsageError, match="same people"):
        reinterrogation_privacy(Emask(p=0.6, q=0.9), true, min_support=1, perturbed=Transactions.from_lists([["a"]]))
    with pytest.raises(InputError, match="nothing to hide"):
        reinterrogation_privacy(Emask(p=0.6, q=0.9), Transactions.from_lists([[]]), min_support=1)
