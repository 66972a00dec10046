"""What a user of `confide stream release` meets when something is wrong: one line, and an exit code."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from tests.commands import confide
from tests.patience import LONG, PROMPT
from tests.stream.streams import records_file

from confide import verify
from confide.core.streams.run import StreamRun
from confide.stream import StreamRelease

BASE = ["--noise-key", "noise.key", "--min-support", "25", "--window", "400", "--every", "50"]
OTHER = ["--noise-key", "other.key"]
WIDE = ["--window", "5000", "--every", "500"]


@pytest.fixture
def desk(tmp_path):
    records_file(tmp_path)
    done = confide(*release("--state", "state", "--limit", "600"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "damaged").write_bytes((tmp_path / "state").read_bytes()[:-9])
    (tmp_path / "key").write_bytes(os.urandom(32))
    (tmp_path / "short").write_bytes(b"123")
    (tmp_path / "bad.jsonl").write_text('["milk"]\n{"milk": 1}\n')
    return tmp_path


def release(*more, source="in.jsonl"):
    return ["stream", "release", source, "-o", "out.jsonl", *BASE, *more]


def paper(*more):
    return ["stream", "release", "in.jsonl", "-o", "out.jsonl", *BASE[2:], "--promise", "none", *more]


def timed(*more):
    return ["stream", "release", "in.jsonl", "-o", "out.jsonl", *BASE[:4], "--seconds", "400", *more]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (release("--min-support", "5"), 2, "--min-support 5 would publish vulnerable patterns"),
        (release("--min-support", "4"), 2, "would publish vulnerable patterns"),
        (release("--epsilon", "0.012"), 2, "nearest that works: --epsilon 0.016"),
        (release("--epsilon", "0.004"), 2, "--epsilon 0.004 is too small for --delta 0.4, whatever the noise"),
        (paper("--noise", "rademacher"), 2, "reveals counts up to --vulnerable 5 exactly"),
        (release("--replace", source="bad.jsonl"), 2, "bad.jsonl, line 2: a record is not a set of items"),
        (release("--state", "state", "--every", "80"), 2, "state: was made under other parameters (every, noise)"),
        (release("--every", "60"), 2, "--window 400 is not a multiple of --every 60; use 360 or another multiple"),
        (release("--noise-key", "short"), 2, "short: holds 3 bytes, but a key is 32"),
        (release("--noise-key", "out.jsonl"), 2, "bytes, but a key is 32; name a file that does not exist"),
        (release("--state", "state", "--noise-key", "other"), 2, "state: is of another key"),
        (["stream", "release", "in.jsonl", "--min-support", "25", "--window", "400"], 2, "give --noise-key, a file"),
        (release("--seed", "1"), 2, "give --seed or --noise-key, not both"),
        (release("--scheme", "order"), 2, "--noise-key goes with --scheme blocks"),
        (timed("--every", "50"), 2, "--every counts records"),
        (timed(), 2, "give --every-seconds"),
        (timed("--every-seconds", "7"), 2, "--seconds 400.0 is not a multiple of --every-seconds 7"),
        (release("--state", "state", "--epsilon", "0.03"), 2, "was made under other parameters (requirement)"),
        (release("--state", "damaged"), 2, "damaged"),
        (release("--state", "state", "--state-key", "key"), 2, "is not encrypted, but a key was given"),
        (release("--state", "state", "--state-key", "bad.jsonl"), 2, "a key is a file of 32 bytes"),
        (release("--state", "in.jsonl"), 2, "in.jsonl"),
        (release(), 2, "exists; say --replace"),
        (release("--replace", source="absent.jsonl"), 2, "absent.jsonl: no such file"),
        (release("--replace", source="redis://127.0.0.1:9/0?stream=x"), 3, "no server answers there"),
        (release("--replace", "--window", "500"), 2, "drawn for another promise (--window 400), and a second"),
        (["stream", "release", "in.jsonl", "-o", "new.jsonl", *BASE, *OTHER, *WIDE], 1, "no release"),
        (["stream", "release", "in.jsonl", *BASE, "--report", "r.html"], 2, "--output"),
        (["stream", "release", "in.jsonl", *BASE[:4]], 2, "--window"),
    ],
)  # fmt: skip
def test_bad_input_ends_in_one_line(desk, words, status, said):
    before = {name: (desk / name).read_bytes() for name in ("out.jsonl", "state")}
    done = confide(*words, cwd=desk)
    assert (done.returncode, done.stdout) == (status, "")
    lines = [line for line in done.stderr.splitlines() if not line.startswith("without --state")]
    assert len(lines) == 1, done.stderr
    assert said in lines[0]
    if "--replace" not in words:
        assert {name: (desk / name).read_bytes() for name in before} == before


def test_a_name_that_was_mistyped_leaves_nothing_behind(desk):
    before = {path.name for path in desk.iterdir()}
    done = confide("stream", "release", "absent.jsonl", "-o", "new.jsonl", *BASE[2:], "--noise-key", "new", cwd=desk)
    assert (done.returncode, "no such file" in done.stderr) == (2, True)
    assert {path.name for path in desk.iterdir()} == before


def test_sigterm_ends_a_run_that_follows_a_file_and_the_next_goes_on(desk):
    command = [sys.executable, "-m", "confide", *release("--state", "state", "--follow")]
    for number in (signal.SIGTERM, signal.SIGINT):
        started = subprocess.Popen(command, cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + LONG
        while time.monotonic() < until and (
            (desk / "out.jsonl.passport.json").exists() or len((desk / "out.jsonl").read_bytes().splitlines()) < 18
        ):  # while a run goes on there is no passport
            time.sleep(0.05)
        told = time.monotonic()
        started.send_signal(number)
        out, err = started.communicate(timeout=LONG)
        assert started.returncode == 0, err
        assert time.monotonic() - told < PROMPT
        assert '"releases": 17' in out
        assert verify(desk / "out.jsonl.passport.json").ok
    assert [r.offset for r in StreamRun.read(desk / "out.jsonl").releases] == list(range(400, 1201, 50))


def test_a_run_can_be_reported_signed_and_verified(desk):
    assert confide("passport", "keys", "signing.pem", cwd=desk).returncode == 0
    words = ["stream", "release", "in.jsonl", "-o", "b.jsonl", *BASE, "--report", "b.html", "--sign", "signing.pem"]
    done = confide(*words, cwd=desk)
    assert done.returncode == 0, done.stderr
    page = (desk / "b.html").read_text()
    assert "17 releases of what is frequent in the last 400 records" in page
    checked = confide("verify", "b.jsonl.passport.json", cwd=desk)
    assert checked.returncode == 0
    assert "signature" in checked.stderr + checked.stdout
    with open(desk / "b.jsonl", "ab") as file:
        file.write(b"\n")
    assert confide("verify", "b.jsonl.passport.json", cwd=desk).returncode == 1


def test_a_run_to_stdout_is_the_run(desk):
    done = confide("stream", "release", "in.jsonl", *BASE, cwd=desk)
    assert done.returncode == 0
    run = StreamRun.from_bytes(done.stdout.encode())
    assert len(run.releases) == 17


def test_a_seed_is_warned_of(desk):
    done = confide("stream", "release", "in.jsonl", "-o", "c.jsonl", *BASE[2:], "--seed", "1", cwd=desk)
    assert "warning: noise from a seed can be repeated" in done.stderr
    assert "bounds next to nothing" in str(verify(desk / "c.jsonl.passport.json").summary())


def test_a_saved_request_with_a_seed_gives_the_same_run_byte_for_byte(desk):
    words = ["stream", "release", "in.jsonl", "-o", "d.jsonl", *BASE[2:], "--seed", "1", "--save-request", "again.toml"]
    assert confide(*words, cwd=desk).returncode == 0
    done = confide("run", "again.toml", "-o", "e.jsonl", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert (desk / "d.jsonl").read_bytes() == (desk / "e.jsonl").read_bytes()


def test_a_request_names_the_key_of_a_state_and_refuses_to_save_a_password(desk):
    words = [*release("--state", "kept", "--state-key", "key", "--replace"), "--save-request", "keyed.json"]
    assert confide(*words, cwd=desk).returncode == 0
    assert json.loads((desk / "keyed.json").read_text())["state_key"] == "key"
    request = StreamRelease(
        records="in.jsonl", to="redis://:geheim@127.0.0.1/0?stream=x", min_support=25, window=400, seed=1
    )
    with pytest.raises(ValueError, match="never saved"):
        request.as_plain()
