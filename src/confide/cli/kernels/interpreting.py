"""A small job begins at once, its kernels interpreted; one that turns out to be long begins again, compiled.

    nothing compiled, small input --> interpreted --> done before anybody would have waited
                                          |
              after a moment a child compiles what the job needs
                                          |
              still not done when the child is --> the process starts itself again, compiled

Compiling takes half a minute, most small jobs a second or two. The choice is made once for the process, before any
kernel is imported. Starting again is safe as long as a job has only read files: nothing is handed out before it ends,
and what was said so far is not said twice. So jobs that talk to other programs or ask the person (`Job.live`), and
those that read standard input, are compiled from the start.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ParamSpec, TypeVar

from confide.core.jobs.catalogue import Job
from confide.core.jobs.outcome import Say
from confide.core.jobs.request import Request

__all__ = ["Restart", "begun_quickly", "interpret_small"]

A = TypeVar("A")
P = ParamSpec("P")

_VARIABLE, _SAID = "CONFIDE_KERNELS", "CONFIDE_SAID_BEFORE"
_LARGEST = 8 << 20  # bytes of input; a table of 30,000 rows and 9 columns has 2 to 4 MB
_LOOK = 0.05  # seconds between two looks at the child
_MOMENT = 1.5  # seconds before the child begins: most jobs are done by then


def interpret_small() -> bool:
    """Let this process interpret its kernels, unless somebody has decided already, or all are compiled."""
    from confide.cli.kernels.groups import all_groups

    return _interpret(all_groups())


@contextmanager
def begun_quickly(job: Job[Any], request: Request, say: Say) -> "Iterator[Restart]":
    """Run a job in this block, and let it say and ask through what this gives."""
    again = Restart(_groups(job), int(os.environ.pop(_SAID, "0")), say)
    if job.live or not _is_small(request) or not _interpret(again.groups):
        yield again
        return
    watching = threading.Thread(target=again.watch, daemon=True, name="confide-compiling")
    watching.start()
    try:
        yield again
    finally:
        again.finish()
        watching.join()


def _interpret(groups: list[str]) -> bool:
    from confide.cli.kernels.readiness import are_compiled

    decided = _VARIABLE in os.environ or "confide.core.runtime.jit" in sys.modules
    if decided or are_compiled(groups):
        return False
    os.environ[_VARIABLE] = "interpreted"
    return True


def _groups(job: Job[Any]) -> list[str]:
    """The kernels of the job's stage, and those that read files; of a job that belongs to none, all."""
    from confide.cli.kernels.groups import READING, all_groups
    from confide.core.stages import STAGES

    own = [stage for stage in STAGES.values() if f"{job.name} ".startswith(f"{stage.name} ")]
    return [*own[0].kernels, READING] if own else all_groups()


def _is_small(request: Request) -> bool:
    """Whether all that the job reads are files of a few megabytes."""
    if request.reads_standard_input:
        return False
    try:
        return sum(path.stat().st_size for path in request.inputs() if path.is_file()) <= _LARGEST
    except OSError:
        return True  # it will say itself what it cannot read


class Restart:
    """Starts the process again once its kernels are compiled, unless the job is done by then."""

    def __init__(self, groups: list[str], said_before: int, say: Say):
        self.groups, self._done, self._ending = groups, threading.Event(), threading.Lock()
        self._skip, self._said, self._say = said_before, 0, say

    def say(self, text: str) -> None:
        """Say it, unless it was said before the new start."""
        self._said += 1
        if self._said > self._skip:
            self._say(text)

    def asking(self, ask: Callable[P, A]) -> Callable[P, A]:
        """The same question, after which nothing starts again: nobody is asked twice."""

        def asked(*question: P.args, **how: P.kwargs) -> A:
            self.finish()
            return ask(*question, **how)

        return asked

    def finish(self) -> None:
        """From here on nothing starts again: the job is done, and its outcome will be handed out, or it has asked."""
        with self._ending:
            self._done.set()

    def watch(self) -> None:
        """Compile in children, group by group, until the job is done; if they are first, start again."""
        if self._done.wait(_MOMENT):
            return
        for group in self.groups:
            command = [sys.executable, "-m", "confide.cli.kernels.groups", group]
            environment = os.environ | {_VARIABLE: "compiled"}
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            while child.poll() is None:
                if self._done.wait(_LOOK):
                    child.terminate()
                    child.wait()
                    return
            if child.returncode:
                return  # the job goes on as it is
        with self._ending:
            if not self._done.is_set():
                self._start_again()

    def _start_again(self) -> None:
        from confide.core.runtime.unfinished import UNFINISHED, remove_folder

        for part in list(UNFINISHED):
            with suppress(OSError):
                remove_folder(part) if part.is_dir() else part.unlink()
        if sys.stderr is not None and sys.stderr.isatty():
            print("\r\x1b[2K\x1b[?25h", end="", file=sys.stderr, flush=True)  # a bar was drawn, and the cursor hidden
        environment = os.environ | {_VARIABLE: "compiled", _SAID: str(max(self._said, self._skip))}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
