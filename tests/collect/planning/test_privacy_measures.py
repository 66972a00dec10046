"""Basic privacy, posteriors and their range: the paper's numbers, and the bound as a property."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide import Amplification, Transactions
from confide.collect.planning.privacy_measures import basic_privacy
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.gamma_diagonal import GammaDiagonal
from confide.collect.schemes.mask import Emask, Mask
from confide.collect.schemes.promise import posterior, posterior_range
from confide.core.errors import RequirementError, UsageError
from confide.core.randomness import Randomness


def test_five_percent_to_fifty_is_gamma_19_and_epsilon_2_944():  # section 4.6
    requirement = Amplification.from_breach(0.05, 0.5)
    assert requirement.gamma == 19
    assert round(requirement.epsilon, 3) == 2.944
    assert posterior(0.05, gamma=19) == pytest.approx(0.5)


def test_ran_gd_at_half_ranges_from_33_to_60_percent():  # section 4.3.1
    low, high = posterior_range(0.05, gamma=19, alpha=0.5, cells=2000)
    assert (round(low, 2), round(high, 2)) == (0.33, 0.6)
    assert posterior_range(0.05, gamma=19, alpha=0, cells=2000) == pytest.approx((0.5, 0.5))
    assert posterior_range(0.05, gamma=19, alpha=0.5) == pytest.approx((1 / 3, 0.6))


def test_the_lower_end_of_the_range_is_not_a_guarantee():  # erratum: r is unseen, so the collector averages over it
    scheme = GammaDiagonal(domains=[2, 4], gamma=3, alpha=0.5)
    prior = np.full(8, (1 - 0.05) / 7)
    prior[0] = 0.05
    seen = scheme.perturb(np.repeat(np.arange(8), [5000, *[13572] * 6, 13568]), randomness=Randomness.seeded(1))
    truth = np.repeat(np.arange(8), [5000, *[13572] * 6, 13568])
    real = np.mean(truth[seen == 0] == 0)
    low, _ = posterior_range(0.05, gamma=3, alpha=0.5, cells=8)
    assert real == pytest.approx(posterior(0.05, gamma=3), abs=0.015)  # 4 standard errors
    assert real > low + 0.03


@pytest.mark.parametrize(
    ("p", "q", "s", "printed"),
    [(0.5051, 0.9696, 0.01, 92.5), (0.5673, 0.9877, 0.005, 89.23), (0.5350, 0.9958, 0.0015, 91.4)],
)
def test_basic_privacy_of_table_3_1_is_as_printed(p, q, s, printed):
    assert 100 * float(basic_privacy(Emask(p=p, q=q), s)) == pytest.approx(printed, abs=0.06)


def test_the_mean_support_promises_too_much_on_skewed_data():  # erratum 1
    found = basic_privacy(Emask(p=0.5, q=0.97), [0.2, 0.001, 0.001, 0.001])
    assert found.privacy < found.at_mean_support - 0.1
    assert found.per_item[0] < found.per_item[1]


@pytest.mark.parametrize(
    "scheme",
    [
        Mask(p=0.7, fields={"a": 2, "b": 3}),
        Emask(p=0.6, q=0.9, fields={"a": 2, "b": 3}),
        CutAndPaste(K=2, rho=0.3, fields={"a": 2, "b": 3}),
        GammaDiagonal(domains={"a": 2, "b": 3}, gamma=5),
    ],
    ids=lambda scheme: scheme.kind,
)
def test_entries_are_kept_as_often_as_the_rates_say(scheme):
    """One cell, 40,000 times: each rate within 5 standard errors (a false alarm in 10^5 runs)."""
    from confide.collect.planning.privacy_measures import as_transactions

    codes = np.tile(np.array([[1, 2]], dtype=np.int32), (40_000, 1))
    true = as_transactions(scheme, codes)
    seen = as_transactions(scheme, scheme.perturb(codes, randomness=Randomness.seeded(3)))
    p, q = (np.broadcast_to(rate, 5) for rate in scheme.item_rates(true))
    held = true.supports() > 0
    share = seen.supports() / len(seen)
    assert np.abs(share - np.where(held, p, 1 - q)).max() < 5 * 0.5 / 200


@given(
    weights=st.lists(st.floats(0.001, 1), min_size=6, max_size=6),
    has=st.lists(st.booleans(), min_size=6, max_size=6),
    scheme=st.sampled_from(
        [
            GammaDiagonal(domains=[2, 3], gamma=19),
            GammaDiagonal(domains=[2, 3], gamma=1.5),
            GammaDiagonal(domains=[6], gamma=4),
        ]
    ),
)
def test_no_posterior_passes_its_bound_whatever_prior_and_property(weights, has, scheme):
    prior = np.array(weights) / sum(weights)
    has = np.array(has)
    chances = scheme.matrix()
    before = float(prior[has].sum())
    after = (chances * prior)[:, has].sum(axis=1) / (chances @ prior)
    assert np.all(after <= posterior(min(before, 1.0), gamma=scheme.gamma) + 1e-12)


@given(
    weights=st.lists(st.floats(0.001, 1), min_size=8, max_size=8),
    has=st.lists(st.booleans(), min_size=8, max_size=8),
    p=st.sampled_from([0.55, 0.7, 0.9]),
    q=st.sampled_from([0.6, 0.95]),
)
def test_no_posterior_of_items_passes_its_bound(weights, has, p, q):
    scheme = Emask(p=p, q=q, items=("a", "b", "c"))
    prior = np.array(weights) / sum(weights)
    chances = scheme.matrix(3)
    after = (chances * prior)[:, np.array(has)].sum(axis=1) / (chances @ prior)
    before = min(float(prior[np.array(has)].sum()), 1.0)
    assert np.all(after <= posterior(before, gamma=scheme.amplification().gamma) + 1e-12)


def test_bad_numbers_are_refused():
    with pytest.raises(RequirementError, match="prior=2"):
        posterior(2, gamma=19)
    with pytest.raises(RequirementError, match=r"gamma=0\.5"):
        posterior(0.1, gamma=0.5)
    with pytest.raises(RequirementError, match="alpha=2"):
        posterior_range(0.05, gamma=19, alpha=2, cells=2000)
    with pytest.raises(UsageError, match="between 0 and 1"):
        basic_privacy(Mask(p=0.9), [1.5])
    with pytest.raises(UsageError, match="no 1"):
        basic_privacy(Mask(p=0.9), Transactions.from_lists([[], []]))
