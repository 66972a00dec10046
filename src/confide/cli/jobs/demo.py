"""The job `demo`: every stage that exists, on invented data; a table, reports, and every passport verified."""

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from confide.core.errors import RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import WordsOnly
from confide.core.jobs.fields import setting
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    from confide.report import IndexEntry

__all__ = ["GROUPS", "JOBS", "Demo", "demo"]

_HEADINGS = ("stage", "result", "promise", "holds", "sec.")


@dataclass(frozen=True, kw_only=True)
class Demo(Request):
    """Run every stage on invented data, write reports, and verify every passport written.

    Files of an earlier demo in that folder are replaced.

    Takes some seconds; about a minute where kernels are not compiled yet.
    """

    folder: Path = setting(Path("confide-demo"), metavar="DIR", help="Where reports and files go.")


def demo(request: Demo, host: Host = QUIET) -> Outcome:
    """Run the parts of each stage and verify what it wrote; `ok` says whether every promise holds."""
    from confide import report
    from confide.cli.kernels.interpreting import interpret_small
    from confide.core.runtime.progress import task
    from confide.core.runtime.threads import in_threads
    from confide.core.stages import STAGES

    folder = request.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError("folder", str(folder), f"cannot be made: {(error.strerror or '').lower()}") from None
    if interpret_small():
        host.say("the first time on this machine takes about a minute")
    parts = [(name, path) for name, stage in STAGES.items() for path in stage.demos]
    with task("running every stage", total=len(parts)) as step:
        ran = in_threads(partial(_run_part, folder), parts, step=step)
    entries = [entry for entry, _ in ran]
    rows = [
        (
            entry.stage,
            entry.summary,
            entry.promise,
            "-" if entry.verdict is None else "yes" if entry.verdict.ok else "NO",
            f"{seconds:.0f}",
        )
        for entry, seconds in ran
    ]
    report.write_index(entries, folder / "index.html", replace=True)
    return Outcome(
        answer=entries,
        words=(_table(rows),),
        notes=(f"open {folder / 'index.html'} in a browser",),
        ok=all(entry.verdict is None or entry.verdict.ok for entry in entries),
    )


def _run_part(folder: Path, asked: tuple[str, str]) -> "tuple[IndexEntry, float]":
    """Run one part in a process of its own, so that parts use all cores; return its entry and how long it took.

    `asked` is the name of its stage, and the dotted path of the part.
    """
    from confide import report
    from confide.audit.verify import verify
    from confide.cli.demos import DemoPart
    from confide.core.checks import Verification

    began, (name, path) = time.perf_counter(), asked
    command = [sys.executable, "-m", "confide.cli.demos", path, str(folder)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason was given"]
        raise UsageError(f"the part {name!r} failed: {lines[-1]}")
    part = DemoPart.from_json(done.stdout)
    checks = [check for file in part.passports for check in verify(file).checks]
    entry = report.IndexEntry(
        stage=name,
        title=part.title,
        promise=part.promise,
        verdict=Verification.of(checks) if part.passports else None,
        summary=part.summary,
        href=part.page.name,
    )
    return entry, time.perf_counter() - began


def _table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a table that leaves its width to the sentences."""
    from rich.table import Table

    from confide.cli.options import rich_text

    table = Table(title="What Confide did", padding=(0, 0, 0, 1), show_lines=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right" if heading == "sec." else "left", overflow="fold")
    table.columns[0].max_width = len("transactions")
    for row in rows:
        table.add_row(*row)
    return rich_text(table)


GROUPS: dict[str, str] = {}

JOBS = (
    Job(
        name="demo",
        request=Demo,
        at="confide.cli.jobs.demo:demo",
        delivery=WordsOnly,
        live=True,
        examples=("confide demo",),
    ),
)
