"""`confide run FILE`: run a saved request again."""

from dataclasses import replace as changed
from pathlib import Path
from typing import Any

import click

from confide.cli.derived.progress_log import keep_progress, progress_option
from confide.cli.lazy_group import quiet_option
from confide.cli.options import EXISTING, print_json

__all__ = ["run_request"]


def _print_form(context: click.Context, option: click.Parameter, name: str | None) -> None:
    if name is not None:
        from confide.core.jobs.catalogue import job_named
        from confide.core.jobs.forms import form_of

        print_json(form_of(job_named(name)))
        context.exit()


@click.command(
    "run",
    epilog="""\b
Example:
  confide run sets.toml --replace
""",
)
@click.argument("file", metavar="FILE", type=EXISTING)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write here instead of where FILE says.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
@click.option(
    "--form",
    metavar="JOB",
    is_eager=True,
    expose_value=False,
    callback=_print_form,
    help='Print the fields of a job ("mine itemsets") as JSON, to draw a form from; run nothing.',
)
def run_request(file: Path, output: Path | None, replace: bool, progress: Path | None) -> None:
    """Run the request in FILE, TOML or JSON, which --save-request wrote or you did.

    Paths in it are relative to the file.
    """
    from confide.cli.derived.delivery import deliver
    from confide.core.jobs.request_files import read_request

    with keep_progress(progress) as log:
        job, request, delivery = read_request(file)
        if log is not None:
            log.begin(job.name)
        other: dict[str, Any] = {} if output is None else {"output": output}
        deliver(job, request, changed(delivery, **other, **({"replace": True} if replace else {})))


run_request.params += [progress_option(), quiet_option()]
