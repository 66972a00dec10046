"""What is known of a job from its folder alone, whoever started it and whether that still runs.

    .confide/jobs/7/job.json           what was asked: run file, version, job, files it writes
                    run.toml           the request as it was then: `confide run` reads this copy
                    progress.jsonl     progress, and the way it ended (`--progress`)
                    answer, words      standard output and standard error
                    alive              locked by the job's process; the system lets go when that ends, however it does
                    cancelled          somebody asked it to end

A job without an ending in its log whose lock nobody holds was killed: the files it was to write are whole or absent.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.core.files import read_regular

__all__ = ["ENDED", "JobRecord", "JobTask", "is_alive", "read_job"]

_LARGEST_WORDS = 1 << 20
LARGEST_ANSWER = 32 << 20
ENDED = ("done", "refused", "failed", "interrupted", "cancelled", "broken", "killed")
"""States that stay; `running` is the only other one."""


@dataclass(frozen=True, kw_only=True)
class JobTask:
    """A piece of a job's work; `share` of it is done, where the whole is known."""

    name: str
    share: float | None


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """A job as its folder tells it. `files` are the names of files that it writes, by field of its delivery."""

    number: int
    folder: Path
    run: str
    version: int
    job: str
    started: float
    files: dict[str, str] = field(default_factory=dict)
    hands_out: bool = False
    state: str = "running"
    pid: int | None = None
    tasks: tuple[JobTask, ...] = ()
    error: str = ""
    cures: tuple[dict[str, Any], ...] = ()

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDED

    def name_starts(self, names: tuple[str, ...]) -> bool:
        """Whether it is one of these jobs, or of these groups of jobs."""
        return any(f"{self.job} ".startswith(f"{name} ") for name in names)

    def words(self) -> list[str]:
        """What it said to the person, line by line."""
        text = _read(self.folder / "words", _LARGEST_WORDS).decode("utf-8", "replace")
        lines = [self.shorten(line) for line in text.splitlines()]
        return [line for line in lines if line and not line.startswith("confide: ")]

    def answer(self) -> str:
        """What it wrote to standard output; an InputError if that is too much for a page."""
        return self.shorten(_read(self.folder / "answer", LARGEST_ANSWER).decode("utf-8", "replace"))

    def shorten(self, text: str) -> str:
        """Names of files as they are called in the folder."""
        return _shorten(text, self.folder)


def read_job(folder: Path) -> JobRecord:
    """The record of a job's folder; an InputError if it is not one."""
    try:
        plain = json.loads(read_regular(folder / "job.json", max_bytes=_LARGEST_WORDS))
        asked: dict[str, Any] = {
            "run": str(plain["run"]),
            "version": int(plain["version"]),
            "job": str(plain["job"]),
            "started": float(plain["started"]),
            "files": {str(name): str(file) for name, file in plain["files"].items()},
            "hands_out": bool(plain["hands_out"]),
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("is not the record of a job", source=folder.name) from None
    alive = is_alive(folder)  # before the log is read: it may end in between
    lines = list(_log(folder))
    return JobRecord(number=int(folder.name), folder=folder, **asked, **_state(folder, lines, alive=alive))


def _state(folder: Path, lines: list[dict[str, Any]], *, alive: bool) -> dict[str, Any]:
    """How far the job is, or how it ended."""
    tasks: dict[str, JobTask] = {}
    pid, ending = None, None
    for line in lines:
        if "task" in line:
            total = line.get("total")
            share = min(1.0, float(line["done"]) / total) if total else None
            tasks[str(line["task"])] = JobTask(name=str(line["task"]), share=share)
        elif "ended" in line:
            ending = line
        elif "pid" in line:
            pid = int(line["pid"])
    known: dict[str, Any] = {"tasks": tuple(tasks.values()), "pid": pid}
    if ending is None and alive:
        return known | {"state": "running"}
    cancelled = (folder / "cancelled").exists()
    state = str(ending["ended"]) if ending is not None else "cancelled" if cancelled else "killed"
    state = "cancelled" if cancelled and state == "interrupted" else state if state in ENDED else "broken"
    if ending is None:
        last = _read(folder / "words", _LARGEST_WORDS).decode("utf-8", "replace").splitlines()[-1:]
        said = [line.removeprefix("confide: ") for line in last if line.startswith("confide: ")]
        return known | {"state": state, "error": _shorten(" ".join(said), folder)}
    cures = tuple(cure for cure in ending.get("cures") or () if isinstance(cure, dict))
    return known | {"state": state, "error": _shorten(str(ending.get("error", "")), folder), "cures": cures}


def is_alive(folder: Path) -> bool:
    """Whether the process of a job, or one that it started, still runs: it holds the lock."""
    try:
        descriptor = os.open(folder / "alive", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _log(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of the log that are whole."""
    for line in _read(folder / "progress.jsonl", LARGEST_ANSWER).splitlines():
        try:
            plain = json.loads(line)
        except ValueError:  # cut off when the disk was full
            continue
        if isinstance(plain, dict):
            yield plain


def _read(path: Path, most: int) -> bytes:
    try:
        return read_regular(path, max_bytes=most)
    except ConfideError:
        if path.exists():
            raise
        return b""


def _shorten(text: str, folder: Path) -> str:
    """The run is a copy three folders down, so its paths begin with a way up; people know them without."""
    inside = f".confide/jobs/{folder.name}/"
    return text.replace(f"{inside}../../../", "").replace(f"{inside}run.toml", "the run")
