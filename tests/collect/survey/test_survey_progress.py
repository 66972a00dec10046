"""How far a survey is: forecasts from the number of answers, and never the number of a few."""

import pytest

from confide.collect import Emask, SampledDesign, plan_collection
from confide.collect.survey.survey_progress import measure_progress
from confide.core.errors import RequirementError

DOMAINS = {"ill": ["no", "yes"], "sex": ["f", "m"], "age": 4}


def test_progress_agrees_with_the_plan():
    planned = plan_collection(DOMAINS, gamma=19, within=[2, 3])
    now = measure_progress(planned.scheme(), planned.needed, within=[2, 3])
    assert now.needed == pytest.approx(planned.needed, abs=1)
    assert now.margins[1] == pytest.approx(planned.margins[1], rel=1e-3)
    few = measure_progress(planned.scheme(), planned.needed // 4, within=[2, 3])
    assert few.margins[2] == pytest.approx(2 * planned.margins[2], rel=0.01)
    assert not few.enough
    assert "more answers are needed" in few.advice()
    done = measure_progress(planned.scheme(), now.needed, within=[2, 3])
    assert done.enough
    assert "You can close the survey" in done.advice()


def test_a_few_answers_are_not_counted_out():
    scheme = SampledDesign(domains=DOMAINS, gamma=19, size=1)
    assert measure_progress(scheme, 4, within=[2]).to_dict()["answers"] == "fewer than 5"
    assert measure_progress(scheme, 4, within=[2]).to_dict()["margin_points_now"] == {}
    assert measure_progress(scheme, 5).to_dict()["answers"] == 5
    assert "4" not in measure_progress(scheme, 4).advice()


def test_what_cannot_be_forecast_is_left_out():
    assert measure_progress(Emask(p=0.5, q=0.9, items=("a",)), 100, within=[2]).needed is None
    single = SampledDesign(domains=DOMAINS, gamma=19, size=1)
    assert set(measure_progress(single, 100, within=[2, 3]).margins) == {1}
    with pytest.raises(RequirementError, match="within=0 is not a number of points"):
        measure_progress(single, 100, within=[0])
