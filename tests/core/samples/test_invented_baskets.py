"""The shop: rare private items that betray themselves, common things that go together."""

import hashlib

import pytest

from confide.core.errors import RequirementError
from confide.core.samples import baskets


@pytest.fixture(scope="module")
def shop():
    return [set(row) for row in baskets(20_000, seed=1)]


def support(rows, *items):
    return sum(row.issuperset(items) for row in rows) / len(rows)


def test_the_baskets_are_the_same_on_every_machine():
    lines = "".join(" ".join(row) + "\n" for row in baskets(200, seed=7))
    assert (
        hashlib.sha256(lines.encode()).hexdigest() == "6a32ee9d6e564835625fd4a9d501fa03398f01537df03d417874204c679641a5"
    )


def test_same_seed_same_baskets_and_another_seed_others():
    assert baskets(100, seed=3) == baskets(100, seed=3)
    assert baskets(100, seed=3) != baskets(100, seed=4)


def test_more_baskets_begin_with_the_same_ones():
    assert list(baskets(20_000, seed=3))[:100] == list(baskets(100, seed=3))


def test_private_items_are_several_and_each_is_rare():
    tx = baskets(20_000, seed=1)
    shares = {label: n / len(tx) for label, n in zip(tx.items, tx.supports(), strict=True) if label.startswith("s:")}
    assert len(shares) == 11
    assert min(shares.values()) > 0
    assert max(shares.values()) < 0.03


def test_popularity_is_skewed():
    counts = sorted(baskets(20_000, seed=1).supports(), reverse=True)
    assert sum(counts[:12]) > sum(counts[12:]) * 0.6
    assert counts[0] > 10 * counts[60]


def test_things_that_belong_together_are_bought_together(shop):
    assert support(shop, "flour", "sugar") > 1.5 * support(shop, "flour") * support(shop, "sugar")


def test_ordinary_things_betray_private_ones(shop):
    knowing = support(shop, "sugar-free-jam", "s:insulin") / support(shop, "sugar-free-jam")
    assert knowing > 10 * support(shop, "s:insulin")


def test_no_basket_is_empty():
    assert baskets(5000, seed=2).lengths.min() >= 1


def test_no_records_are_refused():
    with pytest.raises(RequirementError, match="records=0"):
        baskets(0)
