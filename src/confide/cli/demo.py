"""`confide demo`: every stage that exists, on invented data; a table, reports, and every passport verified."""

import time
from pathlib import Path

import click

from confide.cli.options import note

__all__ = ["demo"]


@click.command(
    epilog="""\b
Example:
  confide demo
"""
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("confide-demo"),
    show_default=True,
    help="Where reports and files go.",
)
def demo(folder: Path) -> None:
    """Run every stage on invented data, write reports, and verify every passport written.

    Files of an earlier demo in that folder are replaced.

    Takes under a minute; the very first time, while kernels are compiled, up to three.
    """
    from rich.console import Console
    from rich.table import Table

    from confide import report
    from confide.audit.verify import verify
    from confide.core.checks import Verification
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal
    from confide.core.stages import STAGES, named

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from None
    table = Table(title="What Confide did", padding=(0, 0, 0, 1), show_lines=True)
    for heading in ("stage", "result", "promise", "holds", "sec."):
        table.add_column(heading, justify="right" if heading == "sec." else "left", overflow="fold")
    table.columns[0].max_width = len("transactions")
    entries = []
    failed = False
    for name, stage in STAGES.items():
        if stage.demo is None:
            continue
        note(f"{name} ...")
        began = time.perf_counter()
        with on_terminal():
            part = named(stage.demo)(folder)
        verdict = None
        if part.passports:
            verdict = Verification.of([check for file in part.passports for check in verify(file).checks])
            failed |= not verdict.ok
        shown = "-" if verdict is None else "yes" if verdict.ok else "NO"
        table.add_row(name, part.summary, part.promise, shown, f"{time.perf_counter() - began:.0f}")
        entries.append(
            report.IndexEntry(
                stage=name,
                title=part.title,
                promise=part.promise,
                verdict=verdict,
                summary=part.summary,
                href=part.page.name,
            )
        )
    report.write_index(entries, folder / "index.html", replace=True)
    Console().print(table)
    note(f"open {folder / 'index.html'} in a browser")
    if failed:
        raise click.exceptions.Exit(1)
