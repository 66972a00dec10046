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
    path.write_text('milk\n"open\n')
    with pytest.raises(InputError, match="line 2: not CSV"):
        list(FileSource(path=path).batches(None, lambda: False))
