"""`confide join train`: the coordinator of a run."""

from pathlib import Path

import click

from confide.cli.options import EXISTING, note, print_json
from confide.cli.release_files import ReleaseFiles, release_options

__all__ = ["train"]


@click.command(
    epilog="""\b
Examples:
  confide join train --config join.toml --check
  confide join train --config join.toml --with-site T1.toml --with-site T2.toml -o tree.json --report join.html
"""
)
@click.option("--config", type=EXISTING, required=True, help="join.toml of this run.")
@release_options(owner=False)
@click.option("--resume", is_flag=True, help="Continue the run in the state folder after its last finished level.")
@click.option(
    "--with-site", "hosted", type=EXISTING, multiple=True, help="Also serve this site.toml, here, while training."
)
@click.option("--take-over", is_flag=True, help="End another run that the sites are busy with.")
@click.option("--check", is_flag=True, help="Read the configuration and certificates, ask nobody, and exit.")
def train(
    config: Path,
    output: Path | None,
    resume: bool,
    hosted: tuple[Path, ...],
    take_over: bool,
    check: bool,
    report: Path | None,
    sign: Path | None,
    replace: bool,
) -> None:
    """Grow one decision tree over the tables of several sites.

    The tree says who splits a node, never how. The ledger in it lists what crossed between whom. Exit status 3 when a
    site does not answer, 1 when a site's policy forbids the run.
    """
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal
    from confide.join.configuration import tasks

    if check:
        for line in tasks.check_run(config):
            note(line)
        return
    if output is None:
        raise UsageError("say where the tree goes with -o FILE")
    files = ReleaseFiles.checked(output, report=report, sign=sign, replace=replace, inputs=[config, *hosted])
    with on_terminal():
        trained = tasks.train(config, resume=resume, take_over=take_over, with_sites=hosted)
    files.hand_out(trained.release)
    for line in trained.notes:
        note(line)
    print_json(trained.summary())
