"""The reinterrogation adversary against reinterrogation privacy, which is counted quite differently."""

import numpy as np
import pytest

from confide import Randomness, Transactions
from confide.audit import reinterrogate
from confide.audit.adversaries import reinterrogation as adversary
from confide.collect.planning.reinterrogation import reinterrogation_privacy
from confide.collect.schemes.mask import Emask
from confide.core.errors import InputError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.mining import frequent_itemsets


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(1)
    true = Transactions.from_lists([[str(i) for i in np.flatnonzero(row)] for row in rng.random((3000, 12)) < 0.25])
    scheme = Emask(p=0.6, q=0.9)
    return scheme, true, scheme.perturb(true, randomness=Randomness.seeded(1))


@pytest.mark.parametrize("block", [64, 1000, 1 << 17])
def test_it_is_as_sure_as_reinterrogation_privacy_says(case, block, monkeypatch):
    monkeypatch.setattr(adversary, "BLOCK", block)
    scheme, true, seen = case
    found = reinterrogate(true, seen, frequent_itemsets(true, min_support=100))
    privacy = reinterrogation_privacy(scheme, true, min_support=100, perturbed=seen)
    assert 1 - found.mean_confidence == pytest.approx(privacy.exposed_privacy)
    assert found.seen / found.ones == pytest.approx(privacy.exposed)
    assert found.summary().startswith(f"of {found.ones:,} true 1s {found.sure[0.5]:.1%} are known with a confidence")


def test_claims_are_listed_from_the_surest(case):
    _, true, seen = case
    found = reinterrogate(true, seen, frequent_itemsets(true, min_support=100), fewest=50, shown=5)
    sure = [claim[2] for claim in found.worst]
    assert len(sure) == 5
    assert sure == sorted(sure, reverse=True)
    assert all(records >= 50 for *_, records in found.worst)
    assert list(found.sure.values()) == sorted(found.sure.values(), reverse=True)
    itemset, item, confidence, records = found.worst[0]
    around = [set(u) for u, v in zip(true, seen, strict=True) if set(itemset) <= set(v)]
    assert len(around) == records
    assert sum(item in u for u in around) / records == pytest.approx(confidence)


def test_there_must_be_something_to_ask(case):
    _, true, seen = case
    with pytest.raises(InputError, match="nothing to ask"):
        reinterrogate(true, seen, Itemsets.from_pairs([], n_transactions=3000))
    with pytest.raises(UsageError, match="same people"):
        reinterrogate(true, seen.take(np.arange(5)), frequent_itemsets(true, min_support=100))
