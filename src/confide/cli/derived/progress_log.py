"""`confide run FILE --progress LOG`: how far a job is and how it ended, as JSON lines that other programs read.

    {"pid": 4711, "job": "publish table", "at": 1790000000.0}
    {"task": "finding groups", "done": 3, "total": 10}
    {"ended": "refused", "status": 1, "error": "...", "parameter": "k", "value": 900, "cures": [{"k": 120}]}

`ended` is done, refused (a file, a setting, or a promise that cannot be kept), failed (a check did not hold),
interrupted or broken (a fault of ours). A log without such a line is of a job that still runs, or was killed. Lines are
for the owner alone: an error may name the owner's columns. A log that cannot be written ends no job.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from confide.core.errors import ConfideError, UsageError
from confide.core.runtime.progress import reporting

__all__ = ["keep_progress", "progress_option"]

_BETWEEN = 0.2  # seconds between two lines about one task


def progress_option() -> click.Option:
    """`--progress LOG`."""
    help = "Append progress and the way it ends to LOG, as JSON lines, for a program that shows them."
    return click.Option(["--progress"], metavar="LOG", type=click.Path(path_type=Path, dir_okay=False), help=help)


@contextmanager
def keep_progress(path: Path | None) -> "Iterator[ProgressLog | None]":
    """Write what is reported in this block, and how the block ends, to `path`; without one do nothing."""
    if path is None:
        yield None
        return
    log = ProgressLog(path)
    try:
        with reporting(log.report):
            yield log
        log.write(ended="done", status=0)
    except BaseException as error:
        log.write(**_ending(error))
        raise
    finally:
        log.close()


class ProgressLog:
    """The file of one job, for its owner only."""

    def __init__(self, path: Path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        self._last: dict[str, float] = {}

    def begin(self, job: str) -> None:
        """Say who works on what."""
        self.write(pid=os.getpid(), job=job, at=time.time())

    def report(self, task: str, done: float, total: float | None) -> None:
        """A step of a task; of many in a moment only the first, and the end."""
        now = time.monotonic()
        if done == total or now - self._last.get(task, -_BETWEEN) >= _BETWEEN:
            self._last[task] = now
            self.write(task=task, done=done, total=total)

    def write(self, **line: Any) -> None:
        """One line, in one piece: a reader beside us sees all of it or nothing."""
        with suppress(OSError):
            os.write(self._file, (json.dumps(line, default=str) + "\n").encode())

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _ending(error: BaseException) -> dict[str, Any]:
    """How an error ends a job, as the command's exit status has it."""
    if isinstance(error, click.exceptions.Exit):
        return {"ended": "done" if error.exit_code == 0 else "failed", "status": error.exit_code}
    if isinstance(error, KeyboardInterrupt | click.exceptions.Abort):
        return {"ended": "interrupted", "status": 130}
    if isinstance(error, ConfideError):
        value = error.value if isinstance(error.value, str | int | float | Path) else None  # never records
        known = {"parameter": error.parameter, "value": value, "cures": list(error.cures)}
        return {"ended": "refused", "status": error.exit_code, "error": str(error), **known}
    if isinstance(error, MemoryError):
        return {"ended": "refused", "status": 2, "error": "not enough memory for this input; close other programs"}
    if isinstance(error, OSError):
        return {"ended": "refused", "status": 2, "error": f"cannot write the output: {error.strerror or error}"}
    return {"ended": "broken", "status": 1, "error": "an error of Confide itself; its messages say where"}
