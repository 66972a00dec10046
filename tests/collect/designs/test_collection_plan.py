"""Plans from what people want to know: goals kept, people counted, the sources beside them."""

import itertools

import pytest

from confide.collect import CollectPlan, SampledDesign, Scheme, plan, plan_collection
from confide.core.errors import CannotMeetError, RequirementError

FORM = {"ill": ["no", "yes"], "sex": ["f", "m"], "age": 4, "job": 5}


def test_a_plan_keeps_what_was_asked_with_just_so_many_people():
    planned = plan_collection(FORM, gamma=19, within=[2, 3])
    assert planned.people == planned.needed
    assert planned.margins[1] <= 2
    assert planned.margins[2] <= 3
    nearly = plan_collection(FORM, gamma=19, people=planned.needed - 1, lengths=[1, 2])
    assert nearly.needed is None
    with pytest.raises(CannotMeetError, match=r"too few: sets of .* are needed, or one question a person") as caught:
        plan_collection(FORM, gamma=19, within=[2, 3], people=planned.needed // 4)
    assert list(caught.value.cures) == [{"people": planned.needed}]


def test_the_forecast_is_what_a_collection_of_the_design_forecasts():
    planned = plan_collection(FORM, gamma=19, people=5000)
    design = planned.scheme()
    for n, points in planned.margins.items():
        error = design.standard_error(length=n, support=0.2, records=5000)
        assert points == pytest.approx(196 * error)
    assert sum(planned.shares.values()) == pytest.approx(1)


def test_one_design_comes_near_the_best_for_every_length():
    planned = plan_collection([4, 5, 5, 5, 2, 2], gamma=19, people=48_842, lengths=[1, 2, 3, 4])
    for n, points in planned.margins.items():
        pure = [each[n] for name, each in planned.options.items() if "a person" in name and n in each]
        assert points < 1.75 * min(pure)
        assert points < planned.options["gamma-diagonal"][n] / 3


@pytest.mark.parametrize("within", [[2, 3], [2, 3, 4]])
@pytest.mark.parametrize("domains", [[7, 4, 2, 3, 2, 6], [2, 2, 4]], ids=str)
def test_no_other_way_to_share_the_people_needs_clearly_fewer(domains, within):
    planned = plan_collection(domains, gamma=19, within=within)
    sizes, names = range(1, len(within) + 1), [f"a{i}" for i in range(len(domains))]
    for tenths in itertools.product(range(0, 11, 2), repeat=len(within)):
        asked = {size: part for size, part in zip(sizes, tenths, strict=True) if part}
        if sum(tenths) != 10 or max(asked) < len(within):
            continue
        subsets = {size: list(itertools.combinations(names, size)) for size in asked}
        design = SampledDesign(
            domains=domains,
            gamma=19,
            subsets=[list(x) for size in asked for x in subsets[size]],
            weights=[60 * asked[size] // len(subsets[size]) for size in asked for _ in subsets[size]],
        )
        errors = [196 * design.standard_error(length=n, support=0.2, records=1) for n in sizes]
        needed = max((error / goal) ** 2 for error, goal in zip(errors, within, strict=True))
        assert planned.needed < 1.03 * needed


def test_the_job_writes_a_scheme_that_a_collector_takes(tmp_path):
    done = plan(CollectPlan(values={"ill": ["no", "yes"], "sex": ["f", "m"]}, within=(2.0, 3.0), gamma=19))
    done.save(tmp_path / "ask.json", False)
    assert Scheme.read(tmp_path / "ask.json").amplification().gamma == 19
    assert done.answer["people_needed"] == done.answer["people"]
    assert any("95% intervals" in note for note in done.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say how many people"),
        ({"people": 0}, "people=0"),
        ({"within": [0]}, "within=0"),
        ({"within": [1] * 5}, r"there are 4 fields, so lengths go from 1 to 4"),
        ({"people": 10, "lengths": [9]}, r"lengths=\[9\]"),
        ({"within": [2], "lengths": [1, 2]}, "1 numbers in within= for 2 lengths"),
        ({"people": 10, "gamma": 1}, "gamma=1"),
        ({"people": 10, "support": 2}, "support=2"),
    ],
    ids=str,
)
def test_bad_wishes_get_one_line(options, message):
    with pytest.raises(RequirementError, match=message):
        plan_collection(FORM, **options)
