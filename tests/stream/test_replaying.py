import json
import time

import pytest
from tests.stream.streams import records_file

from confide.core.errors import RequirementError, UsageError
from confide.stream import replay_stream


def test_records_come_no_faster_than_asked_for(tmp_path, capsys):
    source = records_file(tmp_path, 60)  # one a second
    began = time.monotonic()
    assert replay_stream(source, rate=100, limit=31) == 31
    assert replay_stream(source, speed=100, limit=31) == 31
    assert time.monotonic() - began >= 0.6
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 62
    assert isinstance(lines[0], list)
    assert lines[31]["time"] == 1000


def test_it_stops_when_told(tmp_path):
    source = records_file(tmp_path, 60)
    asked = iter(range(20))
    assert replay_stream(source, rate=0.001, stopped=lambda: next(asked, None) is None) == 1


def test_two_speeds_or_none_at_all_are_refused(tmp_path):
    with pytest.raises(UsageError, match="two ways to say how fast"):
        replay_stream(records_file(tmp_path, 5), rate=1, speed=1)
    with pytest.raises(RequirementError, match="rate=0 plays nothing"):
        replay_stream(records_file(tmp_path, 5), rate=0)
