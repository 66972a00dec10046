"""The collector as clients meet it: a real process, real requests."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import threading
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collector import Collector, ask, refusal, submission
from tests.patience import LONG, wait_until

from confide.cli.root import confide
from confide.collect import CutAndPaste, Emask, GammaDiagonal, Scheme
from confide.collect.service.client import Client
from confide.collect.service.desk import read_submission
from confide.collect.service.server import MAX_BODY, operator_warnings
from confide.collect.service.store import Submission, opened, read_store
from confide.web.bodies import Refusal

SCHEME = GammaDiagonal(domains={"sex": ["F", "M"], "größe": 4}, gamma=19)
ITEMS = Emask(p=0.5, q=0.97, items=tuple("abcdef"), max_length=2)


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    folder = tmp_path_factory.mktemp("collector")
    with Collector(folder, SCHEME, str(folder / "answers.duckdb"), "--title", "A <b> title") as running:
        yield running


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.0.1"])
def test_a_collector_on_this_machine_alone_needs_no_warning(host):
    assert [*operator_warnings(SCHEME, host=host, tls=False)] == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "answers.example.org"])
def test_a_collector_that_others_can_reach_without_tls_warns_its_operator(host):
    (said,) = operator_warnings(SCHEME, host=host, tls=False)
    assert "without TLS anyone on the way can change the page" in said
    assert [*operator_warnings(SCHEME, host=host, tls=True)] == []


def test_a_scheme_that_protects_little_warns_its_operator():
    weak = GammaDiagonal(domains={"sex": ["F", "M"]}, gamma=2000)
    (said,) = operator_warnings(weak, host="127.0.0.1", tls=False)
    assert said.startswith("warning: a gamma above 1,000 is weak protection")


def test_the_published_scheme_is_the_text_its_fingerprint_is_of(collector):
    status, data, _ = ask(collector.url + "scheme.json")
    assert status == 200
    assert Scheme.from_dict(data) == SCHEME
    with urllib.request.urlopen(collector.url + "scheme.json") as answer:
        assert hashlib.sha256(answer.read()).hexdigest() == SCHEME.fingerprint


def test_a_batch_is_acknowledged_and_counted_once_however_often_it_is_sent(collector):
    before = ask(collector.url + "count")[1]["records"]
    sent = submission(SCHEME, [[0, 1], [1, 3]])
    first = ask(collector.url + "records", sent)
    again = ask(collector.url + "records", sent)
    assert first[:2] == (200, {"submission": sent["submission"], "records": 2, "state": "stored"})
    assert again[:2] == (200, {"submission": sent["submission"], "records": 2, "state": "already stored"})
    status, said, _ = ask(collector.url + "records", sent | {"records": [[0, 0]]})
    assert (status, said) == (409, {"error": "this submission id was used for other records; nothing was stored"})
    wait_until(lambda: ask(collector.url + "count")[1]["records"] == before + 2)


@pytest.mark.parametrize(
    ("records", "line"),
    [
        ([[0, 1], [0]], "record 2 does not fit the scheme: a record has 1 codes for 2 fields"),
        ([[0, 4]], "outside 0..3"),
        ([[0, -1]], "outside 0..3"),
        ([[0, True]], "whole numbers"),
        ([[0, 1.0]], "whole numbers"),
        ([[0, "1"]], "whole numbers"),
        ([[0, None]], "whole numbers"),
        ([{"sex": 1}], "whole numbers"),
        ([[0, 10**30]], "outside 0..3"),
        (["01"], "whole numbers"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_in_one_line(collector, records, line):
    status, said, _ = ask(collector.url + "records", submission(SCHEME, records))
    assert status == 422
    assert set(said) == {"error"}
    assert line in said["error"]
    assert "\n" not in said["error"]


@pytest.mark.parametrize(
    ("change", "status", "line"),
    [
        ({"scheme": "0" * 64}, 409, "another scheme"),
        ({"scheme": None}, 409, "another scheme"),
        ({"submission": "no"}, 400, "UUID"),
        ({"submission": 7}, 400, "UUID"),
        ({"submission": "{" + str(uuid.UUID(int=5)) + "}"}, 400, "UUID"),
        ({"submission": str(uuid.uuid1())}, 400, "random UUID"),  # tells the time and the machine
        ({"records": []}, 400, "1 to 10,000"),
        ({"records": {}}, 400, "1 to 10,000"),
        ({"records": [[0, 0]] * 10_001}, 400, "1 to 10,000"),
        ({"name": "Ann"}, 400, "nothing else"),
    ],
)
def test_a_request_that_is_put_together_wrongly_is_refused_in_one_line(collector, change, status, line):
    found, said, _ = ask(collector.url + "records", submission(SCHEME, [[0, 0]]) | change)
    assert found == status
    assert line in said["error"]


def test_what_is_not_json_or_too_much_is_refused(collector):
    post = collector.url + "records"
    assert ask(post, raw=b"{")[0] == 400
    assert ask(post, raw=b"\xff\xfe")[0] == 400
    assert ask(post, raw=b"[" * 100_000)[0] == 400
    assert ask(post, raw=b"9" * 5000)[0] == 400
    assert ask(post, submission(SCHEME, [[0, 0]]), kind="text/plain")[0] == 415
    assert ask(collector.url + "records")[0] == 405
    assert ask(collector.url + "elsewhere")[0] == 404
    status, said, _ = ask(post, raw=b" " * (5 << 20))
    assert status == 413
    assert "smaller batches" in said["error"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {
        "scheme": st.just(SCHEME.fingerprint) | JSON,
        "submission": st.uuids().map(str) | JSON,
        "records": st.lists(st.lists(st.integers(-1, 4) | JSON, max_size=3) | JSON, max_size=3),
    },
    optional={"code": st.from_regex("[A-Za-z0-9_-]{1,64}", fullmatch=True) | JSON},
)


@given(st.binary(max_size=40) | (JSON | NEARLY).map(lambda value: json.dumps(value).encode()))
def test_whatever_is_posted_is_read_as_a_fitting_submission_or_refused_in_one_line(body):
    try:
        read, code = read_submission(SCHEME, body)
    except Refusal as refusal:
        assert 400 <= refusal.status < 500
        assert len(str(refusal).splitlines()) == 1
        return
    assert len(read.codes) == 2 * len(read.lengths)
    assert set(read.lengths) == {2}
    assert code is None or code.isascii()


def test_every_page_forbids_what_it_does_not_need(collector):
    for path in ("", "form", "confide.js", "form.js", "collect.css", "scheme.json", "count", "nothing"):
        headers = ask(collector.url + path)[2]
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
        assert "set-cookie" not in headers
        assert "access-control-allow-origin" not in headers


def test_the_notice_says_what_leaves_and_escapes_what_it_is_given(collector):
    page = ask(collector.url)[1]
    assert "A &lt;b&gt; title" in page
    assert "gamma: 19" in page
    assert "epsilon: 2.94" in page
    assert "5% becomes at most 50%" in page
    assert "With a chance of 69% it sends your answers as they are" in page  # (19-1)/(19+8-1)
    assert "two draws together have a gamma of 361" in page
    assert SCHEME.fingerprint in page
    assert "http" not in page.replace("https", "http").replace(collector.url, "")  # nothing from elsewhere


def test_many_clients_at_once_each_get_their_own_answer(collector):
    sent = [submission(SCHEME, [[i % 2, i % 4]]) for i in range(40)]
    sent += sent[:20] + [one | {"records": [[(one["records"][0][0] + 1) % 2, 0]]} for one in sent[:10]]
    found = [None] * len(sent)

    def run(i):
        found[i] = ask(collector.url + "records", sent[i])[:2]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(sent))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_id = {}
    for one, (status, _) in zip(sent, found, strict=True):
        by_id.setdefault(one["submission"], []).append((status, one["records"]))
    for answers in by_id.values():
        taken = {json.dumps(records) for status, records in answers if status == 200}
        assert len(taken) == 1  # whichever came first holds, and only that
        assert all(status == 409 for status, records in answers if json.dumps(records) not in taken)


def test_neither_store_nor_log_holds_who_sent(tmp_path):
    marks = ("Mallory-Agent", "mallory.example", "203.0.113.77", "secret-cookie", "127.0.0.1")
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb")) as collector:
        body = json.dumps(submission(SCHEME, [[1, 2]])).encode()
        with socket.create_connection(("127.0.0.1", int(collector.url.rsplit(":", 1)[1].strip("/")))) as link:
            local = str(link.getsockname()[1])
            link.sendall(
                b"POST /records?name=Mallory-Agent HTTP/1.1\r\nHost: mallory.example\r\nUser-Agent: Mallory-Agent\r\n"
                b"X-Forwarded-For: 203.0.113.77\r\nCookie: a=secret-cookie\r\nContent-Type: application/json\r\n"
                b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            answer = link.recv(65536)
        assert b"200 OK" in answer
        ask(collector.url + "records", raw=b"{")  # errors are not logged either
        assert collector.stop() == 0
        said = collector.said.replace(collector.url, "")
    assert not any(mark in said for mark in (*marks, local))
    for path in tmp_path.glob("a.duckdb*"):
        held = path.read_bytes()
        assert not any(mark.encode() in held for mark in marks)
    store = duckdb.connect(str(tmp_path / "a.duckdb"))
    columns = store.sql("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    assert sorted(columns) == [
        ("confide_notes", "name"),
        ("confide_notes", "text"),
        ("confide_scheme", "fingerprint"),
        ("confide_scheme", "scheme"),
        ("confide_submissions", "codes"),
        ("confide_submissions", "lengths"),
        ("confide_submissions", "submission"),
    ]
    notes = store.sql("SELECT name, text FROM confide_notes").fetchall()
    assert notes == [("questions", "{}")], "notes are about the survey: its questions and its state"


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_well_and_what_was_sent_is_there(tmp_path, sig):
    with Collector(tmp_path, ITEMS, str(tmp_path / "a.duckdb")) as collector:
        ask(collector.url + "records", submission(ITEMS, [[0, 5], []]))
        assert collector.stop(sig) == 0
    assert "everything acknowledged is stored" in collector.said
    assert "Traceback" not in collector.said
    assert sorted(sorted(row) for row in read_store(collector.store).records) == [[], ["a", "f"]]
    with Collector(tmp_path, ITEMS, collector.store) as again:
        assert "2 records held" in again.said


def test_a_taken_port_a_used_store_and_a_silent_database_end_in_one_line(collector, tmp_path):
    port = collector.url.rsplit(":", 1)[1].strip("/")
    SCHEME.write(tmp_path / "s.json")
    for options, status, line in [
        (["--store", tmp_path / "a.duckdb", "--port", port], 2, f"cannot listen on 127.0.0.1 port {port}"),
        (["--store", collector.store, "--port", 0], 2, "in use by another process"),
        (["--store", "postgresql://127.0.0.1:1/x", "--port", 0], 3, "refused"),
        (["--store", tmp_path / "s.json", "--port", 0], 2, "not a DuckDB file"),
        (["--store", tmp_path / "a.duckdb", "--port", 0, "--key", "k.pem"], 2, "go together"),
    ]:
        found, said = refusal("collect", "serve", tmp_path / "s.json", *options)
        assert found == status
        assert line in said
        assert "\n" not in said


def test_a_scheme_without_a_universe_cannot_be_served(tmp_path):
    scheme = CutAndPaste(K=2, rho=0.4)
    scheme.write(tmp_path / "s.json")
    status, line = refusal("collect", "serve", tmp_path / "s.json", "--store", tmp_path / "a.duckdb", "--port", 0)
    assert status == 2
    assert "neither items nor fields" in line
    assert not (tmp_path / "a.duckdb").exists()


def test_what_was_collected_is_mined_from_the_store(tmp_path):
    """2,000 people, 60% of them F; the estimate lies within 5 standard errors (false-alarm rate below 1e-6)."""
    with Collector(tmp_path, SCHEME, str(tmp_path / "a.duckdb")) as collector:
        link = Client(collector.url)
        for start in range(0, 2000, 500):
            people = [("F" if i % 5 < 3 else "M", str(i % 4)) for i in range(start, start + 500)]
            link.submit([SCHEME.encode(SCHEME.perturb(person)) for person in people])
        collector.stop()
    found = read_store(collector.store, scheme=SCHEME)
    mined = SCHEME.mine(found.records, min_support=0.2)
    estimates = {labels: i for i, (labels, _) in enumerate(mined)}
    female = estimates[("sex=F",)]
    assert abs(mined.columns["estimate"][female] - 1200) < 5 * mined.columns["std_error"][female]


@pytest.mark.parametrize("scheme", [SCHEME, ITEMS])
def test_what_was_collected_is_exported_with_a_passport_that_verifies(scheme, tmp_path):
    scheme.write(tmp_path / "s.json")
    store = str(tmp_path / "a.duckdb")
    with opened(store, scheme) as writing:
        writing.add([Submission.of(uuid.uuid4(), [[0, 1], [1, 3]])])
    export = ["collect", "serve", tmp_path / "s.json", "--store", store, "--export", tmp_path / "out.csv"]
    confide.main([str(word) for word in export], standalone_mode=False)
    text = (tmp_path / "out.csv").read_text()
    assert all(word in text for word in (["sex", "größe", "F", "M"] if scheme is SCHEME else ["a,b", "b,d"]))
    confide.main(["verify", str(tmp_path / "out.csv.passport.json")], standalone_mode=False)
    status, line = refusal(*export)
    assert status == 2
    assert "exists" in line


def test_unfinished_bodies_neither_fill_the_memory_nor_stop_others(tmp_path):
    """One client sends all but the last bytes of 4 MiB 150 times and waits: 16 are held, the others are sent away."""
    unfinished, body = [], b"x" * (MAX_BODY - 100)
    with Collector(tmp_path, SCHEME, str(tmp_path / "s.duckdb")) as collector:
        port = int(collector.url.rstrip("/").rpartition(":")[2])
        before = resident(collector.process.pid)
        try:
            for _ in range(150):
                link = socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=("127.0.0.2", 0))
                unfinished.append(link)
                head = (
                    f"POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {MAX_BODY}"
                )
                with contextlib.suppress(OSError):  # refused already
                    link.sendall(head.encode() + b"\r\n\r\n" + body)
            grown = resident(collector.process.pid) - before
            assert grown < 16 * MAX_BODY * 1.25 + (64 << 20)
            assert ask(collector.url + "count")[0] == 200
        finally:
            for link in unfinished:
                link.close()


@pytest.mark.parametrize("proxy", [False, True], ids=["direct", "behind a proxy"])
def test_80_slow_sockets_of_one_client_do_not_stop_another(tmp_path, proxy):
    """They sent one byte of a body each, and everybody else was sent away for 19 seconds."""
    source, options = "127.0.0.2", []
    if proxy:
        source, options = "127.0.0.1", ["--trusted-proxy", "127.0.0.1"]
    with Collector(tmp_path, SCHEME, str(tmp_path / "s.duckdb"), *options) as collector:
        port = int(collector.url.rstrip("/").rpartition(":")[2])
        head = b"POST /records HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
        slow = []
        try:
            for _ in range(80):
                slow.append(socket.create_connection(("127.0.0.1", port), timeout=LONG, source_address=(source, 0)))
                slow[-1].sendall(head + b"X-Forwarded-For: 203.0.113.9\r\n\r\n{")
            for _ in range(20):
                status, _, _ = ask(collector.url + "records", submission(SCHEME, [[0, 1]]))
                assert status == 200
        finally:
            for link in slow:
                link.close()


def test_a_key_that_is_given_twice_is_refused(collector):
    before = ask(collector.url + "count")[1]
    sent = json.dumps(submission(SCHEME, [[0, 1]]))
    for twice in (sent[:-1] + ', "records": [[1, 2]]}', sent.replace('"scheme"', '"scheme": "x", "scheme"', 1)):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(collector.url + "records", data=twice.encode(), headers=headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        assert refused.value.code == 400
        assert "given twice" in json.loads(refused.value.read())["error"]
    assert ask(collector.url + "count")[1] == before


def test_store_and_log_are_their_owner_s_alone_whatever_the_mask(tmp_path):
    before = os.umask(0o022)
    try:
        store = tmp_path / "s.duckdb"
        with Collector(tmp_path, SCHEME, str(store)) as collector:
            for number in range(3):
                ask(collector.url + "records", submission(SCHEME, [[0, 1]] * (number + 1)))
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("s.duckdb*")}
            assert modes == {"s.duckdb": 0o600, "s.duckdb.wal": 0o600}
            collector.process.kill()
            collector.process.wait()
        for path in tmp_path.glob("s.duckdb*"):
            path.chmod(0o644)  # as older versions left them
        with Collector(tmp_path, SCHEME, str(store)) as collector:
            ask(collector.url + "records", submission(SCHEME, [[1, 1]]))
            assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("s.duckdb*")} == {0o600}
        assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("s.duckdb*")} == {0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize("url", ["postgresql://u:geheim@127.0.0.1:1/x", "postgres://127.0.0.1:1/x?password=geheim"])
def test_a_password_on_the_command_line_is_refused_in_one_line_that_says_how(tmp_path, url):
    SCHEME.write(tmp_path / "s.json")
    for command in (
        ["collect", "serve", tmp_path / "s.json", "--store", url],
        ["collect", "mine", url, "-s", "5%"],
    ):
        status, said = refusal(*command)
        assert status == 2
        assert "PGPASSFILE" in said
        assert "geheim" not in said
        assert "\n" not in said


def resident(pid):
    """Bytes of memory a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])
