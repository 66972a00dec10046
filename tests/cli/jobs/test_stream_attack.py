"""The adversaries against a recorded stream: the windows of a run, or those that are asked for."""

import pytest
from tests.stream.streams import records_file, released

from confide.cli.jobs.stream import StreamAttack
from confide.cli.jobs.stream_attack import attack_stream
from confide.core.errors import InputError, UsageError


def test_windows_are_looked_at_every_so_many_records(tmp_path):
    source = records_file(tmp_path)
    outcome = attack_stream(StreamAttack(records=source, min_support=25, window=400, every=300))
    assert len(outcome.answer) == 3  # after 400, 700 and 1,000 of 1,200 records
    assert len(attack_stream(StreamAttack(records=source, min_support=25, window=400, limit=2)).answer) == 2
    assert outcome.page().private


def test_the_windows_of_a_run_are_those_it_was_released_from(tmp_path):
    done = released(tmp_path)
    asked = {"records": tmp_path / "in.jsonl", "published": tmp_path / "out.jsonl"}
    outcome = attack_stream(StreamAttack(**asked))
    assert len(outcome.answer) == done.run.releases
    assert outcome.answer[0].published > 0
    left = outcome.document["squared error left to whoever knows the rules"]
    assert left["all releases smoothed"]["supports"] > 0.7 * left["one reading"]["supports"] > 5
    assert {"a constant guess", "Baum-Welch", "shifts undone", "smoothed and projected"} <= set(left)
    nested, known = (
        left[f"{name}, knowing what is rare"]
        for name in ("every block handed over, nested sets together", "one reading of each pattern")
    )
    for found in (nested, known):  # few patterns: how they compare is for the benchmark
        assert 0 < found["rare patterns"] < left["one reading"]["rare patterns"]
    assert len(attack_stream(StreamAttack(**asked, limit=3)).answer) == 3


def test_another_stream_than_that_of_the_run_is_refused(tmp_path):
    released(tmp_path)
    short = records_file(tmp_path, 600, name="short.jsonl")
    with pytest.raises(InputError, match="fewer records than the run was released from"):
        attack_stream(StreamAttack(records=short, published=tmp_path / "out.jsonl"))
    with pytest.raises(InputError, match="fewer records than a window"):
        attack_stream(StreamAttack(records=short, min_support=25, window=601))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "give published=, or min_support= and window="),
        ({"min_support": 5, "window": 100}, "min_support=5 is not above vulnerable=5; use min_support=6 or more"),
        ({"min_support": 25, "window": 100, "every": 0}, "use every=1 or more"),
    ],
)
def test_wrong_use_is_one_line(settings, message):
    with pytest.raises(UsageError, match=message):
        StreamAttack(records="in.jsonl", **settings)
