"""Jobs as processes of their own: they outlive the server, and the server outlives them.

Each is `confide run COPY --progress LOG` in a process group and session of its own, so that neither Ctrl-C nor the end
of the terminal reaches it; cancelling sends its group the SIGINT that Ctrl-C would. What is known of it stands in its
folder (`job_folder`): a server that was killed and started again reads that.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import write_text
from confide.core.jobs.request_files import request_text
from confide.studio.project.project_folder import Project
from confide.studio.project.run_files import RunFile, file_names
from confide.studio.work.job_folder import JobRecord, is_alive, read_job

__all__ = ["RunningJobs"]

MOST_AT_ONCE = 4


class RunningJobs:
    """The jobs of a folder."""

    def __init__(self, project: Project):
        self._project = project
        self._lock = threading.Lock()
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, run: RunFile, version: int) -> int:
        """Start a run, and return the number of its job."""
        if run.job is None or run.request is None or run.delivery is None:
            raise UsageError(run.fault or "this run cannot be read")
        if run.fault:
            raise UsageError(run.fault)
        if run.job.remote and not run.request.stays_here(run.delivery):
            raise UsageError(
                f"{run.job.name} speaks to other machines, and nothing leaves this one from here; "
                "run it yourself by the command below"
            )
        with self._lock:
            self._reap()
            running = [job for job in self.all(most=50) if not job.over]
            if len(running) >= MOST_AT_ONCE:
                raise UsageError(f"{len(running)} jobs run already; wait until one ends, or cancel one")
            number, folder = self._new_folder()
            record = {
                "run": run.name,
                "version": version,
                "job": run.job.name,
                "started": time.time(),
                "files": file_names(self._project, run.request, run.delivery),
                "hands_out": run.delivery.HANDS_OUT and not getattr(run.delivery, "dry_run", False),
            }
            copy = folder / "run.toml"
            write_text(copy, request_text(run.job, run.request, run.delivery, copy), private=True)
            write_text(folder / "job.json", json.dumps(record), private=True)
            self._children[number] = self._start(folder)
            return number

    def _start(self, folder: Path) -> "subprocess.Popen[bytes]":
        notes = folder.relative_to(self._project.root)
        command = [sys.executable, "-m", "confide", "run", str(notes / "run.toml")]
        command += ["--progress", str(notes / "progress.jsonl")]
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        alive, answer, words = (os.open(folder / name, flags, 0o600) for name in ("alive", "answer", "words"))
        try:
            fcntl.flock(alive, fcntl.LOCK_EX)
            return subprocess.Popen(
                command,
                cwd=self._project.root,
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=words,
                start_new_session=True,
                pass_fds=(alive,),
            )
        except OSError as error:
            raise UsageError(f"cannot start a process: {error.strerror}") from None
        finally:
            for descriptor in (alive, answer, words):
                os.close(descriptor)  # the lock stays with the child

    def cancel(self, number: int) -> None:
        """Ask a job to end, as Ctrl-C would; nothing that it writes is left half-written."""
        job = self.job(number)
        child = self._children.get(number)
        pid = child.pid if child is not None and child.poll() is None else job.pid
        if job.over or not is_alive(job.folder):
            return
        if pid is None:
            raise UsageError("this job is only starting; try again in a moment")
        with suppress(UsageError):
            write_text(job.folder / "cancelled", "", private=True)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGINT)

    def job(self, number: int) -> JobRecord:
        """One job by its number."""
        folder = self._project.notes("jobs") / str(number)
        if not folder.is_dir():
            raise InputError(f"there is no job {number}")
        self._reap()
        return read_job(folder)

    def all(self, *, most: int = 200) -> list[JobRecord]:
        """The jobs, the latest first."""
        self._reap()
        found = []
        for number in sorted(self._numbers(), reverse=True)[:most]:
            with suppress(InputError):
                found.append(read_job(self._project.notes("jobs") / str(number)))
        return found

    def latest_of(self, run: str) -> JobRecord | None:
        """The last job of a run file."""
        return next((job for job in self.all() if job.run == run), None)

    def _numbers(self) -> list[int]:
        with os.scandir(self._project.notes("jobs")) as entries:
            return [int(entry.name) for entry in entries if entry.name.isdigit()]

    def _new_folder(self) -> tuple[int, Path]:
        number = max(self._numbers(), default=0) + 1
        return number, self._project.notes("jobs", str(number))

    def _reap(self) -> None:
        """Let the system forget children that have ended: a process that nobody waits for keeps its number."""
        for child in list(self._children.values()):
            child.poll()
