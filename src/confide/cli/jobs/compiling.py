"""The job `compile`: every kernel compiled now, on all cores, instead of each when it is first needed."""

import subprocess
import sys
import time
from dataclasses import dataclass

from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import DocumentOnly
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "Compile", "compile_kernels"]


@dataclass(frozen=True, kw_only=True)
class Compile(Request):
    """Compile every kernel now, on all cores. Without it, each is compiled when it is first needed."""


def compile_kernels(request: Compile, host: Host = QUIET) -> Outcome:
    """Compile group by group, each in a process of its own."""
    from confide.cli.kernels.groups import all_groups
    from confide.core.runtime.progress import task
    from confide.core.runtime.threads import in_threads

    began = time.perf_counter()
    host.say("compiling kernels for this machine (once, about a minute)")
    groups = all_groups()
    with task("compiling", total=len(groups)) as step:
        in_threads(_compile_group, groups, step=step)
    return Outcome(notes=(f"done in {time.perf_counter() - began:.0f} s",))


def _compile_group(name: str) -> None:
    command = [sys.executable, "-m", "confide.cli.kernels.groups", name]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        raise UsageError(f"compiling {name!r} failed; run: python -m confide.cli.kernels.groups {name!r}")


GROUPS: dict[str, str] = {}

JOBS = (
    Job(
        name="compile",
        request=Compile,
        at="confide.cli.jobs.compiling:compile_kernels",
        delivery=DocumentOnly,
        live=True,
        examples=("confide compile",),
    ),
)
