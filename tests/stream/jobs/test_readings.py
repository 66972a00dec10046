"""Plan, look and replay, as a script asks for them."""

import json

import pytest
from tests.stream.streams import records_file, released

from confide import Transactions
from confide.core.errors import UsageError
from confide.stream.jobs.readings import look, plan, replay
from confide.stream.jobs.requests import StreamLook, StreamPlan, StreamReplay


def test_a_plan_is_private_once_records_were_looked_at(tmp_path):
    asked = {"min_support": 25, "delta": 0.4, "window": 300, "promise": "none"}
    assert not plan(StreamPlan(**asked)).page().private
    sample = Transactions.read(records_file(tmp_path))
    tried = plan(StreamPlan(**asked, sample=sample))
    assert tried.page().private
    assert tried.document["schemes"]
    assert tried.document == plan(StreamPlan(**asked, sample=tmp_path / "in.jsonl")).document


def test_a_look_gives_the_largest_sets_of_a_release_or_its_rules(tmp_path):
    released(tmp_path)
    run = tmp_path / "out.jsonl"
    first = look(StreamLook(run=run, release=1, top=3))
    assert first.title == "release 1, after 400 records"
    values = [row["value"] for row in first.rows()]
    assert len(values) == 3
    assert values == sorted(values, reverse=True)
    assert "after 1,200 records" in look(StreamLook(run=run)).title
    assert {"low", "high"} <= set(next(iter(look(StreamLook(run=run, rules=0.2)).rows())))


@pytest.mark.parametrize(
    ("request_type", "settings", "message"),
    [
        (StreamLook, {"run": "x", "top": 3, "rules": 0.5}, "two questions"),
        (StreamPlan, {"min_support": 25, "error": 0.1, "epsilon": 0.01}, "say the same"),
        (StreamPlan, {"min_support": 25, "window": 0}, "use window=1 or more"),
        (StreamReplay, {"records": "x", "limit": 0}, "use limit=1 or more"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(request_type, settings, message):
    with pytest.raises(UsageError, match=message):
        request_type(**settings)


def test_a_replay_prints_the_records_and_counts_them(tmp_path, capsys):
    outcome = replay(StreamReplay(records=records_file(tmp_path, 30), limit=20))
    assert outcome.answer == 20
    assert outcome.notes == ("20 records played",)
    assert len([json.loads(line) for line in capsys.readouterr().out.splitlines()]) == 20
