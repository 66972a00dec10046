"""Putting back for itemset utility: still no mole, nothing needless, in the documented order, in every method."""

import math
from random import Random

import pytest
from tests.amounts import some
from tests.oracles.itemset_utility import moles, nuggets, put_back
from tests.publish.transactions.suppression.test_itemset_utility import METHODS, methods, random_case, suppressed

from confide import Coherence, Transactions
from confide.publish import suppress
from confide.publish.transactions.suppression.itemset_utility import suppress_for_itemsets


def pairs_case(seed: int):
    """Short records, so that most moles are pairs: there the greedy rule often takes an item too many."""
    rng = Random(seed)
    items = "abcdefgh"[: rng.randint(5, 8)]
    rows = [rng.sample(items, rng.choice([1, 2, 2, 3])) for _ in range(rng.randint(8, 16))]
    rows = [[*row, "s"] if rng.random() < 0.2 else row for row in rows]
    requirement = Coherence(h=rng.choice([0.7, 1.0]), k=2, p=rng.choice([2, 3, math.inf]))
    return rows, requirement, ["s"], {"nugget_support": rng.randint(1, 4), "nugget_length": rng.choice([None, 1])}


@pytest.mark.parametrize("block", range(4))
def test_all_methods_put_back_what_the_slow_twin_puts_back(block: int):
    improved = 0
    for seed in some(range(100 * block, 100 * block + 100), every=3, first=2):
        rows, requirement, private, options = (pairs_case if seed % 4 else random_case)(seed)
        h, k, p = requirement.h, requirement.k, requirement.p
        if frozenset() in moles(rows, h, k, p, private):
            continue
        longest = options["nugget_length"] or math.inf
        plain, _ = suppressed(rows, requirement, private, **options)
        left = put_back(rows, plain, h, k, p, private, options["nugget_support"], longest)
        improved += len(left) < len(plain)
        for method in methods(requirement):
            steps, answer = suppressed(rows, requirement, private, method=method, put_back=True, **options)
            assert steps == left, (seed, method)
            gone = {v for v, _, _ in left}
            kept = nuggets([[v for v in row if v not in gone] for row in rows], options["nugget_support"], longest)
            assert answer.totals["nuggets_kept"] == len(kept), (seed, method)
            assert not moles([[v for v in row if v not in gone] for row in rows], h, k, p, private)
            for v in gone:
                assert moles([[u for u in row if u not in gone - {v}] for row in rows], h, k, p, private)
    assert improved > 0


@pytest.mark.parametrize("method", METHODS)
def test_an_item_that_later_ones_make_needless_is_put_back(method: str):
    """The moles are ab, ac, bd, ce: a breaks two, but b and c, which must go as well, break them too."""
    rows = [["a", "b"], ["a", "c"], ["b", "d"], ["c", "e"], ["d"], ["e"]]
    tx, requirement = Transactions.from_lists(rows), Coherence(h=1.0, k=2, p=2)
    options = {"utility": "itemsets", "nugget_support": 2, "method": method}
    for given, left in ((False, {"d", "e"}), (True, {"a", "d", "e"})):
        release = suppress(tx, requirement, put_back=given, **options)
        assert {v for row in release.data for v in row} == left
        assert release.passport.parameters["put_back"] is given


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "support", "k", "greedy", "better"),
    [
        ("connect", 0.4, 10, "1.4321%", "1.1055%"),
        ("connect", 0.4, 50, "7.8038%", "7.7068%"),
        ("retail", 0.03, 50, "40.6250%", "34.3750%"),
    ],
)
def test_the_thesis_databases_lose_fewer_nuggets(data, name: str, support: float, k: int, greedy: str, better: str):
    tx = Transactions.read(data / name / f"{name}.dat.gz")
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    for given, lost in ((False, greedy), (True, better)):
        answer = suppress_for_itemsets(tx, requirement, (), nugget_support=support, icdm_deletion=True, put_back=given)
        assert f"{1 - answer.totals['nuggets_kept'] / answer.totals['nuggets']:.4%}" == lost
