"""Planning as a notebook asks for it: parameters, the scheme bound to the data, and what is refused."""

import math

import pyarrow as pa
import pytest

from confide import Transactions
from confide.collect import CollectPlan, SampledDesign, plan, plan_cut_and_paste, plan_emask, plan_mask
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.jobs.fields import fields_of
from confide.core.samples.invented_baskets import baskets

BASKETS = Transactions.from_lists([["tea"], ["tea", "milk"], ["milk", "beer", "nuts"]] * 30)
PEOPLE = pa.table({"sex": ["f", "m"] * 50, "ill": ["no", "yes", "no", "no"] * 25})


def test_a_promise_comes_as_gamma_or_as_a_breach_or_is_19():
    assert plan(CollectPlan(rho1=0.1, rho2=0.4)).answer["gamma"] == 6
    assert plan(CollectPlan(gamma=7)).answer["gamma"] == 7
    assert plan(CollectPlan()).answer["gamma"] == 19
    assert plan(CollectPlan()).notes == ("an answer shifts anyone's odds by at most a factor of 19",)


def test_a_plan_of_a_source_s_scheme_says_what_asking_less_would_give():
    values = {f"q{i}": ["no", "yes"] for i in range(6)}
    single = SampledDesign(domains=values, gamma=19, size=1).standard_error(length=1, support=0.02, records=1000)
    for name, times in (("gamma-diagonal", 3.3), ("matrix", 3.0)):
        done = plan(CollectPlan(scheme=name, values=values, records=1000))
        assert f"single answers would err {times} times less under the same promise" in done.notes[-1]
        assert done.answer["standard_error_by_length"]["1"] / single == pytest.approx(times, abs=0.05)
    assert len(plan(CollectPlan(values={"ill": ["no", "yes"], "sex": ["f", "m"]})).notes) == 1  # hardly less
    assert plan(CollectPlan(scheme="cut-and-paste", values={"ill": ["no", "yes"], "sex": ["f", "m"]})).scheme.K <= 2


def test_each_planner_is_the_function_of_its_name():
    mask = plan(CollectPlan(scheme="mask", fields=6))
    assert mask.answer["p"] == plan_mask(19, fields=6).p
    cut = plan(CollectPlan(scheme="cut-and-paste", sample=PEOPLE, K=2))
    assert (cut.scheme.K, cut.scheme.rho) == (2, plan_cut_and_paste(19, K=2, fields=2).rho)
    emask = plan(CollectPlan(scheme="emask", sample=BASKETS, visible=0.9))
    wanted = plan_emask(sample=BASKETS, goals={"visible": 0.9})
    assert (emask.scheme.p, emask.scheme.q, emask.scheme.longest) == (wanted.p, wanted.q, 3)


SCHEMES = next(field.kind.choices for field in fields_of(CollectPlan) if field.name == "scheme")


@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_is_bound_to_the_sample_or_to_nothing(name):
    sample = PEOPLE if name in ("gamma-diagonal", "matrix") else BASKETS
    more = {"visible": 0.9} if name == "emask" else {}
    done = plan(CollectPlan(scheme=name, sample=sample, **more))
    assert done.bound_scheme().universe is not None
    assert done.study().private
    loose = {"emask": {"avg_support": 0.01, "records": 10**6}, "gamma-diagonal": {}, "matrix": {}}.get(
        name, {"max_length": 3}
    )
    with pytest.raises(UsageError, match="a scheme file needs the fields or items"):
        plan(CollectPlan(scheme=name, **loose)).bound_scheme()


def test_rare_values_are_noted_for_those_who_publish_the_scheme():
    few = pa.table({"sex": ["f", "m"] * 25 + ["f"], "ill": ["no", "flu"] * 25 + ["plague"]})
    done = plan(CollectPlan(sample=few))
    assert "(1 of ill)" in done.published[0]
    assert not any("plague" in text for text in (*done.published, *done.notes))
    assert plan(CollectPlan(sample=few, values={"ill": ["no", "flu", "plague"]})).published == ()


def test_goals_that_exclude_each_other_are_named_and_hard_ones_refused():
    goals = {"scheme": "emask", "avg_support": 0.01, "records": 1_000_000}
    assert "misses breach and error" in plan(CollectPlan(**goals)).notes[-1]
    assert plan(CollectPlan(**goals, error=0.5)).notes == ()
    with pytest.raises(CannotMeetError, match="cannot be reached"):
        plan(CollectPlan(**goals, hard=("breach", "error")))


