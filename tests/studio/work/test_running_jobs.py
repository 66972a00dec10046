"""Jobs outlive the server, and the server outlives jobs: real processes, really killed."""

import os
import signal
import time

import pytest
from tests.commands import confide
from tests.patience import LONG, PROMPT, wait_until
from tests.studio.opened import ask, folder_of_people, studio_process, submit

from confide.core.errors import UsageError
from confide.studio.project.project_folder import Project
from confide.studio.project.run_files import read_run
from confide.studio.work.job_folder import read_job
from confide.studio.work.running_jobs import MOST_AT_ONCE, RunningJobs

LONG_RUN = 'job = "sample people"\nrows = {rows}\n[files]\noutput = "many.csv"\n'


@pytest.fixture
def begin(tmp_path):
    """Start a job that takes a while, and give it once it is at work."""
    jobs = RunningJobs(Project(tmp_path))

    def start(rows=5_000_000):
        (tmp_path / "many.toml").write_text(LONG_RUN.format(rows=rows))
        number = jobs.start(read_run(Project(tmp_path), "many.toml"), 1)
        wait_until(lambda: jobs.job(number).pid is not None)
        return jobs, number

    yield start
    for job in jobs.all():
        jobs.cancel(job.number)
    wait_until(lambda: all(job.over for job in jobs.all()))


def left(folder):
    """What lies in a folder beside what was put there: nothing half-written."""
    return {path.name for path in folder.iterdir()} - {".confide", "many.toml"}


def test_a_job_that_is_cancelled_ends_at_once_and_leaves_nothing(tmp_path, begin):
    jobs, number = begin()
    began = time.monotonic()
    jobs.cancel(number)
    wait_until(lambda: jobs.job(number).over)
    assert time.monotonic() - began < PROMPT
    assert jobs.job(number).state == "cancelled"
    assert left(tmp_path) == set()
    jobs.cancel(number)  # of one that has ended: nothing happens


def test_a_job_that_is_killed_is_known_as_such_and_its_files_are_absent(tmp_path, begin):
    jobs, number = begin()
    os.kill(jobs.job(number).pid, signal.SIGKILL)
    wait_until(lambda: jobs.job(number).over)
    assert jobs.job(number).state == "killed"
    assert {name for name in left(tmp_path) if not name.startswith(".")} == set()
    confide("sample", "people", "-o", "few.csv", "--rows", "10", cwd=tmp_path)
    assert not {name for name in left(tmp_path) if name.startswith(".")}, "the next job clears away what was left"


def test_another_server_sees_and_cancels_what_the_first_one_started(tmp_path, begin):
    _, number = begin()
    others = RunningJobs(Project(tmp_path))
    assert others.job(number).state == "running"
    others.cancel(number)
    wait_until(lambda: others.job(number).over)
    assert others.job(number).state == "cancelled"


def test_a_job_goes_on_when_the_server_is_killed_and_the_next_one_shows_what_came_of_it(tmp_path):
    with studio_process(tmp_path) as (server, url):
        _, page, where = submit(url, "sample people", "start", rows="60000", seed="1", output="many.csv", wanted="many")
        assert "at work" in page
        assert where.endswith("job?n=1")
        server.kill()
        server.wait(LONG)
    folder = tmp_path / ".confide" / "jobs" / "1"
    assert read_job(folder).state == "running"
    with studio_process(tmp_path) as (_, url):
        wait_until(lambda: read_job(folder).over)
        status, page, _ = ask(url, "job?n=1")
        assert (status, "Sample people: done" in page) == (200, True)
    assert (tmp_path / "many.csv").read_bytes().count(b"\n") == 60_001
    confide("sample", "people", "-o", "again.csv", "--rows", "60000", "--seed", "1", cwd=tmp_path)
    assert (tmp_path / "many.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()


def test_one_studio_at_a_time_works_in_a_folder(tmp_path):
    with studio_process(tmp_path):
        done = confide("studio", ".", "--no-browser", cwd=tmp_path)
    assert (done.returncode, "another studio" in done.stderr) == (2, True)


def test_so_many_jobs_run_at_once_and_no_more(tmp_path, begin):
    for _ in range(MOST_AT_ONCE):
        begin()
    with pytest.raises(UsageError, match="run already"):
        begin()


def test_a_job_that_speaks_to_others_is_never_run_from_here(tmp_path):
    folder_of_people(tmp_path, 20)
    (tmp_path / "site.toml").write_text('job = "join site"\nconfig = "people.schema.toml"\n')
    run = read_run(Project(tmp_path), "site.toml")
    with pytest.raises(UsageError, match="nothing leaves this one"):
        RunningJobs(Project(tmp_path)).start(run, 1)


@pytest.mark.parametrize("line", ['table = "../people.csv"', 'table = "/etc/passwd"', 'table = "postgresql://db/x"'])
def test_a_run_that_names_what_is_outside_is_not_carried_out(tmp_path, line):
    (tmp_path / "r.toml").write_text(f'job = "publish schema"\n{line}\n')
    run = read_run(Project(tmp_path), "r.toml")
    assert "outside this folder" in run.fault or "names a server" in run.fault
    with pytest.raises(UsageError):
        RunningJobs(Project(tmp_path)).start(run, 1)


def test_a_broken_record_is_an_error_of_one_line(tmp_path):
    folder = Project(tmp_path).notes("jobs", "7")
    (folder / "job.json").write_text("{")
    jobs = RunningJobs(Project(tmp_path))
    assert jobs.all() == []
    with pytest.raises(Exception, match="not the record of a job"):
        jobs.job(7)
