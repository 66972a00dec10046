"""gamma, Mask's p and Cut-and-Paste's (K, rho): the paper's numbers, and that no safer rounding was possible."""

import numpy as np
import pytest

from confide import Randomness
from confide.collect import Scheme
from confide.collect.estimating.forecasts import column_error, cut_matrix, flip_error
from confide.collect.planning.strict_plans import plan_columns, plan_cut_and_paste, plan_gamma, plan_mask
from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.mask import Mask
from confide.core.errors import CannotMeetError, RequirementError, UsageError


def test_gamma_from_a_breach():
    plan = plan_gamma(0.05, 0.5)
    assert (plan.gamma, round(plan.epsilon, 3)) == (19, 2.944)
    assert plan.scheme([2, 3]).amplification().gamma == 19


def test_standard_errors_on_census_fall_with_length():  # erratum 5: FRAPP is worse than MASK below length 3
    census = plan_gamma(0.05, 0.5).standard_errors([4, 5, 5, 5, 2, 2], records=50_000, support=0.02)
    assert list(census.values()) == sorted(census.values(), reverse=True)
    assert census[6] == pytest.approx(0.013, abs=0.0005)
    assert plan_gamma(0.05, 0.5).standard_errors([2, 2, 5, 5, 5, 4], records=50_000, support=0.02) == pytest.approx(
        census
    )


@pytest.mark.parametrize("sizes", [[2, 2], [4, 5, 5, 5, 2, 2], [2], [30, 2, 7]])
def test_columns_share_gamma_and_keep_it(sizes):
    plan = plan_columns(19, sizes)
    scheme = plan.scheme()
    assert scheme.amplification().gamma == plan.attained
    assert 19 * (1 - 1e-6) < plan.attained <= 19
    for field, (stays, absent) in zip(scheme.fields.names, plan.rates, strict=True):
        law = scheme.matrix([field])
        assert law.sum(axis=0) == pytest.approx(1, abs=1e-15)
        assert np.diag(law) == pytest.approx(stays)
        assert law[0, 1] == pytest.approx(1 - absent)
    assert Scheme.from_json(scheme.to_json()) == scheme


def test_columns_err_less_than_mask_at_every_length_and_as_much_as_they_say():
    sizes = [4, 5, 5, 5, 2, 2]
    planned = plan_columns(19, sizes).standard_errors(records=50_000)
    p = plan_mask(19, fields=6).p
    assert all(planned[n] < flip_error(p, p, length=n, support=0.02, records=50_000) for n in range(1, 7))
    # The spread of 300 estimates is known to 4%; 15% are allowed, and seeds are fixed.
    small = plan_columns(19, [3, 4])
    scheme, codes = small.scheme(), np.ones((2000, 2), dtype=np.int32)
    codes[:200, 0] = codes[100:300, 1] = 0  # independent values would be 1% together; here 5% are
    held = np.array([0.85, 0.1, 0.05])
    estimates = []
    for seed in range(300):
        found = scheme.mine(scheme.perturb(codes, randomness=Randomness.seeded(seed)), min_support=1, keep_near=1000)
        estimates.append(
            dict(zip((frozenset(x) for x, _ in found), found.columns["estimate"], strict=True))[
                frozenset({"a0=0", "a1=0"})
            ]
        )
    forecast = column_error(small.rates, length=2, support=0.05, records=2000, held=held)
    assert np.std(estimates) / 2000 == pytest.approx(forecast, rel=0.15)


def test_columns_that_nothing_would_be_left_of_are_refused():
    with pytest.raises(CannotMeetError, match="shared among 3 fields, gamma=1"):
        plan_columns(1.0000000001, [2, 2, 2])


@pytest.mark.parametrize(("fields", "printed"), [(6, 0.5610), (7, 0.5524)])
def test_mask_for_gamma_19_is_as_printed(fields, printed):
    plan = plan_mask(19, fields=fields)
    assert round(plan.p, 4) == printed
    assert plan.attained <= 19
    assert Mask(p=plan.p, fields=[3] * fields).amplification().gamma == pytest.approx(plan.attained)
    assert Mask(p=round(plan.p + 1e-6, 6), fields=[3] * fields).amplification().gamma > 19


@pytest.mark.parametrize(("length", "universe"), [(1, None), (3, None), (3, 4), (4, 4)])
def test_mask_for_items_keeps_gamma(length, universe):
    plan = plan_mask(7, max_length=length, universe=universe)
    items = tuple("abcdefghij"[: universe or 10])
    assert plan.scheme(items=items).amplification().gamma == pytest.approx(plan.attained)
    assert plan.attained <= 7


def test_cut_and_paste_needs_a_larger_rho_than_printed():  # erratum 8
    plan = plan_cut_and_paste(19, K=3, fields=6)
    assert round(plan.rho, 4) == 0.4514
    assert CutAndPaste(K=3, rho=0.494, fields=[2] * 6).amplification().gamma == pytest.approx(15.4, abs=0.05)
    assert plan.attained <= 19
    assert plan.scheme(fields=[2] * 6).amplification().gamma == pytest.approx(plan.attained)
    tighter = CutAndPaste(K=3, rho=round(plan.rho - 1e-6, 6), fields=[2] * 6)
    assert tighter.amplification().gamma > 19


@pytest.mark.parametrize(("k", "longest", "length"), [(1, 4, 1), (3, 6, 3), (6, 6, 5), (5, 3, 2), (4, 9, 4)])
def test_the_quick_matrix_is_the_schemes_own(k, longest, length):
    exact = CutAndPaste(K=k, rho=0.3, max_length=longest).matrix(length)
    assert cut_matrix(k, 0.3, longest, length) == pytest.approx(exact)


def test_the_best_k_has_the_best_conditioned_matrix():
    plan = plan_cut_and_paste(19, fields=6, length=3)
    assert min(plan.choices, key=lambda choice: choice[2][2])[0] == plan.K
    assert [choice[0] for choice in plan.choices] == [3, 4, 5, 6]


def test_what_cannot_be_had_is_refused_with_the_nearest():
    with pytest.raises(CannotMeetError, match="K=3") as refusal:
        plan_cut_and_paste(3, K=3, fields=6)
    assert refusal.value.cures[0] == {"K": 1}
    assert plan_cut_and_paste(3, K=1, fields=6).attained <= 3
    with pytest.raises(CannotMeetError, match="p = 1/2"):
        plan_mask(1.000001, max_length=100)
    with pytest.raises(UsageError, match="one of the two"):
        plan_mask(19)
    with pytest.raises(RequirementError, match="gamma=1"):
        plan_mask(1, fields=3)
    with pytest.raises(RequirementError, match="rho1"):
        plan_gamma(0.5, 0.05)
