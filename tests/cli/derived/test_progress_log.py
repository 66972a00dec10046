"""`confide run FILE --progress LOG`: what a program that starts jobs reads of them."""

import json
import signal
import subprocess
import sys

import pytest
from tests.commands import confide
from tests.patience import LONG, wait_until


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def folder(tmp_path):
    confide("sample", "people", "-o", "people.csv", "--rows", "200", cwd=tmp_path)
    return tmp_path


def run(folder, text):
    (folder / "r.toml").write_text(text)
    done = confide("run", "r.toml", "--progress", "log", cwd=folder)
    return done, lines(folder / "log")


TABLE = 'job = "publish table"\ntable = "people.csv"\nschema = "people.schema.toml"\n'


def test_a_log_names_the_job_its_tasks_and_the_way_it_ended(folder):
    done, log = run(folder, TABLE + 'k = 5\n[files]\noutput = "out.csv"\nowner_report = "own.html"\n')
    assert done.returncode == 0
    assert log[0]["job"] == "publish table"
    assert log[-1] == {"ended": "done", "status": 0}
    tasks = [line for line in log if "task" in line]
    assert tasks
    assert all(line["done"] <= line["total"] for line in tasks if line["total"] is not None)
    assert (folder / "log").stat().st_mode & 0o777 == 0o600


def test_a_refusal_is_there_as_data_with_settings_that_work(folder):
    done, log = run(folder, TABLE + 'k = 500\n[files]\noutput = "out.csv"\n')
    assert done.returncode == 1
    assert log[-1]["ended"] == "refused"
    assert log[-1]["parameter"] == "k"
    assert log[-1]["error"].startswith("k=500")
    cure = log[-1]["cures"][0]
    (folder / "log").unlink()
    _, log = run(folder, TABLE + f"k = {cure['k']}\n" + '[files]\noutput = "out.csv"\n')
    assert log[-1]["ended"] == "done"


@pytest.mark.parametrize("text", ["job = [", 'job = "nothing"', TABLE + "k = 1"])
def test_a_run_that_cannot_begin_ends_in_its_log_too(folder, text):
    done, log = run(folder, text)
    assert done.returncode == 2
    assert (log[-1]["ended"], log[-1]["status"]) == ("refused", 2)


def test_an_interrupt_is_an_ending(tmp_path):
    (tmp_path / "r.toml").write_text('job = "sample people"\nrows = 5_000_000\n[files]\noutput = "people.csv"\n')
    command = [sys.executable, "-m", "confide", "run", "r.toml", "--progress", "log"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    wait_until(lambda: (tmp_path / "log").exists() and lines(tmp_path / "log"))
    process.send_signal(signal.SIGINT)
    assert process.wait(LONG) == 130
    assert lines(tmp_path / "log")[-1] == {"ended": "interrupted", "status": 130}
    assert not (tmp_path / "people.csv").exists()


def test_a_log_that_cannot_be_written_is_said_before_the_work(folder):
    (folder / "r.toml").write_text(TABLE + 'k = 5\n[files]\noutput = "out.csv"\n')
    done = confide("run", "r.toml", "--progress", "nowhere/log", cwd=folder)
    assert (done.returncode, "nowhere/log" in done.stderr) == (2, True)
    assert not (folder / "out.csv").exists()
