from tests.stream.sources.test_bad_records import spoilt
from tests.stream.streams import release

from confide.stream.live.meters import RunMeters


def test_a_monitor_sees_releases_records_and_what_was_withheld_or_bad(tmp_path):
    meters = RunMeters()
    done = release(spoilt(tmp_path), output=tmp_path / "out.jsonl", bad_records="skip", meters=meters)
    lines = dict(line.split() for line in meters.text().splitlines() if not line.startswith("#"))
    assert lines["confide_stream_releases_total"] == "17"
    assert lines["confide_stream_records_total"] == "1200"
    assert lines["confide_stream_bad_records_total"] == "2"
    assert int(lines["confide_stream_withheld_total"]) == done.run.frequent - done.run.published > 0
    assert float(lines["confide_stream_since_release_seconds"]) >= 0
    assert "confide_stream_lag_seconds" not in lines


def test_windows_by_time_also_say_how_late_they_are():
    meters = RunMeters()
    meters.count_release(records=10, withheld=0, until=0.0)
    assert "confide_stream_lag_seconds 1" in meters.text()
