"""Kafka as source and sink: by the broker built into librdkafka, or the one that CONFIDE_KAFKA names."""

import json

import pytest
from tests.stream.kafka import put_messages, read_messages
from tests.stream.streams import records_file, release

from confide import verify
from confide.core.errors import InputError, UnreachableError, UsageError
from confide.core.streams.run import StreamRun
from confide.stream import replay_stream
from confide.stream.sources.kafka_source import KafkaSource


def text_of(url):
    """The whole text of a topic of releases, without its passport."""
    return b"".join(value for key, value in read_messages(url) if key != b"passport")


def test_a_stream_goes_through_kafka_both_ways(tmp_path, kafka_url):
    source, records, out = records_file(tmp_path, 900), kafka_url("records"), kafka_url("out")
    assert replay_stream(source, to=records) == 900
    done = release(records, to=out, output=tmp_path / "out.jsonl", limit=900)
    assert done.run.releases == 11
    assert [key for key, _ in read_messages(out)] == [b"%d" % n for n in range(12)]
    assert text_of(out) == (tmp_path / "out.jsonl").read_bytes()
    assert verify(tmp_path / "out.jsonl.passport.json").ok
    release(source, output=tmp_path / "file.jsonl")
    assert (tmp_path / "file.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_a_run_goes_on_from_the_message_where_it_ended(tmp_path, kafka_url):
    records, out = kafka_url("records"), kafka_url("out")
    replay_stream(records_file(tmp_path), to=records)
    for limit in (777, 1200):
        release(records, to=out, state=tmp_path / "state", limit=limit)
    assert [r.offset for r in StreamRun.from_bytes(text_of(out)).releases] == list(range(400, 1201, 50))


def test_a_run_to_kafka_alone_has_its_passport_there(tmp_path, kafka_url):
    out = kafka_url("out")
    for limit in (600, None):
        release(records_file(tmp_path), to=out, state=tmp_path / "state", limit=limit)
        passport = [value for key, value in read_messages(out) if key == b"passport"][-1]
        (tmp_path / "releases.jsonl").write_bytes(text_of(out))
        (tmp_path / "releases.jsonl.passport.json").write_bytes(passport)
        assert verify(tmp_path / "releases.jsonl.passport.json").ok
    assert [value is None for key, value in read_messages(out) if key == b"passport"] == [False, True, False]


def test_time_stamps_are_those_of_records_or_else_of_messages(tmp_path, kafka_url):
    url = kafka_url("records")
    put_messages(url, [json.dumps({"items": ["a", "b"], "time": second + 0.5}) for second in range(300)])
    release(url, seconds=100, every=60, scheme="basic", output=tmp_path / "out.jsonl", limit=300)
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert [(r.offset, r.until) for r in run.releases][:2] == [(101, 100.5), (161, 160.5)]
    put_messages(url, ['["a"]'] * 60)
    release(url, seconds=100, every=60, scheme="basic", output=tmp_path / "b.jsonl", limit=360)
    assert StreamRun.read(tmp_path / "b.jsonl").releases[-1].until > 1e9


def test_bad_messages_are_set_aside(tmp_path, kafka_url):
    url, aside = kafka_url("records"), tmp_path / "bad.jsonl"
    good = [json.dumps(["a", "b"]).encode()] * 450
    put_messages(url, [*good[:420], b"no JSON", None, b'"milk"', *good[420:]])
    with pytest.raises(InputError, match=r"kafka topic records-\w+, offset 420: not JSON; a message is a list"):
        release(url, output=tmp_path / "a.jsonl", limit=450)
    assert len(StreamRun.read(tmp_path / "a.jsonl").releases) == 1
    done = release(url, output=tmp_path / "b.jsonl", limit=450, bad_records=str(aside))
    assert done.run.offset == 450
    assert [json.loads(line)["at"] for line in aside.read_text().splitlines()] == [
        f"offset {n}" for n in (420, 421, 422)
    ]


def test_records_that_are_gone_or_changed_are_not_made_up_for(tmp_path, kafka_url):
    records, other = kafka_url("records"), kafka_url("other")
    rows = [json.dumps(row) for row in (["a", "b"], ["a"], ["b", "c"])] * 300
    put_messages(records, rows[:600])
    release(records, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=600)
    put_messages(other, [*rows[:300], '["z"]', *rows[301:]])
    with pytest.raises(
        InputError, match="offset 901 is asked for, but it holds 0 to 900: the records of the window are"
    ):
        next(KafkaSource(url=other).batches({"offset": 901}, lambda: False))
    with pytest.raises(InputError, match="holds other records than before, and noise used twice cancels"):
        release(other, output=tmp_path / "out.jsonl", state=tmp_path / "state", limit=900)


def test_what_is_wrong_is_said_in_one_line(tmp_path, kafka_url):
    url, plain = kafka_url("records"), kafka_url("records").partition("?")[0]
    with pytest.raises(InputError, match="there is no such topic; make it first"):
        release(url, output=tmp_path / "a.jsonl")
    put_messages(url, ['["a"]'])
    with pytest.raises(UsageError, match="holds messages already; use another topic"):
        release(records_file(tmp_path), to=url, state=tmp_path / "state")
    assert not (tmp_path / "state").exists()
    for address in ("kafka://", f"{plain}?partition=-1", f"{plain}?group=x", "kafka://me:secret@127.0.0.1:1/x"):
        with pytest.raises(UsageError, match="a Kafka topic is written kafka://host:9092/TOPIC") as refused:
            release(address, output=tmp_path / "b.jsonl")
        assert "secret" not in str(refused.value)
    with pytest.raises(UsageError, match="has no partition 77"):
        release(f"{plain}?partition=77", output=tmp_path / "c.jsonl")


@pytest.mark.usefixtures("kafka_servers")
def test_a_broker_that_is_not_there_is_said_to_be_away(tmp_path, monkeypatch):
    monkeypatch.setattr("confide.stream.sources.kafka_topic._ANSWER", 0.3)
    with pytest.raises(UnreachableError, match=r"kafka topic x: no broker answers at 127\.0\.0\.1:1"):
        release("kafka://127.0.0.1:1/x", output=tmp_path / "a.jsonl")


def test_settings_of_the_client_come_from_a_file(tmp_path, kafka_url, monkeypatch):
    settings = tmp_path / "client.properties"
    monkeypatch.setenv("CONFIDE_KAFKA_CONFIG", str(settings))
    settings.write_text("# of this client\nno.such.setting = 1\n")
    with pytest.raises(UsageError, match=r'No such configuration property: "no.such.setting"'):
        release(kafka_url("records"), output=tmp_path / "a.jsonl")
    settings.write_text("client.id = confide\nwhat\n")
    with pytest.raises(InputError, match=r"line 2: a setting is written name=value"):
        release(kafka_url("records"), output=tmp_path / "b.jsonl")