def test_what_the_average_hides_is_said_until_it_is_bounded():
    asked = {"scheme": "emask", "sample": BASKETS, "visible": 0.6}
    assert any("for the commonest item; the goal worst_visible" in text for text in plan(CollectPlan(**asked)).notes)
    bounded = plan(CollectPlan(**asked, worst_visible=0.75))
    assert bounded.answer["attained"]["worst_visible"] <= 0.75
    assert not any("commonest" in text for text in bounded.notes)


def test_errors_are_forecast_once_the_records_are_known():
    done = plan(CollectPlan(sample=PEOPLE, records=500))
    assert set(done.answer["standard_error_by_length"]) == {"1", "2"}
    study = done.study()
    assert "Standard error of a support of 2%" in study.tables
    assert {chart.title for chart in study.charts} == {"How far a suspicion can rise", "What another gamma would cost"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"scheme": "frapp"}, "scheme='frapp' is none of: gamma-diagonal, matrix, mask"),
        ({"gamma": 5, "fields": 3}, "a plan of gamma-diagonal does not use fields"),
        ({"scheme": "mask", "fields": 3, "hard": ("error",)}, "does not use hard"),
        ({"scheme": "emask", "avg_support": 0.1, "records": 9, "bins": {"age": (3,)}}, "does not use bins"),
        ({"columns": ["sex"]}, "columns says how to read a file"),
        ({"gamma": 5, "rho1": 0.1}, "not both"),
        ({"rho1": 0.1}, "go together"),
        ({"scheme": "mask"}, "needs the number of fields"),
        ({"records": 10}, "once the fields are known"),
        ({"values": {"a": ["x", "y"]}, "bins": {"a": (3,)}}, "both bins and values"),
        ({"sample": BASKETS}, "for tables of fields"),
        ({"sample": BASKETS, "values": {"a": ["x", "y"]}}, "are for tables"),
        ({"scheme": "emask", "sample": PEOPLE}, "for records of items"),
        ({"scheme": "mask", "sample": PEOPLE, "fields": 2}, "leave out fields and max_length"),
    ],
)
def test_what_contradicts_itself_or_would_not_count_is_refused(asked, message):
    with pytest.raises(UsageError, match=message):
        plan(CollectPlan(**asked))


def test_a_plan_whose_scheme_protects_no_whole_record_says_so():
    threes = Transactions.from_lists([[str(i), str(i + 1), str(i + 2)] for i in range(40)] * 20)
    planned = plan(CollectPlan(scheme="emask", sample=threes, max_length=20))
    assert any(text.startswith("warning: telling whole records apart") for text in planned.notes)
    study = planned.study()
    assert study.warning.startswith("Next to no protection for whole records: gamma for whole records is ")
    assert "weak" not in study.facts, "a page says it once, in words"


def test_no_plan_sends_every_held_item_unless_asked():
    kept = plan(CollectPlan(scheme="emask", sample=baskets()))
    assert 0.98 < kept.answer["p"] < 0.993
    assert kept.answer["attained"]["absent"] == pytest.approx(100, rel=1e-4)
    assert kept.answer["attained"]["absent"] <= 100
    assert kept.answer["gamma_per_swapped_item"] < 1000
    assert any("as large as absent=100 allows" in text for text in kept.notes)
    planned = plan(CollectPlan(scheme="emask", sample=baskets(), absent=1e12))
    assert 0.999 < planned.answer["p"] < 1
    assert any("an item that someone holds is always sent" in text for text in planned.notes)
    assert "p = 1," not in planned.study().charts[0].note
    roomy = plan(CollectPlan(scheme="emask", avg_support=0.01, records=1_000_000))
    assert not any("always sent" in text for text in roomy.notes)
    assert roomy.study().warning == ""


def test_a_promise_may_come_as_epsilon():
    found = plan(CollectPlan(epsilon=2.9)).answer
    assert found["gamma"] <= math.exp(2.9)
    assert found["gamma"] == pytest.approx(math.exp(2.9))
    for wrong in ({"epsilon": 2.9, "gamma": 19}, {"epsilon": 1, "rho1": 0.05, "rho2": 0.5}):
        with pytest.raises(UsageError, match="not several"):
            plan(CollectPlan(**wrong))
    for absurd in (0, -1, 1e308):
        with pytest.raises(RequirementError, match="erases the data or bounds nothing"):
            plan(CollectPlan(epsilon=absurd))
    for absurd in (math.inf, math.nan):
        with pytest.raises(UsageError, match="is not a number"):
            CollectPlan(epsilon=absurd)
