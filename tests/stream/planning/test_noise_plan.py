import pytest

from confide import OutputPrivacy
from confide.core.errors import CannotMeetError, RequirementError
from confide.core.samples import baskets
from confide.stream import plan_stream
from confide.stream.planning.tradeoff import USUAL_DELTA, largest_delta, least_epsilon, usual_epsilon
from confide.stream.setting import Setting


@pytest.mark.parametrize(("support", "ratio"), [(25, 0.044), (20, 0.069), (15, 0.122)])
def test_the_least_epsilon_is_that_of_the_errata(support, ratio):  # erratum 10, over delta 0.2 to 1
    worst = max(least_epsilon(min_support=support, vulnerable=5, delta=d) / d for d in (0.2, 0.4, 0.6, 0.8, 1.0))
    assert worst == pytest.approx(ratio, abs=0.001)


@pytest.mark.parametrize("noise", ["uniform", "triangular"])
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4, 1.0])
def test_the_least_epsilon_works_and_hardly_less_does(noise, delta):
    least = least_epsilon(min_support=30, vulnerable=6, delta=delta, noise=noise)
    Setting.of(OutputPrivacy(epsilon=least, delta=delta, min_support=30, vulnerable=6), noise)
    with pytest.raises(RequirementError):
        Setting.of(OutputPrivacy(epsilon=least * 0.998, delta=delta, min_support=30, vulnerable=6), noise)
    found = largest_delta(min_support=30, vulnerable=6, epsilon=least, noise=noise)
    assert found is not None
    assert found >= delta


def test_precision_in_plain_terms_leads_to_delta():
    done = plan_stream(min_support=25, vulnerable=5, error=0.15)
    assert done.requirement == OutputPrivacy(epsilon=0.0225, delta=0.56, min_support=25, vulnerable=5)
    assert done.answer["least epsilon for each delta"]["0.4"] == 0.016
    assert len(done.charts()) == 1


def test_precision_that_leaves_no_room_says_what_would():
    with pytest.raises(CannotMeetError, match=r"error=0\.01 leaves room .* nearest that works: error=0\.029"):
        plan_stream(min_support=25, vulnerable=5, error=0.01)
    with pytest.raises(RequirementError, match="min_support=5 would publish vulnerable patterns"):
        plan_stream(min_support=5, vulnerable=5)


def test_a_sample_shows_what_lambda_buys():
    done = plan_stream(min_support=25, vulnerable=5, epsilon=0.24, delta=0.4, sample=baskets(900, seed=3), records=600)
    kept = {one.lam: one for one in done.worth}
    assert kept[1.0].order_kept > kept[None].order_kept
    assert kept[0.0].ratio_kept > kept[None].ratio_kept
    assert kept[1.0].order_kept > kept[0.0].order_kept
    assert len(done.charts()) == 2


def test_what_nobody_says_is_the_usual_and_works():
    epsilon = usual_epsilon(min_support=30, vulnerable=6, delta=USUAL_DELTA)
    assert epsilon > least_epsilon(min_support=30, vulnerable=6, delta=USUAL_DELTA)
    assert plan_stream(min_support=30, vulnerable=6).requirement == OutputPrivacy(
        epsilon=epsilon, delta=USUAL_DELTA, min_support=30, vulnerable=6
    )
