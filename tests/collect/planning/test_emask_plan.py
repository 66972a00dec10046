"""Planning p and q of Emask: Table 3.1, the added bound, and a grid as the slow twin."""

import numpy as np
import pytest
from tests.oracles import collect_privacy as oracles

from confide import Transactions
from confide.collect.planning.emask_plan import plan_emask
from confide.core.errors import CannotMeetError, RequirementError, UsageError

GOALS = {"breach": 0.06, "error": 0.03, "slowdown": 5}
TABLE_3_1 = [
    (1_000_000, 0.01, {"breach": 0.075, "error": 0.0375, "slowdown": 3.5192}),
    (600_000, 0.005, {"breach": 0.1075, "error": 0.0537, "slowdown": 3.0212}),
    (3_875_600, 0.0015, {"breach": 0.0861, "error": 0.0431, "slowdown": 3.3354}),
]


@pytest.mark.parametrize(("records", "support", "printed"), TABLE_3_1)
def test_table_3_1_is_attained(records, support, printed):
    plan = plan_emask(avg_support=support, records=records, goals=GOALS)
    theirs = max(printed[name] / goal for name, goal in GOALS.items())
    assert plan.ratio == pytest.approx(theirs, rel=0.01)
    assert all(plan.attained[name] <= value * 1.01 for name, value in printed.items())
    assert plan.attained["visible"] <= 0.2
    assert plan.attained == pytest.approx(oracles.emask_attained(plan.p, plan.q, support, records))


@pytest.mark.parametrize(("records", "support", "printed"), TABLE_3_1)
def test_without_the_bound_every_visible_1_would_be_true(records, support, printed):  # erratum 3
    plan = plan_emask(avg_support=support, records=records, goals={**GOALS, "visible": None})
    assert 0.999 < plan.attained["visible"] < 1
    assert plan.attained["breach"] == pytest.approx(printed["breach"], rel=0.01)
    assert plan.scheme().q == plan.q < 1  # a scheme takes it


def test_p_is_as_large_as_the_goals_want_it():
    """A scheme of p = 0.97 and q = 0.9886 has this error and this bound on what is seen, so it can be had."""
    theirs = oracles.emask_attained(0.97, 0.9886, 0.0015, 11_500_000)
    assert theirs["error"] < 0.0218
    plan = plan_emask(
        avg_support=0.0015,
        records=11_500_000,
        goals={"error": 0.0218, "visible": theirs["visible"] + 1e-6},
        weights={"error": 0},
    )
    assert plan.attained["error"] <= 0.0218 * (1 + 1e-6)
    assert 0.9 < plan.p < 1
    assert plan.gamma_per_item == pytest.approx(plan.scheme().amplification(max_length=1).per_item)


def test_an_item_that_is_not_sent_tells_no_more_than_the_bound():
    """Wishes that exclude each other would be levelled at p = 1."""
    asked = {"avg_support": 0.05, "records": 2_000}
    plan = plan_emask(**asked)
    assert plan.goals["absent"] == 100
    assert 99.9 < plan.attained["absent"] == plan.q / (1 - plan.p) <= 100
    tighter = plan_emask(**asked, goals={"absent": 19})
    assert 18.9 < tighter.attained["absent"] <= 19
    assert tighter.attained["visible"] == pytest.approx(plan.attained["visible"])
    free = plan_emask(**asked, goals={"absent": None})
    assert free.p > 0.999999
    assert free.ratio < plan.ratio < tighter.ratio < 1.2 * free.ratio, "bounding it costs little"
    with pytest.raises(RequirementError, match="absent=1 is not a factor above 1"):
        plan_emask(**asked, goals={"absent": 1})
    with pytest.raises(CannotMeetError, match="`absent` allows") as refusal:
        plan_emask(**asked, goals={"error": 0.219}, weights={"error": 0})
    nearest = refusal.value.cures[0]["error"]
    assert plan_emask(**asked, goals={"error": nearest}, weights={"error": 0})


SKEWED = Transactions.from_lists([["a", "b"]] * 200 + [[str(i % 40), "c"][: 1 + i % 2] for i in range(1800)])


