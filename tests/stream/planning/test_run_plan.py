import numpy as np
import pytest
from tests.stream.streams import records_file

from confide import OutputPrivacy, Transactions
from confide.core.errors import CannotMeetError, InputError
from confide.core.jobs.request_files import read_request
from confide.core.samples import baskets
from confide.stream import plan_run
from confide.stream.blocks.law import RunNoise
from confide.stream.jobs.readings import plan
from confide.stream.jobs.requests import StreamPlan, StreamRelease
from confide.stream.planning.run_plan import _cut_reading


def test_precision_leads_to_the_largest_delta_within_it():
    found = plan_run(min_support=25, error=0.15).requirement
    RunNoise.of(found, blocks=20)
    more = OutputPrivacy(epsilon=found.epsilon, delta=found.delta + 0.01, min_support=25, vulnerable=5)
    with pytest.raises(Exception, match="too small"):
        RunNoise.of(more, blocks=20)


def test_precision_that_leaves_no_room_says_what_would():
    with pytest.raises(CannotMeetError, match=r"error=0\.01 leaves room .* nearest that works: error="):
        plan_run(min_support=25, error=0.01)
    with pytest.raises(InputError, match="too few for two windows"):
        plan_run(min_support=25, sample=baskets(300, seed=1), window=400, every=100)


def test_noise_is_raised_until_adversaries_are_left_with_what_was_asked_for():
    planned = plan_run(min_support=25, delta=0.2, sample=baskets(700, seed=7), window=400, every=50)
    assert planned.tried[-1].enough
    assert planned.requirement.delta == planned.tried[-1].delta >= 0.2
    assert all(not one.enough for one in planned.tried[:-1])
    assert planned.answer["tried on the sample"][0]["delta"] == 0.2


def test_one_reading_cut_at_0_by_draws():
    draw = np.random.default_rng(1).normal(0, 10**0.5, size=200_000)
    wanted = np.mean([np.mean((np.maximum(n + draw, 0) - n) ** 2) for n in (1, 2, 3, 4, 5)])
    assert _cut_reading(10.0, range(1, 6)) == pytest.approx(wanted, rel=0.01)


def test_the_request_that_is_written_is_the_release_that_was_planned(tmp_path):
    outcome = plan(StreamPlan(min_support=25, window=400, every=50, records=records_file(tmp_path)))
    outcome.files["request"](tmp_path / "plan.toml", False)
    job, request, _ = read_request(tmp_path / "plan.toml")
    assert job.name == "stream release"
    assert isinstance(request, StreamRelease)
    assert (request.window, request.every, request.promise) == (400, 50, "run")
    assert request.epsilon == outcome.answer.requirement.epsilon
    assert len(Transactions.read(request.records)) == 1200
