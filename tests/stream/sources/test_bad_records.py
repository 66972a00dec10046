import json
import stat

import pytest
from tests.stream.streams import records_file, release

from confide.core.errors import InputError
from confide.core.streams.run import StreamRun
from confide.stream.sources.redis_source import stream_of
from confide.stream.sources.text_source import FileSource


def spoilt(folder):
    """A stream of which lines 451 and 700 are no records."""
    source = records_file(folder)
    lines = source.read_text().splitlines(keepends=True)
    lines.insert(450, "not JSON\n")
    lines.insert(699, '{"items": 7}\n')
    source.write_text("".join(lines))
    return source


def offsets(folder):
    return [one.offset for one in StreamRun.read(folder / "out.jsonl").releases]


def test_a_run_stops_at_a_bad_record_and_keeps_what_came_before(tmp_path):
    with pytest.raises(InputError, match="line 451: not JSON"):
        release(spoilt(tmp_path), output=tmp_path / "out.jsonl", state=tmp_path / "state")
    assert offsets(tmp_path) == [400, 450]


def test_bad_records_are_left_out_or_set_aside(tmp_path):
    source = spoilt(tmp_path)
    release(source, output=tmp_path / "out.jsonl", bad_records="skip")
    assert offsets(tmp_path) == list(range(400, 1201, 50))
    whole = (tmp_path / "out.jsonl").read_bytes()
    aside = tmp_path / "bad.jsonl"
    release(source, output=tmp_path / "out.jsonl", bad_records=str(aside), replace=True)
    assert (tmp_path / "out.jsonl").read_bytes() == whole
    found = [json.loads(line) for line in aside.read_text().splitlines()]
    assert [(one["at"], one["record"]) for one in found] == [("line 451", "not JSON"), ("line 700", '{"items": 7}')]
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_bad_entries_of_redis_are_left_out(tmp_path, redis_url):
    import redis

    url = redis_url("records")
    client = redis.Redis.from_url(stream_of(url)[0])
    for i in range(450):
        client.xadd(stream_of(url)[1], {"items": json.dumps(["a", "b"])} if i != 7 else {"wrong": "1"})
    done = release(url, output=tmp_path / "out.jsonl", bad_records="skip", limit=449)
    assert done.run.offset == 449


def test_csv_has_a_record_a_line(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('milk,bread\n"a, b", c,\n\nmilk\n')
    rows = [list(row) for batch in FileSource(path=path).batches(None, lambda: False) for row in batch.rows]
    assert [sorted(row) for row in rows] == [["bread", "milk"], ["a, b", "c"], [], ["milk"]]
    path.write_text('"a;b"\nmilk;bread\n')  # as spreadsheets of some languages write it
    with pytest.raises(InputError, match="line 2: semicolons stand between the items"):
        list(FileSource(path=path).batches(None, lambda: False))
    path.write_text('milk\n"open\n')
    with pytest.raises(InputError, match="line 2: not CSV"):
        list(FileSource(path=path).batches(None, lambda: False))


BY_TIME = {"seconds": 300, "every_seconds": 50}


def with_late_records(folder):
    """A stream by time of which lines 451 and 701 are older than what came before."""
    source = records_file(folder)
    lines = source.read_text().splitlines(keepends=True)
    lines.insert(450, '{"items": ["late"], "time": 1200}\n')
    lines.insert(700, '{"items": ["late"], "time": 1690}\n')
    source.write_text("".join(lines))
    return source


def test_a_record_that_is_late_is_a_bad_record(tmp_path):
    source, aside = with_late_records(tmp_path), tmp_path / "late.jsonl"
    with pytest.raises(InputError, match=r"in\.jsonl, line 451: a time stamp is older than one before it"):
        release(source, output=tmp_path / "out.jsonl", **BY_TIME)
    assert offsets(tmp_path) == [350, 400]  # what came before
    release(source, output=tmp_path / "out.jsonl", replace=True, bad_records=str(aside), **BY_TIME)
    assert [json.loads(line)["at"] for line in aside.read_text().splitlines()] == ["line 451", "line 701"]
    plain = records_file(tmp_path, name="plain.jsonl")
    release(plain, output=tmp_path / "plain.out.jsonl", **BY_TIME)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "plain.out.jsonl").read_bytes()


def test_a_late_record_is_late_again_where_a_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("confide.stream.sources.text_source._BLOCK", 4000)  # so that a window begins behind it
    source = with_late_records(tmp_path)
    options = {**BY_TIME, "bad_records": "skip", "noise_key": tmp_path / "key"}
    release(source, output=tmp_path / "whole.jsonl", **options)
    for limit in (455, 620, 705, 760, 900, None):
        release(source, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=limit, **options)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_late_entries_of_redis_are_set_aside(tmp_path, redis_url):
    import redis

    url, aside = redis_url("records"), tmp_path / "late.jsonl"
    client = redis.Redis.from_url(stream_of(url)[0])
    for i in range(500):
        record = {"items": ["a", "b"], "time": 1000 + i - (40 if i == 450 else 0)}
        client.xadd(stream_of(url)[1], {"items": json.dumps(record)}, id=f"{i + 1}-0")
    done = release(url, output=tmp_path / "out.jsonl", bad_records=str(aside), limit=499, **BY_TIME)
    assert done.run.offset == 499
    assert [json.loads(line)["at"] for line in aside.read_text().splitlines()] == ["entry 451-0"]
