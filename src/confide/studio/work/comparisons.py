"""Many runs that differ in a method and a few numbers, a job each, so that every one can be cancelled and resumed.

    compare-people/k-5-mondrian.run.toml     one of the runs: a run file like any other, which writes nothing
    .confide/comparisons/compare-people.json     the runs in order, and whether jobs are to be started for them

A thread starts a job whenever fewer run than may at once. A server that was killed goes on where it was once it is
started again: runs that have a job that is done are not run again.
"""

import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.files import read_regular, write_text
from confide.studio.project.project_folder import Project
from confide.studio.project.run_files import read_run
from confide.studio.work.job_folder import JobRecord
from confide.studio.work.running_jobs import RunningJobs

__all__ = ["MOST_RUNS", "RunComparison", "Comparisons"]

MOST_RUNS = 60
_AT_ONCE = 2  # of the jobs that may run at once: the person may want others
_PAUSE = 0.2
_LARGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class RunComparison:
    """The runs of a comparison by name, each with its last job (None where it has none yet); `on` while jobs are to be
    started. Jobs up to the number `since` were before it was resumed for the last time."""

    name: str
    job: str
    runs: tuple[tuple[str, JobRecord | None], ...]
    on: bool
    since: int

    @property
    def unsettled(self) -> list[str]:
        """The runs of which nothing has come yet: without a job, or with one that was cancelled or killed."""
        settled = ("running", "done", "refused", "failed")
        return [run for run, job in self.runs if job is None or job.state not in settled]

    @property
    def waiting(self) -> list[str]:
        """The runs for which a job is still to be started: one that failed is tried again when somebody resumes."""
        jobs = dict(self.runs)
        return [run for run in self.unsettled if (job := jobs[run]) is None or job.number <= self.since]

    @property
    def running(self) -> list[JobRecord]:
        """The jobs that are at work."""
        return [job for _, job in self.runs if job is not None and not job.over]


class Comparisons:
    """The comparisons of a folder."""

    def __init__(self, project: Project, jobs: RunningJobs):
        self._project, self._jobs = project, jobs
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, name: str, job: str, runs: Sequence[str]) -> None:
        """Note a comparison, and start its jobs one after the other."""
        self._write(name, {"job": job, "runs": list(runs), "on": True, "since": 0})
        self.go_on()

    def names(self) -> list[str]:
        """Every comparison, by name."""
        folder = self._project.root / ".confide" / "comparisons"
        return sorted(path.stem for path in folder.glob("*.json")) if folder.is_dir() else []

    def of(self, name: str) -> RunComparison:
        """One comparison, with the last job of each of its runs."""
        plain = self._read(name)
        latest: dict[str, JobRecord] = {}
        for job in self._jobs.all(most=1000):
            latest.setdefault(job.run, job)
        runs = tuple((run, latest.get(run)) for run in plain["runs"])
        return RunComparison(name=name, job=plain["job"], runs=runs, on=plain["on"], since=plain["since"])

    def cancel(self, name: str) -> None:
        """Start no more jobs of it, and cancel those that run."""
        self._write(name, self._read(name) | {"on": False})
        for job in self.of(name).running:
            self._jobs.cancel(job.number)

    def resume(self, name: str) -> None:
        """Start jobs for the runs that have none that is done."""
        last = max((job.number for job in self._jobs.all(most=1)), default=0)
        self._write(name, self._read(name) | {"on": True, "since": last})
        self.go_on()

    def go_on(self) -> None:
        """See to it that jobs are started for the comparisons that are on."""
        with self._lock:
            if (self._thread is None or not self._thread.is_alive()) and any(self._read(n)["on"] for n in self.names()):
                self._thread = threading.Thread(target=self._start_all, daemon=True)
                self._thread.start()

    def _start_all(self) -> None:
        while True:
            left = False
            for name in self.names():
                with suppress(ConfideError):  # a full disk, a file that went: the page says so
                    left |= self._start_next(name)
            if not left:
                return
            time.sleep(_PAUSE)

    def _start_next(self, name: str) -> bool:
        """Start a job of a comparison if one may be; whether any is still to be started."""
        found = self.of(name)
        if not found.on:
            return False
        ready = [run for name in found.waiting if not (run := read_run(self._project, name)).fault]
        if not ready and not found.running:  # what cannot be read is left to the person
            self._write(name, self._read(name) | {"on": False})
            return False
        if ready and len(found.running) < _AT_ONCE:
            with suppress(UsageError):  # as many jobs as may run at once do
                self._jobs.start(ready[0], 0)
        return True

    def _read(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        try:
            plain = json.loads(read_regular(path, max_bytes=_LARGEST))
            runs = [str(run) for run in plain["runs"]]
            return {"job": str(plain["job"]), "runs": runs, "on": bool(plain["on"]), "since": int(plain["since"])}
        except (ValueError, KeyError, TypeError):
            raise InputError("is not the record of a comparison", source=name) from None

    def _write(self, name: str, plain: object) -> None:
        write_text(self._path(name), json.dumps(plain), replace=True, private=True)

    def _path(self, name: str) -> Path:
        if not name or "/" in name or name.startswith("."):
            raise UsageError("there is no such comparison")
        self._project.place(name)
        return self._project.notes("comparisons") / f"{name}.json"
