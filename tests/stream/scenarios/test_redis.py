"""Redis Streams as source and sink, on a real server."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest
import redis
from tests.commands import confide
from tests.stream.streams import records_file, release

from confide import verify
from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.streams.run import StreamRun
from confide.stream import replay_stream
from confide.stream.sources.redis_source import stream_of


def client(url):
    return redis.Redis.from_url(stream_of(url)[0])


def lines(url):
    """(ids, whole text) of a stream of releases."""
    entries = client(url).xrange(stream_of(url)[1])
    return [id.decode() for id, _ in entries], b"".join(fields[b"line"] for _, fields in entries)


def test_a_stream_goes_through_redis_both_ways(tmp_path, redis_url):
    source, records, out = records_file(tmp_path, 900), redis_url("records"), redis_url("out")
    assert replay_stream(source, to=records) == 900
    done = release(records, to=out, output=tmp_path / "out.jsonl", limit=900)
    assert done.run.releases == 11
    ids, text = lines(out)
    assert ids == ["0-1", *(f"{n}-0" for n in range(1, 12))]
    assert text == (tmp_path / "out.jsonl").read_bytes()
    assert verify(tmp_path / "out.jsonl.passport.json").ok
    release(source, output=tmp_path / "file.jsonl")
    from_file = StreamRun.read(tmp_path / "file.jsonl")
    assert [r.data for r in from_file.releases] == [r.data for r in StreamRun.from_bytes(text).releases]


def test_a_run_goes_on_from_the_entry_where_it_ended(tmp_path, redis_url):
    records, out = redis_url("records"), redis_url("out")
    replay_stream(records_file(tmp_path), to=records)
    for limit in (555, 777, 1200):
        release(records, to=out, state=tmp_path / "state", limit=limit)
    run = StreamRun.from_bytes(lines(out)[1])
    assert [r.offset for r in run.releases] == list(range(400, 1201, 50))


def test_time_stamps_are_those_of_records_or_else_of_ids(tmp_path, redis_url):
    url = redis_url("records")
    server = client(url)
    for second in range(300):
        server.xadd(stream_of(url)[1], {"items": json.dumps(["a", "b"])}, id=f"{second * 1000 + 5}-0")
    release(url, seconds=100, every=60, scheme="basic", output=tmp_path / "out.jsonl", limit=300)
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert [(r.offset, r.until) for r in run.releases][:2] == [(101, 100.005), (161, 160.005)]


def test_killed_and_started_again_redis_gets_each_release_once(tmp_path, redis_url):
    records, out = redis_url("records"), redis_url("out")
    replay_stream(records_file(tmp_path, 2400, name="in.dat"), to=records)
    options = [
        "--noise-key",
        "key",
        "--min-support",
        "25",
        "--window",
        "400",
        "--every",
        "5",
        "--sync",
        "each",
        "--state",
        "state",
    ]
    command = [sys.executable, "-m", "confide", "stream", "release", records, "--to", out, *options]
    server, draw = client(out), random.Random(3)
    for _ in range(2):
        before = server.xlen(stream_of(out)[1])
        started = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while server.xlen(stream_of(out)[1]) <= before and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(draw.random() * 0.1)
        started.send_signal(signal.SIGKILL)
        started.wait()
    assert 0 < server.xlen(stream_of(out)[1]) < 402
    arguments = ["stream", "release", records, "--to", out, *options, "--limit", "2400"]
    done = confide(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ids, text = lines(out)
    assert ids == ["0-1", *(f"{n}-0" for n in range(1, 402))]
    assert [r.offset for r in StreamRun.from_bytes(text).releases] == list(range(400, 2401, 5))


def test_what_is_wrong_is_said_in_one_line(tmp_path, redis_url):
    url, server = redis_url("records"), client(redis_url("x"))
    stream = stream_of(url)[1]
    server.xadd(stream, {"other": "field"})
    with pytest.raises(InputError, match=r"entry \d+-0: no field items that is a JSON list"):
        release(url, output=tmp_path / "a.jsonl", limit=10)
    server.delete(stream)
    server.xadd(stream, {"items": '"milk"'})
    with pytest.raises(InputError, match="a record is not a set of items"):
        release(url, output=tmp_path / "b.jsonl", limit=10)
    with pytest.raises(UsageError, match="holds entries already; use another stream"):
        release(records_file(tmp_path), to=url, state=tmp_path / "state")
    assert not (tmp_path / "state").exists()
    with pytest.raises(UsageError, match=r"to= names no stream; write redis://host:port/0\?stream=NAME"):
        release(records_file(tmp_path), to="redis://127.0.0.1:1/0")
    with pytest.raises(UnreachableError, match="no server answers there"):
        release("redis://:secret@127.0.0.1:1/0?stream=x", output=tmp_path / "c.jsonl")
    server.set(f"{stream}-text", "x")
    with pytest.raises(InputError, match="cannot be read: WRONGTYPE"):
        release(f"{url}-text", output=tmp_path / "d.jsonl")


def test_a_password_comes_from_the_environment_and_never_from_the_command(tmp_path, redis_url, monkeypatch):
    plain, source = redis_url("records"), records_file(tmp_path, 300)
    client(plain).execute_command("ACL", "SETUSER", "tester", "on", ">geheim", "~*", "+@all")
    url = plain.replace("unix://", "unix://tester@")
    with pytest.raises(UsageError, match="set REDISCLI_AUTH"):
        replay_stream(source, to=url)
    monkeypatch.setenv("REDISCLI_AUTH", "geheim")
    assert replay_stream(source, to=url) == 300
    for command in (["release", f"{plain}&password=geheim"], ["replay", source, "--to", f"{plain}&password=geheim"]):
        done = confide("stream", *command, cwd=tmp_path)
        assert done.returncode == 2
        assert "REDISCLI_AUTH" in done.stderr
        assert "geheim" not in done.stderr


def test_a_run_to_redis_alone_has_its_passport_there(tmp_path, redis_url):
    out = redis_url("out")
    for limit in (600, None):
        release(records_file(tmp_path), to=out, state=tmp_path / "state", limit=limit)
        text = client(out).get(f"{stream_of(out)[1]}:passport")
        (tmp_path / "releases.jsonl").write_bytes(lines(out)[1])
        (tmp_path / "releases.jsonl.passport.json").write_bytes(text)
        assert verify(tmp_path / "releases.jsonl.passport.json").ok