def test_what_is_seen_is_bounded_on_average_and_for_the_commonest_item():
    plan = plan_emask(sample=SKEWED, goals={"visible": 0.3})
    supports = SKEWED.supports() / len(SKEWED)
    seen = supports * plan.p + (1 - supports) * (1 - plan.q)
    each = supports * plan.p / seen
    assert plan.attained["visible"] == pytest.approx(np.average(each, weights=seen))  # over all 1s that are seen
    assert plan.attained["worst_visible"] == pytest.approx(each.max())
    assert each.max() > 0.6
    bounded = plan_emask(sample=SKEWED, goals={"visible": 0.3, "worst_visible": 0.5})
    assert bounded.attained["worst_visible"] == pytest.approx(0.5, rel=1e-4)
    assert bounded.attained["worst_visible"] <= 0.5
    assert bounded.attained["visible"] < 0.3
    told = plan_emask(avg_support=0.01, max_support=0.2, records=10_000, goals={"worst_visible": 0.6})
    assert told.attained["worst_visible"] <= 0.6
    with pytest.raises(CannotMeetError, match=r"worst_visible=0.4: the commonest item stands in 0.45") as refusal:
        plan_emask(sample=SKEWED, goals={"worst_visible": 0.4})
    assert refusal.value.cures[0]["worst_visible"] > 0.45
    with pytest.raises(UsageError, match="say max_support"):
        plan_emask(avg_support=0.01, records=10_000, goals={"worst_visible": 0.6})


@pytest.mark.parametrize(
    ("support", "records", "goals", "visible"),
    [
        (0.01, 1_000_000, GOALS, 0.2),
        (0.01, 1_000_000, GOALS, 0.05),
        (0.02, 20_000, {"breach": 0.1, "error": 0.1, "slowdown": 1.5}, 0.3),
        (0.05, 5_000, {"breach": 0.3, "error": 0.05, "slowdown": 2}, 0.5),
        (0.01, 20_000, {"breach": 1, "error": 0.03, "slowdown": 5}, 0.2),  # wants p above 0.9
    ],
)
def test_no_grid_finds_better(support, records, goals, visible):
    plan = plan_emask(avg_support=support, records=records, goals={**goals, "visible": visible})
    slow = oracles.visible_ratio(support, records, goals, visible, steps=150)
    assert slow * 0.97 < plan.ratio <= slow * 1.0001


def test_a_sample_weighs_the_breach_by_support():
    sample = Transactions.from_lists([["a", str(i % 50)] for i in range(5000)])
    plan = plan_emask(sample=sample, goals={"visible": 0.5})
    flat = plan_emask(avg_support=plan.avg_support, records=5000, goals={"visible": 0.5})
    assert plan.records == 5000
    assert plan.attained["breach"] > flat.attained["breach"]


def test_hard_goals_are_kept_or_refused_with_by_how_much():
    plan = plan_emask(avg_support=0.01, records=1_000_000, goals=GOALS, weights={"breach": 0})
    assert plan.attained["breach"] <= 0.06 * (1 + 1e-6)
    assert set(plan.missed) == {"error"}
    with pytest.raises(CannotMeetError, match=r"breach=0.06 .* 1.8 times") as refusal:
        plan_emask(avg_support=0.01, records=1_000_000, goals=GOALS, weights={"breach": 0, "error": 0})
    nearest = refusal.value.cures[0]["breach"]
    hard = {"breach": 0.0, "error": 0.0}
    assert plan_emask(avg_support=0.01, records=1_000_000, goals={**GOALS, "breach": nearest}, weights=hard)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match="avg_support and records"):
        plan_emask()
    with pytest.raises(UsageError, match="no goal 'speed'"):
        plan_emask(avg_support=0.01, records=10, goals={"speed": 1})
    with pytest.raises(RequirementError, match="avg_support=2"):
        plan_emask(avg_support=2, records=10)
    with pytest.raises(CannotMeetError, match=r"items stand in 0.3"):
        plan_emask(avg_support=0.3, records=10)


def test_the_tradeoff_is_drawn_from_real_points():
    plan = plan_emask(avg_support=0.01, records=1_000_000)
    (chart,) = plan.charts()
    assert len(chart.x) == len(plan.tradeoff) >= 50
    assert list(chart.series) == ["breach", "error", "slowdown"]
    breach = chart.series["breach"]
    assert list(breach) == sorted(breach)
